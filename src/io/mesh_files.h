// Surfaces as files: binary PLY and OBJ.
#pragma once
#include <string>

#include "brim/surface.h"

namespace brim {

/// Reads what writeSurfacePly wrote.
LiquidSurface readSurfacePly(const std::string& path);

}  // namespace brim
