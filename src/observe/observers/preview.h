// preview.png: start, end and what lies evenly between, side by side.
#pragma once
#include "observe/frames.h"
#include "observe/observer.h"
#include "observe/run_state.h"

namespace brim {

class PreviewObserver : public Observer {
 public:
  PreviewObserver(RunState& run, const Frames& frames) : run_(run), frames_(frames) {}
  /// From the frames; the end from memory.
  void finish(const Snapshot* end) override;

 private:
  RunState& run_;
  const Frames& frames_;
};

}  // namespace brim
