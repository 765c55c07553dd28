#include "scene/motion.h"

#include <fmt/format.h>

#include <numbers>

#include "scene/keyframes.h"
#include "scene/motion_file.h"
#include "scene/rotation.h"
#include "scene/wave_maker.h"

namespace brim {

using namespace vectors;

namespace {

/// A number that changes, and how fast.
struct Changing {
  double value, rate;
};

// The ramp is 3u^2 - 2u^3: it starts and ends without a jump of the velocity.
Changing oscillate(const Oscillation& o, double tau) {
  const double omega = 2 * std::numbers::pi / o.period, a = omega * tau + radians * o.phase;
  Changing c = {std::sin(a), omega * std::cos(a)};
  if (const double u = tau / o.ramp; o.ramp > 0 && u < 1) {
    const double grown = u * u * (3 - 2 * u), growth = 6 * u * (1 - u) / o.ramp;
    c = {grown * c.value, grown * c.rate + growth * c.value};
  }
  return c;
}

void resolve(const Scene& scene, Motion& m, const std::string& path, Mistakes& mistakes) {
  m.resolved = {};
  if (!mistakes.trusts(path)) return;
  if (!m.file.empty()) readMotionFile(scene, m, path, mistakes);
  const double g = length(scene.gravity_keys.empty() ? scene.gravity : scene.gravity_keys.front().value);
  for (const WaveMaker& w : m.waves) {
    const auto parts = oscillationsOf(w, g);
    m.resolved.oscillations.insert(m.resolved.oscillations.end(), parts.begin(), parts.end());
  }
}

}  // namespace

Pose<double> poseAt(const Motion& motion, const Pose<double>& initial, double t) {
  const double now = std::min(std::max(t, motion.start), std::max(motion.start, motion.stop));
  const double tau = now - motion.start;
  const bool cubic = motion.interpolation == "cubic";
  Vector s = tau * motion.velocity, v = motion.velocity, angles = {0, 0, 0}, turning = {0, 0, 0};
  for (const auto* keys : {&motion.displacement, &motion.resolved.displacement}) {
    const Track track = trackAt(*keys, now, cubic);
    s = s + track.value, v = v + track.rate;
  }
  for (const auto* keys : {&motion.rotation, &motion.resolved.rotation}) {
    const Track track = trackAt(*keys, now, cubic);
    angles = angles + track.value, turning = turning + track.rate;
  }
  double angle = motion.rate * tau, rate = motion.rate;
  for (const auto* parts : {&motion.oscillations, &motion.resolved.oscillations})
    for (const Oscillation& o : *parts) {
      const Changing c = oscillate(o, tau);
      s = s + c.value * o.amplitude, v = v + c.rate * o.amplitude;
      angle += radians * o.angle * c.value, rate += radians * o.angle * c.rate;
    }
  const Vector axis = unit(motion.axis);
  const Matrix aboutAxis = turn(axis, angle), q = aboutAxis * turnByDegrees(angles);

  Matrix r0;
  std::copy(initial.rotation, initial.rotation + 9, r0.begin());
  const Matrix r = q * r0;
  const Vector x0 = {initial.position[0], initial.position[1], initial.position[2]};
  const Vector arm = q * (x0 - motion.pivot);  // from the pivot to the origin of the body frame
  Vector spin = rate * axis + aboutAxis * spinByDegrees(angles, turning);
  v = v + cross(spin, arm);
  if (t < motion.start || t >= motion.stop) spin = v = {0, 0, 0};
  const Vector x = motion.pivot + s + arm;

  Pose<double> pose;
  std::copy(r.begin(), r.end(), pose.rotation);
  for (int i = 0; i < 3; i++) pose.position[i] = x[i], pose.velocity[i] = v[i], pose.spin[i] = spin[i];
  return pose;
}

void resolveMotions(Scene& scene, Mistakes& mistakes) {
  if (!scene.gravity_file.empty() && mistakes.trusts("gravity")) readGravityFile(scene, mistakes);
  resolve(scene, scene.tank, "tank", mistakes);
  for (std::size_t i = 0; i < scene.solids.size(); ++i)
    resolve(scene, scene.solids[i].motion, fmt::format("solids[{}].motion", i), mistakes);
}

}  // namespace brim
