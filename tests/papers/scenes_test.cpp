// The scenes of the papers at their sizes: what the files in scenes/ hold before the first step.
#include "papers/sizes.h"

using namespace brim;
using namespace brim::test;

TEST(Scenes, OfProjectiveFluidsHaveItsSizes_PF22_PF23_PF26_PF27) {
  has({"projective_dam", "projective", 200000, 0});
  has({"projective_double_dam", "projective", 240000, 0});
  has({"cloth", "projective", 64000, 0});
  Scene s = domain("projective", 2, {1, 1, 1}, 0.05, "walls");
  fill(s, box({0, 0, 0}, {0.5, 0.5, 0}));
  s.solver.numbers["tolerance"] = 0;
  Simulation sim(s);
  EXPECT_EQ(sim.advance(1).iterations, 30);
}

TEST(Scenes, OfDensityProjectionHaveItsSizes_ID15_ID21_ID23_ID28) {
  has({"double_dam_2d_flip", "flip", 71000, 500});
  has({"rotating_cuboid_flip", "flip", 1e6, 1e4});  // an eighth of the paper's 8 million
  has({"one_cell_flip", "flip", 1 << 20, 0});
  has({"double_dam_flip", "flip", 275000, 2000});
}

TEST(Scenes, OfConstraintFluidsHaveItsSizes_CF22_CF24_CF25) {
  has({"pillar", "constraint", 100000, 2000});
  has({"paddler", "constraint", 12600, 100});
  has({"piston_pump", "constraint", 11500, 100});
}
