#include "sph/coarse.h"

#include <cmath>

#include "exec/team.h"
#include "sph/coarse_cells.h"
#include "sph/coarse_fill.h"

namespace brim::inline BRIM_FLAVOUR {

static int total(int cells, View<const int> number) {
  return int(sumOf(cells, [=] BRIM_KERNEL(int c) { return double(number[c]); }));
}

static void numberUnknowns(int cells, View<const int> count, View<const int> number, View<int> state, View<int> where) {
  forEach(cells, [=] BRIM_KERNEL(int c) {
    if (count[c] && state[c] != rim) state[c] = number[c], where[number[c]] = c;
  });
}

template <int D>
CoarseCells<D> CoarseLevel<D>::grid() const {
  CoarseCells<D> g;
  g.particles = particles_;
  for (int k = 0; k < 3; ++k) g.size[k] = size_[k];
  for (int k = 0; k < D; ++k) g.low[k] = low_[k];
  g.side = side_;
  g.full = full_;
  for (int k = 0; k < D; ++k) g.seam[k] = seam_[k], g.end[k] = end_[k];
  return g;
}

// Fluid in free flight is left to the particles: their sums conserve momentum to rounding, a grid does not, and without a
// wall to stand on there is no deep pressure to carry.
template <int D>
bool CoarseLevel<D>::prepare(const StepContext<D>& c) {
  const World<D>& w = c.world;
  const Window<D>& window = c.neighbourhood().window();
  system_.resize(0);
  if (!window.dense) return false;
  int cells = 1;
  constexpr int fine = CoarseCells<D>::rows * Window<D>::fine;  // windows come in multiples of four supports
  side_ = fine / window.scale[0];
  full_ = std::pow(side_ / w.spacing, D);
  for (int k = 0; k < D; ++k) {
    size_[k] = window.size[k] / (k == 0 ? fine : CoarseCells<D>::rows);
    low_[k] = double(window.low[k]) / window.scale[k];
    cells *= int(size_[k]);
    const double ends = (w.extent[k] - low_[k]) / side_;
    end_[k] = w.walled[k] ? ends : 1e30;
    seam_[k].first = std::int64_t(std::floor(-low_[k] / side_ + 0.01));
    seam_[k].last = std::int64_t(std::ceil(ends - 0.01)) - 1;
    seam_[k].part = std::min(1.0, ends - double(seam_[k].last));
    seam_[k].there = w.periodic[k] && seam_[k].first >= 0 && seam_[k].last < size_[k];  // fluid may be at one end only
  }
  particles_ = c.neighbourhood().cells().runs();
  for (Array<int>* a : {&count_, &state_, &where_}) a->resize(cells);
  number_.resize(cells);
  amount_.resize(cells);
  countParticles(grid(), cells, count_.view());
  measureFluid(grid(), cells, w, count_.read(), amount_.view());
  findStates(grid(), cells, w, count_.read(), state_.view(), number_.view());
  const Obstacles<D> obstacles{w.solids.placed().read(), int(w.solids.placed().size()), w.spacing};
  const WetCells<D> wet{grid(), count_.read(), state_.read(), {}, obstacles, amount_.read()};
  findRims(wet, cells, state_.view(), number_.view());
  const int n = total(cells, number_.read());
  scan(number_, cells);
  numberUnknowns(cells, count_.read(), number_.read(), state_.view(), where_.view());
  system_.resize(n);
  middle_.resize(n);
  mean_.resize(n);
  if (w.solids.placed().size() > 0) findMiddles(grid(), n, where_.read(), w.fluid.p.read(), middle_.view());
  const WetCells<D> cut{grid(), count_.read(), state_.read(), middle_.read(), obstacles, amount_.read()};
  connect(cut, n, where_.read(), system_.link.view(), system_.diagonal.view(), system_.filled.view());
  if (w.solids.placed().size() > 0 && anyJet(cut, n, where_.read(), system_.links(), c.gravity)) {
    system_.resize(0);
    return false;
  }
  if (w.step > 0)
    findVoids(grid(), n, where_.read(), w.fluid.v.read(), w.rho0, c.gravity, system_.link.view(), system_.diagonal.view());
  return system_.findHeld();
}

// Displacements of the faces of cells with fluid, from the drop of pressure across them. Beside a wall the excess is mostly
// in the gap between the wall and the first layer: fluid there moves too. No flow through a wall is said of the whole motion, and
// what was predicted may lead away from it: fluid under a ceiling falls by g dt^2, and the pressure below has to hold it there.
// So towards a wall the fluid beside it moves as at the other face, as far as it has left the wall and below a ceiling by what
// fills its cell.
template <int D>
static void findFaces(int n, double mobility, double dt, const Vec<D> gravity, const WetCells<D> cells, View<const int> where,
                      const Links link, View<const Pair> x, View<const Record<D>> mean, View<Record<3>> face) {
  constexpr double besideWall = 0.3;  // of the way at the other face
  forEach(n * D, [=] BRIM_KERNEL(int at) {
    const int i = at % n, axis = at / n;
    const auto lower = [=](int cell) -> Record<3>& { return face[2 * axis * cells.all() + cell]; };
    const auto upper = [=](int cell) -> Record<3>& { return face[(2 * axis + 1) * cells.all() + cell]; };
    double swift[2], slow[2];
    Pair filled;  // [m] what flows into the cell and not out of it, over its section
    Link l[2];
    for (int k = 0; k < 2 * D; ++k) {
      const Link beyond = link(i, k);
      if (beyond.perDrop == 0) continue;
      const Pair other = beyond.to >= 0 ? x[beyond.to] : Pair{};
      filled.now += mobility * beyond.weight * (other.now - x[i].now);
      filled.before += mobility * beyond.weight * (other.before - x[i].before);
    }
    for (int up = 0; up < 2; ++up) {
      l[up] = link(i, 2 * axis + up);
      const Pair other = l[up].to >= 0 ? x[l[up].to] : Pair{};
      const double perDrop = (up ? mobility : -mobility) * l[up].perDrop;
      swift[up] = perDrop * (x[i].now - other.now), slow[up] = perDrop * (x[i].before - other.before);
    }
    for (int up = 0; up < 2; ++up) {
      if (l[up].perDrop != 0) continue;
      const double out = up ? 1 : -1, away = out * dt * (cells.wallSpeed(where[i], axis, up, l[up].to) - mean[i].x[axis]);
      const double gap = out * gravity[axis] < 0 ? 1 : 0;  // below a ceiling
      const auto beside = [=](double way, double most) {
        const double towards = out * way, bound = most > 0 ? most : 0;
        return towards < 0 ? besideWall * way : towards < bound ? way : out * bound;
      };
      swift[up] = beside(swift[1 - up], (away > 0 ? away : 0) + gap * filled.now);
      slow[up] = beside(slow[1 - up], gap * filled.before);
    }
    const int c = where[i], stride = int(cells.stride(axis));
    for (int up = 0; up < 2; ++up) {
      const bool walled = l[up].perDrop == 0;
      const Record<3> moved = {{Real(swift[up] + slow[up]), Real(swift[up]), 1}, Real(walled)};
      (up ? upper(c) : lower(c)) = moved;
      const int beyond = up ? c + stride : c - stride;
      if (l[up].to < 0 && !walled && beyond >= 0 && beyond < cells.all())
        (up ? lower(beyond) : upper(beyond)) = moved;  // air has none
    }
  });
}

// The right-hand sides: sums over the particles of each cell, and the mean velocity. Particles far below rho0 are at the surface;
// where walls and fluid enclose them they have left the wall by less than a void's width. Of the errors that were there before,
// the part `hold` is kept apart: see push. Unless the densities of v are known, all were.
template <int D>
static void sumExcess(const CoarseCells<D> grid, int n, View<const int> where, View<const int> held, const Links link,
                      View<const Real> residual, View<const Record<D>> v, bool known, double rho0, double scale, double hold,
                      const Vec<D> gravity, View<Pair> rhs, View<Record<D>> mean) {
  forEachTeam<32>(n, [=] BRIM_KERNEL(int i, Team<32> team) {
    double all = 0, before = 0, count = 0;
    Vec<D> sum = {};
    const bool enclosed = ceilingOf<D>(link, i, gravity) >= 0;
    grid.eachRun(where[i], [&](int a, int b) {
      for (int j = a + team.rank; j < b; j += team.size) {
        sum += v[j].x, ++count;
        if (residual[j] < farBelow) {
          if (enclosed) all += farBelow;
          continue;
        }
        const double error = known ? double(v[j].a) / rho0 - 1 : double(residual[j]);
        all += residual[j];
        before += error > farBelow ? error : 0;
      }
    });
    all = team.total(all), before = team.total(before), count = team.total(count);
    for (int k = 0; k < D; ++k) sum[k] = Real(team.total(sum[k]));
    if (!team.leads()) return;
    mean[i] = {Real(1) / Real(count) * sum, 0};
    before = before > 0 ? before : 0;  // what noise adds to one particle and takes from the next was no compression
    rhs[i] = held[i] ? Pair{scale * (all - hold * before), scale * hold * before} : Pair{};
  });
}

template <int D>
static void sumRates(const CoarseCells<D> grid, int n, View<const int> where, View<const int> held, View<const Real> rate,
                     double scale, View<Pair> rhs) {
  forEachTeam<32>(n, [=] BRIM_KERNEL(int i, Team<32> team) {
    double all = 0;
    grid.eachRun(where[i], [&](int a, int b) {
      for (int j = a + team.rank; j < b; j += team.size) all += rate[j];
    });
    all = team.total(all);
    if (team.leads()) rhs[i] = held[i] ? Pair{scale * all, 0} : Pair{};
  });
}

// x += dx and v += dv/dt, each component linear between the faces that touch fluid.
template <int D>
static void followFaces(Particles<D>& fluid, const FaceGrid<D> g, double dt) {
  const auto p = fluid.p.view(), v = fluid.v.view();
  const Real perDt = Real(1 / dt);
  forEach(fluid.size(), [=] BRIM_KERNEL(Index i) {
    const Record<D, Reals> pi = p[i], vi = v[i];
    Ints face[D], middle[D];  // index of the face and of the middle below, along each axis
    Reals f[D], m[D];         // the way past them [cells]
    for (int k = 0; k < D; ++k) {
      const Reals s = (pi.x[k] - Reals(g.low[k])) * Reals(g.perSide), half = s - Reals(Real(0.5));
      face[k] = truncate(min(max(s, Reals(0)), Reals(g.most[k])));
      middle[k] = truncate(min(max(half, Reals(0)), Reals(g.most[k])));
      f[k] = min(max(s - toReals(face[k]), Reals(0)), Reals(1));
      m[k] = min(max(half - toReals(middle[k]), Reals(0)), Reals(1));
      face[k] = face[k] * Ints(g.stride[k]);
      middle[k] = middle[k] * Ints(g.stride[k]);
    }
    Vec<D, Reals> dx, dv;
    BRIM_UNROLL for (int axis = 0; axis < D; ++axis) {
      Ints base = 0;
      for (int k = 0; k < D; ++k) base += k == axis ? face[k] : middle[k];
      // Between the lower and the upper face of each of the cells around, and then between these. A cell beside a wall tells
      // nothing of one that is not, as its wall's face is no part of the other's motion.
      constexpr int columns = 1 << (D - 1);
      Vec<3, Reals> moved[columns];
      Reals kind[columns], part[columns], nearest = 0, own = 0;
      BRIM_UNROLL for (int column = 0; column < columns; ++column) {
        int offset = 0;
        part[column] = 1;
        for (int k = 0, bits = column; k < D; ++k) {
          if (k == axis) continue;
          part[column] *= bits & 1 ? m[k] : Reals(1) - m[k];
          offset += (bits & 1) * g.stride[k];
          bits >>= 1;
        }
        const Record<3, Reals> low = g.lower[axis][base + Ints(offset)], high = g.upper[axis][base + Ints(offset)];
        moved[column] = (Reals(1) - f[axis]) * low.x + f[axis] * high.x;
        kind[column] = low.a + Reals(2) * high.a;
        const auto nearer = part[column] > nearest;
        own = select(nearer, kind[column], own);
        nearest = select(nearer, part[column], nearest);
      }
      Vec<3, Reals> sum = {};
      BRIM_UNROLL for (int column = 0; column < columns; ++column) {
        const Reals other = (kind[column] - own) * (kind[column] - own);
        sum += (part[column] * select(other > Reals(Real(0.5)), Reals(Real(0.01)), Reals(1))) * moved[column];
      }
      const auto known = sum[2] > Reals(Real(1e-6));
      const Reals whole = Reals(1) / select(known, sum[2], Reals(1));
      dx[axis] = select(known, whole * sum[0], Reals(0));
      dv[axis] = select(known, whole * sum[1], Reals(0));
    }
    p[i] = {pi.x + dx, pi.a};
    v[i] = {vi.x + Reals(perDt) * dv, vi.a};
  });
}

template <int D>
FaceGrid<D> CoarseLevel<D>::faceGrid() const {
  FaceGrid<D> g;
  g.perSide = Real(1 / side_);
  for (int k = 0; k < D; ++k) {
    const Face* const first = face_.data() + 2 * k * state_.size();
    g.lower[k] = {first}, g.upper[k] = {first + state_.size()};
    g.stride[k] = k == 0 ? 1 : g.stride[k - 1] * int(size_[k - 1]);
    g.low[k] = Real(low_[k]);
    g.most[k] = Real(std::max<std::int64_t>(0, size_[k] - 2));
  }
  return g;
}

template <int D>
void CoarseLevel<D>::push(StepContext<D>& c, const Array<Real>& residual, double usual, double compliance) {
  World<D>& w = c.world;
  const double dt = c.dt;
  // The excess of each cell, sum V r, over the conductance side^(D-2). Signed, so that noise cancels. What this step adds to a
  // density is stopped by a pressure that changes velocities; most of what was there before only moves particles apart: as
  // velocity it would carry on and throw the fluid up (the same splitting as in implicit density projection). All of it that
  // way would leave a tank at rest with a slow fall that is made good every step; short steps give it the same speed.
  const double hold = 1 - 0.3 * std::min(1.0, dt / usual);
  const double scale = w.rho0 / (dt * dt) * std::pow(w.spacing, D) / std::pow(side_, D - 2);
  const int n = system_.size();
  sumExcess(grid(), n, where_.read(), system_.held.read(), system_.links(), residual.read(), w.fluid.v.read(), w.step > 0, w.rho0,
            scale, hold, c.gravity, system_.rhs.view(), mean_.view());
  system_.solve(compliance * w.rho0 / (dt * dt) * side_ * side_);
  const WetCells<D> cells{grid(),
                          count_.read(),
                          state_.read(),
                          middle_.read(),
                          {w.solids.placed().read(), int(w.solids.placed().size()), w.spacing},
                          amount_.read()};
  face_.resize(2 * D * state_.size());
  fill(face_, 0, int(face_.size()), Face{});
  findFaces(n, dt * dt / w.rho0 / side_, dt, c.gravity, cells, where_.read(), system_.links(), system_.x.read(), mean_.read(),
            face_.view());
  followFaces(w.fluid, faceGrid(), dt);
  c.refresh(w.fluid.p.data, Holds::positions);
}

// Linear between the middles of cells.
template <int D>
static void takePressure(const CoarseCells<D> grid, int n, View<const Record<D>> p, View<const int> state, View<const Pair> x,
                         View<Real> pressure) {
  forEach(n, [=] BRIM_KERNEL(int i) {
    std::int64_t low[D];
    double f[D], sum = 0, known = 0;
    for (int k = 0; k < D; ++k) {
      const double s = (p[i].x[k] - grid.low[k]) / grid.side - 0.5, most = double(grid.size[k] - 2);
      low[k] = std::int64_t(s < most ? s : most);
      low[k] = low[k] > 0 ? low[k] : 0;
      const double past = s - double(low[k]);
      f[k] = past < 0 ? 0 : past > 1 ? 1 : past;
    }
    for (int corner = 0; corner < 1 << D; ++corner) {
      std::int64_t c = 0;
      double part = 1;
      for (int k = D - 1; k >= 0; --k) {
        const int up = corner >> k & 1;
        c = c * grid.size[k] + (low[k] + up < grid.size[k] ? low[k] + up : grid.size[k] - 1);
        part *= up ? f[k] : 1 - f[k];
      }
      const int unknown = state[int(c)];
      if (unknown <= wall) continue;
      known += part;
      if (unknown >= 0) sum += part * x[unknown].now;
    }
    pressure[i] = known > 0 ? Real(sum / known) : Real(0);
  });
}

template <int D>
void CoarseLevel<D>::find(const StepContext<D>& c, const Array<Real>& gained, Array<Real>& pressure) {
  const World<D>& w = c.world;
  const double dt = c.dt;
  const double scale = w.rho0 / (dt * dt) * std::pow(w.spacing, D) / std::pow(side_, D - 2);
  sumRates(grid(), system_.size(), where_.read(), system_.held.read(), gained.read(), scale, system_.rhs.view());
  system_.solve(0);
  fill(pressure, 0, int(pressure.size()), Real(0));
  takePressure(grid(), w.fluid.size(), w.fluid.p.read(), state_.read(), system_.x.read(), pressure.view());
}

// The pressure in the middle of a cell, and its slope by what the faces moved: linear in each cell.
template <int D>
static void addLinear(const CoarseCells<D> grid, int n, View<const int> where, View<const int> held, View<const Pair> x,
                      const FaceGrid<D> g, double perWay, View<const Record<D>> p, View<Real> to) {
  forEachTeam<32>(n, [=] BRIM_KERNEL(int i, Team<32> team) {
    if (!held[i]) return;
    const int c = where[i];
    const auto place = grid.placeOf(c);
    double slope[D], centre[D];
    for (int k = 0; k < D; ++k) {
      slope[k] = perWay * (g.lower[k][c].x[1] + g.upper[k][c].x[1]) / 2;
      centre[k] = grid.low[k] + (double(place.at[k]) + 0.5) * grid.side;
    }
    const double middle = x[i].now;
    grid.eachRun(c, [&](int a, int b) {
      for (int j = a + team.rank; j < b; j += team.size) {
        double pressure = middle;
        for (int k = 0; k < D; ++k) pressure += slope[k] * (p[j].x[k] - centre[k]);
        to[j] += Real(pressure > 0 ? pressure : 0);
      }
    });
  });
}

template <int D>
void CoarseLevel<D>::addPressure(const StepContext<D>& c, Array<Real>& pressure) {
  const World<D>& w = c.world;
  addLinear(grid(), system_.size(), where_.read(), system_.held.read(), system_.x.read(), faceGrid(), -w.rho0 / (c.dt * c.dt),
            w.fluid.p.read(), pressure.view());
}

template class CoarseLevel<2>;
template class CoarseLevel<3>;

}  // namespace brim::inline BRIM_FLAVOUR
