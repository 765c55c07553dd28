// Surface tension on a grid: a drop at rest, and one that swings.
#include "helpers.h"

using namespace brim;
using namespace brim::test;

namespace {

constexpr double R = 0.01, sigma = 0.072;  // [m], [N/m]; rho = 1000 kg/m^3

std::vector<std::string> gridSolvers() {
  std::vector<std::string> names;
  for (const SolverInfo& s : solvers())
    if (s.capabilities.grid) names.push_back(s.name);
  return names;
}

class GridDrop : public PlaneLaw {};
INSTANTIATE_TEST_SUITE_P(OfGrids, GridDrop, testing::ValuesIn(gridSolvers()), planeLawName);

// Ten cells across its radius.
Scene drop(const std::string& solver, int dimension) {
  Scene s = domain(solver, dimension, {0.04, 0.04, 0.04}, 0.001 / (dimension == 2 ? 3 : 2), "open");
  s.gravity = {0, 0, 0};
  s.fluid.viscosity = 0;
  s.fluid.surface_tension = sigma;
  s.time.dt = dimension == 2 ? 5e-4 : 1e-3;
  fill(s, ball({0.02, 0.02, dimension == 2 ? 0 : 0.02}, R));
  return s;
}

// The pressure in the middle of a drop at rest [Pa], the mean from 0.03 to 0.06 s; the largest speed [m/s] of its particles.
std::array<double, 2> atRest(const Scene& s, int dimension) {
  Simulation sim(s);
  double mean = 0, n = 0, speed = 0;
  while (sim.time() < 0.06) {
    const StepReport r = sim.advance(0.06);
    if (sim.time() < 0.03) continue;
    speed = std::max(speed, r.max_speed);
    const Snapshot now = sim.snapshot();
    for (std::size_t i = 0; i < now.size(); ++i) {
      double square = 0;
      for (int k = 0; k < dimension; ++k) square += std::pow(coordinate(now, i, k) - 0.02, 2);
      if (square < R * R / 4) mean += now.pressure[i], n += 1;
    }
  }
  return {mean / n, speed};
}

}  // namespace

// Laplace's pressure, within 3 %. What the curvature's noise sets in motion is 5 % of the speed sqrt(sigma/(rho R)) of the drop's
// own waves in 2D and up to 20 % in 3D, the fastest of all particles; the bounds are half as much again and twice.
TEST_P(GridDrop, HasLaplacesPressure) {
  for (const int dimension : {2, 3}) {
    const auto [pressure, speed] = atRest(drop(solver, dimension), dimension);
    const double exact = (dimension - 1) * sigma / R;
    EXPECT_NEAR(pressure, exact, 0.03 * exact) << dimension;
    EXPECT_LT(speed, (dimension == 2 ? 0.1 : 0.3) * std::sqrt(sigma / (1000 * R))) << dimension;
  }
}

// Rayleigh's frequency of the lowest mode, a cylinder's: omega^2 = 6 sigma/(rho R^3). Half a period after it began, the drop is
// round again. Within 5 %: ten cells, of which the smoothing of the curvature takes two percent.
TEST_P(GridDrop, SwingsWithRayleighsFrequency) {
  Scene s = drop(solver, 2);
  VelocityField strain;
  strain.kind = "strain";
  strain.centre = {0.02, 0.02, 0};
  strain.rate = 1.5;  // [1/s], a swing of 7 % of the radius
  s.fluid.blocks[0].fields.push_back(strain);
  const double half = std::acos(-1.0) / std::sqrt(6 * sigma / (1000 * R * R * R));
  Simulation sim(s);
  double last = 0, lastTime = 0, found = 0;
  while (found == 0 && sim.time() < 2 * half) {
    sim.advance(2 * half);
    const Snapshot now = sim.snapshot();
    double moment = 0;
    for (std::size_t i = 0; i < now.size(); ++i)
      moment += std::pow(coordinate(now, i, 0) - 0.02, 2) - std::pow(coordinate(now, i, 1) - 0.02, 2);
    if (sim.time() > half / 2 && last > 0 && moment <= 0) found = lastTime + (sim.time() - lastTime) * last / (last - moment);
    last = moment, lastTime = sim.time();
  }
  EXPECT_NEAR(found, half, 0.05 * half);
}

// Steps follow the shortest capillary waves.
TEST_P(GridDrop, BoundsTheStepByCapillaryWaves) {
  Scene s = drop(solver, 2);
  s.time.dt = 0;
  s.time.dt_max = 1;
  Simulation sim(s);
  const StepReport r = sim.advance(1);
  EXPECT_LE(r.dt, std::sqrt(1000 * 1e-9 / (4 * std::acos(-1.0) * sigma)) * 1.001);
  EXPECT_STREQ(r.dt_limit, "surface_tension");
}
