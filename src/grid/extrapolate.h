// Face values where no fluid is: outwards from the faces of fluid cells, layer by layer.
#pragma once
#include "grid/transfer.h"

namespace brim::inline BRIM_FLAVOUR {

/// Each of `layers` times, faces beside known ones get the mean of those; `known` are the bits per component, which grow.
/// `spare` is room for as many bits. The change of velocity goes along unless it is all 0.
template <int D>
void extrapolate(const Tiles<D>&, int layers, bool withChange, Faces<D>&, Array<std::uint64_t> (&known)[D],
                 Array<std::uint64_t> (&spare)[D]);

}  // namespace brim::inline BRIM_FLAVOUR
