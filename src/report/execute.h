// What the runs of a plan have left.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "brim/report.h"

namespace brim {

/// summary.json of a run's folder; null if it is not there.
nlohmann::ordered_json summaryOf(const std::string& folder);

/// Throws Failure where a run of the plan would replace results that nobody has said to replace.
void refuseToOverwrite(const Plan&, const ExecuteOptions&);

}  // namespace brim
