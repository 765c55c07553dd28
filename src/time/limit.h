// The size of the next step and the condition that bounds it.
#pragma once
#include "solvers/solver.h"

namespace brim::inline BRIM_FLAVOUR {

/// dt = min(time.dt_max, CFL, the solver's own, the way to `until`). CFL: nothing travels more than `cfl` particle radii
/// (spacing/2; grid solvers: cells) in a step; speeds are those at its start, with what gravity adds on the way. time.dt replaces
/// all but the end.
template <int D>
TimeLimit nextStep(const World<D>& w, const Solver<D>& solver, double maxSpeed, double until) {
  const TimeControl& time = w.scene().time;
  if (time.dt > 0) return {time.dt, "dt"};
  TimeLimit l{time.dt_max, "dt_max"};
  const auto bound = [&](double dt, const char* name) {
    if (dt < l.dt) l = {dt, name};
  };
  const Vec<D> gravity = w.gravity(w.time);
  const double g = std::sqrt(double(dot(gravity, gravity))), v = std::max(maxSpeed, w.solids.maxSpeed());
  const double way = time.cfl * solver.reach(w);
  // v dt + g dt^2 = way, solved without cancellation.
  const double root = v + std::sqrt(v * v + 4 * g * way);
  if (root > 0) bound(2 * way / root, "velocity");
  const TimeLimit own = solver.limit(w);
  bound(own.dt, own.name);
  // The last steps before a frame share what is left, so that none is tiny.
  const double left = until - w.time;
  if (l.dt >= left * (1 - 1e-12))
    l = {left, "frame"};
  else if (2 * l.dt > left)
    l = {left / 2, "frame"};
  return l;
}

}  // namespace brim::inline BRIM_FLAVOUR
