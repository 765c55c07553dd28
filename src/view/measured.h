// What a scene measures, as the page plots it: gauges, and the forces of the fluid on bodies.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "brim/snapshot.h"

namespace brim::view {

/// A list of {name, unit, text, table}: the columns, and where a run keeps them.
nlohmann::json describeMeasured(const Scene&);

/// Their values, in the same order.
std::vector<double> measuredIn(const Scene&, const Snapshot&);

}  // namespace brim::view
