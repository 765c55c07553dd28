#include "sph/coarse.h"

#include <cmath>

namespace brim::inline BRIM_FLAVOUR {

template <int D>
static void countParticles(const CoarseCells<D> grid, int cells, View<int> count) {
  forEach(cells, [=] BRIM_KERNEL(int c) {
    int sum = 0;
    grid.eachRun(c, [&](int a, int b) { sum += b - a; });
    count[c] = sum;
  });
}

// What a cell is that holds no unknown.
static constexpr int air = -1, wall = -2;

// A cell with no room for a particle belongs to the wall. Nothing lies beyond a seam: no air either.
template <int D>
static void findStates(const CoarseCells<D> grid, int cells, const World<D>& w, View<const int> count, View<int> state,
                       View<int> number) {
  const Vec<D> extent = w.extent;
  const auto walled = w.walled;
  const double room = 0.75 * w.spacing;
  const Real inside = Real(-0.2 * grid.side);
  const auto body = w.solids.placed().read();
  const int bodies = int(w.solids.placed().size());
  forEach(cells, [=] BRIM_KERNEL(int c) {
    number[c] = count[c] > 0;
    state[c] = air;
    if (count[c]) return;
    Real x[3] = {}, y[3];
    const auto place = grid.placeOf(c);
    for (int k = 0; k < D; ++k) {
      const double low = grid.low[k] + double(place.at[k]) * grid.side, high = low + grid.side, end = extent[k];
      const double within = (high < end ? high : end) - (low > 0 ? low : 0);
      if ((walled[k] && within < room) || (grid.seam[k].there && within <= 0)) state[c] = wall;
      x[k] = Real(low + grid.side / 2);
    }
    for (int b = 0; b < bodies && state[c] == air; ++b) {
      body[b].pose.toBody(x, y);
      if (body[b].shape.distance(y) < inside) state[c] = wall;
    }
  });
}

static int total(int cells, View<const int> number) {
  return int(sumOf(cells, [=] BRIM_KERNEL(int c) { return double(number[c]); }));
}

static void numberUnknowns(int cells, View<const int> count, View<const int> number, View<int> state, View<int> where) {
  forEach(cells, [=] BRIM_KERNEL(int c) {
    if (count[c]) state[c] = number[c], where[number[c]] = c;
  });
}

// Cells with their fluid, and how they touch.
template <int D>
struct WetCells {
  CoarseCells<D> grid;
  View<const int> count, state;

  BRIM_DEVICE_FN double fill(std::int64_t c) const { return count[int(c)] < grid.full ? count[int(c)] / grid.full : 1; }
  BRIM_FN std::int64_t stride(int k) const { return k == 0 ? 1 : k == 1 ? grid.size[0] : grid.size[0] * grid.size[1]; }
  /// The cell beyond the lower or the upper face along axis k.
  BRIM_DEVICE_FN std::int64_t next(std::int64_t c, int k, bool up) const {
    const Seam& seam = grid.seam[k];
    if (seam.there && grid.placeOf(c).at[k] == (up ? seam.last : seam.first))
      return c + (up ? seam.first - seam.last : seam.last - seam.first) * stride(k);
    return up ? c + stride(k) : c - stride(k);
  }
  /// What it is.
  BRIM_DEVICE_FN int beyond(std::int64_t c, int k, bool up) const {
    const std::int64_t at = grid.placeOf(c).at[k];
    if (up ? at + 1 >= grid.size[k] : at == 0) return air;
    return state[int(next(c, k, up))];
  }
  /// How much of a cell's extent along axis k there is.
  BRIM_DEVICE_FN double extent(std::int64_t c, int k) const {
    return grid.seam[k].there && grid.placeOf(c).at[k] == grid.seam[k].last ? grid.seam[k].part : 1;
  }
  /// How much of it is wet: all of it unless there is air on one side; then the cell behind tells how much of the section is
  /// wet, and the fill how far it reaches.
  BRIM_DEVICE_FN double wetPart(std::int64_t c, int k) const {
    const int below = beyond(c, k, false), above = beyond(c, k, true);
    const double whole = extent(c, k);
    if (below != air && above != air) return whole;
    const double behind = below >= 0 ? section(next(c, k, false), k) : above >= 0 ? section(next(c, k, true), k) : fill(c);
    const double part = fill(c) / (behind > 1e-6 ? behind : 1e-6);
    return part < 0.3 ? 0.3 : part > whole ? whole : part;
  }
  /// How much of a cell's section across axis k is wet, where all of its extent is.
  BRIM_DEVICE_FN double section(std::int64_t c, int k) const { return fill(c) / extent(c, k); }
};

template <int D>
static void connect(const WetCells<D> cells, int n, View<const int> where, View<Link> link, View<double> diagonal,
                    View<double> filled) {
  forEach(n, [=] BRIM_KERNEL(int i) {
    const int c = where[i];
    const double fill = cells.fill(c);
    double sum = 0;
    for (int k = 0; k < D; ++k) {
      const double part = cells.wetPart(c, k);
      for (int up = 0; up < 2; ++up) {
        const int state = cells.beyond(c, k, up);
        const std::int64_t there = cells.next(c, k, up);
        Link l = {Link::none, 0, 0};
        if (state >= 0) {
          const double way = (part + cells.wetPart(there, k)) / 2;  // between the middles of what is wet
          l = {state, float((cells.section(c, k) + cells.section(there, k)) / 2 / way), float(1 / way)};
        } else if (state == air) {
          l = {Link::none, float(fill / part / (part / 2)), float(2 / part)};
        }
        link[2 * D * i + 2 * k + up] = l;
        sum += l.weight;
      }
    }
    diagonal[i] = sum > 1e-3 ? sum : 1e-3;  // fluid shut in on all sides
    filled[i] = fill;
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
  for (int k = 0; k < D; ++k) g.seam[k] = seam_[k];
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
    seam_[k].first = std::int64_t(std::floor(-low_[k] / side_ + 0.01));
    seam_[k].last = std::int64_t(std::ceil(ends - 0.01)) - 1;
    seam_[k].part = std::min(1.0, ends - double(seam_[k].last));
    seam_[k].there = w.periodic[k] && seam_[k].first >= 0 && seam_[k].last < size_[k];  // fluid may be at one end only
  }
  particles_ = c.neighbourhood().cells().runs();
  for (Array<int>* a : {&count_, &state_, &where_}) a->resize(cells);
  number_.resize(cells);
  countParticles(grid(), cells, count_.view());
  findStates(grid(), cells, w, count_.read(), state_.view(), number_.view());
  const int n = total(cells, number_.read());
  scan(number_, cells);
  numberUnknowns(cells, count_.read(), number_.read(), state_.view(), where_.view());
  system_.resize(n);
  connect(WetCells<D>{grid(), count_.read(), state_.read()}, n, where_.read(), system_.link.view(), system_.diagonal.view(),
          system_.filled.view());
  return system_.findHeld();
}

// Displacements of the faces of cells with fluid, from the drop of pressure across them. Beside a wall the excess is mostly
// in the gap between the wall and the first layer: fluid there moves too.
template <int D>
static void findFaces(int n, int axis, int stride, double mobility, View<const int> where, View<const Link> link,
                      View<const Pair> x, View<Record<3>> face) {
  constexpr double besideWall = 0.3;  // of the way at the other face
  forEach(n, [=] BRIM_KERNEL(int i) {
    double swift[2], slow[2];
    Link l[2];
    for (int up = 0; up < 2; ++up) {
      l[up] = link[2 * D * i + 2 * axis + up];
      const Pair other = l[up].to >= 0 ? x[l[up].to] : Pair{};
      const double perDrop = (up ? mobility : -mobility) * l[up].perDrop;
      swift[up] = perDrop * (x[i].now - other.now), slow[up] = perDrop * (x[i].before - other.before);
    }
    for (int up = 0; up < 2; ++up) {
      if (l[up].perDrop != 0) continue;
      if (up ? swift[0] < 0 : swift[1] > 0) swift[up] = besideWall * swift[1 - up];
      if (up ? slow[0] < 0 : slow[1] > 0) slow[up] = besideWall * slow[1 - up];
    }
    // The face between two cells with fluid is that of the upper one, which would write the same; at a seam it has two places.
    const bool others = l[1].to >= 0 && where[l[1].to] == where[i] + stride;
    for (int up = 0; up < (others ? 1 : 2); ++up)
      face[where[i] + (up ? stride : 0)] = {{Real(swift[up] + slow[up]), Real(swift[up]), 1}, 0};
  });
}

// The right-hand sides: sums over the particles of each cell. Particles far below rho0 are at the surface, where the sum over
// neighbours says nothing about volume. Of the errors that were there before, the part `hold` is kept apart: see push. Unless the
// densities of v are known, all were.
template <int D>
static void sumExcess(const CoarseCells<D> grid, int n, View<const int> where, View<const int> held, View<const Real> residual,
                      View<const Record<D>> v, bool known, double rho0, double scale, double hold, View<Pair> rhs) {
  forEach(n, [=] BRIM_KERNEL(int i) {
    double all = 0, before = 0;
    grid.eachRun(where[i], [&](int a, int b) {
      for (int j = a; j < b; ++j) {
        if (residual[j] < Real(-0.05)) continue;
        const double error = known ? double(v[j].a) / rho0 - 1 : double(residual[j]);
        all += residual[j];
        before += error > 0 ? error : 0;
      }
    });
    rhs[i] = held[i] ? Pair{scale * (all - hold * before), scale * hold * before} : Pair{};
  });
}

template <int D>
static void sumRates(const CoarseCells<D> grid, int n, View<const int> where, View<const int> held, View<const Real> rate,
                     double scale, View<Pair> rhs) {
  forEach(n, [=] BRIM_KERNEL(int i) {
    double all = 0;
    grid.eachRun(where[i], [&](int a, int b) {
      for (int j = a; j < b; ++j) all += rate[j];
    });
    rhs[i] = held[i] ? Pair{scale * all, 0} : Pair{};
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
      Vec<3, Reals> sum = {};
      BRIM_UNROLL for (int corner = 0; corner < 1 << D; ++corner) {
        int offset = 0;
        Reals part = 1;
        for (int k = 0; k < D; ++k) {
          const Reals t = k == axis ? f[k] : m[k];
          part *= corner >> k & 1 ? t : Reals(1) - t;
          offset += (corner >> k & 1) * g.stride[k];
        }
        sum += part * g.face[axis][base + Ints(offset)].x;
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
    g.face[k] = face_[k].read();
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
  sumExcess(grid(), n, where_.read(), system_.held.read(), residual.read(), w.fluid.v.read(), w.step > 0, w.rho0, scale, hold,
            system_.rhs.view());
  system_.solve(compliance * w.rho0 / (dt * dt) * side_ * side_);
  for (int k = 0, stride = 1; k < D; stride *= int(size_[k++])) {
    const int faces = int(state_.size()) + stride;
    face_[k].resize(faces);
    fill(face_[k], 0, faces, Face{});
    findFaces<D>(n, k, stride, dt * dt / w.rho0 / side_, where_.read(), system_.link.read(), system_.x.read(), face_[k].view());
  }
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
      if (unknown == wall) continue;
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
  forEach(n, [=] BRIM_KERNEL(int i) {
    if (!held[i]) return;
    const int c = where[i];
    const auto place = grid.placeOf(c);
    double slope[D], centre[D];
    for (int k = 0; k < D; ++k) {
      slope[k] = perWay * (g.face[k][c].x[1] + g.face[k][c + g.stride[k]].x[1]) / 2;
      centre[k] = grid.low[k] + (double(place.at[k]) + 0.5) * grid.side;
    }
    const double middle = x[i].now;
    grid.eachRun(c, [&](int a, int b) {
      for (int j = a; j < b; ++j) {
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
