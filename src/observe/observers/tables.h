// bodies.csv and gauges.csv, a row a frame.
#pragma once
#include <optional>

#include "observe/observer.h"
#include "observe/run_state.h"
#include "observe/table.h"

namespace brim {

/// Only those that the scene has something for.
class TablesObserver : public Observer {
 public:
  explicit TablesObserver(RunState&);
  void start(const std::shared_ptr<const Snapshot>& s) override { row(*s); }
  void frame(const ObservedFrame& f) override { row(*f.snapshot); }
  void sync() override;

 private:
  void row(const Snapshot&);

  const Scene& scene_;
  std::optional<Table> bodies_, gauges_;
};

}  // namespace brim
