// Health in summaries and checkpoints.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "brim/health.h"

namespace brim {

nlohmann::ordered_json toJson(const Health::Sums&);
Health::Sums healthFrom(const nlohmann::json&);

nlohmann::ordered_json toJson(const std::vector<HealthWarning>&);
std::vector<HealthWarning> healthWarningsFrom(const nlohmann::json&);

}  // namespace brim
