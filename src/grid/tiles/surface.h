// The free surface between the centres of cells: how far it is, from densities, and what pressure makes of that.
//
// Pressure is zero on the surface and not in the next cell's centre (ghost fluid method: Gibou et al. 2002, Enright et al. 2003).
// A face between a cell in the liquid and one in air has the gradient p/(theta dx), where theta is the part of the way between
// their centres that is liquid.
#pragma once
#include "grid/tiles/tiles.h"

namespace brim::inline BRIM_FLAVOUR {

/// The least theta: nearer to a cell's centre the surface counts as if it were here. A smaller one would only make the system
/// stiff.
constexpr Real leastTheta = Real(0.05);

/// Signed distance [cells] of a cell's centre from the surface, negative in the liquid, from the density over rho0 and the part
/// of solids in it. A level surface at distance s covers the integral of the tent kernel up to s; this is the inverse of that.
BRIM_FN Real surfaceDistance(Real rho, Real solid) {
  const Real f = max(Real(0), min(Real(1), (rho - solid) / max(Real(1) - solid, Real(0.05))));
  return f > Real(0.5) ? std::sqrt(2 * (1 - f)) - 1 : 1 - std::sqrt(2 * f);
}

/// 1/theta of the face between two cells at these distances from the surface; 1 where both are liquid.
template <class R>
BRIM_DEVICE_FN R perTheta(R a, R b) {
  const R low = min(a, b), high = max(a, b);
  const R along = (high - low) / max(-low, R(Real(1e-6)));
  return select(high > R(Real(0)), max(R(Real(1)), min(along, R(Real(1) / leastTheta))), R(Real(1)));
}
BRIM_FN Real perTheta(Real a, Real b) {
  const Real low = min(a, b), high = max(a, b);
  if (!(high > 0)) return 1;
  return max(Real(1), min((high - low) / max(-low, Real(1e-6)), 1 / leastTheta));
}

}  // namespace brim::inline BRIM_FLAVOUR
