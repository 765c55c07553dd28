// Where a run begins: at the scene's start or at a checkpoint.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "brim/run.h"
#include "observe/checkpoint.h"

namespace brim {

/// What a run goes on from, and how.
struct Start {
  std::optional<Checkpoint> state;
  bool resumed = false;
  Options machine;
  std::vector<std::string> warnings;
};

/// Throws Failure if the checkpoint is not there, damaged, or of another scene or precision.
Start findStart(const Scene&, const RunOptions&);

}  // namespace brim
