#include "sph/coarse.h"

#include <algorithm>
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

template <int D>
CoarseCells<D> CoarseLevel<D>::grid() const {
  CoarseCells<D> g;
  g.particles = particles_;
  for (int k = 0; k < 3; ++k) g.size[k] = size_[k];
  for (int k = 0; k < D; ++k) g.low[k] = low_[k];
  g.side = side_;
  return g;
}

template <int D>
bool CoarseLevel<D>::prepare(const World<D>& w) {
  const Window<D>& window = w.window();
  cell_.clear();
  if (!window.dense) return false;
  std::int64_t cells = 1;
  constexpr int fine = CoarseCells<D>::rows * Window<D>::fine;  // windows come in multiples of four supports
  side_ = fine / window.scale[0];
  for (int k = 0; k < D; ++k) {
    size_[k] = window.size[k] / (k == 0 ? fine : CoarseCells<D>::rows);
    low_[k] = double(window.low[k]) / window.scale[k];
    cells *= size_[k];
  }
  const double full = std::pow(side_ / w.spacing, D);
  std::vector<double> fill(cells);
  state_.assign(cells, air);
  particles_ = w.cells().runs();
  count_.resize(cells);
  countParticles(grid(), int(cells), count_.view());
  const auto count = onHost(count_, cells);
  forEachOnHost(int(cells), [&](int c) {
    fill[c] = std::min(1.0, count[c] / full);
    if (count[c]) return;
    // A cell with no room for a particle belongs to the wall.
    Real x[3] = {}, y[3];
    const auto [at] = grid().placeOf(c);
    for (int k = 0; k < D; ++k) {
      const double low = low_[k] + double(at[k]) * side_;
      const double inside = std::min(low + side_, double(w.extent[k])) - std::max(low, 0.0);
      if (w.walled[k] && inside < 0.75 * w.spacing) state_[c] = wall;
      x[k] = Real(low + side_ / 2);
    }
    for (std::size_t b = 0; b < w.solids.hostBodies().size() && state_[c] == air; ++b) {
      const Body<D>& body = w.solids.hostBodies()[b];
      body.pose.toBody(x, y);
      if (body.shape.distance(y) < Real(-0.2 * side_)) state_[c] = wall;
    }
  });
  for (std::int64_t c = 0; c < cells; ++c)
    if (fill[c] > 0) state_[c] = int(cell_.size()), cell_.push_back(c);
  const int n = int(cell_.size());
  link_.resize(std::size_t(2 * D) * n);
  diagonal_.resize(n);
  filled_.resize(n);
  forEachOnHost(n, [&](int i) {
    filled_[i] = fill[cell_[i]];
    connect(i, fill);
  });
  return findHeld();
}

// Fluid in free flight is left to the particles: their sums conserve momentum to rounding, a grid does not, and without a
// wall to stand on there is no deep pressure to carry.
template <int D>
bool CoarseLevel<D>::findHeld() {
  const int n = int(cell_.size());
  held_.assign(n, 0);
  std::vector<int> open;
  const auto reach = [&](int i) {
    if (!held_[i]) held_[i] = 1, open.push_back(i);
  };
  for (int i = 0; i < n; ++i)
    for (int l = 0; l < 2 * D; ++l)
      if (link_[std::size_t(2 * D) * i + l].perDrop == 0) reach(i);
  bool any = false;
  while (!open.empty()) {
    const int i = open.back();
    open.pop_back();
    any = true;
    for (int l = 0; l < 2 * D; ++l)
      if (const int to = link_[std::size_t(2 * D) * i + l].to; to >= 0) reach(to);
  }
  return any;
}

// How much of a cell's extent along axis k is wet: all of it unless there is air on one side; then the cell behind tells how
// much of the section is wet, and the fill how far it reaches.
template <int D>
double CoarseLevel<D>::wetPart(std::int64_t c, int k, const std::vector<double>& fill) const {
  const std::int64_t at = grid().placeOf(c).at[k], stride = k == 0 ? 1 : k == 1 ? size_[0] : size_[0] * size_[1];
  const int below = at > 0 ? state_[c - stride] : air, above = at + 1 < size_[k] ? state_[c + stride] : air;
  if (below != air && above != air) return 1;
  const double behind = below >= 0 ? fill[c - stride] : above >= 0 ? fill[c + stride] : fill[c];
  return std::clamp(fill[c] / std::max(behind, 1e-6), 0.3, 1.0);
}

template <int D>
void CoarseLevel<D>::connect(int i, const std::vector<double>& fill) {
  const std::int64_t c = cell_[i];
  const auto [at] = grid().placeOf(c);
  std::int64_t stride = 1;
  diagonal_[i] = 0;
  for (int k = 0; k < D; stride *= size_[k++]) {
    const double part = wetPart(c, k, fill);
    for (int up = 0; up < 2; ++up) {
      const std::int64_t there = c + (up ? stride : -stride);
      const int state = (up ? at[k] + 1 >= size_[k] : at[k] == 0) ? air : state_[there];
      Link& l = link_[std::size_t(2 * D) * i + 2 * k + up];
      l = {air, 0, 0};
      if (state >= 0) {
        const double way = (part + wetPart(there, k, fill)) / 2;  // between the middles of what is wet
        l = {state, float((fill[c] + fill[there]) / 2 / way), float(1 / way)};
      } else if (state == air) {
        l = {air, float(fill[c] / part / (part / 2)), float(2 / part)};
      }
      diagonal_[i] += l.weight;
    }
  }
  diagonal_[i] = std::max(diagonal_[i], 1e-3);  // fluid shut in on all sides
}

// Jacobi-preconditioned conjugate gradients for both right-hand sides at once, to a thirtieth of the residuals: the fine level
// sees to the rest. By one thread: the grid has a hundredth of the particles. What would be negative is zero: fluid pushes,
// it does not pull.
template <int D>
void CoarseLevel<D>::solve(std::vector<Pair> r, double softness) {
  const int n = int(cell_.size());
  for (int i = 0; i < n; ++i) diagonal_[i] += softness * filled_[i];
  std::vector<Pair> p(n), q(n);
  x_.assign(n, {});
  Pair rz, first;
  for (int it = 0; it < 200; ++it) {
    Pair next;
    for (int i = 0; i < n; ++i) {
      const double d = 1 / diagonal_[i];
      next.now += r[i].now * r[i].now * d, next.before += r[i].before * r[i].before * d;
    }
    if (it == 0) first = next;
    if (next.now <= 1e-3 * first.now && next.before <= 1e-3 * first.before) break;
    const Pair beta = it ? Pair{rz.now > 0 ? next.now / rz.now : 0, rz.before > 0 ? next.before / rz.before : 0} : Pair{};
    rz = next;
    for (int i = 0; i < n; ++i) {
      const double d = 1 / diagonal_[i];
      p[i] = {r[i].now * d + beta.now * p[i].now, r[i].before * d + beta.before * p[i].before};
    }
    Pair pq;
    for (int i = 0; i < n; ++i) {
      Pair s = {diagonal_[i] * p[i].now, diagonal_[i] * p[i].before};
      const Link* const l = &link_[std::size_t(2 * D) * i];
      for (int k = 0; k < 2 * D; ++k)
        if (l[k].to >= 0) s.now -= l[k].weight * p[l[k].to].now, s.before -= l[k].weight * p[l[k].to].before;
      q[i] = s;
      pq.now += p[i].now * s.now, pq.before += p[i].before * s.before;
    }
    const Pair alpha = {pq.now > 0 ? rz.now / pq.now : 0, pq.before > 0 ? rz.before / pq.before : 0};
    for (int i = 0; i < n; ++i) {
      x_[i].now += alpha.now * p[i].now, x_[i].before += alpha.before * p[i].before;
      r[i].now -= alpha.now * q[i].now, r[i].before -= alpha.before * q[i].before;
    }
  }
  for (Pair& v : x_) v = {std::max(v.now, 0.0), std::max(v.before, 0.0)};
}

// Displacements of the faces of cells with fluid, from the drop of pressure across them. Beside a wall the excess is mostly
// in the gap between the wall and the first layer: fluid there moves too.
template <int D>
void CoarseLevel<D>::findFaces(double mobility) {
  constexpr double besideWall = 0.3;  // of the way at the other face
  std::int64_t stride = 1;
  for (int k = 0; k < D; stride *= size_[k++]) {
    std::vector<Face> faces(state_.size() + std::size_t(stride));
    for (std::size_t i = 0; i < cell_.size(); ++i) {
      const Link* const l = &link_[std::size_t(2 * D) * i + 2 * k];
      const auto across = [&](double Pair::*x, double* way) {
        for (int up = 0; up < 2; ++up)
          way[up] = (up ? mobility : -mobility) * l[up].perDrop * (x_[i].*x - (l[up].to >= 0 ? x_[l[up].to].*x : 0));
        for (int up = 0; up < 2; ++up)
          if (l[up].perDrop == 0 && (up ? way[0] < 0 : way[1] > 0)) way[up] = besideWall * way[1 - up];
      };
      double swift[2], slow[2];
      across(&Pair::now, swift);
      across(&Pair::before, slow);
      for (int up = 0; up < 2; ++up) faces[cell_[i] + (up ? stride : 0)] = {{Real(swift[up] + slow[up]), Real(swift[up]), 1}, 0};
    }
    copyIn(face_[k], faces.data(), faces.size());
  }
}

// Sums over the particles of cells where[0 .. n - 1]. Particles far below rho0 are at the surface, where the sum over
// neighbours says nothing about volume.
template <int D>
static void sumExcess(const CoarseCells<D> grid, int n, View<const std::int64_t> where, View<const Real> residual,
                      View<const Sample<D>> v, double rho0, View<Excess> to) {
  forEach(n, [=] BRIM_KERNEL(int m) {
    double all = 0, before = 0;
    grid.eachRun(where[m], [&](int a, int b) {
      for (int j = a; j < b; ++j) {
        if (residual[j] < Real(-0.05)) continue;
        const double error = double(v[j].a) / rho0 - 1;
        all += residual[j];
        before += error > 0 ? error : 0;
      }
    });
    to[m] = {all, before};
  });
}

template <int D>
static void sumRates(const CoarseCells<D> grid, int n, View<const std::int64_t> where, View<const Real> rate, View<Excess> to) {
  forEach(n, [=] BRIM_KERNEL(int m) {
    double all = 0;
    grid.eachRun(where[m], [&](int a, int b) {
      for (int j = a; j < b; ++j) all += rate[j];
    });
    to[m] = {all, 0};
  });
}

// x += dx and v += dv/dt, each component linear between the faces that touch fluid.
template <int D>
static void followFaces(Particles<D>& fluid, const FaceGrid<D> g, double dt) {
  const auto p = fluid.p.view(), v = fluid.v.view();
  const Real perDt = Real(1 / dt);
  forEach(fluid.size(), [=] BRIM_KERNEL(Index i) {
    const Sample<D, Reals> pi = p[i], vi = v[i];
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
void CoarseLevel<D>::push(World<D>& w, const Array<Real>& residual, double dt, double compliance) {
  // The excess of each cell, sum V r, over the conductance side^(D-2). Signed, so that noise cancels. What this step adds to a
  // density is stopped by a pressure that changes velocities; most of what was there before only moves particles apart: as
  // velocity it would carry on and throw the fluid up (the same splitting as in implicit density projection). All of it that
  // way would leave a tank at rest with a slow fall that is made good every step.
  constexpr double hold = 0.7;
  const double scale = w.rho0 / (dt * dt) * std::pow(w.spacing, D) / std::pow(side_, D - 2);
  const int n = int(cell_.size());
  copyIn(where_, cell_.data(), n);
  excess_.resize(n);
  sumExcess(grid(), n, where_.read(), residual.read(), w.fluid.v.read(), w.rho0, excess_.view());
  const auto excess = onHost(excess_, n);
  std::vector<Pair> rhs(n);
  for (int i = 0; i < n; ++i)
    if (held_[i]) rhs[i] = {scale * (excess[i].all - hold * excess[i].before), scale * hold * excess[i].before};
  solve(std::move(rhs), compliance * w.rho0 / (dt * dt) * side_ * side_);
  findFaces(dt * dt / w.rho0 / side_);
  followFaces(w.fluid, faceGrid(), dt);
  w.refresh(w.fluid.p.data);
}

template <int D>
void CoarseLevel<D>::find(const World<D>& w, const Array<Real>& gained, double dt, Array<Real>& pressure) {
  const double scale = w.rho0 / (dt * dt) * std::pow(w.spacing, D) / std::pow(side_, D - 2);
  const int n = int(cell_.size());
  copyIn(where_, cell_.data(), n);
  excess_.resize(n);
  sumRates(grid(), n, where_.read(), gained.read(), excess_.view());
  const auto excess = onHost(excess_, n);
  std::vector<Pair> rhs(n);
  for (int i = 0; i < n; ++i)
    if (held_[i]) rhs[i].now = scale * excess[i].all;
  solve(std::move(rhs), 0);
  const auto p = onHost(w.fluid.p.data, w.fluid.size());
  std::vector<Real> at(pressure.size(), 0);
  forEachOnHost(w.fluid.size(), [&](int i) {
    std::int64_t low[D];
    double f[D], sum = 0, known = 0;
    for (int k = 0; k < D; ++k) {
      const double s = (p[i].x[k] - low_[k]) / side_ - 0.5;
      low[k] = std::clamp<std::int64_t>(std::int64_t(std::floor(s)), 0, std::max<std::int64_t>(0, size_[k] - 2));
      f[k] = std::clamp(s - double(low[k]), 0.0, 1.0);
    }
    for (int corner = 0; corner < 1 << D; ++corner) {
      std::int64_t c = 0;
      double part = 1;
      for (int k = D - 1; k >= 0; --k) {
        const int up = corner >> k & 1;
        c = c * size_[k] + std::min(low[k] + up, size_[k] - 1);
        part *= up ? f[k] : 1 - f[k];
      }
      if (state_[c] == wall) continue;
      known += part;
      if (state_[c] >= 0) sum += part * x_[state_[c]].now;
    }
    at[i] = known > 0 ? Real(sum / known) : Real(0);
  });
  copyIn(pressure, at.data(), at.size());
}

// The pressure in the middle of a cell, and its slope by what the faces moved: linear in each cell.
template <int D>
static void addLinear(const CoarseCells<D> grid, int n, View<const std::int64_t> where, View<const double> middle,
                      const FaceGrid<D> g, double perWay, View<const Sample<D>> p, View<Real> to) {
  forEach(n, [=] BRIM_KERNEL(int m) {
    const std::int64_t c = where[m];
    const auto place = grid.placeOf(c);
    double slope[D], centre[D];
    for (int k = 0; k < D; ++k) {
      slope[k] = perWay * (g.face[k][int(c)].x[1] + g.face[k][int(c) + g.stride[k]].x[1]) / 2;
      centre[k] = grid.low[k] + (double(place.at[k]) + 0.5) * grid.side;
    }
    grid.eachRun(c, [&](int a, int b) {
      for (int j = a; j < b; ++j) {
        double pressure = middle[m];
        for (int k = 0; k < D; ++k) pressure += slope[k] * (p[j].x[k] - centre[k]);
        to[j] += Real(pressure > 0 ? pressure : 0);
      }
    });
  });
}

template <int D>
void CoarseLevel<D>::addPressure(const World<D>& w, double dt, Array<Real>& pressure) {
  std::vector<std::int64_t> where;
  std::vector<double> middle;
  for (std::size_t i = 0; i < cell_.size(); ++i)
    if (held_[i]) where.push_back(cell_[i]), middle.push_back(x_[i].now);
  copyIn(where_, where.data(), where.size());
  copyIn(middle_, middle.data(), middle.size());
  addLinear(grid(), int(where.size()), where_.read(), middle_.read(), faceGrid(), -w.rho0 / (dt * dt), w.fluid.p.read(),
            pressure.view());
}

template class CoarseLevel<2>;
template class CoarseLevel<3>;

}  // namespace brim::inline BRIM_FLAVOUR
