// Surface tension on the grid: the pressure is sigma kappa on the liquid's surface, which lies between the centres of cells
// (ghost fluid method: tiles/surface.h), with kappa of curvature.h.
// What the jump adds to the gradient of the pressure on a face between liquid and air is known before the pressure is, so it acts
// as a force: u += -+ dt/rho sigma kappa/(theta dx).
// A constant kappa is balanced by a constant pressure to rounding.
#pragma once
#include "brim/scene.h"
#include "grid/tension/curvature.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
class GridTension {
 public:
  explicit GridTension(const Scene& scene) : sigma_(scene.fluid.surface_tension) {}
  bool acts() const { return sigma_ > 0; }
  /// [s] in which a capillary wave of two cells passes half a cell, sqrt(rho dx^3/(4 pi sigma)) (Brackbill, Kothe & Zemach 1992).
  double limit(double rho, double cell) const;
  /// Adds to the faces between liquid and air what the pressure on the surface does to them in `dt` [s].
  void act(GridState<D>& s, double rho, double dt);
  std::size_t bytes() const { return surface_.bytes(); }

 private:
  double sigma_;  // [N/m]
  SurfaceCurvature<D> surface_{4};
};

}  // namespace brim::inline BRIM_FLAVOUR
