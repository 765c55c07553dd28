// What holds for rigid bodies in every solver that pushes them: buoyancy, hydrostatic force, and fluid that starts inside one.
#include "helpers.h"

using namespace brim;
using namespace brim::test;

namespace {

RigidBody bodyOf(const Shape& shape) {
  RigidBody b;
  b.name = "body";
  b.shape = shape;
  return b;
}

// A tank at rest: gravity grows within `ramp` [s], so that a fluid that sound crosses does not ring.
Scene still(const std::string& solver, int D, const Vector& size, double spacing, double level, double ramp) {
  Scene s = domain(solver, D, size, spacing, "walls");
  fill(s, box({0, 0, 0}, {size[0], level, size[2]}));
  s.gravity_keys = {{0, {0, 0, 0}}, {ramp, {0, -g, 0}}};
  s.time.dt_max = 0.004;
  return s;
}

/// The fluid's force on the first body, as a mean from one time to another [N]. Weighted by sin^2, which no wave of more than two
/// periods gets through: sound in wcsph swings the lift of a box by 80 % at 12 Hz, and a plain mean over 0.2 s tells 0.92 or 0.99
/// of it by where the steps happen to fall (this one 1.015 and 1.017).
Vector forceOver(Simulation& sim, double from, double to) {
  sim.advanceTo(from);
  sim.restartAverages();
  Vector sum = {0, 0, 0};
  const int parts = int(std::lround((to - from) / 0.02));
  for (int n = 0; n < parts; ++n) {
    sim.advanceTo(from + (to - from) * (n + 1) / parts);
    const double weight = std::pow(std::sin(3.14159265358979 * (n + 0.5) / parts), 2) * 2 / parts;  // of mean 1
    const Vector force = sim.snapshot().bodies[0].force;
    sim.restartAverages();
    for (int k = 0; k < 3; ++k) sum[k] += weight * force[k];
  }
  return sum;
}

class PushedBodies : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  const std::string solver = std::get<0>(GetParam());
  const int D = std::get<1>(GetParam());
};
class PushedBodiesInThePlane : public testing::TestWithParam<std::string> {
 protected:
  const std::string solver = GetParam();
};

TEST_P(PushedBodies, AHeldBoxUnderWaterIsLiftedByWhatItDisplaces_CF14_X06) {
  // 20 spacings across, in 3D with four of water beside it and three below and above.
  const double d = 0.02, gap = D == 2 ? 0.2 : 0.08, below = D == 2 ? 0.12 : 0.06;
  const double side = 0.4, across = side + 2 * gap, level = below + side + 0.06;
  Scene s = still(solver, D, {across, level + 0.1, D == 2 ? 0 : across}, d, level, 0.2);
  RigidBody b = bodyOf(box({gap, below, D == 2 ? 0 : gap}, {gap + side, below + side, D == 2 ? 0 : gap + side}));
  b.held = true;
  s.bodies.push_back(b);
  Simulation sim(s);
  const Vector force = forceOver(sim, 0.3, D == 2 ? 1.2 : 0.6);
  const double lift = s.fluid.density * g * std::pow(side, D);
  RecordProperty("lift", std::to_string(force[1] / lift));
  EXPECT_NEAR(force[1], lift, 0.03 * lift);
  // What pushes from the left pushes from the right; the rest is the sloshing of particles that leave their lattice.
  EXPECT_NEAR(force[0], 0, 0.02 * lift);
}

INSTANTIATE_TEST_SUITE_P(Solvers, PushedBodies, testing::Combine(testing::ValuesIn(pushingSolvers()), testing::Values(2, 3)),
                         lawName);

TEST_P(PushedBodiesInThePlane, AWallFeelsTheHydrostaticForce_CF11_X06) {
  const double d = 0.02, level = 0.4;
  Scene s = still(solver, 2, {0.5, 0.5, 0}, d, level, 0.2);
  s.fluid.blocks[0].shape.max[0] = 0.4;
  RigidBody b = bodyOf(box({0.4, 0, 0}, {0.5, 0.5, 0}));
  b.held = true;
  s.bodies.push_back(b);
  Simulation sim(s);
  const Vector force = forceOver(sim, 0.25, 0.45);
  const double push = s.fluid.density * g * level * level / 2;
  RecordProperty("push", std::to_string(force[0] / push));
  EXPECT_NEAR(force[0], push, 0.05 * push);
}

TEST_P(PushedBodiesInThePlane, ABodyOfTheFluidsDensityNeitherSinksNorRises_CF14) {
  const double d = 0.02;
  Scene s = still(solver, 2, {0.8, 0.8, 0}, d, 0.7, 0.2);
  s.bodies.push_back(bodyOf(box({0.2, 0.16, 0}, {0.6, 0.56, 0})));
  Simulation sim(s);
  sim.advanceTo(0.25);
  const Vector before = sim.snapshot().bodies[0].centre;
  sim.advanceTo(1);
  const Vector after = sim.snapshot().bodies[0].centre;
  // A lift wrong by 3 % of the weight would, with as much fluid carried along as the body displaces, move it by
  // 0.03 g/2 t^2/2 = 41 mm in 0.75 s.
  RecordProperty("risen", std::to_string(after[1] - before[1]));
  EXPECT_NEAR(after[1], before[1], d / 2);
}

TEST_P(PushedBodiesInThePlane, FluidThatABodyIsReleasedInLeavesItGently) {
  const double d = 0.02;
  Scene s = domain(solver, 2, {0.6, 0.8, 0}, d, "walls");
  fill(s, box({0, 0, 0}, {0.6, 0.4, 0}));
  s.fluid.blocks[0].in_solids = true;
  RigidBody b = bodyOf(box({0.2, 0.1, 0}, {0.4, 0.3, 0}));
  b.density = 800;
  s.bodies.push_back(b);
  s.time.dt_max = 0.002;
  Simulation sim(s);
  double fluid = 0, body = 0;
  while (sim.time() < 0.5) {
    fluid = std::max(fluid, sim.advance(0.5).max_speed);
    const BodyReport r = sim.snapshot().bodies[0];
    body = std::max(body, std::hypot(r.velocity[0], r.velocity[1]));
  }
  // A quarter of the volume has to go up by the tank's 0.6 m^2 x 1/15: no faster than a fall through the water's height.
  EXPECT_LT(fluid, std::sqrt(2 * g * 0.4));
  EXPECT_LT(body, 1);  // less than a body of no weight would rise by in 0.1 s
  // All of it has left, and none was lost.
  const Snapshot q = sim.snapshot();
  EXPECT_EQ(std::int64_t(q.size()), sim.facts().fluid_particles);
  const Vector c = q.bodies[0].centre;
  const std::array<double, 9>& R = q.bodies[0].rotation;
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double x = coordinate(q, i, 0) - c[0], y = coordinate(q, i, 1) - c[1];
    EXPECT_GT(std::max(std::abs(R[0] * x + R[3] * y), std::abs(R[1] * x + R[4] * y)), 0.1 - d / 4);
  }
}

TEST_P(PushedBodiesInThePlane, MomentumIsKeptWhileFluidLeavesABody_CF08) {
  if (hasGrid(solver)) GTEST_SKIP() << "fluid leaves by displacements, which carry no momentum";
  const double d = 0.02;
  Scene s = domain(solver, 2, {2, 2, 0}, d, "open");
  s.gravity = {0, 0, 0};
  fill(s, ball({1, 1, 0}, 0.3));
  s.fluid.blocks[0].in_solids = true;
  RigidBody b = bodyOf(box({0.9, 0.93, 0}, {1.2, 1.05, 0}));  // off the middle, so that it is pushed
  b.density = 500;
  s.bodies.push_back(b);
  s.time.dt_max = 0.002;
  if (solver == "wcsph") s.solver.numbers = {{"sound_speed", 20}};  // its own is that of a fall
  Simulation sim(s);
  StepReport last;
  const double mass = 500 * 0.3 * 0.12;  // [kg]
  double gross = 0, pushed = 0;
  while (sim.time() < 0.1) {
    last = sim.advance(1e9);
    gross = std::max(gross, grossMomentum(sim));
    const Vector v = sim.snapshot().bodies[0].velocity;
    pushed = std::max(pushed, mass * std::hypot(v[0], v[1]));
  }
  const BodyReport r = sim.snapshot().bodies[0];
  EXPECT_GT(pushed, 1e-2 * gross);  // there is something to keep
  // Rounding in float: 700 particles, 50 steps of up to 30 iterations (wcsph: 200 steps). What the last step's collisions and the
  // last forces of wcsph gave the fluid reaches the body with the next step.
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(last.momentum[k] + mass * r.velocity[k], 0, 1e-2 * gross) << k;
}

TEST_P(PushedBodiesInThePlane, AMotorInFluidThatStillFillsItsBodyResumesToTheBit_X04) {
  Scene s = domain(solver, 2, {0.6, 0.6, 0}, 0.02, "walls");
  fill(s, box({0, 0, 0}, {0.6, 0.3, 0}));
  s.fluid.blocks[0].in_solids = true;
  s.bodies.push_back(bodyOf(box({0.24, 0.1, 0}, {0.36, 0.4, 0})));
  Joint j;
  j.name = "motor", j.kind = "hinge", j.a = "body", j.point = {0.3, 0.25, 0}, j.motor_speed = 5, j.motor_limit = 500;
  s.joints.push_back(j);
  s.time.dt_max = 0.002;
  Simulation one(s), other(s);
  for (const double t : {0.03, 0.2, 0.4}) {  // full of fluid, its samples on their way in, as ever
    one.advanceTo(t);
    other.restore(one.save());
    one.advanceTo(t + 0.02);
    other.advanceTo(t + 0.02);
    EXPECT_EQ(one.stateHash(), other.stateHash()) << t;
    EXPECT_EQ(one.save(), other.save()) << t;
  }
}

TEST_P(PushedBodiesInThePlane, ABodyFasterThanTheFluidResumesToTheBit_X04) {
  Scene s = domain(solver, 2, {0.6, 0.6, 0}, 0.02, "walls");
  fill(s, box({0, 0, 0}, {0.6, 0.2, 0}));
  s.bodies.push_back(bodyOf(box({0.24, 0.24, 0}, {0.36, 0.34, 0})));
  s.bodies[0].velocity = {0.5, -4, 0}, s.bodies[0].spin = {0, 0, 3};
  Simulation one(s);
  for (const int steps : {3, 8}) {  // before it meets the water, which its speed and no other then bounds, and after
    stepped(one, steps);
    Simulation other(s);
    other.restore(one.save());
    stepped(one, 5), stepped(other, 5);
    EXPECT_EQ(one.time(), other.time());
    EXPECT_TRUE(one.save() == other.save());
  }
}

TEST_P(PushedBodiesInThePlane, TakingASnapshotChangesNothing) {
  Scene s = domain(solver, 2, {0.6, 0.8, 0}, 0.02, "walls");
  fill(s, box({0, 0, 0}, {0.6, 0.4, 0}));
  s.bodies.push_back(bodyOf(box({0.2, 0.4, 0}, {0.4, 0.5, 0})));
  Simulation watched(s), alone(s);
  for (int k = 0; k < 10; ++k) {
    watched.advance(1), alone.advance(1);
    watched.snapshot(), watched.capture().get();
  }
  EXPECT_EQ(watched.save(), alone.save());
  const Vector whole = alone.snapshot().bodies[0].force;
  EXPECT_EQ(watched.snapshot().bodies[0].force, whole);
  // Averages start anew where that is asked for, and nowhere else.
  watched.restartAverages();
  EXPECT_EQ(watched.snapshot().bodies[0].force, whole);
  watched.advance(1), alone.advance(1);
  EXPECT_NE(watched.snapshot().bodies[0].force, alone.snapshot().bodies[0].force);
  EXPECT_EQ(watched.stateHash(), alone.stateHash());
}

INSTANTIATE_TEST_SUITE_P(Solvers, PushedBodiesInThePlane, testing::ValuesIn(pushingSolvers()), planeLawName);

TEST(BodiesScene, OfASolverWithoutThemSaysWhoHasThem) {
  Scene s = domain("projective", 2, {1, 1, 0}, 0.02, "walls");
  fill(s, box({0, 0, 0}, {1, 0.3, 0}));
  s.bodies.push_back(bodyOf(box({0.6, 0.3, 0}, {0.8, 0.5, 0})));
  EXPECT_TRUE(validate(s).empty());
  Cloth rope;
  rope.name = "rope", rope.kind = "rope", rope.from = {0.1, 0.35, 0}, rope.to = {0.5, 0.35, 0}, rope.pins = {{0.1, 0.35, 0}};
  s.cloth.push_back(rope);
  ASSERT_EQ(validate(s).size(), 1u);
  EXPECT_EQ(validate(s)[0].what,
            "solver \"projective\" has no rigid bodies in a scene with cloth or soft bodies; these have: pbf");
  s.solver.name = "pbf";
  EXPECT_TRUE(validate(s).empty());
  // Both in one: the box falls by less than its height and is carried, where alone it would pass 2 m/s and the floor.
  s.bodies[0].density = 500;
  Simulation sim(s);
  EXPECT_LT(advanced(sim, 0.5).max_speed, 2);
  EXPECT_NEAR(sim.snapshot().bodies[0].centre[1], 0.3, 0.1);
}

}  // namespace

// Grid solvers have bodies in the pressure's own equation: light ones need no smaller steps than heavy ones.
class BodiesInAGrid : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(GridSolvers, BodiesInAGrid, testing::Values("flip", "apic"), planeLawName);

TEST_P(BodiesInAGrid, FloatAsDeepAsTheyAreDense) {
  for (const double density : {300.0, 500.0, 800.0}) {
    const double side = 0.3, depth = 0.5;
    Scene s = domain(GetParam(), 2, {1, 1, 0}, 0.0125, "walls");
    fill(s, box({0, 0, 0}, {1, depth, 0}));
    // Wide and low, so that it does not turn; it begins where it is to float, and the water has to hold it there.
    const double draft = density / 1000 * side, low = depth - draft;
    s.bodies.push_back(bodyOf(box({0.2, low, 0}, {0.8, low + side, 0})));
    s.bodies[0].density = density;
    Simulation sim(s);
    sim.advanceTo(2);
    double bottom = 0;
    const int parts = 100;
    for (int n = 1; n <= parts; ++n) {
      sim.advanceTo(2 + 0.02 * n);
      const Snapshot now = sim.snapshot();
      bottom += (now.bodies[0].centre[1] - side / 2) / parts;
    }
    // level 1 m = water + (level - bottom) 0.6 m
    const double water = double(sim.snapshot().size()) * 0.0125 * 0.0125, level = (water - 0.6 * bottom) / 0.4;
    EXPECT_NEAR((level - bottom) / side, density / 1000, 0.03) << density;  // 9 mm, a quarter of a cell
  }
}

// A motor, a joint or a wall: what holds a body in the water takes what the water leaves of its weight.
TEST_P(BodiesInAGrid, LightAndHeavyOnesNeedNoSmallerSteps) {
  for (const double density : {10.0, 20000.0}) {
    Scene s = domain(GetParam(), 2, {1, 1, 0}, 0.02, "walls");
    fill(s, box({0, 0, 0}, {1, 0.5, 0}));
    s.bodies.push_back(bodyOf(box({0.4, 0.2, 0}, {0.6, 0.4, 0})));
    s.bodies[0].density = density;
    Simulation sim(s);
    double height = 0;
    for (int n = 1; n <= 20; ++n) {
      sim.advanceTo(2 + 0.05 * n);
      height += sim.snapshot().bodies[0].centre[1] / 20;
    }
    if (density < 1000)
      EXPECT_NEAR(height, 0.46 + 0.1, 0.06);  // on the water that is left, 0.46 m deep, in waves of a cell and lying on any side
    else
      EXPECT_NEAR(height, 0.1, 0.01);  // on the floor
  }
}
