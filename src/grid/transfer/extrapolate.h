// Face values where no fluid is: outwards from the faces of fluid cells, layer by layer.
#pragma once
#include "grid/tiles/state.h"

namespace brim::inline BRIM_FLAVOUR {

/// Each of `layers` times, faces beside known ones get the mean of those, and count as known from then on: `faces` and
/// `flags.known`. The change of velocity goes along unless it is all 0.
template <int D>
void extrapolate(GridState<D>&, int layers, bool withChange);

}  // namespace brim::inline BRIM_FLAVOUR
