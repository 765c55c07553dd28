// Speeds that a scene will see, before it is run: what methods with a stiffness of their own choose it by.
#pragma once
#include <algorithm>
#include <cmath>

#include "brim/scene.h"

namespace brim::inline BRIM_FLAVOUR {

/// The speed of sound that keeps densities within about 1 % [m/s]: ten times the fastest that the scene prescribes or that a
/// fall through the height of the domain gains.
inline double soundSpeed(const Scene& scene) {
  const auto size = [](const Vector& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); };
  double g = 0, fastest = 0;
  Vector down = {0, 0, 0};
  const auto consider = [&](const Vector& v) {
    if (size(v) > g) g = size(v), down = v;
  };
  if (scene.gravity_keys.empty()) consider(scene.gravity);
  for (const Keyframe& k : scene.gravity_keys) consider(k.value);
  double height = 0;
  for (int k = 0; k < scene.dimension; ++k)
    height += std::abs(down[k]) / std::max(g, 1e-30) * (scene.domain.max[k] - scene.domain.min[k]);
  for (const Block& b : scene.fluid.blocks) fastest = std::max(fastest, size(b.velocity));
  for (const Emitter& e : scene.fluid.emitters) fastest = std::max(fastest, e.speed);
  for (const Solid& s : scene.solids) fastest = std::max(fastest, size(s.motion.velocity));
  return std::max(10 * std::max(std::sqrt(2 * g * height), fastest), 1.0);
}

/// The step [s] that these speeds ask for: nothing goes farther in it than `cfl` times `reach` [m]. A fixed step is its own.
inline double usualStep(const Scene& scene, double reach) {
  const auto& time = scene.time;
  return time.dt > 0 ? time.dt : std::min(time.dt_max, time.cfl * reach / (soundSpeed(scene) / 10));
}

}  // namespace brim::inline BRIM_FLAVOUR
