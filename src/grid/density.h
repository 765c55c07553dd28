// Density on the grid, and what the projection of densities does to particles (Kugelstadt et al. 2019, Alg. 1 and Sec. 3.2-3.3).
#pragma once
#include "grid/transfer.h"

namespace brim::inline BRIM_FLAVOUR {

/// Density over rho0 at the centres of the cells, Eq. 12: particles of mass m_p = rho0 V/N, and solids by their signed
/// distance. Also the bits of the cells that hold particles. Counts per tile sum_c min(N_c, N_init), the volume of Eq. 19 in
/// particles.
template <int D>
void splat(const Particles<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const SolidCells<D>&, Blocks<D>& stage,
           Array<Real>& rho, Flags<D>&, Array<int>& filled);
/// The sum of what splat counted.
double filledOf(const Array<int>& filled);

/// The density of its cell becomes the particle's [kg/m^3].
template <int D>
void takeDensity(Particles<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const Array<Real>& rho, double rho0);

/// rhs of Eq. 10 [1/s]: (rho/rho0 - 1)/dt, with rho/rho0 within [1 - clamp, 1 + clamp], and at least 1 in cells beside air.
template <int D>
void densityError(const Tiles<D>&, const Flags<D>&, const Array<Real>& rho, double dt, double clamp, Array<Real>& rhs);

/// The way out [m] for the deepest particle of each solid cell that holds any (`buried`), Eq. 13, at most half a cell long.
template <int D>
void findWaysOut(const World<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const SolidCells<D>&, const Flags<D>&,
                 Array<Vec<D>>& way);

/// The push-out condition, Eq. 18: rhs += way/(dx dt) for a fluid cell that a buried particle's way out leads into.
template <int D>
void pushIntoFluid(const Frame<D>&, const Tiles<D>&, const Flags<D>&, const Array<Vec<D>>& way, double dt, Array<Real>& rhs);
/// Displacements of the faces of cells with buried particles; they count as known.
template <int D>
void setWaysOut(const Tiles<D>&, Flags<D>&, const Array<Vec<D>>& way, Faces<D>&);

/// Particles of fluid cells above 1.5 rho0 go to random places near the middles of equal parts of the cell and take the grid's
/// velocity there: those that stand in one point cannot be told apart by any field.
template <int D>
void redistribute(World<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const SolidCells<D>&, const Flags<D>&,
                  const Array<Real>& rho, const TileView<D>& velocityTiles, const Blocks<D>& velocity);

/// x_p += the displacement at x_p; velocities stay as they are.
template <int D>
void displace(World<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const SolidCells<D>&, const Flags<D>&,
              const Blocks<D>& padded);

}  // namespace brim::inline BRIM_FLAVOUR
