// What the paper says of Projective Fluids as a whole: stable, and limited by travel alone.
#include "helpers.h"

using namespace brim;
using namespace brim::test;

TEST(ProjectiveFluid, StaysStableAt10MillisecondsWithAStiffnessOf1e6_PF16) {
  for (const char* acceleration : {"none", "multilevel"}) {
    Scene s = domain("projective", 3, {1.2, 1, 0.25}, 0.05, "walls");
    fill(s, box({0, 0, 0}, {0.4, 0.6, 0.25}));
    s.solver.choices["acceleration"] = acceleration;
    s.solver.numbers["stiffness"] = 1e6;
    s.time.dt = 0.01;
    Simulation sim(s);
    // The energy that the block can fall by: from its height to a layer over the whole floor.
    const double mass = sim.facts().particle_mass * double(sim.facts().fluid_particles), fall = mass * g * (0.3 - 0.1);
    double start = 0, highestEnergy = -1e300;
    for (int step = 0; step < 200; ++step) {
      const StepReport& r = sim.advance(1e9);
      const double energy = r.kinetic_energy + r.potential_energy;
      if (step == 0) start = energy;
      highestEnergy = std::max(highestEnergy, energy);
      ASSERT_EQ(r.lost, 0);
    }
    // 5 %: squeezed water springs back; an unstable step gains a multiple.
    EXPECT_LT(highestEnergy - start, 0.05 * fall) << acceleration;
  }
}

TEST(ProjectiveFluid, TravelsLessThanARadiusAStepOfAtMost10Milliseconds_PF28) {
  Scene s = domain("projective", 2, {1.6, 1, 1}, 0.02, "walls");
  fill(s, box({0, 0, 0}, {0.4, 0.6, 0}));
  s.time.dt_max = 0.01;
  Simulation sim(s);
  double speed = 0;
  while (sim.time() < 0.6) {
    const StepReport& r = sim.advance(0.6);
    ASSERT_LE(r.dt, 0.01);
    // At the speeds the step starts from, with what gravity adds on the way; half a spacing is the radius.
    ASSERT_LE((speed + g * r.dt) * r.dt, 0.01 * (1 + 1e-6));
    speed = r.max_speed;
  }
}

TEST(ProjectiveFluid, AnIsolatedParticleEndsAtSExactly_PF01) {
  Scene s = domain("projective", 3, {4, 4, 4}, 0.1, "open");
  fill(s, box({2, 2, 2}, {2.1, 2.1, 2.1}), {1, 0.5, 0});
  s.time.dt = 0.01;
  Options options;
  options.precision = "double";
  for (const char* acceleration : {"none", "multilevel"}) {
    s.solver.choices["acceleration"] = acceleration;
    Simulation sim(s, options);
    ASSERT_EQ(sim.facts().fluid_particles, 1);
    const Snapshot before = sim.snapshot();
    sim.advance(1);
    const Snapshot after = sim.snapshot();
    EXPECT_NEAR(after.position[0], before.position[0] + 0.01, 1e-14);
    EXPECT_NEAR(after.position[1], before.position[1] + 0.005 - g * 1e-4, 1e-14);
  }
}
