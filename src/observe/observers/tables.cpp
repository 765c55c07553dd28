#include "observe/observers/tables.h"

#include <algorithm>

#include "brim/files.h"

namespace brim {

TablesObserver::TablesObserver(RunState& run) : run_(run) {
  const Scene& scene = run.scene;
  const auto rated = [](const Gauge& g) { return g.rate > 0; };
  if (!scene.bodies.empty()) open(bodies_, "bodies", bodiesColumns(scene));
  if (!std::all_of(scene.gauges.begin(), scene.gauges.end(), rated)) open(gauges_, "gauges", gaugesColumns(scene));
  if (std::any_of(scene.gauges.begin(), scene.gauges.end(), rated)) makeFolder(run.file("gauges"));
  for (std::size_t k = 0; k < scene.gauges.size(); ++k)
    if (rated(scene.gauges[k])) open(own_[k], "gauges/" + scene.gauges[k].name, ownColumns(scene.gauges[k], scene.dimension));
}

void TablesObserver::open(std::optional<Table>& table, const std::string& name, const std::vector<Column>& columns) {
  const std::string path = run_.file((name + ".csv").c_str());
  if (run_.resumed)
    table.emplace(path, headingOf(columns), run_.sim.step());
  else
    table.emplace(path, headingOf(columns));
  describeColumns(path, columns);
}

void TablesObserver::start(const std::shared_ptr<const Snapshot>& s) {
  row(*s);
  for (auto& [k, table] : own_) {
    std::vector<double> numbers = {s->time};
    numbers.insert(numbers.end(), s->gauges[k].values.begin(), s->gauges[k].values.end());
    table->row(s->step, numbers);
  }
}

void TablesObserver::step(const ObservedStep& s) {
  for (const StepReport::Sample& sample : s.report.samples) {
    std::vector<double> numbers = {s.report.time};
    numbers.insert(numbers.end(), sample.values.begin(), sample.values.end());
    own_.at(sample.gauge)->row(s.report.step, numbers);
  }
}

void TablesObserver::row(const Snapshot& s) {
  if (bodies_) bodies_->row(s.step, bodiesRow(s));
  if (gauges_) gauges_->row(s.step, gaugesRow(s, run_.scene));
}

void TablesObserver::sync() {
  if (bodies_) bodies_->sync();
  if (gauges_) gauges_->sync();
  for (auto& [k, table] : own_) table->sync();
}

}  // namespace brim
