#include "step/energy_balance.h"

#include <algorithm>

#include "scene/tank.h"

namespace brim::inline BRIM_FLAVOUR {

using namespace vectors;

namespace {

bool moves(const Pose<double>& p) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += p.velocity[k] * p.velocity[k] + p.spin[k] * p.spin[k];
  return sum > 0;
}

// Whether the scene does work in the step from t to t + dt [s] that is not known. Whatever else stores or gives energy, and is
// not in the balance, belongs here.
template <int D>
bool drives(const World<D>& w, double t, double dt) {
  const Scene& s = w.scene();
  if (w.soft.any() || s.fluid.surface_tension > 0) return true;
  for (const Block& b : s.fluid.blocks)
    if (b.particles > 0 || b.in_solids) return true;  // it may start compressed, or is pushed out of a solid
  for (const auto& one : s.solids)
    if (length(one.surface_velocity) > 0) return true;  // a lid, a conveyor
  for (std::size_t k = 0; k < w.emitters.size(); ++k) {
    const Emitter& e = s.fluid.emitters[k];
    if (e.speed > 0 && t + dt >= e.start && t <= e.until && double(w.emitters[k].particles) < e.count) return true;
  }
  if (s.tank.moves() && length(turningTank(s, t, dt).omega) > 0) return true;
  if (std::none_of(s.solids.begin(), s.solids.end(), [](const auto& one) { return one.motion.moves(); })) return false;
  for (const double when : {t, t + dt})
    for (const Pose<double>& p : w.solids.posesAt(when))
      if (moves(p)) return true;
  return false;
}

// Gravity where heights mean something: along periodic sides they do not.
template <int D>
Vector upright(const World<D>& w, Vector gravity) {
  for (int k = 0; k < D; ++k)
    if (w.periodic[k]) gravity[k] = 0;
  return gravity;
}

// The kinetic energy [J] and the sum of m x [kg m] of the bodies that are not held.
template <int D>
std::pair<double, Vector> bodiesOf(const World<D>& w) {
  double kinetic = 0;
  Vector moment = {0, 0, 0};
  for (int k = 0; w.bodies && k < w.bodies->size(); ++k) {
    const BodyState& b = w.bodies->body(k);
    if (b.perMass == 0) continue;
    const double turning = b.flat ? b.u.w[2] * b.u.w[2] / b.perInertia[8] : dot(b.u.w, inverse(b.perInertiaHere) * b.u.w);
    kinetic += (dot(b.u.v, b.u.v) / b.perMass + turning) / 2;
    moment = moment + 1 / b.perMass * (b.x - w.origin);
  }
  return {kinetic, moment};
}

}  // namespace

template <int D>
typename EnergyBalance<D>::State EnergyBalance<D>::stateOf(const World<D>& w, const StepReport& r, const Vector& moment) {
  const auto [kinetic, bodies] = bodiesOf(w);
  return {r.kinetic_energy, w.mass * double(r.particles), moment, r.momentum, r.emitted, kinetic, bodies};
}

template <int D>
double EnergyBalance<D>::energyOf(const World<D>& w, const State& s, const Vector& gravity) {
  const Vector g = upright(w, gravity);
  Vector lowest = {0, 0, 0};  // corner of the domain
  for (int k = 0; k < D; ++k)
    if (g[k] > 0) lowest[k] = double(w.extent[k]);
  return s.kinetic + s.bodiesKinetic - dot(g, s.moment - s.mass * lowest) - dot(g, s.bodiesMoment);
}

template <int D>
void EnergyBalance<D>::start(const World<D>& w, const StepReport& r, const Vector& moment) {
  state_ = stateOf(w, r, moment);
  step_ = {energyOf(w, state_, w.gravityVector(w.time)), 0, false};
  known_ = true;
}

template <int D>
void EnergyBalance<D>::step(const World<D>& w, const StepReport& r, const Vector& moment, bool driven) {
  const double dt = r.dt, t = w.time - dt;
  const Vector g = apparentGravityAt(w.scene(), t, dt);
  const State before = state_;
  state_ = stateOf(w, r, moment);
  step_.energy = energyOf(w, state_, g);
  step_.driven = driven || !known_ || state_.emitted != before.emitted || drives(w, t, dt);
  step_.gain = 0;
  known_ = true;
  if (step_.driven) return;
  step_.gain = step_.energy - energyOf(w, before, g);
  for (int k = 0; k < D; ++k)
    if (w.periodic[k]) step_.gain -= g[k] * dt * (state_.momentum[k] + before.momentum[k]) / 2;
}

template class EnergyBalance<2>;
template class EnergyBalance<3>;

}  // namespace brim::inline BRIM_FLAVOUR
