// The rest lattice: what a sum over neighbours meets in fluid at rest. Calibrations and scales that mean the same at every
// resolution are sums over it.
#pragma once
#include <cmath>
#include <vector>

#include "math/kernels.h"

namespace brim::inline BRIM_FLAVOUR {

/// body(r) for every point r [m] of a lattice of this spacing around the origin, out to the support and a little more.
template <int D, class F>
void eachOfRestLattice(double spacing, double support, F body) {
  const int reach = int(std::ceil(support / spacing)), side = 2 * reach + 1;
  for (int c = 0; c < (D == 3 ? side * side * side : side * side); ++c) {
    Vec<D> r;
    for (int k = 0, rest = c; k < D; ++k, rest /= side) r[k] = Real((rest % side - reach) * spacing);
    body(r);
  }
}

/// The lattice as density constraints see it.
struct RestWaves {
  double gradient = 0;  // [1/m^2] |grad C|^2 over all members of a constraint: sum_j |V grad W_j|^2
  /// Of sum_i n_i n_i^T, n_i = grad C_i / |grad C_i|: the largest over all waves exp(i k.x_j) of multipliers,
  /// |sum_j grad W_j exp(i k.x_j)|^2 / sum_j |grad W_j|^2.
  double largest = 0;
};

template <int D, class K>
RestWaves restWaves(K W, double spacing, double support) {
  std::vector<Vec<D>> x, g;
  double sum = 0;
  eachOfRestLattice<D>(spacing, support, [&](const Vec<D>& r) {
    const Vec<D> grad = W.grad(r).vec();
    if (dot(grad, grad) == 0) return;
    x.push_back(r);
    g.push_back(grad);
    sum += dot(grad, grad);
  });
  RestWaves l;
  l.gradient = std::pow(spacing, 2 * D) * sum;
  const int waves = D == 3 ? 13 : 33;
  for (int c = 0; c < (D == 3 ? waves * waves * waves : waves * waves); ++c) {
    double k[D], re[D] = {}, im[D] = {}, size = 0;
    for (int d = 0, rest = c; d < D; ++d, rest /= waves) k[d] = pi / spacing * (rest % waves) / (waves - 1);
    for (std::size_t j = 0; j < x.size(); ++j) {
      double phase = 0;
      for (int d = 0; d < D; ++d) phase += k[d] * x[j][d];
      for (int d = 0; d < D; ++d) re[d] += g[j][d] * std::cos(phase), im[d] += g[j][d] * std::sin(phase);
    }
    for (int d = 0; d < D; ++d) size += re[d] * re[d] + im[d] * im[d];
    l.largest = std::max(l.largest, size / sum);
  }
  return l;
}

}  // namespace brim::inline BRIM_FLAVOUR
