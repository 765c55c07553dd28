// Whether a step made energy. What acts on the fluid and is known: gravity, also one that changes, and the acceleration of a tank
// that sways. Rigid bodies belong to the balance. What does work that a few sums cannot tell: solids that move, motors and loads
// on bodies, emitters, a tank that turns, cloth and soft bodies, fluid that starts compressed. Steps with these are not judged.
#pragma once
#include "brim/health.h"
#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
class EnergyBalance {
 public:
  /// The state that steps start from: its measured report, and the sum of m x [kg m].
  void start(const World<D>& w, const StepReport& report, const Vector& moment);
  /// After a step, whose report is measured. `driven`: bodies were pushed from outside. The gain of a step with gravity g is
  ///   dE = d(sum m v^2/2) - g d(sum m x),
  /// with dt sum m v in the place of d(sum m x) along periodic sides, where heights mean nothing.
  void step(const World<D>& w, const StepReport& report, const Vector& moment, bool driven);
  /// Somebody changed the state by hand: the next step is not judged.
  void forget() { known_ = false; }
  const EnergyStep& last() const { return step_; }

 private:
  struct State {
    double kinetic = 0;                               // [J] of the fluid
    double mass = 0;                                  // [kg]
    Vector moment = {0, 0, 0}, momentum = {0, 0, 0};  // [kg m], [kg m/s]
    std::int64_t emitted = 0;
    double bodiesKinetic = 0;         // [J]
    Vector bodiesMoment = {0, 0, 0};  // [kg m]
  };
  static State stateOf(const World<D>& w, const StepReport& report, const Vector& moment);
  static double energyOf(const World<D>& w, const State& s, const Vector& gravity);

  bool known_ = false;
  State state_;
  EnergyStep step_;
};

}  // namespace brim::inline BRIM_FLAVOUR
