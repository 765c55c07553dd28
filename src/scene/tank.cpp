#include "scene/tank.h"

#include "scene/keyframes.h"
#include "scene/motion.h"

namespace brim {

using namespace vectors;

namespace {

// Where the tank is; its own frame is the scene's at t = 0.
Pose<double> tankAt(const Scene& s, double t) { return poseAt(s.tank, Pose<double>(), t); }

Vector toTank(const Pose<double>& tank, const Vector& a) {
  Vector b;
  tank.directionToBody(a.data(), b.data());
  return b;
}

Vector centreOf(const Scene& s) { return 0.5 * (s.domain.min + s.domain.max); }

// Of the domain's centre, in the lab.
Vector velocityOfCentre(const Scene& s, const Pose<double>& tank) {
  Vector x, v;
  tank.toWorld(centreOf(s).data(), x.data());
  tank.velocityAt(x.data(), v.data());
  return v;
}

Vector spinOf(const Pose<double>& tank) { return toTank(tank, {tank.spin[0], tank.spin[1], tank.spin[2]}); }

Vector gravityInLab(const Scene& s, double t) {
  Vector g = s.gravity_keys.empty() ? s.gravity : valueAt(s.gravity_keys, t);
  if (s.dimension == 2) g[2] = 0;
  return g;
}

}  // namespace

Vector gravityAt(const Scene& s, double t) {
  return s.tank.moves() ? toTank(tankAt(s, t), gravityInLab(s, t)) : gravityInLab(s, t);
}

// The change of velocity over the step, and not the acceleration at its start: all steps together then give the tank's whole
// change of velocity, also where that jumps.
Vector apparentGravityAt(const Scene& s, double t, double dt) {
  if (!s.tank.moves()) return gravityInLab(s, t);
  const Vector change = velocityOfCentre(s, tankAt(s, t + dt)) - velocityOfCentre(s, tankAt(s, t));
  return toTank(tankAt(s, t + dt / 2), gravityInLab(s, t) - 1 / dt * change);
}

TurningTank turningTank(const Scene& s, double t, double dt) {
  const Vector before = spinOf(tankAt(s, t)), after = spinOf(tankAt(s, t + dt));
  TurningTank tank = {centreOf(s), 0.5 * (before + after), 1 / dt * (after - before), {}};
  const Matrix turns = crossing(tank.omega), twice = turns * turns, grows = crossing(tank.alpha);
  for (int i = 0; i < 9; ++i) tank.spread[i] = -grows[i] - twice[i];
  return tank;
}

}  // namespace brim
