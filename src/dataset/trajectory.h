// One trajectory of a data set.
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "brim/dataset.h"

namespace brim {

struct Trajectory {
  int dimension = 3;
  std::size_t frames = 0, particles = 0;
  std::vector<float> position;  // [m] frames, particles, dimension
  std::vector<int> type;        // 0 fluid, 1 wall at rest, 2 wall that moves, 3 rigid body, as LagrangeBench has them
  std::uint64_t hash = 0;       // of the last state
  std::string ruined;           // why it is none; "" if it is one
};

/// Simulates a scene; the particles of walls and solids are those of a lattice, in `spec.walls` layers. Nothing if it was
/// stopped.
std::optional<Trajectory> simulate(const Scene&, const DatasetSpec&, const Options&, const std::atomic<bool>& stop);

}  // namespace brim
