// summary.json, at the end of a run.
#pragma once
#include "io/file.h"
#include "observe/observer.h"
#include "observe/run_state.h"

namespace brim {

class SummaryObserver : public Observer {
 public:
  explicit SummaryObserver(RunState& run) : run_(run) {}
  void finish(const Snapshot* end) override {
    run_.totals.wall = run_.wall();
    writeFile(run_.file("summary.json"), end ? textFor(*end) : textFor(run_.sim.snapshot()));
  }

 private:
  std::string textFor(const Snapshot& end) const { return summaryText(run_.sim, end, run_.totals, run_.facts); }

  RunState& run_;
};

}  // namespace brim
