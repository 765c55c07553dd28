// The size of the next step and the condition that bounds it.
#pragma once
#include "solvers/solver.h"

namespace brim::inline BRIM_FLAVOUR {

/// Steps that differ by less than this part of them are the same but for rounding.
constexpr double sameStep = 1e-9;

/// What a fixed step leaves up to a frame that is less than this part of it belongs to the step before: where 1/120 s is written
/// as 0.00833333333, six steps end 2e-11 s before a frame, and joints and contacts undo their errors within each step.
constexpr double restOfStep = 1e-3;

/// dt = min(time.dt_max, CFL, the solver's own, the way to `until`). CFL: nothing travels more than `cfl` particle radii
/// (spacing/2; grid solvers: cells) in a step; speeds are those at its start, with what gravity adds on the way. time.dt replaces
/// all but the end: a fixed step that would pass it is cut to land on it, and one that would all but reach it is stretched.
template <int D>
TimeLimit nextStep(const World<D>& w, const Solver<D>& solver, double maxSpeed, double until) {
  const TimeControl& time = w.scene().time;
  const double left = until - w.time;
  if (time.dt > 0) {
    if (left < time.dt * (1 - sameStep)) return {left, "frame"};
    const double rest = left - time.dt;
    return {rest > time.dt * sameStep && rest < time.dt * restOfStep ? left : time.dt, "dt"};
  }
  TimeLimit l{time.dt_max, "dt_max"};
  const auto bound = [&](double dt, const char* name) {
    if (dt < l.dt) l = {dt, name};
  };
  const Vec<D> gravity = w.apparentGravity(w.time, time.dt_max);
  const double g = std::sqrt(double(dot(gravity, gravity))), v = std::max(maxSpeed, w.solids.maxSpeed());
  const double way = time.cfl * solver.reach(w);
  // v dt + g dt^2 = way, solved without cancellation.
  const double root = v + std::sqrt(v * v + 4 * g * way);
  if (root > 0) bound(2 * way / root, "velocity");
  const TimeLimit own = solver.limit(w);
  bound(own.dt, own.name);
  // All steps up to a frame share what is left evenly, so that none is tiny and none much shorter than the one before: with half
  // the step, what Constraint Fluids left undone of a density error is pushed back with half as much pressure again.
  const double steps = std::ceil(left / l.dt * (1 - 1e-12));
  if (steps >= 1 && steps < 1e6) l = {left / steps, steps <= 2 ? "frame" : l.name};
  return l;
}

}  // namespace brim::inline BRIM_FLAVOUR
