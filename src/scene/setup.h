// What a world starts from, in doubles and scene coordinates: made once, the same for every flavour.
#pragma once
#include <vector>

#include "brim/scene.h"
#include "scene/deformable.h"
#include "scene/shape.h"
#include "scene/walls.h"

namespace brim {

struct Setup {
  Scene scene;
  std::vector<SolidShape> solids;  // as in scene.solids, then as in scene.bodies
  std::vector<SolidShape> sinks;   // as in scene.fluid.sinks
  std::vector<Vector> position;    // [m] of the fluid's particles
  std::vector<Vector> velocity;    // [m/s] of each of them
  std::vector<int> block;          // of each of them: its index in scene.fluid.blocks
  std::int64_t insideSolids = 0;   // lattice points not filled because a solid is there
  WallSamples walls;
  std::vector<DeformableMesh> deformables;  // scene.cloth, then scene.soft
};

/// Loads meshes, fills blocks, samples walls for the kernel W(r). Throws SceneError.
Setup prepare(const Scene&, const std::function<double(double)>& W);

/// The part of it that is the fluid, in a setup whose scene and solids are there: position, velocity, block, insideSolids.
void fillWithFluid(Setup&);

}  // namespace brim
