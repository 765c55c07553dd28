#include "observe/observers/tables.h"

namespace brim {

TablesObserver::TablesObserver(RunState& run) : scene_(run.scene) {
  const auto open = [&](std::optional<Table>& table, const char* name, bool wanted, const std::string& heading) {
    if (!wanted) return;
    if (run.resumed)
      table.emplace(run.file(name), heading, run.sim.step());
    else
      table.emplace(run.file(name), heading);
  };
  open(bodies_, "bodies.csv", !scene_.bodies.empty(), bodiesHeading(scene_));
  open(gauges_, "gauges.csv", !scene_.gauges.empty(), gaugesHeading(scene_));
}

void TablesObserver::row(const Snapshot& s) {
  if (bodies_) bodies_->row(s.step, bodiesRow(s));
  if (gauges_) gauges_->row(s.step, gaugesRow(s, scene_));
}

void TablesObserver::sync() {
  if (bodies_) bodies_->sync();
  if (gauges_) gauges_->sync();
}

}  // namespace brim
