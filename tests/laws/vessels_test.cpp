// Water in connected vessels stands at one level, whatever lies between them; there is no air that could hold a void open.
#include "helpers.h"

using namespace brim;
using namespace brim::test;

namespace {

constexpr double spacing = 0.0125;  // [m]

Solid block(const char* name, const Vector& low, const Vector& high) {
  Solid s;
  s.name = name, s.shape = box(low, high);
  return s;
}

/// Two wells of 0.2 m, joined by a channel of 0.2 m under a block: levels of 0.6 m on the mean. Ten spacings wide.
Scene wells(const std::string& solver, double difference) {
  Scene s = domain(solver, 2, {1, 1, 0}, 0.02, "walls");
  s.solids.push_back(block("block", {0.2, 0.2, 0}, {0.8, 1.1, 0}));
  fill(s, box({0, 0, 0}, {1, 0.2, 0}));
  fill(s, box({0, 0.2, 0}, {0.2, 0.6 + difference / 2, 0}));
  fill(s, box({0.8, 0.2, 0}, {1, 0.6 - difference / 2, 0}));
  return s;
}

/// Levels [m] over a foot: by the volume of the particles above it.
struct Well {
  double low, high, foot;  // [m]
};
double level(const Snapshot& s, const Well& w, double volume, double depth) {
  double n = 0;
  for (std::size_t i = 0; i < s.size(); ++i)
    n += coordinate(s, i, 0) > w.low && coordinate(s, i, 0) < w.high && coordinate(s, i, 1) > w.foot;
  return w.foot + n * volume / ((w.high - w.low) * depth);
}

/// Means over time from `start` to `end`: levels, and the root of the mean square speed.
struct Means {
  double left = 0, right = 0, speed = 0;  // [m], [m], [m/s]
};
Means observe(const Scene& s, const Well& a, const Well& b, double start, double end) {
  Simulation sim(s);
  const double volume = sim.facts().particle_mass / s.fluid.density, depth = s.dimension == 3 ? s.domain.max[2] : 1;
  advanced(sim, start);
  Means m;
  const int frames = 40;
  for (int f = 1; f <= frames; ++f) {
    const StepReport r = advanced(sim, start + (end - start) * f / frames);
    const Snapshot now = sim.snapshot();
    m.left += level(now, a, volume, depth) / frames;
    m.right += level(now, b, volume, depth) / frames;
    m.speed += 2 * r.kinetic_energy / (sim.facts().particle_mass * double(now.size())) / frames;
  }
  m.speed = std::sqrt(m.speed);
  return m;
}

class Vessels : public PlaneLaw {};
BRIM_PLANE_LAWS(Vessels);

/// Solvers with a coarse level that moves the fluid.
class Multilevel : public PlaneLaw {};
INSTANTIATE_TEST_SUITE_P(OfPositions, Multilevel, testing::Values("pbf", "projective"), planeLawName);

}  // namespace

// A period is 2 pi sqrt(1.8 m / 2 g) = 1.9 s: means over the third and fourth are the levels that it comes to.
TEST_P(Vessels, ThatAreConnectedEndLevel) {
  const Means m = observe(wells(solver, 0.04), {0, 0.2, 0.2}, {0.8, 1, 0.2}, 3.9, 7.7);
  // With the cubic kernel the lattice of `constraint` holds a shear of about half a per cent of its pressure
  // (docs/validation.md). Over both walls of a well that is 0.005 rho g h^2, which carries 0.005 h^2/w = 9 mm of water. -3 to 11
  // mm are seen for other dampings.
  const double held = solver == "constraint" ? 0.005 * 0.6 * 0.6 / 0.2 : 0.01 * 0.6;
  EXPECT_NEAR(m.left, m.right, held);
  EXPECT_NEAR((m.left + m.right) / 2, 0.6, 0.01 * 0.6);
}

// From rest: a void under the block would lift both levels and keep its rims moving.
TEST_P(Multilevel, WaterUnderACeilingStaysThere) {
  const Means m = observe(wells(solver, 0), {0, 0.2, 0.2}, {0.8, 1, 0.2}, 2, 3);
  EXPECT_NEAR((m.left + m.right) / 2, 0.6, 0.01 * 0.6);
  EXPECT_LT(m.speed, 0.03 * std::sqrt(g * 0.6));  // 0.02 is left; over a void it was 0.2
}

// The channel's lid and the wells' inner walls are plates of two spacings with nothing behind them.
TEST_P(Multilevel, PlatesAreWalls) {
  Scene s = wells(solver, 0.08);
  s.solids = {block("lid", {0.2, 0.2, 0}, {0.8, 0.24, 0}), block("left", {0.2, 0.2, 0}, {0.24, 1.1, 0}),
              block("right", {0.76, 0.2, 0}, {0.8, 1.1, 0})};
  const Means m = observe(s, {0, 0.2, 0.2}, {0.8, 1, 0.2}, 3.9, 7.7);
  const double part = solver == "pbf" ? 0.0125 : 0.01;  // 1.2 % apart: docs/methods/pbf.md, Limits
  EXPECT_NEAR(m.left, m.right, part * 0.6);
  EXPECT_NEAR((m.left + m.right) / 2, 0.6, part * 0.6);
}

// A wall of four spacings with an opening at its foot.
TEST_P(Multilevel, LevelsMeetThroughANarrowNeck) {
  for (const int wide : {4, 7, 10}) {  // spacings
    Scene s = domain(solver, 2, {0.5, 0.5, 0}, spacing, "walls");
    const double top = wide * spacing;
    s.solids.push_back(block("wall", {0.225, top, 0}, {0.275, 0.6, 0}));
    fill(s, box({0, 0, 0}, {0.225, 0.325, 0}));
    fill(s, box({0.275, 0, 0}, {0.5, 0.275, 0}));
    fill(s, box({0.225, 0, 0}, {0.275, top, 0}));
    const Means m = observe(s, {0, 0.225, 0}, {0.275, 0.5, 0}, 3, 5);
    EXPECT_NEAR(m.left, m.right, 0.01 * 0.3) << wide;
    EXPECT_NEAR((m.left + m.right) / 2, 0.3, 0.01 * 0.3) << wide;
  }
}

// Free streamlines at a sluice gate: a jet of c = pi/(pi + 2) of the slot's height, so that sqrt(h - c) falls evenly.
TEST_P(Multilevel, ATankEmptiesThroughASlotAsFreeStreamlinesDo) {
  const double d = 0.01, slot = 0.05, width = 0.5, c = slot * 3.14159265358979 / (3.14159265358979 + 2);  // [m]
  Scene s = domain(solver, 2, {3, 0.7, 0}, d, "walls");
  s.solids.push_back(block("gate", {width, slot, 0}, {width + 0.05, 0.8, 0}));
  fill(s, box({0, 0, 0}, {width, 0.5, 0}));
  Simulation sim(s);
  const double volume = sim.facts().particle_mass / s.fluid.density;
  const auto height = [&](double t) {
    advanced(sim, t);
    return level(sim.snapshot(), {0, width, 0}, volume, 1);
  };
  const double before = height(0.2), after = height(0.8);
  const double fall = std::sqrt(before - c) - std::sqrt(after - c), exact = c / width * std::sqrt(g / 2) * 0.6;
  RecordProperty("fall", std::to_string(fall / exact));
  EXPECT_NEAR(fall, exact, 0.05 * exact);  // theory is good to 2 % for a sharp gate; with the coarse level it was 0.65
}

// Up, along and down again.
TEST_P(Multilevel, ABentPipeStaysFull) {
  Scene s = domain(solver, 2, {0.8, 0.6, 0}, spacing, "walls");
  s.solids = {block("first", {0.1, 0.1, 0}, {0.3, 0.7, 0}), block("second", {0.3, 0.3, 0}, {0.7, 0.7, 0}),
              block("below", {0.4, -0.1, 0}, {0.7, 0.2, 0})};
  fill(s, box({0, 0, 0}, {0.1, 0.425, 0}));
  fill(s, box({0.1, 0, 0}, {0.3, 0.1, 0}));
  fill(s, box({0.3, 0, 0}, {0.4, 0.3, 0}));
  fill(s, box({0.4, 0.2, 0}, {0.7, 0.3, 0}));
  fill(s, box({0.7, 0, 0}, {0.8, 0.375, 0}));
  const Means m = observe(s, {0, 0.1, 0}, {0.7, 0.8, 0}, 3, 6);
  EXPECT_NEAR((m.left + m.right) / 2, 0.4, 0.015 * 0.4);
}

// A cup of 0.15 m, upside down, pushed below the surface.
TEST(MultilevelPbf, ACupThatIsPushedIntoWaterFills) {
  Scene s = domain("pbf", 2, {0.6, 0.6, 0}, spacing, "walls");
  fill(s, box({0, 0, 0}, {0.6, 0.35, 0}));
  for (const Solid& part : {block("bottom", {0.175, 0.55, 0}, {0.425, 0.6, 0}), block("left", {0.175, 0.4, 0}, {0.225, 0.55, 0}),
                            block("right", {0.375, 0.4, 0}, {0.425, 0.55, 0})}) {
    s.solids.push_back(part);
    s.solids.back().motion.velocity = {0, -0.25, 0};
    s.solids.back().motion.stop = 1.2;
  }
  Simulation sim(s);
  advanced(sim, 3);
  const Snapshot now = sim.snapshot();
  double inside = 0;
  for (std::size_t i = 0; i < now.size(); ++i)
    inside += coordinate(now, i, 0) > 0.225 && coordinate(now, i, 0) < 0.375 && coordinate(now, i, 1) > 0.1 &&
              coordinate(now, i, 1) < 0.25;
  const double full = 0.15 * 0.15 / (spacing * spacing);
  EXPECT_GT(inside, 0.97 * full);
}

TEST_P(Multilevel, ConnectedVesselsEndLevelInSpace) {
  Scene s = domain(solver, 3, {0.8, 0.6, 0.2}, 0.025, "walls");
  s.solids.push_back(block("block", {0.2, 0.2, -0.1}, {0.6, 0.7, 0.3}));
  fill(s, box({0, 0, 0}, {0.8, 0.2, 0.2}));
  fill(s, box({0, 0.2, 0}, {0.2, 0.425, 0.2}));
  fill(s, box({0.6, 0.2, 0}, {0.8, 0.375, 0.2}));
  const Means m = observe(s, {0, 0.2, 0.2}, {0.6, 0.8, 0.2}, 1.5, 4.4);
  EXPECT_NEAR(m.left, m.right, 0.02 * 0.4);
  EXPECT_NEAR((m.left + m.right) / 2, 0.4, 0.02 * 0.4);  // a settled lattice is 1 to 2 % smaller: docs/methods/pbf.md
}
