// Places, directions and weights of gauges.
#pragma once
#include <algorithm>
#include <cmath>

#include "math/kernels.h"
#include "scene/tank.h"
#include "scene/vector.h"
#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
Vec<D> narrowed(const Vector& a) {
  Vec<D> r;
  for (int k = 0; k < D; ++k) r[k] = Real(a[k]);
  return r;
}

template <int D>
Vector flat(Vector a) {
  if (D == 2) a[2] = 0;
  return a;
}

/// The rectangle of a flow or a patch: unit vectors, and half sides [m].
template <int D>
struct Opening {
  Vector centre, ahead, side, up;
  double halfWidth, halfHeight;
  Opening(const World<D>& w, const Gauge& g)
      : centre(flat<D>(vectors::operator-(g.centre, w.origin))),
        ahead(vectors::unit(flat<D>(g.direction))),
        side(D == 2 ? Vector{-ahead[1], ahead[0], 0} : vectors::unit(vectors::cross(ahead, g.up))),
        up(D == 2 ? Vector{0, 0, 0} : vectors::cross(side, ahead)),
        halfWidth(g.width / 2),
        halfHeight(D == 2 ? 0.5 : g.height / 2) {}
};

/// The cubic spline over its value at 0, q = r/h.
inline double spline(double q) {
  const double s = std::max(1 - q, 0.0), t = std::max(1 - 2 * q, 0.0);
  return 2 * s * s * s - t * t * t;
}

/// How much the pressure of a particle counts for a gauge, `clearance` [m] from walls and solids. Those that touch a wall have
/// less to tell: in a pool at rest pbf has 8 % too much there, constraint 4 % and 2.3 times as much in corners. They count where
/// there are no others.
inline double trustInPressure(double clearance, double spacing) { return std::clamp(clearance / spacing - 0.7, 1e-3, 1.0); }

/// What a particle of pressure p tells of the pressure r [m] from it: as it would be at rest, within 0 and 2 p, as pressures at
/// walls are continued (sph/wall_extrapolation.h). A gradient fitted to the particles instead was tried: where a jet hits a wall,
/// pbf's readings fell from 2 % to 12 % below the stagnation pressure, for its pressures beside walls are too uneven to
/// extrapolate.
inline double pressureBeside(double p, double rho0, const Vector& gravity, const Vector& r) {
  const double most = std::max(p, 0.0);
  return p + std::clamp(rho0 * vectors::dot(gravity, r), -most, most);
}

/// What pulls on the fluid at x [m, from the domain's corner] at the end of the last step, in a tank that moves with what its
/// acceleration adds [m/s^2].
template <int D>
Vector gravityThere(const World<D>& w, const Vector& x) {
  using namespace vectors;
  const Scene& s = w.scene();
  if (!s.tank.moves() || !(w.dt > 0)) return w.gravityVector(w.time);
  const TurningTank tank = turningTank(s, w.time - w.dt, w.dt);
  return apparentGravityAt(s, w.time - w.dt, w.dt) + tank.spread * (x + w.origin - tank.centre);
}

}  // namespace brim::inline BRIM_FLAVOUR
