// statistics.csv, a row a step.
#pragma once
#include <deque>
#include <optional>
#include <utility>

#include "observe/observer.h"
#include "observe/run_state.h"
#include "observe/statistics.h"

namespace brim {

/// The row of a step that ends on a frame has the frame's volume ratio: it and those after it wait until that is measured.
class StatisticsObserver : public Observer {
 public:
  explicit StatisticsObserver(RunState&);
  void step(const ObservedStep&) override;
  void frame(const ObservedFrame&) override;
  void sync() override;

 private:
  void writeRows(std::optional<double> volumeRatio);

  Statistics file_;
  std::deque<std::pair<StepReport, double>> rows_;  // held back, with their ms; the first is that of the frame
  bool waiting_ = false;                            // for a frame
};

}  // namespace brim
