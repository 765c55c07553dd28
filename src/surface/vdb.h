// OpenVDB files, for Blender, Houdini and others. Where Brim was built without OpenVDB, writing one says so.
#pragma once
#include <string>

#include "brim/surface.h"

namespace brim {

/// What a file of writeSurfaceVdb holds, for checks: volume inside [m^3] and the grid's name. Throws Failure if it cannot be
/// read.
struct VdbFacts {
  std::string name;
  double volume = 0;  // [m^3]
};
VdbFacts readSurfaceVdb(const std::string& path);

}  // namespace brim
