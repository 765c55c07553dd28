// Nothing is lost and nothing appears, except where the scene says so.
#include <map>

#include "helpers.h"

using namespace brim;
using namespace brim::test;

namespace {

class Balance : public PlaneLaw {};
BRIM_PLANE_LAWS(Balance);
class SpaceBalance : public Law {};
BRIM_LAWS(SpaceBalance);

}  // namespace

TEST_P(Balance, ADamBreakLosesNothingAndLeaksNowhere) {
  Scene s = domain(solver, 2, {1.2, 0.8, 1}, 0.02, "walls");
  fill(s, box({0, 0, 0}, {0.4, 0.6, 0}));
  s.solids.push_back({"step", box({0.8, 0, 0}, {0.86, 0.12, 0}), {}});
  Simulation sim(s);
  for (double t = 0.05; t < 1.01; t += 0.05) {
    const StepReport r = advanced(sim, t);
    const Snapshot now = sim.snapshot();
    ASSERT_EQ(r.particles, sim.facts().fluid_particles);
    ASSERT_EQ(r.lost, 0);
    for (int k = 0; k < 2; ++k) {
      ASSERT_GE(lowest(now, k), s.domain.min[k]);
      ASSERT_LE(highest(now, k), s.domain.max[k]);
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
      const double x = coordinate(now, i, 0), y = coordinate(now, i, 1);
      ASSERT_FALSE(x > 0.8 && x < 0.86 && y < 0.12) << "inside the step at " << x << ", " << y << ", t = " << t;
    }
  }
}

TEST_P(Balance, FluidThatLeavesAnOpenDomainIsCounted) {
  Scene s = domain(solver, 2, {1, 1, 1}, 0.02, "open");
  s.gravity = {0, 0, 0};
  fill(s, box({0.1, 0.4, 0}, {0.3, 0.6, 0}), {4, 0, 0});
  Simulation sim(s);
  const std::int64_t n = sim.facts().fluid_particles;
  const StepReport half = advanced(sim, 0.2);  // the middle of the block is at the face
  EXPECT_EQ(half.particles + half.lost, n);
  // The block may spread a little, as its lattice is not at rest to the last digit; a quarter of it either way is plenty.
  EXPECT_NEAR(double(half.lost), double(n) / 2, double(n) / 4);
  const StepReport end = advanced(sim, 0.5);
  EXPECT_EQ(end.lost, n);
  EXPECT_EQ(end.particles, 0);
  EXPECT_EQ(end.kinetic_energy, 0);
}

TEST_P(SpaceBalance, AnEmitterLetsInItsFlow) {
  const double d = 0.025, width = 0.1, speed = 1.3;
  Scene s = domain(solver, D, {2, 0.5, 0.5}, d, "open");
  s.gravity = {0, 0, 0};
  Emitter e;
  e.centre = {0.1, 0.25, 0.25};
  e.direction = {2, 0, 0};
  e.width = e.height = width;
  e.speed = speed;
  e.start = 0.05, e.until = 0.45;
  s.fluid.emitters.push_back(e);
  Simulation sim(s);
  const double mouth = D == 2 ? width : width * width, particle = std::pow(d, D);
  for (const double t : {0.25, 0.6}) {
    const StepReport r = advanced(sim, t);
    const double volume = mouth * speed * (std::min(t, e.until) - e.start);
    // A layer more or less: the first leaves at once, and one may be about to.
    EXPECT_NEAR(double(r.emitted) * particle, volume, 1.01 * mouth * d) << "at t = " << t;
    EXPECT_EQ(r.particles + r.lost, r.emitted);
  }
}

TEST_P(Balance, AnEmitterStopsAtItsCount) {
  Scene s = domain(solver, 2, {2, 0.5, 1}, 0.025, "open");
  Emitter e;
  e.centre = {0.1, 0.25, 0};
  e.width = 0.1;
  e.count = 37;
  s.fluid.emitters.push_back(e);
  Simulation sim(s);
  EXPECT_EQ(advanced(sim, 0.6).emitted, 37);
}

TEST_P(Balance, ASinkTakesOutWhatEntersIt) {
  Scene s = domain(solver, 2, {1, 1, 1}, 0.02, "walls");
  s.domain.boundary[0] = "open";
  fill(s, box({0.4, 0.5, 0}, {0.6, 0.7, 0}));
  s.fluid.sinks.push_back({box({0, 0, 0}, {1, 0.3, 0})});
  Simulation sim(s);
  const std::int64_t n = sim.facts().fluid_particles;
  EXPECT_EQ(advanced(sim, 0.15).sunk, 0);   // it falls 0.11 m of the 0.2 m
  const StepReport r = advanced(sim, 0.5);  // and all of it the 0.4 m by 0.29 s
  EXPECT_EQ(r.sunk, n);
  EXPECT_EQ(r.particles, 0);
  EXPECT_EQ(r.lost, 0);
}

TEST_P(Balance, ThoseThatStayAreWhatTheyWere) {
  const double d = 0.02;
  Scene s = domain(solver, 2, {1, 1, 1}, d, "walls");
  s.gravity = {0, 0, 0};
  fill(s, box({0.1, 0.1, 0}, {0.9, 0.6, 0}));
  s.fluid.sinks.push_back({box({0.3, 0.2, 0}, {0.5, 0.3, 0})});
  Simulation sim(s);
  const Snapshot before = sim.snapshot();
  std::map<std::int64_t, std::size_t> was;
  std::size_t inside = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    was[before.id[i]] = i;
    const double x = coordinate(before, i, 0), y = coordinate(before, i, 1);
    inside += x > 0.3 && x < 0.5 && y > 0.2 && y < 0.3;
  }
  ASSERT_GT(inside, 20u);
  EXPECT_EQ(sim.advance(1).sunk, std::int64_t(inside));
  const Snapshot after = sim.snapshot();
  ASSERT_EQ(after.size() + inside, before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    ASSERT_TRUE(was.contains(after.id[i])) << after.id[i] << " is there twice";
    // Fluid at rest moves a little towards the hole in a step; one that is taken for another is far away.
    for (int k = 0; k < 2; ++k) ASSERT_NEAR(coordinate(after, i, k), coordinate(before, was[after.id[i]], k), d / 2);
    was.erase(after.id[i]);
  }
  for (const auto& [id, i] : was) {
    EXPECT_TRUE(coordinate(before, i, 0) > 0.3 && coordinate(before, i, 0) < 0.5) << id;
    EXPECT_TRUE(coordinate(before, i, 1) > 0.2 && coordinate(before, i, 1) < 0.3) << id;
  }
}

TEST_P(SpaceBalance, APistonPushesTheFluidAndNothingEntersIt) {
  const double d = D == 2 ? 0.02 : 0.03, speed = 0.4;
  Scene s = domain(solver, D, {0.9, 0.6, 0.15}, d, "walls");
  fill(s, box({0.12, 0, 0}, {0.9, 0.24, 0.15}));
  Solid piston;
  piston.shape = box({0, 0, -0.1}, {0.12, 0.6, 0.25});
  piston.motion.velocity = {speed, 0, 0};
  piston.motion.stop = 0.75;
  s.solids.push_back(piston);
  Simulation sim(s);
  const double before = mean(sim.snapshot(), 0);
  for (double t = 0.05; t < 1.01; t += 0.05) {
    const StepReport r = advanced(sim, t);
    ASSERT_EQ(r.particles, sim.facts().fluid_particles);
    const Snapshot now = sim.snapshot();
    ASSERT_GE(lowest(now, 0), 0.12 + speed * std::min(sim.time(), 0.75)) << "at t = " << t;
  }
  // It went 0.3 m: the middle of the fluid half of that, on average over what sloshes (a third of it).
  EXPECT_NEAR(mean(sim.snapshot(), 0), before + 0.15, 0.05);
}
