// Between the transfers: body forces, solid walls, divergences, and the pressure gradient that takes them away.
#pragma once
#include "grid/tiles/state.h"

namespace brim::inline BRIM_FLAVOUR {

/// u += dv on the faces of fluid cells, and the solid's velocity on faces between fluid and solid; all other faces become 0.
template <int D>
void applyForce(GridState<D>&, const Solids<D>&, const Vec<D>& dv);

/// rhs = -div u [1/s] in tiles with fluid.
template <int D>
void divergence(GridState<D>&);

/// u -= step (phi - the one below) on the faces of fluid cells but those of walls: Eq. 5 and 11 with phi in units of cells. With
/// `fromZero` u was 0, whatever the field holds.
template <int D>
void subtractGradient(GridState<D>&, double step, bool withChange, bool fromZero = false);

/// The slopes of phi within fluid cells, from the gradients on their faces without walls; before extrapolation.
template <int D>
void findSlopes(GridState<D>&);

}  // namespace brim::inline BRIM_FLAVOUR
