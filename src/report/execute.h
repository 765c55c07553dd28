// What the runs of a plan have left.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace brim {

/// summary.json of a run's folder; null if it is not there.
nlohmann::ordered_json summaryOf(const std::string& folder);

}  // namespace brim
