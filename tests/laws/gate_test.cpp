// Gates and sponge layers.
#include "helpers.h"

using namespace brim;
using namespace brim::test;

namespace {

class Gate : public PlaneLaw {};
BRIM_PLANE_LAWS(Gate);
class Sponge : public Law {};
BRIM_LAWS(Sponge);

// A gate of three spacings, which is a cell of grid solvers, between 0.2 m of water and nothing.
constexpr double spacing = 0.01;  // [m]
Scene behindGate(const std::string& solver) {
  Scene s = domain(solver, 2, {0.6, 0.4, 0}, spacing, "walls");
  fill(s, box({0, 0, 0}, {0.2, 0.2, 0}));
  Solid gate{"gate", box({0.2, 0, 0}, {0.23, 0.35, 0}), {}};
  gate.motion.displacement = {{0.5, {0, 0, 0}}, {0.7, {0, 0.35, 0}}};
  s.solids.push_back(gate);
  return s;
}

double beyond(const Simulation& sim, double x) {
  const Snapshot s = sim.snapshot();
  double n = 0;
  for (std::size_t i = 0; i < s.size(); ++i) n += coordinate(s, i, 0) > x;
  return n / double(s.size());
}

}  // namespace

TEST_P(Gate, HoldsTheWaterUntilItIsLifted) {
  Simulation sim(behindGate(solver));
  advanced(sim, 0.5);
  EXPECT_EQ(beyond(sim, 0.21), 0);
  // Half a spacing of compression at the foot, and what particles that melt from their lattice rise by.
  EXPECT_NEAR(mean(sim.snapshot(), 1), 0.1, spacing / 2);
  advanced(sim, 0.9);
  EXPECT_GT(beyond(sim, 0.23), 0.2);
  // Ritter's front is 2 sqrt(g h) = 2.8 m/s fast; the gate has been opening for 0.4 s.
  EXPECT_GT(highest(sim.snapshot(), 0), 0.5);
}

// Fluid that flies on where nothing else acts: v' = -rate s^2 v, s = 1 beyond the layer and 1/2 in its middle.
TEST_P(Sponge, SlowsFluidAtItsRate) {
  Scene s = domain(solver, D, {2, 2, 2}, 0.05, "open");
  s.gravity = {0, 0, 0};
  s.time.dt = 1e-3;
  fill(s, ball({1, 1, 1}, D == 2 ? 0.2 : 0.15), {0, 1, 0});
  const auto left = [&](double from, double to) {  // of the ball's velocity after 0.2 s
    s.fluid.absorbers = {{{from, 1, 1}, {to, 1, 1}, 4}};
    Simulation sim(s);
    const double mass = sim.facts().particle_mass * double(sim.facts().fluid_particles);
    return advanced(sim, 0.2).momentum[1] / mass;
  };
  // The mean of s^2 over the ball is that at its centre and a quarter of its radius squared, 1 % of a velocity at most.
  EXPECT_NEAR(left(0, 0.5), std::exp(-4 * 0.2), 0.01);
  EXPECT_NEAR(left(0.5, 1.5), std::exp(-4 * 0.25 * 0.2), 0.015);
}
