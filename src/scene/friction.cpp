#include "scene/friction.h"

#include <algorithm>
#include <cmath>

#include "scene/vector.h"
#include "scene/velocity_field.h"

namespace brim {

using namespace vectors;

namespace {

double longestSide(const Scene& s) {
  double side = 0;
  for (int k = 0; k < s.dimension; ++k) side = std::max(side, s.domain.max[k] - s.domain.min[k]);
  return side;
}

// [m/s], at least a tenth.
double fastest(const Scene& s) {
  double g = s.gravity_keys.empty() ? length(s.gravity) : 0, u = 0.1;
  for (const Keyframe& k : s.gravity_keys) g = std::max(g, length(k.value));
  u = std::max(u, std::sqrt(2 * g * longestSide(s)));
  for (std::size_t k = 0; k < s.fluid.blocks.size(); ++k) u = std::max(u, largestSpeed(s, k));
  for (const Emitter& e : s.fluid.emitters) u = std::max(u, e.speed);
  for (const Solid& b : s.solids) u = std::max({u, length(b.motion.velocity), length(b.surface_velocity)});
  return u;
}

double lengthOf(const Slip& slip, double automatic) {
  return slip.kind == "length" ? slip.length : slip.kind == "none" ? 0 : slip.kind == "free" ? freeSlip : automatic;
}

}  // namespace

double boundaryLayer(const Scene& s) { return 5 * std::sqrt(s.fluid.viscosity / s.fluid.density * longestSide(s) / fastest(s)); }

bool SlipLengths::anyHolds() const {
  const auto holds = [](double length) { return length < freeSlip; };
  return holds(automatic) || holds(walls) || std::any_of(solids.begin(), solids.end(), holds);
}

SlipLengths slipLengths(const Scene& s) {
  SlipLengths l;
  l.automatic = s.fluid.viscosity > 0 && boundaryLayer(s) >= 2 * s.resolution.spacing ? 0 : freeSlip;
  l.walls = lengthOf(s.domain.slip, l.automatic);
  for (const Solid& b : s.solids) l.solids.push_back(lengthOf(b.slip, length(b.surface_velocity) > 0 ? 0 : l.automatic));
  for (const RigidBody& b : s.bodies) l.solids.push_back(lengthOf(b.slip, l.automatic));
  return l;
}

bool solvesForFriction(const Scene& s) {
  if (!(s.fluid.viscosity > 0)) return false;
  const double d = s.resolution.spacing;
  const double dt = s.time.dt > 0 ? s.time.dt : std::min(s.time.dt_max, s.time.cfl * d / 2 / fastest(s));
  return s.fluid.viscosity / s.fluid.density * dt / (d * d) > 1e-3 || slipLengths(s).anyHolds();
}

bool gridSolvesForFriction(const Scene& s) {
  const double cell = (s.dimension == 2 ? 3 : 2) * s.resolution.spacing;
  return s.fluid.viscosity > 0 && (s.fluid.viscosity / s.fluid.density > 1e-3 * fastest(s) * cell || slipLengths(s).anyHolds());
}

}  // namespace brim
