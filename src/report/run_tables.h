// Every column of a run's tables over time, for plots.
#pragma once
#include <string>
#include <vector>

#include "report/series.h"

namespace brim {

struct RunColumn {
  std::string table;  // "statistics.csv", "gauges/left.csv"
  std::string name, unit;
  std::string meaning;  // from the JSON beside the table; "" where that is not there
  Series series;        // rows without a number left out
};

/// The columns of statistics.csv, bodies.csv, gauges.csv and gauges/*.csv that have numbers, but for step and time, with about
/// `points` points each; only tables whose name begins with `which`.
std::vector<RunColumn> columnsOfRun(const std::string& folder, std::size_t points, const std::string& which = {});

/// A column's name without what folders and pages would take for something else.
std::string plainName(std::string);

}  // namespace brim
