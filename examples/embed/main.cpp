// Brim inside another program: a scene made in code, stepped, and read.
#include <brim/simulation.h>

#include <algorithm>
#include <cstdio>

int main() try {
  brim::Scene scene;
  scene.dimension = 2;
  scene.domain.max = {2, 1, 0};         // [m]
  scene.resolution.spacing = 0.02;      // [m]
  scene.solver.name = "pbf";            // its parameters keep their defaults, but for
  scene.solver.numbers["xsph"] = 0.05;  // this one
  brim::Block column;
  column.shape.max = {0.5, 0.8, 0};  // [m] a box from the origin
  scene.fluid.blocks.push_back(column);

  brim::Simulation simulation(scene);
  simulation.advanceTo(0.2);  // [s]
  const brim::Snapshot now = simulation.snapshot();
  double front = 0;  // [m]
  for (std::size_t i = 0; i < now.size(); ++i) front = std::max(front, now.position[3 * i]);
  std::printf("%zu particles, spacing %g m, solver %s, flavour %s\n", now.size(), scene.resolution.spacing,
              scene.solver.name.c_str(), simulation.facts().flavour.c_str());
  std::printf("after %g s and %lld steps the front is at x = %.3f m\n", now.time, static_cast<long long>(now.step), front);
  return front > 0.55 && front < 1.0 ? 0 : 1;  // the dam has broken, and nothing has flown off
} catch (const std::exception& e) {            // a mistake in the scene, or a run that diverged: the message says which
  std::fprintf(stderr, "%s\n", e.what());
  return 2;
}
