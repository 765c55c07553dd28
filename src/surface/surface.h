// From the particles of a frame to the surface of the liquid.
#pragma once
#include <string>

#include "surface/field.h"

namespace brim {

struct LiquidSurface {
  Mesh mesh;                                   // [m] closed; triangles anticlockwise seen from the air
  std::vector<std::array<float, 3>> velocity;  // [m/s] of the liquid at every point
};

struct SurfaceOptions {
  /// anisotropic  kernels that follow the surface (Yu & Turk 2013): smooth, with thin sheets
  /// spheres      round kernels at the particles' own places (Mueller et al. 2003): quick and lumpy
  /// levelset     distance to the mean of the particles around (Zhu & Bridson 2005): smooth, fills dents
  std::string method = "anisotropic";
  double voxel = 0.5;  // [spacings] side of a cell of the lattice
};

const std::vector<std::string>& surfaceMethods();

/// The level is shifted, within limits that keep lone drops as they are, so that the surface encloses spacing^3 a particle.
/// Periodic sides are closed like walls. 3D; throws Failure for flat frames.
LiquidSurface surfaceOf(const Snapshot&, double spacing, const SurfaceOptions& = {});

}  // namespace brim
