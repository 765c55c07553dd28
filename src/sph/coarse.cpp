#include "sph/coarse.h"

#include <algorithm>
#include <cmath>

namespace brim::inline BRIM_FLAVOUR {

static constexpr int rows = 2;  // supports per coarse cell

template <int D>
bool CoarseLevel<D>::prepare(const World<D>& w) {
  const Window<D>& window = w.window();
  cell_.clear();
  if (!window.dense) return false;
  std::int64_t cells = 1;
  for (int k = 0; k < D; ++k) {
    size_[k] = window.size[k] / (k == 0 ? rows * Window<D>::fine : rows);  // windows come in multiples of four supports
    cells *= size_[k];
  }
  side_ = rows * 1.0001 * w.support;
  const double full = std::pow(side_ / w.spacing, D);
  state_.assign(cells, air);
  std::vector<double> fill(cells, 0.0);
  std::vector<char> solid(cells, 0);
  const auto body = w.solids.bodies().read();
  const int bodies = int(w.solids.bodies().size());
  tbb::parallel_for(std::int64_t(0), cells, [&](std::int64_t c) {
    const std::int64_t at[3] = {c % size_[0], c / size_[0] % size_[1], c / size_[0] / size_[1]};
    int count = 0;
    for (int z = 0; z < (D == 3 ? rows : 1); ++z)
      for (int y = 0; y < rows; ++y) {
        const auto [a, b] = w.cells().run(at[0] * rows * Window<D>::fine, (at[0] + 1) * rows * Window<D>::fine - 1,
                                          at[1] * rows + y, D == 3 ? at[2] * rows + z : 0);
        count += b - a;
      }
    fill[c] = std::min(1.0, count / full);
    if (count) return;
    Real x[3] = {}, y[3];
    for (int k = 0; k < D; ++k) {
      const double low = double(window.low[k]) / window.scale[k];
      x[k] = Real(low + (double(at[k]) + 0.5) * side_);
      solid[c] |= w.walled[k] && (x[k] < 0 || x[k] > w.extent[k]);
    }
    for (int b = 0; b < bodies && !solid[c]; ++b) {
      body[b].pose.toBody(x, y);
      solid[c] |= body[b].shape.distance(y) < 0;
    }
  });
  for (std::int64_t c = 0; c < cells; ++c) {
    if (fill[c] > 0)
      state_[c] = int(cell_.size()), cell_.push_back(c);
    else if (solid[c])
      state_[c] = wall;
  }
  const int n = int(cell_.size());
  link_.resize(std::size_t(2 * D) * n);
  diagonal_.assign(n, 0);
  tbb::parallel_for(0, n, [&](int i) {
    const std::int64_t c = cell_[i];
    const std::int64_t at[3] = {c % size_[0], c / size_[0] % size_[1], c / size_[0] / size_[1]};
    std::int64_t stride = 1;
    for (int k = 0; k < D; ++k) {
      for (int way = 0; way < 2; ++way) {
        const std::int64_t to = at[k] + (way ? 1 : -1);
        Link& l = link_[std::size_t(2 * D) * i + 2 * k + way];
        l = {air, 0};
        const int state = to < 0 || to >= size_[k] ? air : state_[c + (way ? stride : -stride)];
        if (state >= 0)
          l = {state, (fill[c] + fill[c + (way ? stride : -stride)]) / 2};
        else if (state == air)
          l = {air, 1 / std::max(fill[c], 0.3)};
        diagonal_[i] += l.weight;
      }
      stride *= size_[k];
    }
    diagonal_[i] = std::max(diagonal_[i], 1e-3);
  });
  rhs_.resize(n);
  return n > 0;
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

// Jacobi-preconditioned conjugate gradients, in double and in fixed order.
template <int D>
void CoarseLevel<D>::conjugateGradients() {
  const int n = int(cell_.size());
  x_.assign(n, 0);
  r_ = rhs_;
  z_.resize(n), q_.resize(n);
  std::vector<double> p(n);
  double rz = 0, first = 0;
  for (int it = 0; it < 200; ++it) {
    double next = 0;
    for (int i = 0; i < n; ++i) z_[i] = r_[i] / diagonal_[i], next += r_[i] * z_[i];
    if (it == 0) first = next;
    if (next <= 1e-4 * first || next == 0) return;
    const double beta = it ? next / rz : 0;
    rz = next;
    for (int i = 0; i < n; ++i) p[i] = z_[i] + beta * p[i];
    multiply(p, q_);
    double pq = 0;
    for (int i = 0; i < n; ++i) pq += p[i] * q_[i];
    const double alpha = rz / pq;
    for (int i = 0; i < n; ++i) x_[i] += alpha * p[i], r_[i] -= alpha * q_[i];
  }
}

template <int D>
void CoarseLevel<D>::push(World<D>& w, const Array<Real>& residual, double dt, double share, Array<Real>& pressure) {
  // Sum of V r over each cell, over p's conductance side^(D-2).
  const double scale = w.rho0 / (dt * dt) * std::pow(w.spacing, D) / std::pow(side_, D - 2);
  tbb::parallel_for(0, int(cell_.size()), [&](int i) {
    const std::int64_t c = cell_[i];
    const std::int64_t at[3] = {c % size_[0], c / size_[0] % size_[1], c / size_[0] / size_[1]};
    double sum = 0;
    for (int z = 0; z < (D == 3 ? rows : 1); ++z)
      for (int y = 0; y < rows; ++y) {
        const auto [a, b] = w.cells().run(at[0] * rows * Window<D>::fine, (at[0] + 1) * rows * Window<D>::fine - 1,
                                          at[1] * rows + y, D == 3 ? at[2] * rows + z : 0);
        for (int j = a; j < b; ++j) sum += residual[j] > Real(-0.05) ? residual[j] : Real(0);
      }
    rhs_[i] = scale * sum;
  });
  conjugateGradients();
  for (double& x : x_) x = std::max(x, 0.0);

  // Displacements of the faces of fluid cells.
  const double mobility = share * dt * dt / w.rho0 / side_;
  std::int64_t stride = 1;
  for (int k = 0; k < D; ++k) {
    face_[k].assign(state_.size() + std::size_t(stride), Face{});
    for (std::size_t i = 0; i < cell_.size(); ++i) {
      const std::int64_t c = cell_[i];
      for (int way = 0; way < 2; ++way) {
        const Link& l = link_[std::size_t(2 * D) * i + 2 * k + way];
        Face& f = face_[k][c + (way ? stride : 0)];
        const double conductance = l.to >= 0 ? 1 : l.weight;  // walls: 0
        const double drop = x_[i] - (l.to >= 0 ? x_[l.to] : 0);
        f = {float((way ? 1 : -1) * mobility * conductance * drop), 1};
      }
    }
    stride *= size_[k];
  }

  const Window<D>& window = w.window();
  double low[D];
  for (int k = 0; k < D; ++k) low[k] = double(window.low[k]) / window.scale[k];
  const auto p = w.fluid.p.view(), v = w.fluid.v.view();
  const auto out = pressure.view();
  const Real perDt = Real(1 / dt);
  forEach(w.fluid.size(), [&](int i) {
    float s[D];
    for (int k = 0; k < D; ++k) s[k] = float((p[i].x[k] - low[k]) / side_);
    int cell[D];
    std::int64_t index = 0;
    for (int k = D - 1; k >= 0; --k) {
      cell[k] = std::clamp(int(s[k]), 0, int(size_[k]) - 1);
      index = index * size_[k] + cell[k];
    }
    if (state_[index] >= 0) out[i] += Real(share * x_[state_[index]]);
    for (int axis = 0; axis < D; ++axis) {
      int base[D];
      float f[D];
      for (int k = 0; k < D; ++k) {
        const float t = k == axis ? s[k] : s[k] - 0.5f;
        base[k] = std::clamp(int(std::floor(t)), 0, std::max(0, int(size_[k]) - (k == axis ? 1 : 2)));
        f[k] = std::clamp(t - float(base[k]), 0.0f, 1.0f);
      }
      float sum = 0, weight = 0;
      for (int corner = 0; corner < 1 << D; ++corner) {
        std::int64_t c = 0, step = 1;
        float part = 1;
        for (int k = 0; k < D; ++k) {
          const int up = corner >> k & 1;
          c += (k == axis ? base[k] + up : std::min(base[k] + up, int(size_[k]) - 1)) * step;
          part *= up ? f[k] : 1 - f[k];
          step *= size_[k];
        }
        if (std::size_t(c) >= face_[axis].size()) continue;
        const Face& face = face_[axis][c];
        sum += part * face.known * face.way;
        weight += part * face.known;
      }
      if (weight > 1e-6f) {
        p[i].x[axis] += Real(sum / weight);
        v[i].x[axis] += perDt * Real(sum / weight);
      }
    }
  });
  w.refresh(w.fluid.p.data);
}

template class CoarseLevel<2>;
template class CoarseLevel<3>;

}  // namespace brim::inline BRIM_FLAVOUR
