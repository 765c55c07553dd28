#include "observe/run.h"

#include <fmt/format.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <filesystem>
#include <future>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "io/file.h"
#include "observe/checkpoint.h"
#include "observe/folder.h"
#include "observe/frames.h"
#include "observe/start.h"
#include "observe/statistics.h"
#include "observe/summary.h"
#include "observe/table.h"
#include "observe/volume.h"
#include "render/preview.h"

namespace brim {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

// Times are sums of steps; two that differ by rounding are the same.
bool reached(double time, double target) { return time >= target - 1e-12 * std::max(1., std::abs(target)); }

/// Simulated time over wall time of the last seconds.
class Pace {
 public:
  void add(double wall, double time, std::int64_t step) {
    marks_.push_back({wall, time, step});
    while (marks_.size() > 2 && wall - marks_[1].wall > 5) marks_.pop_front();
  }
  double stepsPerSecond() const { return span() > 0 ? double(marks_.back().step - marks_.front().step) / span() : 0; }
  double secondsLeft(double until) const {
    const double done = marks_.back().time - marks_.front().time;
    return span() > 0 && done > 0 ? (until - marks_.back().time) * span() / done : -1;
  }

 private:
  struct Mark {
    double wall, time;
    std::int64_t step;
  };
  double span() const { return marks_.size() < 2 ? 0 : marks_.back().wall - marks_.front().wall; }
  std::deque<Mark> marks_;
};

class Runner {
 public:
  Runner(const Scene& scene, const RunOptions& options, Start start)
      : scene_(scene),
        out_(options.out),
        facts_{options.machine.precision,
               options.machine.threads > 0 ? options.machine.threads : tbb::info::default_concurrency(),
               false,
               {},
               std::move(start.warnings)},
        arena_(facts_.threads),
        sim_(scene, start.machine) {
    if (start.state) {
      sim_.restore(start.state->state);
      std::vector<char>().swap(start.state->state);
      totals_ = start.state->totals;
    }
    if (start.resumed && sim_.facts().flavour != start.state->flavour)
      facts_.warnings.push_back(
          fmt::format("the run began with {} and went on with {}: an uninterrupted run has other last digits",
                      start.state->flavour, sim_.facts().flavour));
    // A branch keeps what its state has been through, and counts its own steps.
    if (start.state && !start.resumed) {
      Totals fresh;
      fresh.particles = totals_.particles, fresh.emitted = fresh.startEmitted = totals_.emitted;
      fresh.sunk = fresh.startSunk = totals_.sunk, fresh.lost = totals_.lost;
      totals_ = fresh;
    }
    wallBefore_ = totals_.wall;
    makeFolder(checkpoints());
    if (!start.resumed) clear();
    frames_.emplace(framesOf(scene_, out_), start.resumed ? start.state->frames : Frames::Times(), facts_.warnings);
    if (start.resumed) {
      statistics_.emplace(statisticsFile(), sim_.step());
      if (statistics_->lastKept() < sim_.step())
        facts_.warnings.push_back(
            fmt::format("{} has no rows of steps {} to {}", statisticsFile(), statistics_->lastKept() + 1, sim_.step()));
    } else {
      statistics_.emplace(statisticsFile());
    }
    openTables(start.resumed);
    if (!start.resumed) begin();
  }

  Ending loop(const std::atomic<bool>& stop, const std::function<void(const Progress&)>& progress) {
    const double until = scene_.time.until;
    report(progress, nullptr);
    while (!stop && !reached(sim_.time(), until)) {
      const double frame = nextFrameTime();
      const auto t0 = Clock::now();
      stepping_ = true;
      const StepReport& r = sim_.advance(std::min(frame, until));
      stepping_ = false;
      const double ms = 1e3 * secondsSince(t0);
      totals_.add(r, ms);
      const bool onFrame = reached(r.time, frame);
      if (onFrame || isReady(frame_)) finishFrame();
      if (isReady(saving_)) saving_.get();
      rows_.push_back({r, ms});
      if (onFrame) takeFrame();
      if (!frame_.valid()) writeRows({});
      if (secondsSince(reported_) > 0.1) report(progress, &r);
      if (scene_.output.checkpoint_every > 0 && secondsSince(saved_) > scene_.output.checkpoint_every) save();
      last_ = {r.dt, r.density_error_mean};
    }
    facts_.finished = reached(sim_.time(), until);
    report(progress, nullptr);
    save();
    finishSaving();
    close();
    return facts_.finished ? Ending::finished : Ending::interrupted;
  }

  /// Leaves what a diverged run can leave, and says where to look.
  [[noreturn]] void diverged(const Diverged& e) {
    facts_.diverged.emplace(e);
    std::string text = e.what();
    text +=
        fs::exists(newest()) ? fmt::format("; the last good checkpoint is {}", newest()) : "; no checkpoint had been written yet";
    try {
      finishFrame();
      writeRows({});
      finishSaving();
      statistics_->sync();
      frames_->finish();
      preview(false);
      writeSummary();
    } catch (const Failure& f) {
      text += fmt::format("; {}", f.what());
    }
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
    attempt([&] { writeRows({}); });
    attempt([&] { finishSaving(); });
    attempt([&] { frames_->finish(); });
    attempt([&] { statistics_->sync(); });
    if (!stepping_ && attempt([&] { writeCheckpoint(checkpoints(), state()); }))
      text += fmt::format("; the state at t = {} s is kept in {}", sim_.time(), checkpoints());
    else
      text += fs::exists(newest()) ? fmt::format("; the last checkpoint is {}", newest())
              : stepping_          ? "; no checkpoint had been written yet"
                                   : "; there was no room for a checkpoint";
    attempt([&] { writeSummary(); });
    throw Failure(text);
  }

 private:
  std::string checkpoints() const { return out_ + "/checkpoint"; }
  std::string newest() const { return checkpoints() + "/state.brim"; }
  std::string statisticsFile() const { return out_ + "/statistics.csv"; }

  // Nothing of an earlier run in this folder may be taken for this one's.
  void clear() {
    std::error_code ignored;
    for (const char* name : {"/checkpoint/state.brim", "/checkpoint/state.previous.brim", "/summary.json", "/preview.png",
                             "/bodies.csv", "/gauges.csv"})
      fs::remove(out_ + name, ignored);
  }

  // Frame 0 is the initial state; what volume_ratio refers to is measured on it.
  void begin() {
    Snapshot s = sim_.snapshot();
    sim_.restartAverages();
    totals_.startParticles = std::int64_t(s.size());
    // Fluid that starts crowded refers to its volume at rest.
    const auto& blocks = scene_.fluid.blocks;
    const bool crowded = std::any_of(blocks.begin(), blocks.end(), [](const Block& b) { return b.particles > 0; });
    totals_.startVolume = crowded ? 0 : volume(s);
    totals_.particles = totals_.startParticles;
    tabulate(s);
    if (scene_.output.frames_per_second > 0) frames_->write(0, std::move(s));
  }

  void openTables(bool resumed) {
    const auto open = [&](std::optional<Table>& table, const char* name, bool wanted, const std::string& heading) {
      if (!wanted) return;
      if (resumed)
        table.emplace(out_ + name, heading, sim_.step());
      else
        table.emplace(out_ + name, heading);
    };
    open(bodies_, "/bodies.csv", !scene_.bodies.empty(), bodiesHeading(scene_));
    open(gauges_, "/gauges.csv", !scene_.gauges.empty(), gaugesHeading(scene_));
  }

  void tabulate(const Snapshot& s) {
    if (bodies_) bodies_->row(s.step, bodiesRow(s));
    if (gauges_) gauges_->row(s.step, gaugesRow(s, scene_));
  }

  double volume(const Snapshot& s) {
    return arena_.execute([&] { return liquidVolume(s, scene_, sim_.facts().particle_mass); });
  }

  // Frames are at k / frames_per_second, whenever the run began or was resumed.
  double nextFrameTime() const {
    const double fps = scene_.output.frames_per_second;
    if (!(fps > 0)) return std::numeric_limits<double>::infinity();
    double k = std::floor(sim_.time() * fps);
    while (reached(sim_.time(), k / fps)) ++k;
    // A frame a rounding away from the end is the end: a step of 1e-10 s between them would divide by nothing.
    const double frame = k / fps, until = scene_.time.until;
    return std::abs(frame - until) < 1e-6 / fps ? until : frame;
  }

  // What a frame takes, copying and measuring it, happens beside the next steps where a device does these.
  struct Seen {
    Snapshot snapshot;
    double volume;
  };
  template <class T>
  static bool isReady(const std::future<T>& f) {
    return f.valid() && f.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

  void takeFrame() {
    frames_->finish();  // one snapshot at a time
    std::future<Snapshot> taken = sim_.capture();
    sim_.restartAverages();
    const bool there = isReady(taken);
    totalsThen_ = totals_;
    frame_ = std::async(there ? std::launch::deferred : std::launch::async, [this, taken = std::move(taken)]() mutable {
      Seen seen{taken.get(), 0};
      seen.volume = volume(seen.snapshot);
      return seen;
    });
    if (there) finishFrame();
  }

  void finishFrame() {
    if (!frame_.valid()) return;
    Seen seen;
    try {
      seen = std::exchange(frame_, {}).get();
    } catch (...) {
      writeRows({});
      throw;
    }
    // Fluid may have come and gone since.
    totalsThen_.volumeRatioMin = totals_.volumeRatioMin, totalsThen_.volumeRatioMax = totals_.volumeRatioMax;
    const double ratio = volumeRatio(totalsThen_, scene_, seen.volume, std::int64_t(seen.snapshot.size()));
    totals_.volumeRatio = totalsThen_.volumeRatio;
    totals_.volumeRatioMin = totalsThen_.volumeRatioMin, totals_.volumeRatioMax = totalsThen_.volumeRatioMax;
    writeRows(ratio);
    tabulate(seen.snapshot);
    const int number = frames_->times().empty() ? 0 : frames_->times().rbegin()->first + 1;
    frames_->write(number, std::move(seen.snapshot));
  }

  // The first of the rows held back is that of the frame.
  void writeRows(std::optional<double> ratio) {
    for (const auto& [report, ms] : std::exchange(rows_, {})) statistics_->row(report, ms, std::exchange(ratio, std::nullopt));
  }

  void save() {
    finishFrame();
    statistics_->sync();
    if (bodies_) bodies_->sync();
    if (gauges_) gauges_->sync();
    frames_->finish();
    finishSaving();
    saving_ = std::async(std::launch::async, [folder = checkpoints(), c = state()] { writeCheckpoint(folder, c); });
    saved_ = Clock::now();
  }
  void finishSaving() {
    if (saving_.valid()) saving_.get();
  }

  Checkpoint state() {
    totals_.wall = wall();
    return {scene_.text, physicsOf(scene_), facts_.precision, sim_.facts().flavour, sim_.time(),
            sim_.step(), totals_,           frames_->times(), facts_.warnings,      sim_.save()};
  }

  void close() {
    preview(true);
    writeSummary();
  }

  // Start, end and what lies evenly between, from the frames; the end from memory.
  void preview(bool withState) {
    std::vector<Panel> panels;
    std::optional<double> end;
    if (withState) {
      Snapshot s = sim_.snapshot();
      end = s.time;
      // The last frame may be some steps ago, or there are none.
      volumeRatio(totals_, scene_, volume(s), std::int64_t(s.size()));
      panels.push_back(panelOf(s, scene_));
    }
    std::vector<std::pair<double, int>> frames;
    for (const auto& [number, time] : frames_->times())
      if (!end || !reached(time, *end)) frames.emplace_back(time, number);
    const std::size_t wanted = std::min<std::size_t>(withState ? 3 : 4, frames.size());
    for (std::size_t k = 0; k < wanted; ++k) {
      const std::size_t at =
          withState ? k * frames.size() / wanted : k * (frames.size() - 1) / std::max<std::size_t>(wanted - 1, 1);
      if (auto s = frames_->read(frames[at].second)) panels.insert(panels.end() - (withState ? 1 : 0), panelOf(*s, scene_));
    }
    if (!panels.empty()) arena_.execute([&] { writePng(out_ + "/preview.png", previewStrip(panels, scene_)); });
  }

  void writeSummary() {
    totals_.wall = wall();
    writeFile(out_ + "/summary.json", summaryText(sim_, totals_, facts_));
  }

  double wall() const { return wallBefore_ + secondsSince(began_); }

  void report(const std::function<void(const Progress&)>& progress, const StepReport* r) {
    reported_ = Clock::now();
    pace_.add(secondsSince(began_), sim_.time(), sim_.step());
    if (!progress) return;
    Progress p;
    p.time = sim_.time();
    p.until = scene_.time.until;
    p.step = sim_.step();
    p.particles = totals_.particles;
    p.steps_per_second = pace_.stepsPerSecond();
    p.seconds_left = facts_.finished ? 0 : pace_.secondsLeft(p.until);
    p.wall = wall();
    p.dt = r ? r->dt : last_.dt;
    p.density_error_mean = r ? r->density_error_mean : last_.densityErrorMean;
    progress(p);
  }

  Clock::time_point began_ = Clock::now(), saved_ = began_, reported_ = began_;
  const Scene& scene_;
  std::string out_;
  RunFacts facts_;
  tbb::task_arena arena_;
  Simulation sim_;
  Totals totals_;
  double wallBefore_ = 0;  // [s] of earlier parts of the run
  std::optional<Frames> frames_;
  std::optional<Statistics> statistics_;
  std::optional<Table> bodies_, gauges_;
  Pace pace_;
  struct {
    double dt = 0, densityErrorMean = 0;
  } last_;
  bool stepping_ = false;
  std::deque<std::pair<StepReport, double>> rows_;  // since the frame that is being looked at, with their ms
  Totals totalsThen_;                               // at that frame
  std::future<Seen> frame_;                         // these two last: they use the rest
  std::future<void> saving_;
};

}  // namespace

Ending run(const Scene& scene, const RunOptions& options, const std::atomic<bool>& stop,
           const std::function<void(const Progress&)>& progress) {
  if (options.out.empty()) throw Failure("a run needs a folder for its results");
  makeFolder(options.out);  // before the scene is built, which may take long
  const FolderLock alone(options.out);
  Start start = findStart(scene, options);
  writeSceneOf(options.out, scene);
  Runner runner(scene, options, std::move(start));
  try {
    return runner.loop(stop, progress);
  } catch (const Diverged& e) {
    runner.diverged(e);
  } catch (const Failure& e) {
    runner.failed(e);
  } catch (const std::bad_alloc&) {
    runner.failed(Failure("the machine's memory is full: a larger resolution.spacing takes less"));
  }
}

}  // namespace brim
