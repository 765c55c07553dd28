// The papers' largest scenes at their sizes, and scenes run to their ends.
#include "papers/sizes.h"

using namespace brim;
using namespace brim::test;

TEST(LargeScenes, HaveThePapersSizes_PF25_ID24_ID25) {
  has({"three_knots", "projective", 1945600, 0});
  has({"statues_flip", "flip", 8.8e6, 0.1e6, {{"resolution.spacing", "0.001953125"}}});
  has({"river_flip", "flip", 26e6, 1e6, {{"resolution.spacing", "0.03125"}}});  // more once its emitter has run
}

TEST(WholeScenes, DenseBodiesSinkAndLightOnesFloat_CF23) {
  const Scene s = readScene(BRIM_SOURCE "/scenes/sink_and_float.toml");
  Simulation sim(s);
  sim.advanceTo(s.time.until);
  const Snapshot q = sim.snapshot();
  ASSERT_EQ(q.bodies.size(), 24u);
  for (const BodyReport& b : q.bodies) {
    if (b.name.rfind("heavy", 0) == 0) {
      EXPECT_LT(b.centre[1], 0.25) << b.name;  // on the floor, in two layers at most
    } else {
      EXPECT_GT(b.centre[1], 0.48) << b.name;  // the level is above 0.5 m, and seven tenths of it stand out
    }
  }
}

TEST(WholeScenes, WaterFlushesInUntilItHas250000Particles_CF21) {
  const Scene s = readScene(BRIM_SOURCE "/scenes/flushing.toml");
  Simulation sim(s);
  double fastest = 0;
  while (sim.time() < s.time.until) fastest = std::max(fastest, sim.advance(s.time.until).max_speed);
  const Snapshot q = sim.snapshot();
  EXPECT_EQ(q.size(), 250000u);
  // It comes in at 3 m/s, 1.4 m above the floor: a fall gives it 6 m/s; jets along the floor are faster.
  EXPECT_LT(fastest, 12);
  double sum = 0;
  for (std::size_t i = 0; i < q.size(); ++i) sum += q.position[3 * i + 1];
  // At rest 250,000 d^3 fill 1.2 m x 1.2 m to 1.215 m.
  EXPECT_NEAR(2 * sum / double(q.size()), 1.215, 0.03 * 1.215);
}
