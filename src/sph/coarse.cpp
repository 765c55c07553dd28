#include "sph/coarse.h"

#include <algorithm>
#include <cmath>

namespace brim::inline BRIM_FLAVOUR {

static constexpr int rows = 2;  // supports per coarse cell

/// The particles of a coarse cell, as runs of the fine cells it is made of.
template <int D>
template <class F>
void CoarseLevel<D>::eachRun(const World<D>& w, std::int64_t cell, F body) const {
  constexpr int fine = rows * Window<D>::fine;
  const auto [at] = placeOf(cell);
  for (int z = 0; z < (D == 3 ? rows : 1); ++z)
    for (int y = 0; y < rows; ++y) {
      const auto [a, b] = w.cells().run(at[0] * fine, (at[0] + 1) * fine - 1, at[1] * rows + y, D == 3 ? at[2] * rows + z : 0);
      body(a, b);
    }
}

template <int D>
bool CoarseLevel<D>::prepare(const World<D>& w) {
  const Window<D>& window = w.window();
  cell_.clear();
  if (!window.dense) return false;
  std::int64_t cells = 1;
  side_ = rows * Window<D>::fine / window.scale[0];
  for (int k = 0; k < D; ++k) {
    size_[k] = window.size[k] / (k == 0 ? rows * Window<D>::fine : rows);  // windows come in multiples of four supports
    low_[k] = double(window.low[k]) / window.scale[k];
    cells *= size_[k];
  }
  const double full = std::pow(side_ / w.spacing, D);
  std::vector<double> fill(cells);
  state_.assign(cells, air);
  tbb::parallel_for(std::int64_t(0), cells, [&](std::int64_t c) {
    int count = 0;
    eachRun(w, c, [&](int a, int b) { count += b - a; });
    fill[c] = std::min(1.0, count / full);
    if (count) return;
    // A cell with no room for a particle belongs to the wall.
    Real x[3] = {}, y[3];
    const auto [at] = placeOf(c);
    for (int k = 0; k < D; ++k) {
      const double low = low_[k] + double(at[k]) * side_;
      const double inside = std::min(low + side_, double(w.extent[k])) - std::max(low, 0.0);
      if (w.walled[k] && inside < 0.75 * w.spacing) state_[c] = wall;
      x[k] = Real(low + side_ / 2);
    }
    for (std::size_t b = 0; b < w.solids.bodies().size() && state_[c] == air; ++b) {
      const Body<D>& body = w.solids.bodies()[b];
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
  tbb::parallel_for(0, n, [&](int i) {
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
  const std::int64_t at = placeOf(c).at[k], stride = k == 0 ? 1 : k == 1 ? size_[0] : size_[0] * size_[1];
  const int below = at > 0 ? state_[c - stride] : air, above = at + 1 < size_[k] ? state_[c + stride] : air;
  if (below != air && above != air) return 1;
  const double behind = below >= 0 ? fill[c - stride] : above >= 0 ? fill[c + stride] : fill[c];
  return std::clamp(fill[c] / std::max(behind, 1e-6), 0.3, 1.0);
}

template <int D>
void CoarseLevel<D>::connect(int i, const std::vector<double>& fill) {
  const std::int64_t c = cell_[i];
  const auto [at] = placeOf(c);
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
    const int faces = int(state_.size()) + int(stride);
    face_[k].resize(faces);
    fill(face_[k], 0, faces, Face{});
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
      for (int up = 0; up < 2; ++up)
        face_[k][cell_[i] + (up ? stride : 0)] = {{Real(swift[up] + slow[up]), Real(swift[up]), 1}, 0};
    }
  }
}

template <int D>
void CoarseLevel<D>::push(World<D>& w, const Array<Real>& residual, double dt, double compliance) {
  // The excess of each cell, sum V r, over the conductance side^(D-2). Signed, so that noise cancels; particles far below
  // rho0 are at the surface, where the sum over neighbours says nothing about volume. What this step adds to a density is
  // stopped by a pressure that changes velocities; most of what was there before only moves particles apart: as velocity it
  // would carry on and throw the fluid up (the same splitting as in implicit density projection). All of it that way would
  // leave a tank at rest with a slow fall that is made good every step.
  constexpr double hold = 0.7;
  const double scale = w.rho0 / (dt * dt) * std::pow(w.spacing, D) / std::pow(side_, D - 2);
  std::vector<Pair> rhs(cell_.size());
  tbb::parallel_for(0, int(cell_.size()), [&](int i) {
    double all = 0, old = 0;
    if (held_[i])
      eachRun(w, cell_[i], [&](int a, int b) {
        for (int j = a; j < b; ++j) {
          if (residual[j] < Real(-0.05)) continue;
          all += residual[j];
          old += std::max(double(w.fluid.v.data[j].a) / w.rho0 - 1, 0.0);
        }
      });
    rhs[i] = {scale * (all - hold * old), scale * hold * old};
  });
  solve(std::move(rhs), compliance * w.rho0 / (dt * dt) * side_ * side_);
  findFaces(dt * dt / w.rho0 / side_);

  // Each component is linear between the faces that touch fluid.
  const auto p = w.fluid.p.view(), v = w.fluid.v.view();
  const Real perDt = Real(1 / dt), perSide = Real(1 / side_);
  forEach(w.fluid.size(), [&](Index i) {
    const Sample<D, Reals> pi = p[i], vi = v[i];
    int face[D][lanes], middle[D][lanes];  // index of the face and of the middle below, along each axis
    Reals f[D], m[D];                      // the way past them [cells]
    int stride[D];
    for (int k = 0; k < D; ++k) {
      stride[k] = k == 0 ? 1 : stride[k - 1] * int(size_[k - 1]);
      const Reals s = (pi.x[k] - Reals(Real(low_[k]))) * Reals(perSide), most = Real(std::max<std::int64_t>(0, size_[k] - 2));
      const Reals a = min(max(s, Reals(0)), most), b = min(max(s - Reals(Real(0.5)), Reals(0)), most);
      for (int l = 0; l < lanes; ++l) {
        face[k][l] = int(a[l]), middle[k][l] = int(b[l]);
        f[k].v[l] = Real(face[k][l]), m[k].v[l] = Real(middle[k][l]);
        face[k][l] *= stride[k], middle[k][l] *= stride[k];
      }
      f[k] = min(max(s - f[k], Reals(0)), Reals(1));
      m[k] = min(max(s - Reals(Real(0.5)) - m[k], Reals(0)), Reals(1));
    }
    Vec<D, Reals> dx, dv;
#pragma GCC unroll 3
    for (int axis = 0; axis < D; ++axis) {
      int base[lanes] = {};
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < lanes; ++l) base[l] += k == axis ? face[k][l] : middle[k][l];
      Vec<3, Reals> sum = {};
#pragma GCC unroll 8
      for (int corner = 0; corner < 1 << D; ++corner) {
        int offset = 0;
        Reals part = 1;
        for (int k = 0; k < D; ++k) {
          const Reals t = k == axis ? f[k] : m[k];
          part *= corner >> k & 1 ? t : Reals(1) - t;
          offset += (corner >> k & 1) * stride[k];
        }
        sum += part * gather(face_[axis].data() + offset, [&](int l) { return base[l]; }).x;
      }
      const auto known = sum[2] > Reals(Real(1e-6));
      const Reals whole = Reals(1) / select(known, sum[2], Reals(1));
      dx[axis] = select(known, whole * sum[0], Reals(0));
      dv[axis] = select(known, whole * sum[1], Reals(0));
    }
    p[i] = {pi.x + dx, pi.a};
    v[i] = {vi.x + Reals(perDt) * dv, vi.a};
  });
  w.refresh(w.fluid.p.data);
}

template <int D>
void CoarseLevel<D>::find(const World<D>& w, const Array<Real>& rate, double dt) {
  const double scale = w.rho0 / dt * std::pow(w.spacing, D) / std::pow(side_, D - 2);
  std::vector<Pair> rhs(cell_.size());
  tbb::parallel_for(0, int(cell_.size()), [&](int i) {
    double all = 0;
    if (held_[i])
      eachRun(w, cell_[i], [&](int a, int b) {
        for (int j = a; j < b; ++j) all += rate[j];
      });
    rhs[i].now = scale * all;
  });
  solve(std::move(rhs), 0);
  findFaces(dt * dt / w.rho0 / side_);
}

// Linear in each cell, with the gradient that its faces were moved by.
template <int D>
void CoarseLevel<D>::addPressure(const World<D>& w, double dt, Array<Real>& pressure) const {
  tbb::parallel_for(0, int(cell_.size()), [&](int i) {
    if (!held_[i]) return;
    const std::int64_t c = cell_[i];
    const auto [at] = placeOf(c);
    double slope[D], middle[D];
    std::int64_t stride = 1;
    for (int k = 0; k < D; stride *= size_[k++]) {
      slope[k] = -w.rho0 / (dt * dt) * (face_[k][c].x[1] + face_[k][c + stride].x[1]) / 2;
      middle[k] = low_[k] + (double(at[k]) + 0.5) * side_;
    }
    eachRun(w, c, [&](int a, int b) {
      for (int j = a; j < b; ++j) {
        double p = x_[i].now;
        for (int k = 0; k < D; ++k) p += slope[k] * (w.fluid.p.data[j].x[k] - middle[k]);
        pressure[j] += Real(std::max(p, 0.0));
      }
    });
  });
}

template class CoarseLevel<2>;
template class CoarseLevel<3>;

}  // namespace brim::inline BRIM_FLAVOUR
