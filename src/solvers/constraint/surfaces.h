// Walls and bodies without samples, as Constraint Fluids may see them: the distance from every surface near a particle.
#pragma once
#include "solvers/constraint/density_rows.h"
#include "solvers/constraint/wall_field.h"

namespace brim::inline BRIM_FLAVOUR {

/// The domain's walls and all solids, as kernels see them.
template <int D>
struct Surfaces {
  View<const Body<D>> shapes;
  int count, firstFree;  // shapes from firstFree on are bodies
  Vec<D> extent;
  Vec<D, bool> walled;
  Real smooth;  // [m] over which normals are means, which rounds kinks and corners: a quarter of the support

  explicit Surfaces(const World<D>& w)
      : shapes(w.solids.bodies().read()),
        count(int(w.solids.bodies().size())),
        firstFree(w.solids.firstFree()),
        extent(w.extent),
        walled(w.walled),
        smooth(Real(w.support / 4)) {}

  /// Every surface near x: body(distance, normal out of it, its velocity there, shape in the setup or -1).
  template <class F>
  BRIM_DEVICE_FN void each(const Vec<D>& x, Real reach, F body) const {
    for (int k = 0; k < D; ++k) {
      if (!walled[k]) continue;
      Vec<D> n = {};
      n[k] = 1;
      if (x[k] < reach) body(x[k], n, Vec<D>{}, -1);
      n[k] = -1;
      if (extent[k] - x[k] < reach) body(extent[k] - x[k], n, Vec<D>{}, -1);
    }
    for (int b = 0; b < count; ++b) {
      bool near = true;
      for (int k = 0; k < D; ++k) near = near && x[k] > shapes[b].low[k] - reach && x[k] < shapes[b].high[k] + reach;
      if (!near) continue;
      Real at[3] = {}, y[3], n[3] = {}, out[3], u[3];
      for (int k = 0; k < D; ++k) at[k] = x[k];
      shapes[b].pose.toBody(at, y);
      const Real distance = shapes[b].shape.distance(y);
      if (!(distance < reach)) continue;
      shapes[b].shape.normal(y, smooth, n);
      shapes[b].pose.directionToWorld(n, out);
      shapes[b].pose.velocityAt(at, u);
      Vec<D> normal, velocity;
      for (int k = 0; k < D; ++k) normal[k] = out[k], velocity[k] = u[k];
      body(distance, normal, velocity, b);
    }
  }
};

/// What surfaces add to densities, by WallField.
template <int D>
struct FieldAround {
  Surfaces<D> surfaces;
  WallField::View field;
  Real support;  // [m]

  FieldAround(const World<D>& w, const WallField& walls) : surfaces(w), field(walls.view()), support(Real(w.support)) {}

  /// body(gradient of rho/rho0 by the particle's place, the surface's velocity, shape); returns what surfaces add to rho/rho0.
  template <class F>
  BRIM_DEVICE_FN Real at(const Vec<D>& x, F body) const {
    struct One {
      Real phi, slope;
      Vec<D> n, u;
      int shape;
    };
    One all[8];
    int count = 0;
    surfaces.each(x, support, [&](Real distance, const Vec<D>& n, const Vec<D>& u, int shape) {
      if (count == 8) return;
      One& s = all[count++];
      field.at(distance, s.phi, s.slope);
      s.n = n, s.u = u, s.shape = shape;
    });
    Real left = 1;
    for (int a = 0; a < count; ++a) {
      Real others = 1;
      for (int b = 0; b < count; ++b)
        if (b != a) others *= 1 - all[b].phi;
      left *= 1 - all[a].phi;
      body(others * all[a].slope * all[a].n, all[a].u, all[a].shape);
    }
    return 1 - left;
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
