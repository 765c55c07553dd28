// The parts of a SPOOK row (Bodin, Lacoursière & Servin 2012) that rows of bodies, of densities and of contacts share, on every
// machine. Who sweeps sums G v in an order of its own; what becomes of the sum is written here.
#pragma once
#include "math/qualifiers.h"

namespace brim {

/// SPOOK (Constraint Fluids, Eq. 13-20) for one step dt with damping tau = `damping` dt:
///   G v + Sigma lambda = c,   c = -4 xi/dt g + xi G v_old,   Sigma = 4 eps xi/dt^2,   xi = 1/(1 + 4 tau/dt).
/// Departs from the paper's Eq. 20, which prints eps/xi; see docs/errata.md.
struct Spook {
  double dt;  // [s]
  double xi;
  BRIM_FN Spook(double dt, double damping) : dt(dt), xi(1 / (1 + 4 * damping)) {}
  BRIM_FN double target(double g, double rate) const { return -4 * xi / dt * g + xi * rate; }
  BRIM_FN double sigma(double eps) const { return 4 * eps * xi / (dt * dt); }
  /// c of a condition g >= 0: what is left of g may be used up within the step; a violation is undone as an equation's is,
  /// without the part of the old velocity that leads farther in.
  BRIM_FN double oneSided(double g) const { return g > 0 ? -g / dt : -4 * xi / dt * g; }
};

/// 1/(D + Sigma); 0 for a row that nothing can move.
template <class R>
BRIM_FN R inverseDiagonal(R d, R least) {
  return d > least ? R(1) / d : R(0);
}

/// The range of a multiplier.
template <class R>
struct Bounds {
  R low, high;
  BRIM_FN R operator()(R lambda) const { return lambda < low ? low : high < lambda ? high : lambda; }
};

/// One step of projected Gauss-Seidel (Alg. VII.1) for a row with the residual r = G v + Sigma lambda - c (Eq. 33):
///   lambda - omega r/(D + Sigma), within the bounds. The velocities then change by M^-1 G^T times the change of lambda.
template <class R>
BRIM_FN R relaxed(R lambda, R r, R perD, const Bounds<R>& bounds, R omega = 1) {
  return bounds(lambda - omega * perD * r);
}

}  // namespace brim
