// Takes the frames of a run: their snapshots, and the volume of the fluid in them.
#pragma once
#include <future>
#include <limits>
#include <optional>

#include "observe/observer.h"
#include "observe/run_state.h"

namespace brim {

/// Copying and measuring a frame happens beside the next steps where a device computes these. One frame at most is under way.
class FrameCapture {
 public:
  explicit FrameCapture(RunState& run) : run_(run) {}

  /// Time [s] of the next frame: frames are at k / frames_per_second, whenever the run began or was resumed.
  double nextTime() const;
  /// Whether the next steps are as long as they are because the run ends where no frame is: a run that goes on has others.
  bool endIsNear() const;
  /// The present state is a frame; averages count from here on. True if the snapshot is there already: there is nothing to wait
  /// for.
  bool take();
  bool ready() const { return isReady(frame_); }
  /// Waits for the frame that was taken and measures its volume ratio, also for the totals; nothing if none is under way.
  std::optional<ObservedFrame> finish();

 private:
  struct Seen {
    std::shared_ptr<const Snapshot> snapshot;
    double volume;  // [m^D]
    Roughness roughness;
  };
  RunState& run_;
  Totals then_;              // at the frame
  std::future<Seen> frame_;  // last: it uses the rest
};

}  // namespace brim
