// Water by the grid solvers against closed solutions: waves of a fraction of a cell, still water.
#include "helpers.h"

using namespace brim;
using namespace brim::test;

namespace {

class FreeSurface : public PlaneLaw {};
INSTANTIATE_TEST_SUITE_P(GridSolvers, FreeSurface, testing::Values("flip", "apic"), planeLawName);

/// [m/s]
double meanVelocity(const Snapshot& s, int axis) {
  double sum = 0;
  for (std::size_t i = 0; i < s.size(); ++i) sum += s.velocity[3 * i + axis];
  return sum / double(s.size());
}

}  // namespace

// Gravity tilts by a twentieth: the first mode of the tank, omega^2 = g k tanh(k H), about the new level, two thirds of a cell
// high.
TEST_P(FreeSurface, SloshesForFourPeriods) {
  const double L = 1, H = 0.4, pi = std::acos(-1.0);
  Scene s = domain(solver, 2, {L, 0.7, 1}, H / 32, "walls");
  s.gravity = {0.05 * g, -g, 0};
  fill(s, box({0, 0, 0}, {L, H, 0}));
  Simulation sim(s);
  std::vector<double> crossing, largest = {0};  // times of rest [s]; the largest mean velocity between them [m/s]
  double before = 0;
  for (double t = 0.01; crossing.size() < 9 && t < 8; t += 0.01) {
    advanced(sim, t);
    const double now = meanVelocity(sim.snapshot(), 0);
    if (before * now < 0) crossing.push_back(t - 0.01 * now / (now - before)), largest.push_back(0);
    largest.back() = std::max(largest.back(), std::abs(now));
    before = now;
  }
  ASSERT_EQ(crossing.size(), 9u);
  const double k = pi / L, period = 2 * pi / std::sqrt(g * k * std::tanh(k * H));
  EXPECT_NEAR((crossing[8] - crossing[0]) / 4, period, 0.02 * period);
  EXPECT_GT(largest[8] / largest[0], 0.85);  // measured: 0.93 and 0.94; water itself keeps 0.97
  EXPECT_LT(largest[8] / largest[0], 1.05);  // energy does not grow
}

// At depths that are no whole number of cells the surface is where the particles are: p = rho g (H - y) everywhere.
TEST_P(FreeSurface, CarriesTheWeightOfStillWater) {
  for (const int layers : {20, 21, 23}) {
    Scene s = domain(solver, 3, {0.3, 0.7, 0.3}, 0.025, "walls");
    const double H = layers * s.resolution.spacing;
    fill(s, box({0, 0, 0}, {0.3, H, 0.3}));
    Simulation sim(s);
    advanced(sim, 0.2);
    const Snapshot now = sim.snapshot();
    double worst = 0;  // of a layer of particles one cell thick, over the pressure at the floor
    for (double low = 0; low < H - 0.05; low += 0.05) {
      double sum = 0, exact = 0, n = 0;
      for (std::size_t i = 0; i < now.size(); ++i)
        if (const double y = coordinate(now, i, 1); y > low && y < low + 0.05)
          sum += now.pressure[i], exact += 1000 * g * (H - y), ++n;
      worst = std::max(worst, std::abs(sum - exact) / n / (1000 * g * H));
    }
    EXPECT_LT(worst, 0.01) << layers << " layers";
  }
}

// A gate a third of a cell thin between deep and shallow water, at five places of the cells, upright and leaning: the levels stay
// and nothing comes through. A plate between two faces that cuts neither let jets of 0.9 to 1.2 m/s through; sqrt(g H) is 1.2
// m/s. What moves sloshes yet from finding its place in cut cells: up to 0.3 m/s.
TEST_P(FreeSurface, AGateThinnerThanACellHoldsWhereverItStands) {
  const double wide = 0.01, pi = std::acos(-1.0);
  for (const double lean : {0.0, 15.0})  // [deg]
    for (const double x : {0.36, 0.365, 0.37, 0.375, 0.38}) {
      Scene s = domain(solver, 2, {0.8, 0.4, 1}, 0.0095, "walls");
      const auto side = [&](double y, double half) {
        return x + half / std::cos(lean * pi / 180) - std::tan(lean * pi / 180) * (y - 0.15);
      };
      Shape deep, shallow;
      deep.kind = shallow.kind = "polygon";
      deep.points = {{0, 0, 0}, {side(0, -wide / 2), 0, 0}, {side(0.15, -wide / 2), 0.15, 0}, {0, 0.15, 0}};
      shallow.points = {{side(0, wide / 2), 0, 0}, {0.8, 0, 0}, {0.8, 0.04, 0}, {side(0.04, wide / 2), 0.04, 0}};
      fill(s, deep), fill(s, shallow);
      Solid gate;
      gate.shape = box({x - wide / 2, -0.1, 0}, {x + wide / 2, 0.4, 0});  // turned about its middle, at y = 0.15 m
      gate.shape.rotate = {0, 0, lean};
      s.solids.push_back(gate);
      Simulation sim(s);
      advanced(sim, 0.2);
      double fastest = 0, right = 0, n = 0;
      while (sim.time() < 0.6) {
        const StepReport r = sim.advance(1);
        fastest = std::max(fastest, r.max_speed);
      }
      const Snapshot now = sim.snapshot();
      for (std::size_t i = 0; i < now.size(); ++i)
        if (coordinate(now, i, 0) > 0.55) right += coordinate(now, i, 1), ++n;
      EXPECT_LT(fastest, 0.4) << x << " " << lean;
      EXPECT_NEAR(2 * right / n, 0.04, 0.004) << x << " " << lean;
    }
}

// Nothing holds water at a ceiling: it falls as a stone does.
TEST_P(FreeSurface, LetsGoOfALid) {
  Scene s = domain(solver, 2, {0.6, 1, 1}, 0.02, "walls");
  fill(s, box({0, 0.76, 0}, {0.6, 1, 0}));
  Simulation sim(s);
  const double start = mean(sim.snapshot(), 1);
  advanced(sim, 0.2);
  EXPECT_NEAR(start - mean(sim.snapshot(), 1), g * 0.2 * 0.2 / 2, 0.05 * g * 0.2 * 0.2 / 2);
}

// After a drop has fallen into a pool, particles are everywhere in the bulk, and the level gauge reads no holes: the largest disc
// without a particle there has a radius of less than 0.75 cells, and the level at three places is that of the volume on the mean
// of a second.
TEST_P(FreeSurface, HasNoVoidsAfterADrop) {
  Scene s = domain(solver, 2, {1, 1, 1}, 0.0125, "walls");
  fill(s, box({0, 0, 0}, {1, 0.3, 0}));
  fill(s, ball({0.5, 0.6, 0}, 0.1), {0, -1, 0});
  for (const double x : {0.01, 0.3, 0.8}) {
    Gauge level;
    level.name = "x" + std::to_string(int(100 * x)), level.from = {x, 0.02, 0}, level.to = {x, 0.98, 0};
    s.gauges.push_back(level);
  }
  Simulation sim(s);
  double mean = 0;
  int readings = 0;
  for (double t = 2; t < 3; t += 0.05) {
    advanced(sim, t);
    for (const GaugeReport& g : sim.snapshot().gauges) {
      mean += g.value(), ++readings;
      EXPECT_GT(g.value(), 0.2) << g.name << " at " << t << " s";
    }
  }
  const double area = 0.3 + std::acos(-1.0) * 0.1 * 0.1;
  EXPECT_NEAR(mean / readings, area, 0.03 * area);
  const Snapshot now = sim.snapshot();
  double widest = 0;
  for (double x = 0.05; x < 0.96; x += 0.01)
    for (double y = 0.05; y < 0.22; y += 0.01) {
      double least = 1e30;
      for (std::size_t i = 0; i < now.size(); ++i)
        least = std::min(least, std::hypot(coordinate(now, i, 0) - x, coordinate(now, i, 1) - y));
      widest = std::max(widest, least);
    }
  EXPECT_LT(widest, 0.75 * cellOf(s));
}
