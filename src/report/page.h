// What pages of all kinds share, besides brim/report.h.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "brim/report.h"

namespace brim {

/// report.csv: a row per run; its name, the varied values, how it ended, and every number of its summary.
std::string reportCsv(const Plan&, const std::string& out);

/// With five digits, which are more than a screen shows.
double rounded(double);

/// A summary as pages and tables want it: flat, with how the run ended and what it cost.
nlohmann::ordered_json flatSummary(const nlohmann::ordered_json& summary);

/// plots/*.svg of all charts that page/charts.js makes of the data, in place of those of the report before. Returns their names.
std::vector<std::string> writePlots(const nlohmann::ordered_json& data, const std::string& out);

/// report.html with the data in it.
void writePage(const nlohmann::ordered_json& data, const std::string& out);

}  // namespace brim
