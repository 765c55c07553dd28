// Friction on a grid against closed solutions that need no periodic sides, and what stiff liquids must not do.
#include "helpers.h"

using namespace brim;
using namespace brim::test;

namespace {

std::vector<std::string> gridSolvers() {
  std::vector<std::string> names;
  for (const SolverInfo& s : solvers())
    if (s.capabilities.grid) names.push_back(s.name);
  return names;
}

class GridViscosity : public PlaneLaw {};
INSTANTIATE_TEST_SUITE_P(OfGrids, GridViscosity, testing::ValuesIn(gridSolvers()), planeLawName);

// [m/s] at r in a drum of radius 1 m that begins to turn with 1 rad/s at t = 0, full of liquid with nu = 0.01 m^2/s: a series
// over the zeros of J1 (Batchelor 1967, Sec. 4.5).
double spinUp(double r, double t) {
  double u = r, zero = 3.8317;
  for (int n = 0; n < 12; ++n, zero += std::acos(-1.0)) {
    for (int k = 0; k < 20; ++k)  // Newton: J1' = J0 - J1/x
      zero -= std::cyl_bessel_j(1, zero) / (std::cyl_bessel_j(0, zero) - std::cyl_bessel_j(1, zero) / zero);
    u += 2 * std::cyl_bessel_j(1, zero * r) / (zero * std::cyl_bessel_j(0, zero)) * std::exp(-zero * zero * 0.01 * t);
  }
  return u;
}

}  // namespace

// The wall of the drum is a staircase of cells, 40 of them across, of first order: a cell is a twentieth of the radius, and so is
// the bound. With 27 of them the angular momentum is 6 % off.
TEST_P(GridViscosity, SpinsUpInADrumAsTheSeriesSays) {
  Scene s = domain(solver, 2, {2.2, 2.2, 1}, 0.05 / 3, "walls");
  s.gravity = {0, 0, 0};
  s.fluid.viscosity = 10;
  Solid drum;
  drum.shape = ball({1.1, 1.1, 0}, 1);
  drum.shape.inside_out = true;
  drum.motion.rate = 1;
  drum.motion.pivot = {1.1, 1.1, 0};
  s.solids.push_back(drum);
  fill(s, ball({1.1, 1.1, 0}, 1));
  Simulation sim(s);
  for (const double t : {2.0, 8.0}) {
    while (sim.time() < t) sim.advance(t);
    const Snapshot now = sim.snapshot();
    double error = 0, mean = 0, exact = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const double x = coordinate(now, i, 0) - 1.1, y = coordinate(now, i, 1) - 1.1, r = std::hypot(x, y);
      if (r < 1e-6) continue;
      const double u = (x * now.velocity[3 * i + 1] - y * now.velocity[3 * i]) / r, e = spinUp(r, t);
      error += (u - e) * (u - e) / double(now.size());
      mean += u * r / double(now.size()), exact += e * r / double(now.size());
    }
    EXPECT_LT(std::sqrt(error), 0.05) << t << " s";
    EXPECT_NEAR(mean, exact, 0.05 * exact) << t << " s";
  }
}

// A slender column on a floor that does not hold it: the stress of its weight over Trouton's viscosity of a plane, 4 mu, strains
// it, and its top sinks with rho g h^2/(8 mu). It bends the rows by (w/h)^2 = 4 % at most; half a cell at the top flies.
TEST_P(GridViscosity, SlumpsUnderItsWeightAsTroutonSays) {
  Scene s = domain(solver, 2, {0.99, 0.99, 1}, 0.01, "walls");  // a third of a cell at the walls would be 5 %
  s.domain.slip = {"free", 0};
  s.fluid.viscosity = 1e4;
  fill(s, box({0, 0, 0}, {0.15, 0.75, 0}));
  Simulation sim(s);
  while (sim.time() < 0.1) sim.advance(0.1);
  const Snapshot now = sim.snapshot();
  double top = 0, n = 0;
  for (std::size_t i = 0; i < now.size(); ++i)
    if (coordinate(now, i, 1) > 0.69) top -= now.velocity[3 * i + 1], n += 1;
  ASSERT_GT(n, 0);
  const double h = 0.75, y = 0.72, exact = 1000 * g / (4 * 1e4) * (h * y - y * y / 2);
  EXPECT_NEAR(top / n, exact, 0.05 * exact);
}

// Pitch that falls keeps its shape: mu/(rho g R) is 20 s here, and it has fallen to the floor for a tenth of one.
TEST_P(GridViscosity, LeavesABallOfPitchItsShape) {
  Scene s = domain(solver, 2, {0.4, 0.4, 1}, 0.005, "walls");
  s.fluid.viscosity = 1e4;
  fill(s, ball({0.2, 0.07, 0}, 0.05));
  Simulation sim(s);
  double last = 1e30, rise = 0;
  while (sim.time() < 0.2) {
    const StepReport r = sim.advance(0.2);
    const double energy = r.kinetic_energy + r.potential_energy;
    rise = std::max(rise, energy - last);
    last = energy;
  }
  EXPECT_LT(rise, 1e-4 * last);
  const Snapshot now = sim.snapshot();
  double low[2] = {1, 1}, high[2] = {0, 0};
  for (std::size_t i = 0; i < now.size(); ++i)
    for (int k = 0; k < 2; ++k)
      low[k] = std::min(low[k], coordinate(now, i, k)), high[k] = std::max(high[k], coordinate(now, i, k));
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(high[k] - low[k], 0.1, 0.01) << k;  // a spacing at both ends
}

// A rigid motion has no strain rate: pitch turns as long as water does.
TEST_P(GridViscosity, LeavesARigidRotationAlone) {
  const auto energy = [&](double viscosity) {
    Scene s = domain(solver, 2, {2, 2, 1}, 0.02, "open");
    s.gravity = {0, 0, 0};
    s.fluid.viscosity = viscosity;
    fill(s, ball({1, 1, 0}, 0.3));
    VelocityField turn;
    turn.kind = "rotation";
    turn.centre = {1, 1, 0};
    turn.rate = 3;
    s.fluid.blocks[0].fields.push_back(turn);
    Simulation sim(s);
    StepReport r;
    while (sim.time() < 0.5) r = sim.advance(0.5);
    return r.kinetic_energy;
  };
  const double water = energy(0), pitch = energy(1e4);
  EXPECT_GT(pitch, 0.97 * water);
}

// A block of honey on a moving plate, with 1 and 3 threads, and from a save halfway.
TEST_P(GridViscosity, HasTheSameBitsForAnyThreadsAndAfterARestore) {
  Scene s = domain(solver, 3, {0.4, 0.4, 0.4}, 0.01, "walls");
  s.fluid.viscosity = 50;
  fill(s, box({0.05, 0.05, 0.1}, {0.25, 0.3, 0.3}));
  Solid plate;
  plate.shape = box({-0.1, -0.1, -0.1}, {0.5, 0.045, 0.5});
  plate.surface_velocity = {0.5, 0, 0};
  s.solids.push_back(plate);
  const auto run = [&](int threads) {
    Simulation sim(s, {.precision = "single", .threads = threads, .flavour = ""});
    stepped(sim, 30);
    return sim.stateHash();
  };
  const std::uint64_t one = run(1);
  EXPECT_EQ(run(3), one);
  Simulation first(s, {.precision = "single", .threads = 2, .flavour = ""});
  stepped(first, 15);
  const std::vector<char> state = first.save();
  Simulation second(s, {.precision = "single", .threads = 2, .flavour = ""});
  second.restore(state);
  stepped(second, 15);
  EXPECT_EQ(second.stateHash(), one);
}
