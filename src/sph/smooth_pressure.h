// The smooth part of the pressure, for solvers that correct velocities at fixed places: found on the coarse grid and given to the
// fluid as a smooth field, not through pairs.
//
// Sums over pairs see more than volumes: with a support of 2 d the density of a lattice changes by up to 1 % with its shape at
// constant volume. Under the pressure p that is an energy of 0.01 p a volume, more than low waves have. The fluid is then a solid
// that yields: waves are stiffer than they should be and lose their energy to its plastic flow, whatever the step and the
// friction are. What a grid pushes has no shear in it, and pairs are left with what the grid does not see.
//
//   e_i = rho_i(t + dt)/rho0 - 1 of the fluid as it flies;   v += -dt/rho0 grad p,   and places move by u dt without speed,
//
// where u undoes what was compressed before the step (sph/coarse.h). Solves for densities count u as part of the motion.
#pragma once
#include "sph/coarse.h"
#include "sph/second_order.h"

namespace brim::inline BRIM_FLAVOUR {

/// e_i above; walls stand where the step ends.
template <int D, class K>
void predictDensities(StepContext<D>& c, K W, Array<Real>& error) {
  World<D>& w = c.world;
  const auto p = w.fluid.p.read(), v = w.fluid.v.read(), s = w.solids.p();
  const auto to = error.view();
  const NeighbourView nb = c.nb();
  const Real h = Real(c.dt), v0 = Real(1 / w.rho0);
  forEachShared(w.fluid.size(), [=] BRIM_KERNEL(auto i) {
    const auto [xi, mi] = p[i];
    const auto [vi, ri] = v[i];
    Reals rho = 0, rate = 0;
    BRIM_BY_FOUR for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto [vj, rj] = v[j];
      const auto r = xi - xj;
      const auto [w, k] = W.bare(dot(r, r));
      rho += w;
      rate += k * dot(vi - vj, r);
    }
    rho = mi * (Reals(W.weight) * rho + Reals(h * W.slope) * rate);  // all fluid particles have one mass
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      const auto r = xi - xk;
      rho += mk * (W(r) + Reals(h) * dot(vi, W.grad(r)));
    }
    rho = total(i, rho);
    if (!leads(i)) return;
    to[i] = v0 * rho - Reals(1);
  });
}

template <int D>
class SmoothPressure {
 public:
  void declareState(SolverState<D>& state) { late_.declare(state); }

  /// Call after a search. False where only pairs may act: with bodies that the fluid pushes, and without walls.
  bool prepare(const StepContext<D>& c) { return there_ = !c.world.bodies && !c.world.soft.any() && coarse_.prepare(c); }
  bool there() const { return there_; }

  /// Velocities change, with `late` a step late; `drift` is {u, -} [m/s].
  template <class K>
  void push(StepContext<D>& c, K W, bool late, Array<Record<D>>& drift) {
    constexpr double undone = 0.1;         // of an error, in a step
    constexpr double neverAsSpeed = 1e30;  // [s] against which every step is short
    World<D>& w = c.world;
    const int n = w.fluid.size(), room = w.fluid.capacity();
    auto error = c.scratch.reals(room, "predicted rho/rho0 - 1");
    auto place = c.scratch.records(room, "places before the smooth push"),
         velocity = c.scratch.records(room, "velocities before the smooth push");
    predictDensities(c, W, *error);
    copy(*place, w.fluid.p.data, room);
    copy(*velocity, w.fluid.v.data, room);
    if (late) late_.begin(c);
    coarse_.push(c, *error, neverAsSpeed);
    {
      const auto p = w.fluid.p.view();
      const auto v = w.fluid.v.read(), x0 = place.read(), v0 = velocity.read();
      const auto to = drift.view();
      const Real perDt = Real(1 / c.dt), part = Real(undone);
      forEach(n, [=] BRIM_KERNEL(int i) {
        to[i] = {part * (perDt * (p[i].x - x0[i].x) - (v[i].x - v0[i].x)), 0};
        p[i] = x0[i];
      });
    }
    c.refresh(w.fluid.p.data, Holds::positions);
    if (late) late_.end(c);
    c.refresh(w.fluid.v.data);
  }

  /// Adds the pressure [Pa] of the last push to a column.
  void addPressure(const StepContext<D>& c, Array<Real>& pressure) { coarse_.addPressure(c, pressure); }

 private:
  CoarseLevel<D> coarse_;
  LatePressure<D> late_;
  bool there_ = false;
};

/// v += part * drift.
template <int D>
void addDrift(StepContext<D>& c, const Array<Record<D>>& drift, double part) {
  const auto v = c.world.fluid.v.view();
  const auto u = drift.read();
  const Real times = Real(part);
  forEach(c.world.fluid.size(), [=] BRIM_KERNEL(int i) { v[i].x += times * u[i].x; });
  c.refresh(c.world.fluid.v.data);
}

}  // namespace brim::inline BRIM_FLAVOUR
