// Values that follow keyframes: linear between them, held outside.
#pragma once
#include "brim/scene.h"

namespace brim {

inline Vector valueAt(const std::vector<Keyframe>& keys, double t) {
  if (keys.empty()) return {0, 0, 0};
  if (t <= keys.front().time) return keys.front().value;
  for (std::size_t k = 1; k < keys.size(); ++k) {
    if (t > keys[k].time) continue;
    const Keyframe &a = keys[k - 1], &b = keys[k];
    const double f = (t - a.time) / (b.time - a.time);
    return {a.value[0] + f * (b.value[0] - a.value[0]), a.value[1] + f * (b.value[1] - a.value[1]),
            a.value[2] + f * (b.value[2] - a.value[2])};
  }
  return keys.back().value;
}

}  // namespace brim
