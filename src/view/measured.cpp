#include "view/measured.h"

#include <nlohmann/json.hpp>

#include "observe/columns.h"
#include "observe/table.h"

namespace brim::view {

namespace {

constexpr std::size_t stepAndTime = 2;  // columns that every table begins with

bool pushes(const Column& c) { return c.unit == "N" || c.unit == "N m"; }

}  // namespace

nlohmann::json describeMeasured(const Scene& scene) {
  auto all = nlohmann::json::array();
  const auto add = [&](const Column& c, const std::string& table) {
    all.push_back({{"name", c.name}, {"unit", c.unit}, {"text", c.meaning}, {"table", table}});
  };
  for (const Gauge& g : scene.gauges)
    for (const Column& c : gaugeColumns(g, scene.dimension)) add(c, g.rate > 0 ? "gauges/" + g.name + ".csv" : "gauges.csv");
  for (const Column& c : bodiesColumns(scene))
    if (pushes(c)) add(c, "bodies.csv");
  return all;
}

std::vector<double> measuredIn(const Scene& scene, const Snapshot& s) {
  std::vector<double> all;
  for (const GaugeReport& g : s.gauges) all.insert(all.end(), g.values.begin(), g.values.end());
  const std::vector<Column> columns = bodiesColumns(scene);
  const std::vector<double> row = bodiesRow(s);  // without the step
  for (std::size_t k = stepAndTime; k < columns.size() && k - 1 < row.size(); ++k)
    if (pushes(columns[k])) all.push_back(row[k - 1]);
  return all;
}

}  // namespace brim::view
