// Between the transfers: body forces, solid walls, divergences, and the pressure gradient that takes them away.
#pragma once
#include "grid/pressure/poisson.h"
#include "grid/tiles/state.h"

namespace brim::inline BRIM_FLAVOUR {

/// u += dv on the faces of fluid cells, and the solid's velocity on faces between fluid and solid; all other faces become 0.
template <int D>
void applyForce(GridState<D>&, const Solids<D>&, const Vec<D>& dv);

/// The velocities of solids on the faces that they shut, again, after bodies have taken the pressure's impulse. `released`: some
/// cells have let go of walls.
template <int D>
void setWalls(GridState<D>&, const Solids<D>&, bool released);

/// rhs = -div u [1/s] in tiles with fluid; where solids cut cells, of what flows through the open part of each face, and what
/// moving solids push through the part that they cover (Batty et al. 2007).
template <int D>
void divergence(GridState<D>&, const Solids<D>&);

/// The open faces as the pressure equation takes them: none where no solid cuts a cell.
template <int D>
OpenFaces<D> openFaces(const GridState<D>& s) {
  OpenFaces<D> open;
  for (int k = 0; k < D && s.solids.cut(); ++k) open.of[k] = &s.solids.open(k);
  return open;
}

/// u -= step (phi - the one below) on the faces of fluid cells but those of walls: Eq. 5 and 11 with phi in units of cells. With
/// `fromZero` u was 0, whatever the field holds.
template <int D>
void subtractGradient(GridState<D>&, double step, bool withChange, bool fromZero = false);

/// The slopes of phi within fluid cells, from the gradients on their faces without walls; before extrapolation.
template <int D>
void findSlopes(GridState<D>&);

}  // namespace brim::inline BRIM_FLAVOUR
