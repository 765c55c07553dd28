// How deep the fluid is, as a bound on what a pressure solve may leave.
#pragma once
#include <cmath>

#include "step/context.h"

namespace brim::inline BRIM_FLAVOUR {

/// g dt^2 / depth: the part of its volume that the fluid loses in a step if nothing holds it up. The depth along gravity is twice
/// the mean height above the lowest particle, so that drops in the air do not count. Infinite without gravity.
template <int D>
double fallOverDepth(const StepContext<D>& c) {
  const int n = particlesOf(c.world);
  const double g = std::sqrt(double(dot(c.gravity, c.gravity)));
  const auto p = c.world.fluid.p.read();
  const Vec<D> down = c.gravity;
  const double lowest = maxAll(c.world, [=] BRIM_KERNEL(int i) { return double(dot(p[i].x, down)); });
  const double mean = sumAll(c.world, [=] BRIM_KERNEL(int i) { return double(dot(p[i].x, down)); }) / std::max(n, 1);
  return lowest > mean ? g * g * c.dt * c.dt / (2 * (lowest - mean)) : 1e300;
}

}  // namespace brim::inline BRIM_FLAVOUR
