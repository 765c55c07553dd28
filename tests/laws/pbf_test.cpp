// What the course sheet says of one step of Position Based Fluids, seen from outside.
#include "helpers.h"

using namespace brim;
using namespace brim::test;

namespace {

Scene tank() {
  Scene s = domain("pbf", 2, {0.6, 0.6, 1}, 0.02, "walls");
  fill(s, box({0, 0, 0}, {0.6, 0.3, 0}));
  s.solver.choices["acceleration"] = "none";
  s.solver.numbers = {{"iterations", 5}, {"tolerance", 0}, {"xsph", 0}};
  s.fluid.viscosity = 0;
  return s;
}

}  // namespace

TEST(SheetStep, VelocityIsTheWayOverTheStep_CS08) {
  Scene s = tank();
  s.time.dt = 2e-3;
  Options options;
  options.precision = "double";
  Simulation sim(s, options);
  sim.advance(1);
  for (int step = 0; step < 20; ++step) {
    const Snapshot before = sim.snapshot();
    sim.advance(1);
    const Snapshot after = sim.snapshot();
    for (std::size_t i = 0; i < after.size(); ++i)
      for (int k = 0; k < 2; ++k)  // snapshots keep velocities in float
        ASSERT_NEAR(after.velocity[3 * i + k], (after.position[3 * i + k] - before.position[3 * i + k]) / s.time.dt, 1e-6);
  }
}

TEST(SheetStep, DensityCountsTheWallsSamples_CS01_PB01) {
  Scene s = tank();
  s.gravity = {0, 0, 0};
  s.time.dt = 1e-6;
  Simulation sim(s);
  sim.advance(1);
  const Snapshot now = sim.snapshot();
  for (std::size_t i = 0; i < now.size(); ++i)  // all but the surface's layer: the lattice's 1000.8 kg/m^3, walls within 1 %
    if (coordinate(now, i, 1) < 0.28) {
      EXPECT_NEAR(now.density[i], 1000, 10) << "particle " << i;
    }
}

TEST(SheetStep, SolidsAtRestDoNotMove_CS02) {
  Scene s = tank();
  Solid post;
  post.shape = box({0.28, -0.02, 0}, {0.34, 0.2, 0});
  s.solids.push_back(post);
  Simulation sim(s);
  const Snapshot before = sim.snapshot();
  sim.advanceTo(0.1);
  Snapshot after = sim.snapshot();
  std::vector<std::array<double, 2>> a, b;  // samples are sorted by cell, so sets are compared
  for (std::size_t i = 0; i < before.solids.size(); i += 3) a.push_back({before.solids[i], before.solids[i + 1]});
  for (std::size_t i = 0; i < after.solids.size(); i += 3) b.push_back({after.solids[i], after.solids[i + 1]});
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  ASSERT_FALSE(a.empty());
  EXPECT_EQ(a, b);
}

TEST(SheetStep, TakesTheSmallerOfCflAndDefaultStep_CS09) {
  // v dt + g dt^2 = half a spacing, the way that CFL = 1 allows, against time.dt_max; the steps up to 1 s share it evenly.
  const auto first = [](double speed, double dt_max) {
    Scene s = domain("pbf", 2, {4, 4, 1}, 0.02, "open");
    fill(s, box({1, 3, 0}, {1.2, 3.2, 0}), {speed, 0, 0});
    s.time.dt_max = dt_max;
    Simulation sim(s);
    return sim.advance(1);
  };
  const double v = 4, dt = 2 * 0.01 / (v + std::sqrt(v * v + 4 * g * 0.01));
  const StepReport fast = first(v, 5e-3), slow = first(v, 1e-3), rest = first(0, 5e-3);
  EXPECT_STREQ(fast.dt_limit, "velocity");
  EXPECT_NEAR(fast.dt, 1 / std::ceil(1 / dt), 1e-6 * dt);  // speeds are floats
  EXPECT_STREQ(slow.dt_limit, "dt_max");
  EXPECT_EQ(slow.dt, 1e-3);
  EXPECT_STREQ(rest.dt_limit, "dt_max");
  EXPECT_EQ(rest.dt, 5e-3);
}

TEST(SheetStep, ReportsItsPartsInTheirOrder_CS09_PB09) {
  Scene s = tank();
  s.solver.numbers["vorticity"] = 1;
  Simulation sim(s);
  std::vector<std::string> names;
  for (const StepReport::Stage& stage : sim.advance(1).stages) names.push_back(stage.name);
  const std::vector<std::string> order = {"predict", "search", "pressure", "viscosity"};
  std::vector<std::string> seen;
  for (const std::string& name : names)
    if (std::find(order.begin(), order.end(), name) != order.end()) seen.push_back(name);
  EXPECT_EQ(seen, order);
}
