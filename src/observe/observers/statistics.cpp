#include "observe/observers/statistics.h"

#include <fmt/format.h>

namespace brim {

static Statistics open(const std::string& path, const RunState& run) {
  return run.resumed ? Statistics(path, run.sim.step()) : Statistics(path);
}

StatisticsObserver::StatisticsObserver(RunState& run) : file_(open(run.file("statistics.csv"), run)) {
  if (run.resumed && file_.lastKept() < run.sim.step())
    run.facts.warnings.push_back(
        fmt::format("{} has no rows of steps {} to {}", run.file("statistics.csv"), file_.lastKept() + 1, run.sim.step()));
}

void StatisticsObserver::step(const ObservedStep& s) {
  waiting_ = waiting_ || s.onFrame;
  rows_.push_back({s.report, s.ms});
  if (!waiting_) writeRows({});
}

void StatisticsObserver::frame(const ObservedFrame& f) { writeRows(f.volumeRatio); }

void StatisticsObserver::sync() {
  writeRows({});
  file_.sync();
}

void StatisticsObserver::writeRows(std::optional<double> ratio) {
  waiting_ = false;
  for (const auto& [report, ms] : std::exchange(rows_, {})) file_.row(report, ms, std::exchange(ratio, std::nullopt));
}

}  // namespace brim
