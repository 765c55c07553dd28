#include "observe/capture.h"

#include <cmath>
#include <utility>

namespace brim {

// The frame after the present time [s], whatever the end of the run.
static double frameAfter(double now, double fps) {
  if (!(fps > 0)) return std::numeric_limits<double>::infinity();
  double k = std::floor(now * fps);
  while (reached(now, k / fps)) ++k;
  return k / fps;
}
static bool sameTime(double a, double b) { return reached(a, b) && reached(b, a); }

double FrameCapture::nextTime() const {
  const double fps = run_.scene.output.frames_per_second, frame = frameAfter(run_.sim.time(), fps);
  // A frame a little off the end is the end: a step of 1e-10 s between them would divide by nothing.
  const double until = run_.scene.time.until;
  return !sameTime(frame, until) && std::abs(frame - until) < 1e-6 / fps ? until : frame;
}

bool FrameCapture::endIsNear() const {
  const TimeControl& time = run_.scene.time;
  const double fps = run_.scene.output.frames_per_second, now = run_.sim.time(), frame = frameAfter(now, fps);
  if (sameTime(frame, time.until) || frame < time.until - (fps > 0 ? 1e-6 / fps : 0)) return false;
  return time.dt == 0 || time.until - now < time.dt;  // steps of a fixed size are cut when the end is reached, and not before
}

bool FrameCapture::take() {
  std::future<Snapshot> taken = run_.sim.capture();
  const bool there = isReady(taken);
  run_.sim.restartAverages();
  then_ = run_.totals;
  frame_ = std::async(there ? std::launch::deferred : std::launch::async, [this, taken = std::move(taken)]() mutable {
    auto snapshot = std::make_shared<const Snapshot>(taken.get());
    const double volume = run_.volume(*snapshot);
    const Roughness roughness = run_.roughness(*snapshot);
    return Seen{std::move(snapshot), volume, roughness};
  });
  return there;
}

std::optional<ObservedFrame> FrameCapture::finish() {
  if (!frame_.valid()) return std::nullopt;
  Seen seen = std::exchange(frame_, {}).get();
  // Fluid may have come and gone since.
  Totals& totals = run_.totals;
  then_.volumeRatioMin = totals.volumeRatioMin, then_.volumeRatioMax = totals.volumeRatioMax;
  const double ratio = volumeRatio(then_, run_.scene, seen.volume, std::int64_t(seen.snapshot->size()));
  totals.volumeRatio = then_.volumeRatio;
  totals.volumeRatioMin = then_.volumeRatioMin, totals.volumeRatioMax = then_.volumeRatioMax;
  run_.judgeFrame(*seen.snapshot, ratio, seen.roughness);
  return ObservedFrame{std::move(seen.snapshot), ratio};
}

}  // namespace brim
