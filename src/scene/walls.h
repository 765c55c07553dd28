// Boundary samples of walls and solids, which add to the density of the fluid.
#pragma once
#include <functional>
#include <vector>

#include "brim/scene.h"
#include "scene/shape.h"

namespace brim {

/// Samples lie inside their solid, layer k at depth (k + 1/2) d. A sample adds rho0 * volume * W to a density.
struct WallSamples {
  std::vector<Vector> position;  // [m] in the frame of the solid (pose.toWorld gives the scene); in the scene for the domain
  std::vector<double> volume;    // [m^dimension]
  std::vector<int> solid;        // index in `shapes`, -1 for the domain's walls; in ascending order
};

/// `shapes` are those of scene.solids, then those of scene.bodies. W(r) is the kernel, zero from support * spacing on: volumes
/// are such that a resting lattice of fluid at d/2 from a surface has the density of an infinite lattice.
WallSamples sampleWalls(const Scene&, const std::vector<SolidShape>& shapes, const std::function<double(double)>& W);

/// [m] how far apart the samples of solids are where they are only for pictures, since grid solvers use the signed distance of
/// solids: the spacing, but no finer than pictures are.
double drawnSpacing(const Scene&);

/// Layers of samples that a kernel of this support [spacings] can reach from d/2 outside.
int wallLayers(double support);

/// What a unit of wall volume must count for, so that a flat wall of evenly spread samples gives the fluid's first layer exactly
/// what the lattice behind the wall would: (sum over the lattice points behind) / (integral over their planes).
double wallCalibration(int dimension, double spacing, double support, const std::function<double(double)>& W);

}  // namespace brim
