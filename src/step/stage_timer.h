// How long the stages of a step take.
#pragma once
#include <algorithm>
#include <chrono>
#include <string_view>
#include <vector>

#include "brim/snapshot.h"
#include "exec/exec.h"

namespace brim::inline BRIM_FLAVOUR {

/// begin(report), then after each stage mark("its name"), then end(report). What lies between restart() and the mark before it
/// belongs to no stage.
class StageTimer {
 public:
#if BRIM_CUDA
  /// On a device stages are timed by events between the kernels, read when it is through with them. Reading them takes the host a
  /// microsecond each, so most steps show what the last step that was looked at took.
  void begin(StepReport& report) {
    stages_.clear();
    looking_ = steps_++ % every == 0 || report.stages.empty();
    restart();
  }
  void restart() { mark(nullptr); }
  void mark(const char* stage) {
    if (!looking_) return;
    if (stages_.size() == events_.size()) check(cudaEventCreate(&events_.emplace_back()), "make an event");
    check(cudaEventRecord(events_[stages_.size()]), "record an event");
    stages_.push_back(stage);
  }
  /// When the device has finished.
  void end(StepReport& report) {
    if (!looking_) return;
    report.stages.clear();
    for (std::size_t k = 1; k < stages_.size(); ++k) {
      if (!stages_[k]) continue;
      float ms = 0;
      check(cudaEventElapsedTime(&ms, events_[k - 1], events_[k]), "tell the time");
      add(report, stages_[k], ms);
    }
  }
  StageTimer() = default;
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;
  ~StageTimer() {
    for (cudaEvent_t e : events_) cudaEventDestroy(e);
  }

 private:
  static constexpr int every = 8;  // steps
  std::vector<cudaEvent_t> events_;
  std::vector<const char*> stages_;  // what ends at each event; null: nothing does
  int steps_ = 0;
  bool looking_ = false;
#else
  void begin(StepReport& report) {
    report_ = &report;
    report.stages.clear();
    restart();
  }
  void restart() { last_ = now(); }
  void mark(const char* stage) {
    const double t = now();
    add(*report_, stage, t - last_);
    last_ = t;
  }
  void end(StepReport&) {}

 private:
  static double now() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  StepReport* report_ = nullptr;
  double last_ = 0;
#endif

  static void add(StepReport& report, const char* stage, double ms) {
    const auto same = [&](const auto& s) { return std::string_view(s.name) == stage; };
    const auto at = std::find_if(report.stages.begin(), report.stages.end(), same);
    if (at == report.stages.end())
      report.stages.push_back({stage, ms});
    else
      at->ms += ms;
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
