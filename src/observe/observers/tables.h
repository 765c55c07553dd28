// bodies.csv and gauges.csv, a row a frame, and gauges/NAME.csv, a row a sample.
#pragma once
#include <map>
#include <optional>

#include "observe/columns.h"
#include "observe/observer.h"
#include "observe/run_state.h"
#include "observe/table.h"

namespace brim {

/// Only those that the scene has something for.
class TablesObserver : public Observer {
 public:
  explicit TablesObserver(RunState&);
  void start(const std::shared_ptr<const Snapshot>& s) override;
  void step(const ObservedStep&) override;
  void frame(const ObservedFrame& f) override { row(*f.snapshot); }
  void sync() override;

 private:
  void open(std::optional<Table>&, const std::string& name, const std::vector<Column>&);
  void row(const Snapshot&);

  RunState& run_;
  std::optional<Table> bodies_, gauges_;
  std::map<std::size_t, std::optional<Table>> own_;  // of the gauges with a rate, by their index
};

}  // namespace brim
