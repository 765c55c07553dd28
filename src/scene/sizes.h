// Scenes that are too large are told before anything is built.
#pragma once
#include "brim/scene.h"
#include "scene/mistakes.h"

namespace brim {

constexpr double mostSpacings = 1e6;  // that a domain or a solid may be long

/// Adds what would take more than this machine has, with a spacing that would fit, and solids and frames without measure.
void checkSizes(const Scene&, Mistakes&);

}  // namespace brim
