// One scalar condition between two bodies; spook.h has its Gauss-Seidel step.
#pragma once
#include <limits>

#include "bodies/spook.h"
#include "bodies/turn.h"

namespace brim {

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
