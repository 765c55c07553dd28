// Water slides along solids: the velocities of faces within them.
#pragma once
#include "grid/tiles/state.h"

namespace brim::inline BRIM_FLAVOUR {

/// Faces that solids shut, after the pressure has made its velocities: that of the open faces around, less what leads into the
/// solid or out of it,  u_k - n_k n (u - v_solid)/(1 - s),  where s [cells] is how deep the face lies: 0 on the surface. Such a
/// face may lie along the surface as well as across it, and the solid's own velocity there would drag the water beside a round
/// solid along. `released`: some cells have let go of walls, and their faces stay as they are.
template <int D>
void slideAlongSolids(GridState<D>&, const Solids<D>&, bool released);

}  // namespace brim::inline BRIM_FLAVOUR
