#include "view/steer.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "scene/keyframes.h"

namespace brim::view {

namespace {

constexpr double longAfter = 1e5;  // [s] beyond all that is watched

double distance(const Vector& a, const Vector& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

// How long the way takes; never nothing, since two keyframes need two times.
double travel(const Vector& from, const Vector& to, double speed) { return std::max(distance(from, to) / speed, 1e-6); }

}  // namespace

Vector offsetAt(const Vector& from, const Vector& to, double start, double speed, double t) {
  return valueAt({{start, from}, {start + travel(from, to, speed), to}}, t);
}

bool steerable(const Motion& m, double t) { return !m.hasCourse() || (t >= m.start && t < m.stop); }

Motion steered(const Motion& own, const Vector& from, const Vector& to, double now, double speed) {
  const double arrival = now + travel(from, to, speed);
  Motion m = own;
  std::set<double> times = {0, now, arrival};
  for (const Keyframe& k : own.displacement) times.insert(k.time);
  if (!own.hasCourse()) {
    // Velocity, start and stop become keyframes too, so that the solid can be dragged while its own motion rests.
    m.velocity = {0, 0, 0};
    m.start = 0;
    m.stop = Motion().stop;
    times.insert(own.start);
    times.insert(std::min(std::max(own.start, own.stop), longAfter));
  }
  m.displacement.clear();
  for (const double t : times) {
    const double active = !own.hasCourse() ? std::min(std::max(t, own.start), std::max(own.start, own.stop)) : t;
    Vector x = valueAt(own.displacement, active);
    const Vector offset = offsetAt(from, to, now, speed, t);
    for (int k = 0; k < 3; ++k) x[k] += offset[k] + (!own.hasCourse() ? own.velocity[k] * (active - own.start) : 0);
    m.displacement.push_back({t, x});
  }
  return m;
}

}  // namespace brim::view
