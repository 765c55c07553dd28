// The state of a run on disk, from time to time.
#pragma once
#include <future>

#include "observe/checkpoint.h"
#include "observe/frames.h"
#include "observe/observer.h"
#include "observe/run_state.h"

namespace brim {

/// Checkpoints refer to what the other observers have written, so these sync first. A thread writes while the simulation goes on.
class CheckpointObserver : public Observer {
 public:
  CheckpointObserver(RunState& run, const Frames& frames, double cutFor)
      : run_(run), frames_(frames), saved_(run.began), cutFor_(cutFor) {}

  /// Throws what the writing of the last one threw.
  void step(const ObservedStep&) override;
  /// Waits for the one that is being written.
  void sync() override;

  bool due() const;
  /// Starts to write the present state.
  void save();
  /// Writes the present state.
  void saveNow();
  /// From here on steps are cut for the end of the run. Keeps the present state for runs with a later end; all else that it
  /// refers to must be on disk.
  void cutSteps();
  bool cutsSteps() const { return cutFor_ > 0; }

  std::string folder() const { return run_.file("checkpoint"); }
  std::string newest() const { return folder() + "/state.brim"; }

 private:
  Checkpoint state();

  RunState& run_;
  const Frames& frames_;
  Clock::time_point saved_;
  double cutFor_;  // [s] see Checkpoint
  std::future<void> saving_;
};

}  // namespace brim
