// Surface tension for particles. The pressure on the liquid's surface is sigma kappa; particles feel its continuation P into the
// liquid,
//
//   a = -grad P / rho,   P = sigma kappa_s chi,
//
// with kappa_s the curvature of the surface where it is nearest, chi = 1 outside and 0 some spacings below it. A pressure p' that
// is 0 on the surface, as particle solvers find it, and P make together the pressure that is sigma kappa there: for an
// incompressible liquid the way in which P is continued changes nothing but p'. So forces are of the size of sigma kappa from the
// start, and no energy depends on how single particles lie: surface and curvature are found on a grid (curvature.h).
// docs/methods/surface_tension.md has what was measured, and what did not work.
#pragma once
#include "grid/tension/curvature.h"
#include "step/context.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
class ParticleTension {
 public:
  /// Of the grid's cells, in spacings; P falls from chi = 1 to 0 between these depths [cells] below the surface. The force begins
  /// outside, since particles of the outer layer that feel none are pushed off; what of it lies where no particle is, the gain
  /// makes good: measured once, in the plane, the same for every solver and radius, and in space.
  static constexpr double cell = 1, begin = -0.25, end = 1.75, gain = 1.11;
  static constexpr int passes = 3;

  explicit ParticleTension(double sigma) : sigma_(sigma) {}
  /// [s] sqrt(rho d^3/(4 pi sigma)), as the grid solvers have it for their cells.
  double limit(const World<D>& w) const;
  /// v += dt a. `s` has cells of `cell` spacings, with the densities of the particles' present places. `closed`: nothing but the
  /// liquid takes part, so that the sums of the forces and of their moments are nought, to rounding.
  void kick(const GridState<D>& s, World<D>& w, double dt, bool closed);
  std::size_t bytes() const { return surface_.bytes() + pressure_.bytes() + kick_.bytes(); }

  void balance(World<D>& w);  // public because nvcc wants kernels there

 private:
  double sigma_;  // [N/m]
  SurfaceCurvature<D> surface_{passes};
  Array<Real> pressure_;   // P/sigma [1/cell] at the centres of cells
  Array<Record<D>> kick_;  // {dv, -} [m/s]
};

}  // namespace brim::inline BRIM_FLAVOUR
