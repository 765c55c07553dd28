// The pace of a run, for its progress bar.
#pragma once
#include <deque>
#include <functional>

#include "observe/observer.h"
#include "observe/run_state.h"

namespace brim {

/// Tells `progress` every tenth of a second, and whenever it is asked to.
class ProgressObserver : public Observer {
 public:
  ProgressObserver(RunState& run, std::function<void(const Progress&)> progress) : run_(run), progress_(std::move(progress)) {}
  void step(const ObservedStep&) override;
  void tell();

 private:
  // Simulated time over wall time of the last seconds.
  struct Mark {
    double wall, time;  // [s]
    std::int64_t step;
  };
  double span() const { return marks_.size() < 2 ? 0 : marks_.back().wall - marks_.front().wall; }  // [s]
  double stepsPerSecond() const;
  double secondsLeft() const;

  RunState& run_;
  std::function<void(const Progress&)> progress_;
  std::deque<Mark> marks_;
  Clock::time_point told_;
  double dt_ = 0, densityErrorMean_ = 0;  // of the last step
};

}  // namespace brim
