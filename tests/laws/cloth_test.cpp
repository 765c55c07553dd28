// What water and cloth must do together, seen from outside.
#include <fstream>

#include "sheet.h"

using namespace brim;
using namespace brim::test;

namespace {

/// 0.2 m of water on a sheet across a tank; to the fluid a sheet is a plate of thickness d.
Scene slung(const std::string& solver, int D, double d) {
  Scene s = domain(solver, D, {0.4, 0.8, 0.2}, d, "walls");
  fill(s, box({0, 0.4 + d / 2, 0}, {0.4, 0.6 + d / 2, 0.2}));
  s.cloth.push_back(sheetAcross(D, 0.4, 0.2));
  return s;
}

double lowestVertex(const Snapshot& s) {
  double y = 1e300;
  for (const Surface& surface : s.surfaces)
    for (std::size_t k = 1; k < surface.vertex.size(); k += 3) y = std::min(y, surface.vertex[k]);
  return y;
}

class ClothLaw : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  const std::string solver = std::get<0>(GetParam());
  const int D = std::get<1>(GetParam());
};
INSTANTIATE_TEST_SUITE_P(SolversWithCloth, ClothLaw,
                         testing::Combine(testing::Values("projective", "pbf"), testing::Values(2, 3)), lawName);

}  // namespace

TEST_P(ClothLaw, HoldsAHeadOf20Centimetres_PF26_PB16) {
  const double d = D == 2 ? 0.02 : 0.04;
  Simulation sim(slung(solver, D, d));
  advanced(sim, D == 2 ? 1.5 : 0.6);
  const Snapshot s = sim.snapshot();
  ASSERT_EQ(s.surfaces.size(), 1u);
  // Nothing dripped: the lowest particle is above the lowest point of the sheet.
  EXPECT_GT(lowest(s, 1), lowestVertex(s) - 0.1 * d);
  EXPECT_EQ(std::int64_t(s.size()), sim.facts().fluid_particles);
  // The sheet gave way, and holds: a quarter of the tank below it stays dry.
  EXPECT_LT(lowestVertex(s), 0.4);
  EXPECT_GT(lowestVertex(s), 0.1);
}

TEST_P(ClothLaw, GoesOnFromItsStateToTheBit) {
  Scene s = slung(solver, D, 0.05);
  Soft ball;
  ball.shape = test::ball({0.2, 0.7, 0.1}, 0.07);
  ball.cell = 0.05;
  s.soft.push_back(ball);
  Simulation whole(s), half(s), resumed(s);
  stepped(whole, 8);
  stepped(half, 4);
  resumed.restore(half.save());
  EXPECT_EQ(half.stateHash(), resumed.stateHash());
  stepped(resumed, 4);
  EXPECT_EQ(whole.stateHash(), resumed.stateHash());
}

TEST_P(ClothLaw, GivesTheSameBitsForAnyNumberOfThreads) {
  const Scene s = slung(solver, D, 0.04);
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 7}) {
    Options o;
    o.threads = threads;
    Simulation sim(s, o);
    stepped(sim, 6);
    if (threads == 1) expected = sim.stateHash();
    EXPECT_EQ(sim.stateHash(), expected) << threads;
  }
}

TEST(ClothScene, ASolverWithoutClothSaysWhoHasIt) {
  Scene s = slung("wcsph", 2, 0.05);
  const auto mistakes = validate(s);
  ASSERT_EQ(mistakes.size(), 1u);
  EXPECT_EQ(mistakes[0].what, "solver \"wcsph\" has no cloth; these have: pbf, projective");
  s.solver.name = "pbf";
  EXPECT_TRUE(validate(s).empty());
  s.cloth[0].hold = {"corners"};
  ASSERT_EQ(validate(s).size(), 1u);
  EXPECT_EQ(validate(s)[0].what, "a rope has no \"corners\" to hold; it has from, to");
}
