// How steps begin: what gravity does alone.
#pragma once
#include "step/context.h"

namespace brim::inline BRIM_FLAVOUR {

/// v* = v + dt g, x* = x + dt v*.
template <int D>
void predict(StepContext<D>& c) {
  const auto p = c.world.fluid.p.view(), v = c.world.fluid.v.view();
  const Vec<D> dv = Real(c.dt) * c.gravity;
  const Real h = Real(c.dt);
  forEach(c.world.fluid.size(), [=] BRIM_KERNEL(int i) {
    v[i].x += dv;
    p[i].x += h * v[i].x;
  });
}

/// v += dt g: the same for methods that correct velocities.
template <int D>
void kick(StepContext<D>& c) {
  const auto v = c.world.fluid.v.view();
  const Vec<D> dv = Real(c.dt) * c.gravity;
  forEach(c.world.fluid.size(), [=] BRIM_KERNEL(int i) { v[i].x += dv; });
  c.refresh(c.world.fluid.v.data);
}

}  // namespace brim::inline BRIM_FLAVOUR
