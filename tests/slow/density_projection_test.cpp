// The numbers of Kugelstadt et al. 2019 at their size (2D) or near it.
#include "papers/grid.h"

using namespace brim;
using namespace brim::test;

TEST(DoubleDam2D, StaysWithin2PercentAfter30sForAllSteps_ID15) {
  for (const double dt : {0.02, 0.01, 0.005, 0.001}) {
    const Scene s = doubleDam("flip", 128, dt, true);
    Simulation sim(s);
    EXPECT_NEAR(double(sim.facts().fluid_particles), 71000, 500);
    advanced(sim, 30);
    EXPECT_NEAR(smoothedVolume(sim.snapshot(), s), 1, 0.02) << "dt = " << dt;
    EXPECT_NEAR(levelRatio(sim.snapshot(), s), 1, 0.02) << "dt = " << dt;
  }
}

TEST(DoubleDam2D, StaysWithin1PercentForAllTolerances_ID18) {
  for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-6}) {
    Scene s = doubleDam("flip", 128, 0.005, true);
    s.solver.numbers["tolerance"] = tolerance;
    Simulation sim(s, {.precision = tolerance < 1e-5 ? "double" : "single", .threads = 0, .flavour = ""});
    advanced(sim, 30);
    EXPECT_NEAR(smoothedVolume(sim.snapshot(), s), 1, 0.01) << "tolerance " << tolerance;
    EXPECT_NEAR(levelRatio(sim.snapshot(), s), 1, 0.01) << "tolerance " << tolerance;
  }
}

// 64^3 cells, a million particles: half of the paper's resolution along each axis, the same fill.
TEST(RotatingCuboid, LosesLessThanHalfAPercentIn30s_ID21) {
  for (const std::string solver : {"flip", "apic"}) {
    Scene s = domain(solver, 3, {1, 1, 1}, 1.0 / 128, "walls");
    fill(s, box({0, 0, 0}, {1, 0.5, 1}));
    Solid cuboid;
    cuboid.shape = box({0.2, 0.25, 0.4}, {0.8, 0.45, 0.6});
    cuboid.motion.axis = {0, 1, 0};
    cuboid.motion.pivot = {0.5, 0.35, 0.5};
    cuboid.motion.rate = 4;
    cuboid.motion.stop = 28;
    s.solids.push_back(cuboid);
    s.time.dt_max = 0.02;
    Simulation sim(s);
    const double start = smoothedVolume(sim.snapshot(), s);
    const StepReport r = advanced(sim, 30);
    EXPECT_EQ(r.particles, sim.facts().fluid_particles);
    EXPECT_NEAR(smoothedVolume(sim.snapshot(), s) / start, 1, 0.005) << solver;
  }
}

TEST(DoubleDam3D, LargeStepsWithProjectionKeepTheVolumeAtAFifthOfTheCost_ID28_ID29_ID30) {
  // Wall time of a simulated second, by the median step.
  const auto cost = [](Simulation& sim, double until, double dt) {
    std::vector<double> ms;
    while (sim.time() < until - 1e-9) {
      double step = 0;
      for (const auto& stage : sim.advance(until).stages) step += stage.ms;
      ms.push_back(step);
    }
    std::nth_element(ms.begin(), ms.begin() + std::ptrdiff_t(ms.size() / 2), ms.end());
    return ms[ms.size() / 2] / dt;
  };
  const auto scene = [](double dt, double tolerance, bool projected) {
    return readScene(std::string(BRIM_SOURCE) + "/scenes/double_dam_flip.toml",
                     {{"time.dt", std::to_string(dt)},
                      {"solver.tolerance", std::to_string(tolerance)},
                      {"solver.density_projection", projected ? "true" : "false"}});
  };
  const Scene large = scene(0.02, 1e-3, true);
  Simulation with(large), without(scene(0.002, 1e-4, false));
  const double cheap = cost(with, 1, 0.02), dear = cost(without, 1, 0.002);
  EXPECT_LT(cheap, dear / 5) << "the paper: 7.8 times";
  advanced(with, 10);
  EXPECT_NEAR(smoothedVolume(with.snapshot(), large), 1, 0.009);  // the paper's 0.9 %
}
