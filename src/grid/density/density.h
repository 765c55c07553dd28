// Density on the grid, and what the density projection does to particles (Kugelstadt et al. 2019, Alg. 1 and Sec. 3.2-3.3).
#pragma once
#include "grid/tiles/state.h"

namespace brim::inline BRIM_FLAVOUR {

/// P2G of mass: density over rho0 at the centres of the cells, Eq. 12, to `rho`: particles of mass m_p = rho0 V/N, and solids by
/// their volume fractions. Also the bits of the cells that hold particles, `flags.held`, and per tile sum_c min(N_c, N_init),
/// the volume of Eq. 19 in particles, `filled`.
template <int D>
void p2gDensity(GridState<D>&, const Particles<D>&);
/// The volume of Eq. 19 in particles, of all tiles.
double filledOf(const Array<int>& filled);

/// G2P of density: that of its cell becomes the particle's [kg/m^3].
template <int D>
void g2pDensity(const GridState<D>&, Particles<D>&, double rho0);

/// rhs of Eq. 10 [1/s]: (rho/rho0 - 1)/dt, with rho/rho0 within [1 - clamp, 1 + clamp], and at least 1 in cells beside air and,
/// `withReleased`, beside cells that have let go of walls (`released`, over velocityTiles): they would be drawn back.
template <int D>
void densityError(const GridState<D>&, double dt, double clamp, Array<Real>& rhs, bool withReleased = false);

/// The push-out displacement [m] of the deepest particle of each solid cell that holds any (`flags.penetrated`), Eq. 13, at most
/// half a cell long: `pushOut`.
template <int D>
void findPushOut(GridState<D>&, const Particles<D>&, const Solids<D>&);

/// The push-out condition, Eq. 18: rhs += push-out/(dx dt) for a fluid cell that a penetrating particle is pushed into.
template <int D>
void addPushOut(GridState<D>&, double dt);
/// Displacements of the faces of cells with penetrating particles; these faces count as known.
template <int D>
void setPushOut(GridState<D>&);

/// Resampling: particles of fluid cells above 1.5 rho0 go to random places near the middles of equal parts of the cell and take
/// the grid's velocity there: no field can separate particles that stand in one point. `step` is a number for the random places.
template <int D>
void resample(GridState<D>&, Particles<D>&, const Solids<D>&, std::int64_t step);

/// x_p += the displacement at x_p in `padded`; velocities stay as they are.
template <int D>
void displace(const GridState<D>&, Particles<D>&, const Solids<D>&);

}  // namespace brim::inline BRIM_FLAVOUR
