// What the grid solvers ask of periodic sides.
#pragma once
#include "brim/scene.h"
#include "scene/mistakes.h"

namespace brim {

/// Whole tiles between the sides, and solids that look the same from both.
void checkPeriodicGrid(const Scene&, Mistakes&);

}  // namespace brim
