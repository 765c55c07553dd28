// The frames of a run as files.
#pragma once
#include "observe/frames.h"
#include "observe/observer.h"
#include "observe/run_state.h"

namespace brim {

/// Frame 0 is the initial state. A resumed run keeps the frames up to its checkpoint.
class FramesObserver : public Observer {
 public:
  FramesObserver(RunState& run, const Frames::Times& kept)
      : wanted_(run.scene.output.frames_per_second > 0), files_(framesOf(run.scene, run.out), kept, run.facts.warnings) {}
  void start(const std::shared_ptr<const Snapshot>& s) override {
    if (wanted_) files_.write(0, s);
  }
  void frame(const ObservedFrame& f) override {
    files_.write(files_.times().empty() ? 0 : files_.times().rbegin()->first + 1, f.snapshot);
  }
  /// Waits for the frame that is being written.
  void sync() override { files_.finish(); }

  const Frames& files() const { return files_; }

 private:
  bool wanted_;
  Frames files_;
};

}  // namespace brim
