// How many particles the files in scenes/ hold before the first step.
#pragma once
#include "helpers.h"

namespace brim::test {

struct Size {
  const char *scene, *solver;
  double particles, within;  // the paper's number, and what a box of whole particles may differ from it
  std::vector<Setting> changes = {};
};

inline void has(const Size& size) {
  const std::string file = std::string(BRIM_SOURCE) + "/scenes/" + size.scene + ".toml";
  const Scene s = readScene(file, size.changes);
  EXPECT_EQ(s.solver.name, size.solver) << size.scene;
  EXPECT_NEAR(double(Simulation(s).facts().fluid_particles), size.particles, size.within) << size.scene;
}

}  // namespace brim::test
