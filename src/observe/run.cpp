#include "brim/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <new>

#include "io/file.h"
#include "observe/capture.h"
#include "observe/folder.h"
#include "observe/observers/checkpoints.h"
#include "observe/observers/frames.h"
#include "observe/observers/preview.h"
#include "observe/observers/progress.h"
#include "observe/observers/statistics.h"
#include "observe/observers/summary.h"
#include "observe/observers/tables.h"
#include "observe/run_state.h"
#include "observe/start.h"

namespace brim {

namespace fs = std::filesystem;

namespace {

/// The loop over the steps, and what is left to do where one fails.
class Runner {
 public:
  Runner(const Scene& scene, const RunOptions& options, Start start, const std::function<void(const Progress&)>& progress)
      : run_(scene, options, start),
        frames_(run_, run_.resumed ? start.state->frames : Frames::Times()),
        statistics_(run_),
        tables_(run_),
        progress_(run_, progress),
        checkpoints_(run_, frames_.files(), run_.resumed ? start.state->cutFor : 0),
        preview_(run_, frames_.files()),
        summary_(run_),
        capture_(run_),
        warn_(options.warn),
        toldWarnings_(run_.sim.health().warnings().size()) {
    writeSceneOf(options.out, scene);  // once the scene is built: one that cannot be leaves earlier results as they were
    if (!run_.resumed) begin();
  }

  Ending loop(const std::atomic<bool>& stop) {
    const double until = run_.scene.time.until;
    progress_.tell();
    while (!stop && !reached(run_.sim.time(), until)) advance();
    run_.facts.finished = reached(run_.sim.time(), until);
    progress_.tell();
    save();
    checkpoints_.sync();
    end();
    return run_.facts.finished ? Ending::finished : Ending::interrupted;
  }

  /// Leaves what a diverged run can leave, and says where to look.
  [[noreturn]] void diverged(const Diverged& e) {
    run_.facts.diverged.emplace(e);
    std::string text = e.what();
    text += fs::exists(checkpoints_.newest()) ? fmt::format("; the last good checkpoint is {}", checkpoints_.newest())
                                              : "; no checkpoint had been written yet";
    std::string first;  // failure, of what is still to write
    const auto attempt = [&](auto&& f) {
      try {
        f();
      } catch (const Failure& failure) {
        if (first.empty()) first = fmt::format("; {}", failure.what());
      }
    };
    attempt([&] { finishFrame(); });
    for (Observer* o : observers_) attempt([&] { o->sync(); });
    if (first.empty())
      for (Observer* o : observers_) attempt([&] { o->finish(nullptr); });
    text += first;
    throw Diverged(e.time, e.step, e.particle, text);
  }

  /// After a write that failed: the state may still find room. If a step failed, for want of memory, there is no state between
  /// two steps to write.
  [[noreturn]] void failed(const Failure& e) {
    std::string text = e.what();
    const auto attempt = [](auto&& f) {
      try {
        f();
        return true;
      } catch (const Failure&) {
        return false;
      }
    };
    attempt([&] { finishFrame(); });
    for (Observer* o : observers_) attempt([&] { o->sync(); });
    if (!stepping_ && attempt([&] { checkpoints_.saveNow(); }))
      text += fmt::format("; the state at t = {} s is kept in {}", run_.sim.time(), checkpoints_.folder());
    else
      text += fs::exists(checkpoints_.newest()) ? fmt::format("; the last checkpoint is {}", checkpoints_.newest())
              : stepping_                       ? "; no checkpoint had been written yet"
                                                : "; there was no room for a checkpoint";
    attempt([&] { summary_.finish(nullptr); });
    throw Failure(text);
  }

 private:
  // What volume_ratio refers to is measured on the initial state.
  void begin() {
    const auto s = std::make_shared<const Snapshot>(run_.sim.snapshot());
    run_.sim.restartAverages();
    run_.totals.startParticles = std::int64_t(s->size());
    // Fluid that starts crowded refers to its volume at rest.
    const auto& blocks = run_.scene.fluid.blocks;
    const bool crowded = std::any_of(blocks.begin(), blocks.end(), [](const Block& b) { return b.particles > 0; });
    run_.totals.startVolume = crowded ? 0 : run_.volume(*s);
    run_.totals.particles = run_.totals.startParticles;
    for (Observer* o : observers_) o->start(s);
  }

  void advance() {
    const double frame = capture_.nextTime(), until = run_.scene.time.until;
    if (!checkpoints_.cutsSteps() && capture_.endIsNear()) cutSteps();
    const auto t0 = Clock::now();
    stepping_ = true;
    const StepReport& r = run_.sim.advance(reached(until, frame) ? frame : until);
    stepping_ = false;
    const double ms = 1e3 * secondsSince(t0);
    run_.totals.add(r, ms);
    const bool onFrame = reached(r.time, frame);
    if (onFrame || capture_.ready()) finishFrame();
    tellWarnings();
    for (Observer* o : observers_) o->step({r, ms, onFrame});
    if (onFrame) takeFrame();
    if (checkpoints_.due()) save();
  }

  // Each of them once, also over a resume.
  void tellWarnings() {
    const auto& all = run_.sim.health().warnings();
    for (; toldWarnings_ < all.size(); ++toldWarnings_)
      if (warn_) warn_(all[toldWarnings_]);
  }

  void takeFrame() {
    frames_.sync();  // one snapshot at a time
    if (capture_.take()) finishFrame();
  }

  void finishFrame() {
    if (const auto frame = capture_.finish())
      for (Observer* o : observers_) o->frame(*frame);
  }

  // Whatever the checkpoint refers to lies on disk before it does.
  void save() {
    syncAll();
    checkpoints_.save();
  }
  void cutSteps() {
    syncAll();
    checkpoints_.cutSteps();
  }
  void syncAll() {
    finishFrame();
    for (Observer* o : observers_) o->sync();
  }

  void end() {
    const Snapshot s = run_.sim.snapshot();
    // The last frame may be some steps ago, or there are none.
    run_.judgeFrame(s, volumeRatio(run_.totals, run_.scene, run_.volume(s), std::int64_t(s.size())), run_.roughness(s));
    tellWarnings();
    for (Observer* o : observers_) o->finish(&s);
  }

  RunState run_;
  FramesObserver frames_;
  StatisticsObserver statistics_;
  TablesObserver tables_;
  ProgressObserver progress_;
  CheckpointObserver checkpoints_;
  PreviewObserver preview_;
  SummaryObserver summary_;
  FrameCapture capture_;
  std::function<void(const HealthWarning&)> warn_;
  std::size_t toldWarnings_;
  bool stepping_ = false;
  // In the order of writing. A killed run resumes to the same bits because checkpoints come after all that they refer to.
  const std::array<Observer*, 7> observers_ = {&statistics_, &tables_, &frames_, &progress_, &checkpoints_, &preview_, &summary_};
};

}  // namespace

Ending run(const Scene& scene, const RunOptions& options, const std::atomic<bool>& stop,
           const std::function<void(const Progress&)>& progress) {
  if (options.out.empty()) throw Failure("a run needs a folder for its results");
  claimFolder(options.out);  // before the scene is built, which may take long
  const FolderLock alone(options.out);
  Start start = findStart(scene, options);
  Runner runner(scene, options, std::move(start), progress);
  try {
    return runner.loop(stop);
  } catch (const Diverged& e) {
    runner.diverged(e);
  } catch (const Failure& e) {
    runner.failed(e);
  } catch (const std::bad_alloc&) {
    runner.failed(Failure("the machine's memory is full: a larger resolution.spacing takes less"));
  }
}

}  // namespace brim
