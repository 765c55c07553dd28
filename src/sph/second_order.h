// Pressures that reach velocities a step late, so that waves last.
//
// Position-based steps x' = x + dt v + dt^2 a', v' = v + dt a', with the pressures' a' found at the end of the step, are implicit
// Euler steps: a wave of frequency omega loses the factor 1/sqrt(1 + omega^2 dt^2) in each. With v' = v + dt a, a the
// acceleration of the step before, nothing is lost for any dt (the step's matrix has the determinant 1), but what is stiff rings
// for ever. So only the changes of a mean over the last steps come late:
//
//   m' = m + theta (a' - m),   v' = v + dt a' - dt (m' - m).                                                              (L)
//
// For waves m' - m is a' - a = dt da/dt, for steps of any size. Of a wave 99.8 % is left after four periods of 250 steps
// (implicit Euler: 72 %); stiff errors fall by half in each step (theta = 1/4). Impacts come at once: (L) is for fluid near its
// balance, m = -g, fades out where they differ by g/8 to g/4, and never takes more than g/20.
#pragma once
#include <algorithm>
#include <cmath>

#include "step/context.h"
#include "step/solver_state.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
class LatePressure {
 public:
  void declare(SolverState<D>& state) { mean_ = &state.records("mean_pressure_acceleration"); }

  /// Remembers velocities: call before smooth pressures act. Those between neighbours are stiff in deep water and come at once.
  void begin(StepContext<D>& c) {
    World<D>& w = c.world;
    before_.resize(w.fluid.capacity());
    const auto v = w.fluid.v.read();
    const auto to = before_.view();
    forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) { to[i] = v[i]; });
  }

  /// (L), when they have acted.
  void end(StepContext<D>& c) {
    constexpr Real theta = Real(0.25);
    World<D>& w = c.world;
    const double g = std::sqrt(double(dot(c.gravity, c.gravity)));  // [m/s^2]
    if (!(g > 0)) return;
    const auto before = before_.read();
    const auto v = w.fluid.v.view(), mean = mean_->view();
    const Real dt = Real(c.dt), perDt = Real(1 / c.dt), most = Real(0.05 * g), perFade = Real(8 / g);
    const Vec<D> gravity = c.gravity;
    const auto periodic = w.periodic;  // along such an axis nothing but the fluid itself holds momentum: none may come late
    forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) {
      const Record<D> m = mean[i];  // {m, 1 once it is known}
      const Vec<D> a = perDt * (v[i].x - before[i].x);
      if (!(m.a > 0)) {
        mean[i] = {a, 1};
        return;
      }
      const Vec<D> change = theta * (a - m.x), now = m.x + change, off = now + gravity;
      const Real size = sqrt(dot(change, change)), near = min(max(Real(2) - perFade * sqrt(dot(off, off)), Real(0)), Real(1));
      mean[i] = {now, 1};
      const Real late = near * dt * (size > most ? most / size : Real(1));
      for (int k = 0; k < D; ++k)
        if (!periodic[k]) v[i].x[k] -= late * change[k];
    });
  }

 private:
  typename SolverState<D>::template Field<Record<D>>* mean_ = nullptr;
  Array<Record<D>> before_;
};

}  // namespace brim::inline BRIM_FLAVOUR
