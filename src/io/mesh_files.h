// Surfaces as files: binary PLY and OBJ.
#pragma once
#include <string>

#include "surface/surface.h"

namespace brim {

/// x y z vx vy vz as floats, and triangles; `time` [s] as a comment.
void writeSurfacePly(const std::string& path, const LiquidSurface&, double time);
/// Reads what writeSurfacePly wrote.
LiquidSurface readSurfacePly(const std::string& path);

/// Points and triangles; OBJ knows no velocities.
void writeSurfaceObj(const std::string& path, const LiquidSurface&, double time);

}  // namespace brim
