// Walls, solids and rigid bodies without samples: the distance from every surface near a particle.
#pragma once
#include "solvers/constraint/density_rows.h"
#include "solvers/constraint/wall_field.h"

namespace brim::inline BRIM_FLAVOUR {

/// The domain's walls and all solids, as kernels see them.
template <int D>
struct Surfaces {
  View<const PlacedSolid<D>> shapes;
  int count, firstFree;  // shapes from firstFree on are rigid bodies
  Vec<D> extent;
  Vec<D, bool> walled;
  Real smooth;  // [m] over which normals are means, which rounds kinks and corners: a quarter of the support

  explicit Surfaces(const World<D>& w)
      : shapes(w.solids.placed().read()),
        count(int(w.solids.placed().size())),
        firstFree(w.solids.firstFree()),
        extent(w.extent),
        walled(w.walled),
        smooth(Real(w.support / 4)) {}

  /// Calls f(distance, normal out of the surface, velocity of the surface there, shape in the setup or -1) for every surface
  /// nearer to x than `reach`.
  template <class F>
  BRIM_DEVICE_FN void each(const Vec<D>& x, Real reach, F f) const {
    for (int k = 0; k < D; ++k) {
      if (!walled[k]) continue;
      Vec<D> n = {};
      n[k] = 1;
      if (x[k] < reach) f(x[k], n, Vec<D>{}, -1);
      n[k] = -1;
      if (extent[k] - x[k] < reach) f(extent[k] - x[k], n, Vec<D>{}, -1);
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
      f(distance, normal, velocity, b);
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

  static constexpr int held = 8;  // surfaces that the quick way holds

  /// Calls f(gradient of rho/rho0 by the particle's place, velocity of the surface, shape) for every surface; returns what all
  /// surfaces add to rho/rho0.
  template <class F>
  BRIM_DEVICE_FN Real at(const Vec<D>& x, F f) const {
    struct One {
      Real phi, slope;
      Vec<D> n, u;
      int shape;
    };
    One all[held];
    int count = 0;
    surfaces.each(x, support, [&](Real distance, const Vec<D>& n, const Vec<D>& u, int shape) {
      if (count++ >= held) return;
      One& s = all[count - 1];
      field.at(distance, s.phi, s.slope);
      s.n = n, s.u = u, s.shape = shape;
    });
    if (count > held) return atMany(x, f);
    Real left = 1;
    for (int a = 0; a < count; ++a) {
      Real others = 1;
      for (int b = 0; b < count; ++b)
        if (b != a) others *= 1 - all[b].phi;
      left *= 1 - all[a].phi;
      f(others * all[a].slope * all[a].n, all[a].u, all[a].shape);
    }
    return 1 - left;
  }

  /// The same for any number of surfaces. For each of them all others are visited again, so it is slow, and rarely needed.
  template <class F>
  BRIM_DEVICE_FN Real atMany(const Vec<D>& x, F f) const {
    Real left = 1;
    int a = 0;
    surfaces.each(x, support, [&](Real distance, const Vec<D>& n, const Vec<D>& u, int shape) {
      Real phi, slope, others = 1;
      field.at(distance, phi, slope);
      int b = 0;
      surfaces.each(x, support, [&](Real otherDistance, const Vec<D>&, const Vec<D>&, int) {
        Real otherPhi, otherSlope;
        field.at(otherDistance, otherPhi, otherSlope);
        if (b++ != a) others *= 1 - otherPhi;
      });
      ++a;
      left *= 1 - phi;
      f(others * slope * n, u, shape);
    });
    return 1 - left;
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
