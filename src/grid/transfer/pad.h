// Face values in blocks with one cell around the tile, as particles read them.
#pragma once
#include "grid/tiles/state.h"

namespace brim::inline BRIM_FLAVOUR {

/// The velocities of every tile: from `faces.u` to `velocity`.
template <int D>
void padVelocity(GridState<D>&);
/// A field of the tiles that hold particles: to `padded`, whose blocks are numbered as those tiles, on a GPU as all tiles.
template <int D>
void padActive(GridState<D>&, const Array<Real> (&field)[D]);

}  // namespace brim::inline BRIM_FLAVOUR
