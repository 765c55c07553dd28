// Between transfers: body forces, walls, divergences and the gradient that takes them away.
#pragma once
#include "grid/transfer.h"

namespace brim::inline BRIM_FLAVOUR {

/// u += dv on the faces of fluid cells, and the solid's velocity on those that touch one; the rest becomes 0.
template <int D>
void force(const World<D>&, const Frame<D>&, const Tiles<D>&, const SolidCells<D>&, const Flags<D>&, const Vec<D>& dv, Faces<D>&);

/// rhs = -div u [1/s] in tiles with fluid.
template <int D>
void divergence(const Frame<D>&, const Tiles<D>&, const Flags<D>&, const Faces<D>&, Array<Real>& rhs);

/// u -= step (phi - the one below) on the faces of fluid cells but those of walls: Eq. 5 and 11 with phi in units of cells. With
/// `fromZero` u was 0, whatever the field holds.
template <int D>
void subtractGradient(const Tiles<D>&, const Flags<D>&, const Array<Real>& phi, double step, bool withChange, Faces<D>&,
                      bool fromZero = false);

}  // namespace brim::inline BRIM_FLAVOUR
