#include "scene/lattice.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>

#include "scene/sampling.h"
#include "scene/vector.h"

using namespace brim;
using namespace brim::vectors;

namespace {

Scene tank(double spacing, const Vector& size, int dimension = 3) {
  Scene s;
  s.dimension = dimension;
  s.resolution.spacing = spacing;
  s.domain.max = size;
  return s;
}

Shape box(const Vector& low, const Vector& high) {
  Shape s;
  s.min = low, s.max = high;
  return s;
}

Shape ball(const Vector& centre, double radius) {
  Shape s;
  s.kind = "sphere";
  s.centre = centre, s.radius = radius;
  return s;
}

Filling fill(const Scene& s) { return fillBlocks(s, solidShapes(s)); }

}  // namespace

TEST(Lattice, ABoxGetsWholeCountsThatFillIt) {
  Scene s = tank(0.02632, {4, 3, 1});
  s.fluid.blocks.push_back({box({0, 0, 0}, {1, 2, 1}), {}});
  const auto x = fill(s).points;
  EXPECT_EQ(x.size(), 38u * 76 * 38);
  EXPECT_NEAR(double(x.size()) * std::pow(0.02632, 3), 2, 0.005 * 2);  // the mass is rho0 times the volume within 0.5 %
  const auto [low, high] = bounds(x);
  for (int i = 0; i < 3; i++) {  // half a stretched spacing from every face
    const double side = i == 1 ? 2 : 1, half = side / (i == 1 ? 76 : 38) / 2;
    EXPECT_NEAR(low[i], half, 1e-12);
    EXPECT_NEAR(high[i], side - half, 1e-12);
  }
}

TEST(Lattice, CountsGiveTheRightMass) {
  Random random(1);
  for (int i = 0; i < 1000; i++) {
    const Vector side = {100 + 50 * random.number(), 100 + 50 * random.number(), 100 + 50 * random.number()};
    const auto n = latticeCounts(side, 1, 3);
    // From 100 spacings on one of the eight roundings always comes within 0.5 %.
    EXPECT_NEAR(n[0] / side[0] * n[1] / side[1] * n[2] / side[2], 1, 0.005001);
    for (int k = 0; k < 3; k++) EXPECT_NEAR(n[k], side[k], 3.2 / 100 * side[k]);
  }
  EXPECT_EQ(latticeCounts({10.1, 10.9, 1}, 1, 2)[0], 10);  // no stretching beyond the nearest counts where those do
  EXPECT_EQ(latticeCounts({0.1, 3, 1}, 1, 2)[0], 1);
}

TEST(Lattice, ATurnedBoxIsFilledInItsOwnFrame) {
  Scene s = tank(0.05, {4, 4, 4});
  Shape b = box({1, 1, 1}, {2, 1.5, 2.5});
  b.rotate = {10, 20, 30};
  s.fluid.blocks.push_back({b, {}});
  const SolidShape shape(s, b, "");
  const auto x = fill(s).points;
  EXPECT_EQ(x.size(), 20u * 10 * 30);
  for (const Vector& p : x) EXPECT_LT(shape.distance(p), -0.0249);
}

TEST(Lattice, CurvedShapesHaveTheirMass) {
  for (const int dim : {2, 3}) {
    Scene s = tank(0.02, {2, 2, 2}, dim);
    Shape b = ball({1.003, 0.996, dim == 3 ? 1.001 : 0}, 0.5);
    s.fluid.blocks.push_back({b, {}});
    const auto x = fill(s).points;
    const double volume = SolidShape(s, b, "").volume();
    EXPECT_NEAR(double(x.size()) * std::pow(0.02, dim), volume, 0.005 * volume);
    for (const Vector& p : x) {  // on the domain's lattice
      const double i = p[0] / 0.02 - 0.5;
      EXPECT_NEAR(i, std::round(i), 1e-9);
    }
  }
}

TEST(Lattice, NothingIsCreatedInsideSolidsAndAllIsCounted) {
  Scene s = tank(0.05, {1, 1, 1});
  s.fluid.blocks.push_back({box({0, 0, 0}, {1, 1, 1}), {}});
  s.solids.push_back({"", box({0.4, 0, 0.4}, {0.6, 0.5, 0.6}), {}});
  const Filling f = fill(s);
  // The pillar covers 4 x 10 x 4 points; those d/2 off its faces stay.
  EXPECT_EQ(f.insideSolids, 4 * 10 * 4);
  EXPECT_EQ(f.points.size() + std::size_t(f.insideSolids), 20u * 20 * 20);
  const SolidShape pillar(s, s.solids[0].shape, "");
  for (const Vector& x : f.points) EXPECT_GT(pillar.distance(x), 0.0249);
}

TEST(Lattice, BlocksThatOverlapAreFilledOnce) {
  Scene s = tank(0.05, {2, 2, 2});
  s.fluid.blocks.push_back({box({0, 0, 0}, {1, 1, 1}), {}});
  s.fluid.blocks.push_back({box({0.5, 0, 0}, {1.5, 1, 1}), {}});
  const Filling f = fill(s);
  EXPECT_EQ(f.points.size(), 30u * 20 * 20);
  EXPECT_EQ(f.overlapping, 10 * 20 * 20);
  EXPECT_EQ(std::count(f.block.begin(), f.block.end(), 1), 10 * 20 * 20);
}

TEST(Lattice, PointsOfDifferentBlocksKeepTheirDistance) {
  Scene s = tank(0.05, {2, 2, 2});
  s.fluid.blocks.push_back({box({0, 0, 0}, {1, 1, 1}), {}});
  s.fluid.blocks.push_back({box({0.517, 0.021, 0}, {1.517, 1.021, 1}), {}});  // out of phase
  const Filling f = fill(s);
  PointGrid first(0.05);
  for (std::size_t i = 0; i < f.points.size(); i++)
    if (f.block[i] == 0) first.add(f.points[i]);
  int second = 0;
  for (std::size_t i = 0; i < f.points.size(); i++) {
    if (f.block[i] == 0) continue;
    second++;
    EXPECT_FALSE(first.anyWithin(f.points[i], 0.7 * 0.05));
  }
  EXPECT_EQ(f.overlapping + second, 20 * 20 * 20);
  EXPECT_GT(second, 9 * 20 * 20);  // but what lies beside the first block is filled
}

TEST(Lattice, PointsOutsideTheDomainAreLeftOutAndCounted) {
  Scene s = tank(0.05, {1, 1, 1});
  s.fluid.blocks.push_back({box({0.5, 0, 0}, {1.5, 1, 1}), {}});
  const Filling f = fill(s);
  EXPECT_EQ(f.points.size(), 10u * 20 * 20);
  EXPECT_EQ(f.insideSolids, 10 * 20 * 20);
}

TEST(Lattice, TheOrderDoesNotDependOnThreads) {
  Scene s = tank(0.05, {2, 2, 2});
  s.fluid.blocks.push_back({ball({1, 1, 1}, 0.7), {}});
  const auto with = [&](std::size_t threads) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return fill(s).points;
  };
  EXPECT_EQ(with(1), with(7));
}
