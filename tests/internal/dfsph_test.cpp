// Steps of DFSPH against the paper's sums, written out over all pairs in double.
#include <gtest/gtest.h>

#include "cloud.h"
#include "solvers/solver.h"
#include "sph/lattice.h"

using namespace brim;

namespace {

constexpr double d = 0.05, dt = 2e-3;  // [m], [s]

template <class N>
struct Dfsph : testing::Test {
  static constexpr int D = N::value;
  using V = Vec<D, double>;

  static Scene scene(double divergenceIterations, double divergenceTolerance) {
    Scene s = emptyScene<D>(d, {0, 0, 0}, {1, 1, 1}, "walls");
    s.solver.name = "dfsph";
    s.solver.choices = {{"kernel", "cubic"}};
    s.solver.numbers = {{"divergence_iterations", divergenceIterations},
                        {"divergence_tolerance", divergenceTolerance},
                        {"tolerance", 1},
                        {"alpha", 0}};
    s.time.dt = dt;
    return s;
  }
  // In a corner, and flowing together.
  static constexpr int n = D == 3 ? 7 : 14;
  static brim::Setup lump(const Scene& s) { return setupOf<D>(s, shakenLattice<D>(n, {0, 0, 0}, d, 0.05 * d)); }
  static void flowTogether(World<D>& w) {
    for (int i = 0; i < w.fluid.size(); ++i)
      for (int k = 0; k < D; ++k) w.fluid.v.data[i].x[k] = Real(-4 * (w.fluid.p.data[i].x[k] - 0.5 * n * d));
  }

  // D rho_i/Dt [kg/(m^3 s)] with these velocities; walls rest.
  static double rate(const Plain<D>& f, const std::vector<V>& v, int i) {
    double sum = 0;
    for (std::size_t j = 0; j < f.x.size(); ++j) sum += f.m * dot(v[i] - v[j], f.W.grad(f.x[i] - f.x[j]));
    for (std::size_t k = 0; k < f.wall.size(); ++k) sum += f.wallMass[k] * dot(v[i], f.W.grad(f.x[i] - f.wall[k]));
    return sum;
  }
  // What a step compresses too much, in parts of rho0; a particle below 0.99 rho0 has that much room.
  static double excess(const Plain<D>& f, const std::vector<V>& v, int i) {
    return (dt * rate(f, v, i) - std::max(0.0, 0.99 * f.rho0 - f.density(f.x[i]))) / f.rho0;
  }
  static double meanExcess(const Plain<D>& f, const std::vector<V>& v) {
    double sum = 0;
    for (int i = 0; i < int(f.x.size()); ++i) sum += std::max(0.0, excess(f, v, i));
    return sum / double(f.x.size());
  }
};

using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(Dfsph, Dimensions);

}  // namespace

TYPED_TEST(Dfsph, TheFirstIterationPushesByThePapersFactor) {
  constexpr int D = TestFixture::D;
  using V = typename TestFixture::V;
  const Scene s = this->scene(1, 0);
  World<D> w(this->lump(s));
  this->flowTogether(w);
  const Plain<D> f(w);
  const int n = int(f.x.size());
  const double omega = 1 / (1.15 * restWaves<D>(Cubic<D>(w.support), w.spacing, w.support).largest);
  // p_i = omega rho0^2 e_i / (dt^2 B_i), B_i = |sum_j m_j grad W_ij|^2 + sum_j |m_j grad W_ij|^2 = rho_i / alpha_i of the paper.
  std::vector<double> p(n);
  int pushed = 0;
  for (int i = 0; i < n; ++i) {
    V sum{};
    double squares = 0;
    for (int j = 0; j < n; ++j) {
      const V g = f.m * f.W.grad(f.x[i] - f.x[j]);
      sum += g, squares += dot(g, g);
    }
    for (std::size_t k = 0; k < f.wall.size(); ++k) sum += 2 * f.wallMass[k] * f.W.grad(f.x[i] - f.wall[k]);
    p[i] = std::max(0.0, omega * f.rho0 * f.rho0 * f.rho0 * this->excess(f, f.v, i) / (dt * dt * (dot(sum, sum) + squares)));
    pushed += p[i] > 0;
  }
  ASSERT_GT(pushed, n / 4);
  StepReport report;
  stepOnce(w, *makeSolver<D>(s), dt, report);
  const Plain<D> end(w);
  for (int i = 0; i < n; ++i) {
    V v = f.v[i];
    for (int j = 0; j < n; ++j) v -= (dt / (f.rho0 * f.rho0) * f.m * (p[i] + p[j])) * f.W.grad(f.x[i] - f.x[j]);
    for (std::size_t k = 0; k < f.wall.size(); ++k)
      v -= (dt / (f.rho0 * f.rho0) * 2 * p[i] * f.wallMass[k]) * f.W.grad(f.x[i] - f.wall[k]);
    bool held = false;  // by the distance to the wall, not by its samples
    for (int k = 0; k < D; ++k) held |= end.x[i][k] <= 1.01 * w.clearance;
    if (held) continue;
    // Speeds are up to 2 m/s; densities in float are good to 1e-6 of rho0, and 1e-6 of it within dt is 1e-3 1/s of rate.
    for (int k = 0; k < D; ++k) EXPECT_NEAR(end.v[i][k], v[k], isDouble ? 1e-9 : 1e-3) << "particle " << i;
  }
}

TYPED_TEST(Dfsph, TheDivergenceSolveTakesCompressionOutOfTheVelocities) {
  constexpr int D = TestFixture::D;
  for (const double tolerance : {1e-4, 1e-5}) {
    const Scene s = this->scene(1000, tolerance);
    World<D> w(this->lump(s));
    this->flowTogether(w);
    const Plain<D> f(w);
    ASSERT_GT(this->meanExcess(f, f.v), 20 * tolerance);
    w.step = 1;  // the first step of a run does all iterations
    StepReport report;
    stepOnce(w, *makeSolver<D>(s), dt, report);
    EXPECT_LT(report.iterations, 1000);
    // The solve ends one push after the one that was found good enough; walls stop particles once more after it.
    EXPECT_LT(this->meanExcess(f, Plain<D>(w).v), 2 * tolerance);
  }
}
