// Walls push and do not pull: 0 <= p, u n >= u_wall n, and one of the two holds as an equation (Batty et al. 2007, Sec. 5).
#pragma once
#include "grid/pressure/poisson.h"
#include "grid/tiles/state.h"

namespace brim::inline BRIM_FLAVOUR {

/// One round of the active set (Chentanez & Mueller 2011): fluid cells at walls whose phi is below -`tension` [1/s] let go. They
/// become air, with no pressure at their centre, and faces to their walls take back the velocity they had without them, if it
/// leads away from the wall. `dv` [m/s] is what applyForce gave. Fluid that no air touches cannot let go. Returns the number of
/// these cells.
template <int D>
int releaseWalls(GridState<D>&, const Poisson<D>&, const Vec<D>& dv, double tension);

}  // namespace brim::inline BRIM_FLAVOUR
