// A run in a folder: steps a simulation to its end and leaves statistics, frames, checkpoints, a summary and a picture.
#pragma once
#include <atomic>
#include <functional>
#include <string>

#include "brim/simulation.h"

namespace brim {

struct RunOptions {
  std::string out;      // folder; made if missing
  bool resume = false;  // go on from out/checkpoint to the same bits as a run that was never stopped
  std::string from;     // a checkpoint (file or run folder) whose state starts this run, under this scene's parameters
  Options machine;
  std::function<void(const HealthWarning&)> warn = {};  // told at once of what ruins the run, each kind once
};

/// What a progress bar shows.
struct Progress {
  double time = 0, until = 0;  // [s] simulated
  std::int64_t step = 0;
  std::int64_t particles = 0;
  double steps_per_second = 0;  // over the last seconds
  double seconds_left = -1;     // [s] of wall time; below 0: not known yet
  double wall = 0;              // [s] so far
  double dt = 0;                // [s]
  double density_error_mean = 0;
};

enum class Ending { finished, interrupted };

/// Runs `scene` to scene.time.until. `stop` turning true ends it after the current step, with a checkpoint (SIGINT, SIGTERM).
/// Throws Failure (disk, folder, checkpoint), SceneError, Diverged (after writing statistics and naming the last checkpoint).
Ending run(const Scene& scene, const RunOptions&, const std::atomic<bool>& stop, const std::function<void(const Progress&)>&);

}  // namespace brim
