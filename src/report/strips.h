// Pictures of the runs of a plan, to be compared: at the same times, with the same colours for the same speeds.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "brim/report.h"

namespace brim {

/// A PNG per run, from its frames in out/<name>; empty where a run has left none.
std::vector<std::string> strips(const Plan&, const std::string& out);

}  // namespace brim
