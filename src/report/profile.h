// How dense the fluid is at which height, at the end of a run.
#pragma once
#include <string>

#include "brim/report.h"
#include "report/series.h"

namespace brim {

/// Mean density [kg/m^3] of the particles in layers of two spacings, by the height [m] of each layer's middle above the domain's
/// lowest point, in the last frame of a run; empty if it left none.
Series densityByHeight(const PlannedRun&, const std::string& folder);

}  // namespace brim
