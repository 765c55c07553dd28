// Speeds that a scene will see, before it is run: what methods with a stiffness of their own choose it by.
#pragma once
#include <algorithm>
#include <cmath>

#include "brim/scene.h"
#include "scene/shape.h"
#include "scene/velocity_field.h"

namespace brim::inline BRIM_FLAVOUR {

/// What falls: through the height of the domain, or from the top of the fluid, its emitters and bodies to the domain's bottom.
enum class Fall { domain, fluid };

/// [m] how far along the unit vector `down`.
inline double fallHeight(const Scene& scene, const Vector& down, Fall which) {
  const Vector &low = scene.domain.min, &high = scene.domain.max;
  const auto below = [&](const Vector& from, const Vector& to) {  // of the highest corner of a box
    double way = 0;
    for (int k = 0; k < scene.dimension; ++k)
      way += std::max(
          0.0, down[k] > 0 ? down[k] * (high[k] - std::max(from[k], low[k])) : -down[k] * (std::min(to[k], high[k]) - low[k]));
    return way;
  };
  if (which == Fall::domain) return below(low, high);
  double height = 0;
  const auto consider = [&](const Shape& shape, const std::string& path) {
    const SolidShape s(scene, shape, path);
    height = std::max(height, below(s.low(), s.high()));
  };
  for (std::size_t k = 0; k < scene.fluid.blocks.size(); ++k)
    consider(scene.fluid.blocks[k].shape, "fluid.blocks[" + std::to_string(k) + "]");
  for (std::size_t k = 0; k < scene.bodies.size(); ++k) consider(scene.bodies[k].shape, "bodies[" + std::to_string(k) + "]");
  for (const Emitter& e : scene.fluid.emitters) {
    const double half = std::max({e.width, e.height, 2 * e.radius}) / 2;
    height = std::max(height, below({e.centre[0] - half, e.centre[1] - half, e.centre[2] - half},
                                    {e.centre[0] + half, e.centre[1] + half, e.centre[2] + half}));
  }
  return height;
}

/// The speed of sound that keeps densities within about 1 % [m/s]: ten times the fastest that the scene prescribes or that a
/// fall gains.
inline double soundSpeed(const Scene& scene, Fall which = Fall::domain) {
  const auto size = [](const Vector& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); };
  double g = 0, fastest = 0;
  Vector down = {0, 0, 0};
  const auto consider = [&](const Vector& v) {
    if (size(v) > g) g = size(v), down = v;
  };
  if (scene.gravity_keys.empty()) consider(scene.gravity);
  for (const Keyframe& k : scene.gravity_keys) consider(k.value);
  for (double& x : down) x /= std::max(g, 1e-30);
  const double height = fallHeight(scene, down, which);
  for (std::size_t k = 0; k < scene.fluid.blocks.size(); ++k) fastest = std::max(fastest, largestSpeed(scene, k));
  for (const Emitter& e : scene.fluid.emitters) fastest = std::max(fastest, e.speed);
  for (const Solid& s : scene.solids) fastest = std::max(fastest, size(s.motion.velocity));
  return std::max(10 * std::max(std::sqrt(2 * g * height), fastest), 1.0);
}

/// What a pressure solve may leave of the density where the scene does not say it. Capillary pressures are small: at 1e-3 a drop
/// of ten spacings is out of shape.
inline double toleranceOf(const Scene& scene, double usual) {
  return scene.fluid.surface_tension > 0 && !scene.solver.numbers.contains("tolerance") ? 3e-5 : usual;
}

/// The step [s] that these speeds ask for: nothing goes farther in it than `cfl` times `reach` [m]. A fixed step is its own.
inline double usualStep(const Scene& scene, double reach) {
  const auto& time = scene.time;
  return time.dt > 0 ? time.dt : std::min(time.dt_max, time.cfl * reach / (soundSpeed(scene) / 10));
}

}  // namespace brim::inline BRIM_FLAVOUR
