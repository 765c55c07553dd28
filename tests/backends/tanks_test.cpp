// Many tanks as one state: each has the bits that it has alone, on CPUs and on a GPU.
#include "brim/tanks.h"

#include <cmath>
#include <limits>
#include <set>

#include "device.h"

using namespace brim;
using namespace brim::test;

namespace {

// Dams of different widths, heights and speeds, each with its own gravity if the solver allows it; a pillar stands in all.
std::vector<Scene> dams(int dimension, const std::string& solver, int count) {
  std::vector<Scene> all;
  for (int k = 0; k < count; ++k) {
    Scene s;
    s.dimension = dimension;
    const double d = dimension == 2 ? 0.02 : 0.05;
    s.domain.min = {-0.3, 0.2, 0.1}, s.domain.max = {0.7, 1.2, 0.6};
    s.resolution.spacing = d;
    s.solver.name = solver;
    if (solver == "pbf") {
      s.solver.choices["acceleration"] = "none";
      s.solver.numbers["iterations"] = 6, s.solver.numbers["tolerance"] = 0;
      if (k % 2 == 0) s.gravity = {0.5 * k, -9.81 + k, 0};
      if (k % 4 == 3) s.gravity_keys = {{0, {0, -9.81, 0}}, {0.05, {4, -5, 0}}};
      s.time.dt = 2e-3;
    } else {
      s.solver.numbers["sound_speed"] = 30;
      s.time.dt = 2e-4;
    }
    Block b;
    b.shape.min = {-0.3, 0.2, 0.1};
    b.shape.max = {-0.3 + 0.2 + 0.03 * k, 0.2 + 0.5 - 0.02 * k, 0.6};
    b.velocity = {0.1 * k, 0, 0};
    s.fluid.blocks.push_back(b);
    Solid pillar;
    pillar.name = "pillar";
    pillar.shape.min = {0.3, 0.2, 0.25}, pillar.shape.max = {0.4, 0.5, 0.45};
    s.solids.push_back(pillar);
    all.push_back(s);
  }
  return all;
}

float* velocityOf(const Columns& c, std::size_t i) {
  return reinterpret_cast<float*>(static_cast<char*>(c.velocity.first) + i * c.velocity.stride);
}

void expectTheBitsOfAlone(const std::vector<Scene>& scenes, const Options& options, int steps) {
  std::vector<Tanks> groups = Tanks::of(scenes, options);
  ASSERT_EQ(groups.size(), 1u);
  Tanks& all = groups[0];
  for (int n = 0; n < steps; ++n) all.advance();
  const double until = all.time(0) + 2.5 * scenes[0].time.dt;  // the last step is cut to land on it
  while (all.time(0) < until) all.advance(until);
  for (std::size_t k = 0; k < scenes.size(); ++k) {
    Simulation alone(scenes[k], options);
    for (int n = 0; n < steps; ++n) alone.advance(1);
    alone.advanceTo(until);
    EXPECT_EQ(all.failure(k), "");
    EXPECT_EQ(all.time(k), alone.time());
    EXPECT_EQ(all.step(k), alone.step());
    EXPECT_EQ(all.stateHash(k), alone.stateHash()) << "tank " << k;
    const StepReport a = all.report(k), b = alone.report();
    EXPECT_EQ(a.kinetic_energy, b.kinetic_energy);
    EXPECT_EQ(a.potential_energy, b.potential_energy);
    EXPECT_EQ(a.density_error_p999, b.density_error_p999);
    EXPECT_EQ(a.max_speed, b.max_speed);
    const Snapshot x = all.snapshot(k), y = alone.snapshot();
    EXPECT_TRUE(x.id == y.id && x.position == y.position && x.density == y.density && x.pressure == y.pressure);
  }
}

}  // namespace

TEST(Tanks, EachHasTheBitsThatItHasAloneWithOneAndTwoThreads) {
  for (const int threads : {1, 2}) {
    expectTheBitsOfAlone(dams(3, "pbf", 8), {.threads = threads}, 40);
    expectTheBitsOfAlone(dams(2, "pbf", 8), {.threads = threads}, 40);
    expectTheBitsOfAlone(dams(2, "wcsph", 8), {.threads = threads}, 40);
  }
}

TEST(Tanks, OneAloneIsABatchToo) {
  std::vector<Scene> one = dams(2, "pbf", 4);
  expectTheBitsOfAlone({one[3]}, {}, 30);  // with keyframes of gravity
}

TEST(Tanks, VorticityArtificialPressureAndMovingSolidsAreTheTanksOwn) {
  std::vector<Scene> scenes = dams(2, "pbf", 5);
  for (Scene& s : scenes) {
    s.solver.numbers["vorticity"] = 1;
    s.solver.numbers["artificial_pressure"] = 0.1;
    s.solver.choices["condition"] = "equality";
    s.solids[0].motion.velocity = {-0.5, 0, 0};
  }
  expectTheBitsOfAlone(scenes, {}, 40);
}

TEST(Tanks, ParticlesAreWhereTheOffsetsSayAndWhatIsWrittenCounts) {
  const std::vector<Scene> scenes = dams(2, "pbf", 4);
  Tanks all = std::move(Tanks::of(scenes)[0]);
  Simulation alone(scenes[2]);
  for (int n = 0; n < 20; ++n) {
    all.advance(), alone.advance(1);
    // Columns are in the order that a tank has alone.
    const Columns one = all.columns(2), whole = all.columns(), same = alone.columns();
    ASSERT_EQ(one.count, same.count);
    const std::size_t first = std::size_t(all.offsets()[2]);
    ASSERT_EQ(velocityOf(one, 0), velocityOf(whole, first));
    for (std::size_t i = 0; i < one.count; i += 7) *velocityOf(one, i) += 0.3f, *velocityOf(same, i) += 0.3f;
  }
  all.advance(), alone.advance(1);
  EXPECT_EQ(all.stateHash(2), alone.stateHash());
  Simulation other(scenes[1]);
  for (int n = 0; n < 21; ++n) other.advance(1);
  EXPECT_EQ(all.stateHash(1), other.stateHash());
  // By id, in the coordinates of the scene.
  Snapshot s = alone.snapshot();
  std::vector<double> position, velocity(2 * s.id.size(), 0.25);
  for (std::size_t i = 0; i < s.id.size(); ++i) position.insert(position.end(), {s.position[3 * i], s.position[3 * i + 1]});
  all.write(2, position, velocity), alone.write(position, velocity);
  all.setGravity(2, {1, -5, 0}), alone.setGravity({1, -5, 0});
  all.advance(), alone.advance(1);
  EXPECT_EQ(all.stateHash(2), alone.stateHash());
}

TEST(Tanks, OneThatIsLostLeavesTheOthersAloneAndIsReplaced) {
  const std::vector<Scene> scenes = dams(2, "pbf", 3);
  Tanks all = std::move(Tanks::of(scenes)[0]);
  const auto infinity = std::numeric_limits<float>::infinity();
  *velocityOf(all.columns(1), 5) = infinity;
  for (int n = 0; n < 10; ++n) all.advance();
  EXPECT_NE(all.failure(1).find("cannot be simulated"), std::string::npos) << all.failure(1);
  EXPECT_EQ(all.failure(0) + all.failure(2), "");
  EXPECT_EQ(all.step(1), 0);
  // Fluid that starts at 1e5 m/s is lost in a step.
  Scene fast = scenes[1];
  fast.fluid.blocks[0].velocity = {9.99e4, 0, 0};
  all.replace(1, fast);
  EXPECT_EQ(all.failure(1), "");
  all.setGravity(1, {1e9, 0, 0});
  all.advance();
  EXPECT_NE(all.failure(1).find("diverged"), std::string::npos) << all.failure(1);
  all.replace(1, scenes[1]);
  for (int n = 0; n < 10; ++n) all.advance();
  for (std::size_t k = 0; k < 3; ++k) {
    Simulation alone(scenes[k]);
    for (int n = 0; n < (k == 1 ? 10 : 21); ++n) alone.advance(1);
    EXPECT_EQ(all.failure(k), "");
    EXPECT_EQ(all.stateHash(k), alone.stateHash()) << k;
    EXPECT_EQ(all.time(k), alone.time());
  }
  EXPECT_THROW(all.advance(1), Failure);  // there is no one time to land on
  Scene wide = scenes[1];
  wide.domain.max[0] += 0.1;
  EXPECT_THROW(all.replace(1, wide), Failure);
  EXPECT_THROW(all.replace(1, scenes[0]), Failure);  // as many particles as there were
}

TEST(Tanks, ReplacedTanksOfExplicitSolversStartWithForcesOfTheirOwn) {
  const std::vector<Scene> scenes = dams(2, "wcsph", 2);
  Tanks all = std::move(Tanks::of(scenes)[0]);
  for (int n = 0; n < 15; ++n) all.advance();
  all.replace(1, scenes[1]);
  for (int n = 0; n < 15; ++n) all.advance();
  for (std::size_t k = 0; k < 2; ++k) {
    Simulation alone(scenes[k]);
    for (int n = 0; n < (k == 1 ? 15 : 30); ++n) alone.advance(1);
    EXPECT_EQ(all.stateHash(k), alone.stateHash()) << k;
  }
}

TEST(Tanks, ScenesThatDifferGoInGroups) {
  std::vector<Scene> scenes = dams(2, "pbf", 5);
  scenes[1].domain.max[1] += 0.2;
  scenes[3].domain.max[1] += 0.2;
  scenes[4].solver.numbers["iterations"] = 3;
  scenes[2].title = "another title";
  std::vector<Tanks> groups = Tanks::of(scenes);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].members(), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(groups[1].members(), (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(groups[2].members(), (std::vector<std::size_t>{4}));
  for (int n = 0; n < 10; ++n) groups[1].advance();
  Simulation alone(scenes[3]);
  for (int n = 0; n < 10; ++n) alone.advance(1);
  EXPECT_EQ(groups[1].stateHash(1), alone.stateHash());
}

TEST(Tanks, WhatKeepsASceneOutIsToldWithItsTank) {
  std::vector<Scene> scenes = dams(2, "pbf", 3);
  scenes[1].time.dt = 0;
  scenes[2].solver.choices["acceleration"] = "multilevel";
  scenes[2].solver.numbers["tolerance"] = 1e-3;
  scenes[2].fluid.viscosity = 10;
  RigidBody box;
  box.name = "box";
  box.shape.min = {0.5, 0.3, 0}, box.shape.max = {0.6, 0.4, 0};
  scenes[2].bodies.push_back(box);
  try {
    Tanks::of(scenes);
    FAIL() << "nothing was refused";
  } catch (const SceneError& e) {
    std::string all;
    for (const Mistake& m : e.mistakes()) all += m.what + "\n";
    for (const char* part :
         {"tank 1: tanks that step together need a fixed step", "tank 2: tanks that step together need solver.acceleration",
          "solver.tolerance = 0", "viscosity", "have no bodies"})
      EXPECT_NE(all.find(part), std::string::npos) << part << " is not in\n" << all;
    EXPECT_EQ(e.mistakes().size(), 5u) << all;
  }
}

TEST(DeviceTanks, HaveTheBitsThatEachHasAlone) {
  if (!hasDevice()) GTEST_SKIP() << "no GPU here";
  for (const int dimension : {2, 3}) {
    expectTheBitsOfAlone(dams(dimension, "pbf", 8), {.device = "cuda"}, 40);
    expectTheBitsOfAlone(dams(dimension, "wcsph", 8), {.device = "cuda"}, 40);
  }
}

TEST(DeviceTanks, AreManyMoreThanBlocksOfThreadsAndStillTheSame) {
  if (!hasDevice()) GTEST_SKIP() << "no GPU here";
  std::vector<Scene> scenes;
  for (const Scene& s : dams(3, "pbf", 8)) scenes.insert(scenes.end(), 40, s);
  Tanks all = std::move(Tanks::of(scenes, {.device = "cuda"})[0]);
  for (int n = 0; n < 30; ++n) all.advance();
  std::set<std::uint64_t> different;
  for (std::size_t k = 0; k < scenes.size(); ++k) different.insert(all.stateHash(k));
  EXPECT_EQ(different.size(), 8u);  // equal tanks stay equal, wherever they stand
  Simulation alone(scenes[200], {.device = "cuda"});
  for (int n = 0; n < 30; ++n) alone.advance(1);
  EXPECT_EQ(all.stateHash(200), alone.stateHash());
}

TEST(DeviceTanks, OneThatIsLostLeavesTheOthersAlone) {
  if (!hasDevice()) GTEST_SKIP() << "no GPU here";
  const std::vector<Scene> scenes = dams(2, "pbf", 3);
  Tanks all = std::move(Tanks::of(scenes, {.device = "cuda"})[0]);
  const std::size_t n = std::size_t(all.offsets()[2] - all.offsets()[1]);
  all.write(1, {}, std::vector<double>(2 * n, std::numeric_limits<double>::quiet_NaN()));
  for (int k = 0; k < 10; ++k) all.advance();
  EXPECT_NE(all.failure(1), "");
  all.replace(1, scenes[1]);
  for (int k = 0; k < 10; ++k) all.advance();
  for (std::size_t t = 0; t < 3; ++t) {
    Simulation alone(scenes[t], {.device = "cuda"});
    for (int k = 0; k < (t == 1 ? 10 : 20); ++k) alone.advance(1);
    EXPECT_EQ(all.stateHash(t), alone.stateHash()) << t;
  }
}
