// How far an emitter is by the clock.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "brim/scene.h"
#include "math/whole.h"

namespace brim {

/// Layers of particles that an open emitter has started by `time` [s]; 0 before it opens.
inline std::int64_t layersDue(const Emitter& e, double time, double spacing) {
  return std::max(std::int64_t(0), whole<std::int64_t>(std::floor((time - e.start) * e.speed / spacing + 1e-9)) + 1);
}

}  // namespace brim
