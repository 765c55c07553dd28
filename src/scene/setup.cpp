#include "scene/setup.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>

#include "scene/declare.h"
#include "scene/lattice.h"
#include "scene/validate_gauges.h"
#include "scene/velocity_field.h"

namespace brim {

void fillWithFluid(Setup& s) {
  const Scene& scene = s.scene;
  std::vector<SolidShape> inTheWay = s.solids;
  for (std::size_t k = 0; k < scene.soft.size(); ++k)
    inTheWay.emplace_back(scene, scene.soft[k].shape, "soft[" + std::to_string(k) + "]");
  Filling filling = fillBlocks(scene, inTheWay);
  s.position = std::move(filling.points);
  s.block = std::move(filling.block);
  s.insideSolids = filling.insideSolids;
  if (s.position.empty() && !scene.fluid.blocks.empty() && scene.fluid.emitters.empty())
    throw SceneError(
        {Mistake{scene.at("fluid.blocks[0]"),
                 fmt::format("no particle is left of the fluid: {} of its places lie inside solids; it needs room, or an emitter",
                             s.insideSolids)}});
  s.velocity.resize(s.position.size());
  std::vector<BlockVelocity> velocities;
  velocities.reserve(scene.fluid.blocks.size());
  for (std::size_t k = 0; k < scene.fluid.blocks.size(); ++k)
    velocities.emplace_back(scene, scene.fluid.blocks[k], fmt::format("fluid.blocks[{}]", k));
  const auto start = [&](std::size_t i) { s.velocity[i] = velocities[s.block[i]].at(s.position[i]); };
  // Formulas have variables of their own, and the first particle that one is wrong for is told.
  if (std::any_of(velocities.begin(), velocities.end(), [](const BlockVelocity& v) { return v.hasFormulas(); }))
    for (std::size_t i = 0; i < s.position.size(); ++i) start(i);
  else
    tbb::parallel_for(std::size_t(0), s.position.size(), start);
}

Setup prepare(const Scene& scene, const std::function<double(double)>& W) {
  Setup s;
  s.scene = scene;
  s.solids = solidShapes(scene);
  checkSensors(scene, s.solids);
  for (std::size_t k = 0; k < scene.fluid.sinks.size(); ++k)
    s.sinks.emplace_back(scene, scene.fluid.sinks[k].shape, "fluid.sinks[" + std::to_string(k) + "]");
  fillWithFluid(s);
  // On a grid the domain's walls are cells; the solids' samples are only for pictures.
  Scene sampled = scene;
  if (const SolverInfo* solver = findSolver(scene.solver.name); solver && solver->capabilities.grid) {
    sampled.domain.boundary = {"open", "open", "open"};
    sampled.resolution.spacing = drawnSpacing(scene);
    sampled.resolution.support = 1;  // one layer
  }
  s.walls = sampleWalls(sampled, s.solids, W);
  s.deformables = deformableMeshes(scene, W);
  return s;
}

}  // namespace brim
