// What acts in a tank that moves, in the tank's own axes. At t = 0 these are the scene's, unless the tank starts off its place.
#pragma once
#include "brim/scene.h"
#include "scene/rotation.h"

namespace brim {

/// Gravity at time t [m/s^2], in the axes of the tank.
Vector gravityAt(const Scene&, double t);

/// Gravity at time t less the acceleration of the domain's centre, the mean of a step from t to t + dt [m/s^2]: what fluid
/// feels that rests in the tank, there.
Vector apparentGravityAt(const Scene&, double t, double dt);

/// What a tank that turns adds to that, r away from the domain's centre, as means of a step:
///   spread r - 2 omega x v,  spread = -[alpha]x - [omega]x [omega]x
struct TurningTank {
  Vector centre = {0, 0, 0};  // [m] of the domain
  Vector omega = {0, 0, 0};   // [rad/s] of the tank
  Vector alpha = {0, 0, 0};   // [rad/s^2]
  Matrix spread = {};         // [1/s^2] Euler and centrifugal acceleration
};
TurningTank turningTank(const Scene&, double t, double dt);

}  // namespace brim
