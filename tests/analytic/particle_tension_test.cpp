// Surface tension of the particle solvers: drops in the plane and in space against exact solutions.
#include "helpers.h"

using namespace brim;
using namespace brim::test;

namespace {

constexpr double R = 0.01, sigma = 0.072, rho = 1000;  // [m], [N/m], [kg/m^3]

std::vector<std::string> particleSolvers() {
  std::vector<std::string> names;
  for (const SolverInfo& s : solvers())
    if (s.capabilities.surface_tension && !s.capabilities.grid) names.push_back(s.name);
  return names;
}

class ParticleDrop : public PlaneLaw {};
INSTANTIATE_TEST_SUITE_P(OfParticles, ParticleDrop, testing::ValuesIn(particleSolvers()), planeLawName);

Scene around(const std::string& solver, int dimension, double spacing) {
  Scene s = domain(solver, dimension, {0.04, 0.04, dimension == 3 ? 0.04 : 0}, spacing, "open");
  s.gravity = {0, 0, 0};
  s.fluid.viscosity = 0;
  s.fluid.surface_tension = sigma;
  s.time.dt_max = 1;
  return s;
}
Scene drop(const std::string& solver, int dimension, double across) {
  Scene s = around(solver, dimension, R / across);
  fill(s, ball({0.02, 0.02, dimension == 3 ? 0.02 : 0}, R));
  return s;
}

// Second moments about the centre of mass, along x minus along y over their sum.
double flatness(const Snapshot& now) {
  double difference = 0, sum = 0;
  const double cx = mean(now, 0), cy = mean(now, 1);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const double x = coordinate(now, i, 0) - cx, y = coordinate(now, i, 1) - cy;
    difference += x * x - y * y, sum += x * x + y * y;
  }
  return difference / sum;
}

// Mean pressure within R/2 [Pa] of the second half of the time; the last report.
double pressureWithin(Simulation& sim, int dimension, double until) {
  double sum = 0, n = 0;
  while (sim.time() < until) {
    sim.advance(until);
    if (sim.time() < until / 2) continue;
    const Snapshot now = sim.snapshot();
    for (std::size_t i = 0; i < now.size(); ++i) {
      double square = 0;
      for (int k = 0; k < dimension; ++k) square += std::pow(coordinate(now, i, k) - 0.02, 2);
      if (square < R * R / 4) sum += now.pressure[i], n += 1;
    }
  }
  return sum / n;
}

}  // namespace

// Laplace's pressure sigma/R of a cylinder. From 9 to 16 spacings and for all solvers 0.98 to 1.03 of it was measured; in a time
// as short as here the outer layer has not come to rest.
TEST_P(ParticleDrop, HasLaplacesPressureAtTwoResolutions) {
  for (const double across : {9.0, 13.0}) {
    Simulation sim(drop(solver, 2, across));
    EXPECT_NEAR(pressureWithin(sim, 2, 0.3), sigma / R, 0.05 * sigma / R) << across;
  }
}

// 2 sigma/R of a ball. Seven spacings across its radius: a shift of the surface by 0.3 spacings is 4 % of the curvature.
TEST_P(ParticleDrop, HasLaplacesPressureInSpace) {
  Simulation sim(drop(solver, 3, 7));
  EXPECT_NEAR(pressureWithin(sim, 3, 0.1), 2 * sigma / R, 0.08 * 2 * sigma / R);
}

// omega^2 = 6 sigma/(rho R^3), a cylinder's lowest mode (Rayleigh 1879): after half a period the drop is round again. 3 to 5 %
// too slow was measured; the smoothing of the curvature takes exp(-passes (2 d/R)^2/4) = 0.97 of the stiffness at 11 spacings.
TEST_P(ParticleDrop, SwingsWithRayleighsFrequency) {
  Scene s = drop(solver, 2, 11);
  const double omega = std::sqrt(6 * sigma / (rho * R * R * R)), half = std::acos(-1.0) / omega;
  VelocityField strain;
  strain.kind = "strain";
  strain.centre = {0.02, 0.02, 0};
  strain.rate = 0.1 * omega;  // a swing of 10 % of the radius
  s.fluid.blocks[0].fields.push_back(strain);
  Simulation sim(s);
  std::vector<double> round;
  double last = 0, lastTime = 0;
  while (round.size() < 3 && sim.time() < 4 * half) {
    sim.advance(4 * half);
    const double now = flatness(sim.snapshot());
    if (sim.time() > half / 3 && last * now < 0) round.push_back(lastTime + (sim.time() - lastTime) * last / (last - now));
    last = now, lastTime = sim.time();
  }
  ASSERT_EQ(round.size(), 3u);
  EXPECT_NEAR(round[2] / (3 * half), 1, 0.06);
}

// Forces of a closed surface have no sum and no moment: what drift there is is rounding, over the 500 steps of a square of water
// that becomes round. It began with |x^2 - y^2| = 0 and a fourth moment of a square.
TEST_P(ParticleDrop, TurnsASquareRoundAndKeepsItsMomenta) {
  const double d = R / 10;
  Scene s = around(solver, 2, d);
  fill(s, box({0.011, 0.011, 0}, {0.029, 0.029, 0}));
  Simulation sim(s);
  const auto squareness = [&] {  // of cos 4 phi: -1/7 * r^4-weighted for a square, 0 for a disc
    const Snapshot now = sim.snapshot();
    double fourth = 0, sum = 0;
    const double cx = mean(now, 0), cy = mean(now, 1);
    for (std::size_t i = 0; i < now.size(); ++i) {
      const double x = coordinate(now, i, 0) - cx, y = coordinate(now, i, 1) - cy, r2 = x * x + y * y;
      fourth += r2 * r2 - 8 * x * x * y * y, sum += r2 * r2;
    }
    return fourth / sum;
  };
  const double before = std::abs(squareness());
  const StepReport r = advanced(sim, 0.4);
  // The wave of four lobes swings and dies: a third is left at most.
  EXPECT_LT(std::abs(squareness()), before / 3);
  const Snapshot now = sim.snapshot();
  const double speed = std::sqrt(sigma / (rho * R)), mass = rho * 0.018 * 0.018;
  double spin = 0;
  const double cx = mean(now, 0), cy = mean(now, 1);
  for (std::size_t i = 0; i < now.size(); ++i)
    spin += (coordinate(now, i, 0) - cx) * now.velocity[3 * i + 1] - (coordinate(now, i, 1) - cy) * now.velocity[3 * i];
  spin /= double(now.size());
  // Single precision, some 1e3 steps and 30 pushes in each: 1e-7 sqrt(3e4) = 2e-5 of single velocities, less in their sum.
  EXPECT_LT(std::hypot(r.momentum[0], r.momentum[1]), 1e-5 * mass * speed);
  EXPECT_LT(std::abs(spin), 1e-4 * R * speed);
}

TEST_P(ParticleDrop, BoundsTheStepByCapillaryWaves) {
  Scene s = drop(solver, 2, 9);
  Simulation sim(s);
  const StepReport r = sim.advance(1);
  const double d = R / 9;
  EXPECT_LE(r.dt, std::sqrt(rho * d * d * d / (4 * std::acos(-1.0) * sigma)) * 1.001);
}

TEST_P(ParticleDrop, HasTheSameBitsForAnyThreads) {
  std::vector<double> first;
  for (const int threads : {1, 3}) {
    Options o;
    o.threads = threads;
    Simulation sim(drop(solver, 2, 13), o);
    stepped(sim, 20);
    if (threads == 1)
      first = sim.snapshot().position;
    else
      EXPECT_EQ(sim.snapshot().position, first);
  }
}

// No particle moves in a pool that fills its vessel from wall to wall: its surface is plane, and solids have no surface.
TEST_P(ParticleDrop, LeavesAPlanePoolAlone) {
  Scene s = domain(solver, 2, {0.03, 0.03, 0}, 0.001, "walls");
  s.gravity = {0, -9.81, 0};
  fill(s, box({0, 0, 0}, {0.03, 0.015, 0}));
  Simulation still(s);
  s.fluid.surface_tension = sigma;
  Simulation sim(s);
  const auto height = [](const Simulation& of) { return mean(of.snapshot(), 1); };
  const double h = height(sim);
  EXPECT_LT(advanced(sim, 0.1).max_speed, 0.05);  // [m/s] of a free fall of 0.13 mm, an eighth of a spacing
  advanced(still, 0.1);
  EXPECT_NEAR(height(sim), height(still), 0.02 * h);
}
