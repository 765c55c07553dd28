// Values that follow keyframes; outside they are held.
#pragma once
#include <algorithm>

#include "scene/vector.h"

namespace brim {

struct Track {
  Vector value = {0, 0, 0}, rate = {0, 0, 0};
};

namespace keyframes {

inline Vector secant(const Keyframe& a, const Keyframe& b) {
  using namespace vectors;
  return 1 / (b.time - a.time) * (b.value - a.value);
}

/// The slope at key i of the parabola through it and its neighbours; zero at the ends, beyond which the value is held.
inline Vector slope(const std::vector<Keyframe>& keys, std::size_t i) {
  using namespace vectors;
  if (i == 0 || i + 1 == keys.size()) return {0, 0, 0};
  const double before = keys[i].time - keys[i - 1].time, after = keys[i + 1].time - keys[i].time;
  return 1 / (before + after) * (after * secant(keys[i - 1], keys[i]) + before * secant(keys[i], keys[i + 1]));
}

}  // namespace keyframes

/// Linear between keyframes, or cubic with continuous rates. The rate is that from the right.
inline Track trackAt(const std::vector<Keyframe>& keys, double t, bool cubic = false) {
  using namespace vectors;
  if (keys.empty()) return {};
  const auto next = std::upper_bound(keys.begin(), keys.end(), t, [](double time, const Keyframe& k) { return time < k.time; });
  if (next == keys.begin()) return {keys.front().value, {0, 0, 0}};
  if (next == keys.end()) return {keys.back().value, {0, 0, 0}};
  const Keyframe &a = *(next - 1), &b = *next;
  const Vector rate = keyframes::secant(a, b);
  if (!cubic) return {a.value + (t - a.time) * rate, rate};
  const std::size_t i = std::size_t(next - keys.begin());
  const double h = b.time - a.time, u = (t - a.time) / h;
  const Vector m0 = keyframes::slope(keys, i - 1), m1 = keyframes::slope(keys, i);
  const Vector bend = m0 + m1 - 2.0 * rate, start = 3.0 * rate - 2.0 * m0 - m1;  // Hermite: a + h u (m0 + u (start + u bend))
  return {a.value + h * u * (m0 + u * (start + u * bend)), m0 + u * (2.0 * start + 3 * u * bend)};
}

inline Vector valueAt(const std::vector<Keyframe>& keys, double t) { return trackAt(keys, t).value; }

}  // namespace brim
