// OpenVDB files, for Blender, Houdini and others. Where Brim was built without OpenVDB, writing one says so.
#pragma once
#include <string>

#include "surface/surface.h"

namespace brim {

bool vdbAvailable();

/// A level set named "surface": signed distance [m], negative in the liquid, three cells to either side of it; `voxel` [m].
void writeSurfaceVdb(const std::string& path, const LiquidSurface&, double voxel, double time);

/// What such a file holds, for checks: volume inside [m^3] and the grid's name. Throws Failure if it cannot be read.
struct VdbFacts {
  std::string name;
  double volume = 0;  // [m^3]
};
VdbFacts readSurfaceVdb(const std::string& path);

}  // namespace brim
