// report.html, report.csv and plots/*.svg: what the runs of a plan showed.
#pragma once
#include <string>
#include <vector>

#include "report/plan.h"

namespace brim {

/// Writes them into `out`, where the runs are. Returns the names of the plots.
std::vector<std::string> writeReport(const Plan&, const std::string& out);

/// report.csv: a row per run; its name, the varied values, how it ended, and every number of its summary.
std::string reportCsv(const Plan&, const std::string& out);

}  // namespace brim
