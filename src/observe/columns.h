// The headings of a run's tables, and the JSON beside each that says what its columns mean.
#pragma once
#include <string>
#include <vector>

#include "scene/gauge_columns.h"

namespace brim {

/// statistics.csv, without the times of the stages.
std::vector<Column> statisticsColumns();
/// Wall time of a stage of a step.
Column stageColumn(const std::string& stage);
/// For each body its place, velocity, turn, spin, force and torque; for each joint force, torque, motor, position and error.
std::vector<Column> bodiesColumns(const Scene&);
/// gauges.csv: the gauges without a rate of their own.
std::vector<Column> gaugesColumns(const Scene&);
/// gauges/NAME.csv.
std::vector<Column> ownColumns(const Gauge&, int dimension);

/// "step,time [s],..."
std::string headingOf(const std::vector<Column>&);
/// Writes NAME.columns.json beside the table NAME.csv.
void describeColumns(const std::string& table, const std::vector<Column>&);

}  // namespace brim
