// One scalar condition between two bodies, and its Gauss-Seidel step.
#pragma once
#include <limits>

#include "bodies/turn.h"

namespace brim {

/// Of SPOOK (Constraint Fluids, Eq. 13-20) for one step dt with damping tau = `damping` dt:
///   G v + Sigma lambda = c,   c = -4 xi/dt g + xi G v_old,   Sigma = 4 eps xi/dt^2,   xi = 1/(1 + 4 tau/dt).
/// Departs from the paper's Eq. 20, which prints eps/xi; see docs/errata.md.
struct Spook {
  double dt;  // [s]
  double xi;
  Spook(double dt, double damping) : dt(dt), xi(1 / (1 + 4 * damping)) {}
  double target(double g, double rate) const { return -4 * xi / dt * g + xi * rate; }
  double sigma(double eps) const { return 4 * eps * xi / (dt * dt); }
  /// Of a condition g >= 0: what is left of g may be used up within the step; what is violated is undone as an equation's is,
  /// without the part of the old velocity that leads farther in.
  double oneSided(double g) const { return g > 0 ? -g / dt : -4 * xi / dt * g; }
};

/// Velocities of a body [m/s], [rad/s], and what changes them.
struct BodyVelocity {
  Vector v = {0, 0, 0}, w = {0, 0, 0};
};

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// G = [linear, armA, -linear, armB] over the velocities of a and b.
struct Row {
  int a = -1, b = -1;  // -1: the world
  Vector linear = {0, 0, 0}, armA = {0, 0, 0}, armB = {0, 0, 0};
  double c = 0, sigma = 0;
  double low = -unbounded, high = unbounded;  // of lambda
  double lambda = 0;                          // impulse
  int normal = -1;                            // of friction: the row whose lambda, times `mu`, bounds this one's
  double mu = 0;
  // Made from the masses:
  double perD = 0;                              // 1/(G M^-1 G^T + Sigma)
  Vector turnA = {0, 0, 0}, turnB = {0, 0, 0};  // I^-1 arm
};

}  // namespace brim
