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
  rhs_.resize(n);
  tbb::parallel_for(0, n, [&](int i) { connect(i, fill); });
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
        l = {state, (fill[c] + fill[there]) / 2 / way, 1 / way};
      } else if (state == air) {
        l = {air, fill[c] / part / (part / 2), 2 / part};
      }
      diagonal_[i] += l.weight;
    }
  }
  diagonal_[i] = std::max(diagonal_[i], 1e-3);  // fluid shut in on all sides
}

template <int D>
void CoarseLevel<D>::multiply(const std::vector<double>& x, std::vector<double>& y) const {
  tbb::parallel_for(tbb::blocked_range<int>(0, int(cell_.size()), 1024), [&](const auto& range) {
    for (int i = range.begin(); i < range.end(); ++i) {
      double s = diagonal_[i] * x[i];
      for (int l = 0; l < 2 * D; ++l) {
        const Link& k = link_[std::size_t(2 * D) * i + l];
        if (k.to >= 0) s -= k.weight * x[k.to];
      }
      y[i] = s;
    }
  });
}

// Jacobi-preconditioned conjugate gradients to a hundredth of the residual: the fine level sees to the rest.
template <int D>
void CoarseLevel<D>::conjugateGradients() {
  const int n = int(cell_.size());
  std::vector<double> r = rhs_, p(n), q(n);
  x_.assign(n, 0);
  double rz = 0, first = 0;
  for (int it = 0; it < 200; ++it) {
    const double next = sumOf(n, [&](int i) { return r[i] * r[i] / diagonal_[i]; });
    if (it == 0) first = next;
    if (!(next > 1e-4 * first)) return;
    const double beta = it ? next / rz : 0;
    rz = next;
    for (int i = 0; i < n; ++i) p[i] = r[i] / diagonal_[i] + beta * p[i];
    multiply(p, q);
    const double alpha = rz / sumOf(n, [&](int i) { return p[i] * q[i]; });
    for (int i = 0; i < n; ++i) x_[i] += alpha * p[i], r[i] -= alpha * q[i];
  }
}

// Displacements of the faces of cells with fluid, from the drop of pressure across them. Beside a wall the excess is mostly
// in the gap between the wall and the first layer: fluid there moves nearly as far as at the cell's other face.
template <int D>
void CoarseLevel<D>::findFaces(double mobility) {
  constexpr double besideWall = 0.75;
  std::int64_t stride = 1;
  for (int k = 0; k < D; stride *= size_[k++]) {
    face_[k].assign(state_.size() + std::size_t(stride), Face{});
    for (std::size_t i = 0; i < cell_.size(); ++i) {
      const Link* const l = &link_[std::size_t(2 * D) * i + 2 * k];
      double way[2];
      for (int up = 0; up < 2; ++up)
        way[up] = (up ? mobility : -mobility) * l[up].perDrop * (x_[i] - (l[up].to >= 0 ? x_[l[up].to] : 0));
      for (int up = 0; up < 2; ++up)
        if (l[up].perDrop == 0 && (up ? way[0] < 0 : way[1] > 0)) way[up] = besideWall * way[1 - up];
      for (int up = 0; up < 2; ++up) face_[k][cell_[i] + (up ? stride : 0)] = {float(way[up]), 1};
    }
  }
}

template <int D>
void CoarseLevel<D>::push(World<D>& w, const Array<Real>& residual, double dt) {
  // The excess of each cell, sum V r, over the conductance side^(D-2). Signed, so that noise cancels; particles far below
  // rho0 are at the surface, where the sum over neighbours says nothing about volume.
  const double scale = w.rho0 / (dt * dt) * std::pow(w.spacing, D) / std::pow(side_, D - 2);
  tbb::parallel_for(0, int(cell_.size()), [&](int i) {
    double sum = 0;
    if (held_[i])
      eachRun(w, cell_[i], [&](int a, int b) {
        for (int j = a; j < b; ++j) sum += residual[j] > Real(-0.05) ? residual[j] : Real(0);
      });
    rhs_[i] = scale * sum;
  });
  conjugateGradients();
  for (double& x : x_) x = std::max(x, 0.0);  // fluid pushes, it does not pull
  findFaces(dt * dt / w.rho0 / side_);

  // Each component is linear between the faces that touch fluid.
  const auto p = w.fluid.p.view(), v = w.fluid.v.view();
  const Real perDt = Real(1 / dt);
  forEach(w.fluid.size(), [&](int i) {
    float s[D];
    for (int k = 0; k < D; ++k) s[k] = float((p[i].x[k] - low_[k]) / side_);
    for (int axis = 0; axis < D; ++axis) {
      int base[D];
      float f[D];
      for (int k = 0; k < D; ++k) {
        const float t = k == axis ? s[k] : s[k] - 0.5f;
        base[k] = std::clamp(int(std::floor(t)), 0, std::max(0, int(size_[k]) - 2));
        f[k] = std::clamp(t - float(base[k]), 0.0f, 1.0f);
      }
      float sum = 0, weight = 0;
      for (int corner = 0; corner < 1 << D; ++corner) {
        std::int64_t c = 0, stride = 1;
        float part = 1;
        for (int k = 0; k < D; stride *= size_[k++]) {
          const int up = corner >> k & 1;
          c += (base[k] + up) * stride;
          part *= up ? f[k] : 1 - f[k];
        }
        const Face& face = face_[axis][c];
        sum += part * face.known * face.way;
        weight += part * face.known;
      }
      if (!(weight > 1e-6f)) continue;
      const Real dx = Real(sum / weight);
      p[i].x[axis] += dx;
      v[i].x[axis] += perDt * dx;
    }
  });
  w.refresh(w.fluid.p.data);
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
      slope[k] = -w.rho0 / (dt * dt) * (face_[k][c].way + face_[k][c + stride].way) / 2;
      middle[k] = low_[k] + (double(at[k]) + 0.5) * side_;
    }
    eachRun(w, c, [&](int a, int b) {
      for (int j = a; j < b; ++j) {
        double p = x_[i];
        for (int k = 0; k < D; ++k) p += slope[k] * (w.fluid.p.data[j].x[k] - middle[k]);
        pressure[j] += Real(std::max(p, 0.0));
      }
    });
  });
}

template class CoarseLevel<2>;
template class CoarseLevel<3>;

}  // namespace brim::inline BRIM_FLAVOUR
