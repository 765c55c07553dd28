// The rest lattice: what a sum over neighbours meets in fluid at rest. Calibrations are sums over it.
#pragma once
#include <cmath>

#include "math/vec.h"

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

}  // namespace brim::inline BRIM_FLAVOUR
