// What a solid's surface does to the liquid beside it: how far it is, how it moves and how long its slip length is.
#pragma once
#include "grid/tiles/solid_fractions.h"

namespace brim::inline BRIM_FLAVOUR {

/// A solid's surface: Navier's slip length [m], below 0 for free slip, and how it slides in its own plane [m/s].
template <int D>
struct SurfaceSlip {
  Real slip;
  Real slide[D];
};

/// The solids of a scene and the domain's walls, as kernels see them.
template <int D>
struct WallView {
  View<const PlacedSolid<D>> body;
  View<const SurfaceSlip<D>> surface;  // of each body
  int bodies;
  Real wallSlip;  // [m] of the domain's walls, below 0 for free slip
  Vec<D> extent;
  Vec<D, bool> walled;
  Real cell;  // [m]

  static constexpr int domain = -1;
  struct Nearest {
    Real distance;  // [m], negative in the solid
    int body;       // or `domain`
  };
  /// The surface that x [m] is deepest behind, or nearest to.
  BRIM_DEVICE_FN Nearest nearest(const Vec<D>& x) const {
    Nearest least{Real(1e30), domain};
    for (int k = 0; k < D; ++k)
      if (walled[k]) least.distance = min(least.distance, min(x[k], extent[k] - x[k]));
    for (int b = 0; b < bodies; ++b)
      if (!isBeyondBox(body[b], x, 2 * cell))
        if (const Real d = distanceTo(body[b], x); d < least.distance) least = {d, b};
    return least;
  }
  BRIM_DEVICE_FN Real slipOf(int b) const { return b == domain ? wallSlip : surface[b].slip; }
  /// [m/s] along axis k of surface b at x.
  BRIM_DEVICE_FN Real velocity(int b, const Vec<D>& x, int k) const {
    if (b == domain) return 0;
    Real at[3] = {}, u[3], y[3], normal[3] = {}, out[3], across = 0;
    for (int a = 0; a < D; ++a) at[a] = x[a];
    body[b].pose.velocityAt(at, u);
    Real slides = 0;
    for (int a = 0; a < D; ++a) slides += surface[b].slide[a] * surface[b].slide[a];
    if (!(slides > 0)) return u[k];
    body[b].pose.toBody(at, y);
    body[b].shape.normal(y, Real(0.05) * cell, normal);
    body[b].pose.directionToWorld(normal, out);
    for (int a = 0; a < D; ++a) across += out[a] * surface[b].slide[a];
    return u[k] + surface[b].slide[k] - across * out[k];
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
