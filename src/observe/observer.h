// Observers of a run: each writes one thing of it. The loop in run.cpp tells them what happens, in the order of its list.
#pragma once
#include <memory>

#include "brim/snapshot.h"

namespace brim {

/// A step that is done.
struct ObservedStep {
  const StepReport& report;
  double ms;     // of wall time
  bool onFrame;  // a frame shows the state after this step; it follows as an ObservedFrame, perhaps some steps later
};

/// A frame and what was measured on it.
struct ObservedFrame {
  std::shared_ptr<const Snapshot> snapshot;
  double volumeRatio;
};

/// Whatever an observer throws ends the run: a Failure where a file cannot be written.
class Observer {
 public:
  virtual ~Observer() = default;
  /// The state that a new run starts from; a resumed run has none.
  virtual void start(const std::shared_ptr<const Snapshot>&) {}
  virtual void step(const ObservedStep&) {}
  virtual void frame(const ObservedFrame&) {}
  /// Brings all that it was told to the disk. Called before a checkpoint, which must find on disk whatever it refers to, and
  /// after a step or a write that failed.
  virtual void sync() {}
  /// The run is over. `end` is its last state, or null where it diverged.
  virtual void finish(const Snapshot* /*end*/) {}
};

}  // namespace brim
