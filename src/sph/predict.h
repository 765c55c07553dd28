// How steps begin: what gravity does alone.
#pragma once
#include "step/context.h"

namespace brim::inline BRIM_FLAVOUR {

/// dt g of each particle: one for all, or one for each tank.
template <int D>
struct GravityKick {
  Vec<D> all;
  View<const int> tank;
  View<const Record<D>> ofTank;
  BRIM_DEVICE_FN Vec<D> operator()(int i) const { return tank.data ? ofTank[tank[i]].x : all; }
};
/// Rounded before it is added, as it is for one tank: `ofTank` gets a tank's.
template <int D>
GravityKick<D> gravityKick(const StepContext<D>& c, Array<Record<D>>& ofTank) {
  const ManyTanks<D>& tanks = c.world.tanks;
  if (tanks.several()) {
    ofTank.resize(wholeSlices(tanks.count));
    const auto to = ofTank.view();
    const auto g = tanks.gravity.read();
    const Real h = Real(c.dt);
    forEach(tanks.count, [=] BRIM_KERNEL(int t) { to[t] = {h * g[t].x, 0}; });
  }
  return {Real(c.dt) * c.gravity, tanks.tankOf(), ofTank.read()};
}

/// v* = v + dt g, x* = x + dt v*.
template <int D>
void predict(StepContext<D>& c) {
  const auto p = c.world.fluid.p.view(), v = c.world.fluid.v.view();
  auto ofTank = c.scratch.records(0, "dt g of each tank");
  const GravityKick<D> dv = gravityKick(c, *ofTank);
  const Real h = Real(c.dt);
  forEach(c.world.fluid.size(), [=] BRIM_KERNEL(int i) {
    v[i].x += dv(i);
    p[i].x += h * v[i].x;
  });
}

/// v += dt g: the same for methods that correct velocities.
template <int D>
void kick(StepContext<D>& c) {
  const auto v = c.world.fluid.v.view();
  auto ofTank = c.scratch.records(0, "dt g of each tank");
  const GravityKick<D> dv = gravityKick(c, *ofTank);
  forEach(c.world.fluid.size(), [=] BRIM_KERNEL(int i) { v[i].x += dv(i); });
  c.refresh(c.world.fluid.v.data);
}

}  // namespace brim::inline BRIM_FLAVOUR
