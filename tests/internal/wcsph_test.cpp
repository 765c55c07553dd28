// The first step of WCSPH from rest against plain double sums: v = dt a, with a from Eq. 8-10 of Constraint Fluids.
#include <gtest/gtest.h>

#include "cloud.h"
#include "solvers/solver.h"

using namespace brim;

namespace {

constexpr double d = 0.05, c = 20;  // [m], [m/s]

template <class N>
struct Wcsph : testing::Test {
  static constexpr int D = N::value;
  using V = Vec<D, double>;

  static Scene scene(int gamma, const std::string& boundary) {
    Scene s = emptyScene<D>(d, {0, 0, 0}, {1, 1, 1}, boundary);
    s.solver.name = "wcsph";
    s.solver.choices = {{"kernel", "cubic"}};
    s.solver.numbers = {{"sound_speed", c}, {"gamma", double(gamma)}, {"alpha", 0}};
    return s;
  }
  // The pitch grows from 0.93 d to 1.3 d: some particles are pressed together, others are below rest density.
  static std::vector<Vector> lump(double from) {
    std::vector<Vector> x = shakenLattice<D>(D == 3 ? 6 : 12, {from, from, D == 3 ? from : 0}, 0.93 * d, 0.15 * d);
    for (Vector& p : x) p[0] = from + (p[0] - from) * (1 + 0.2 * (p[0] - from) / ((D == 3 ? 6 : 12) * d));
    return x;
  }
};

using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(Wcsph, Dimensions);

}  // namespace

TYPED_TEST(Wcsph, AcceleratesByTheSymmetricSumWithTaitPressures_CF02) {
  constexpr int D = TestFixture::D;
  for (const int gamma : {1, 7}) {
    const Scene s = this->scene(gamma, "walls");
    World<D> w(setupOf<D>(s, this->lump(0)));
    const Plain<D> f(w);
    const int n = int(f.x.size());
    std::vector<double> rho(n), p(n);
    int free = 0;
    for (int i = 0; i < n; ++i) {
      rho[i] = f.density(f.x[i]);
      p[i] = std::max(0.0, f.rho0 * c * c / gamma * (std::pow(rho[i] / f.rho0, gamma) - 1));
      free += p[i] == 0;
    }
    ASSERT_GT(free, 10);
    ASSERT_LT(free, n - 10);
    std::vector<typename TestFixture::V> a(n);
    double largest = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j)
        a[i] -= (f.m * (p[i] / (rho[i] * rho[i]) + p[j] / (rho[j] * rho[j]))) * f.W.grad(f.x[i] - f.x[j]);
      for (std::size_t k = 0; k < f.wall.size(); ++k)  // walls mirror the pressure at rest density
        a[i] -= (f.wallMass[k] * (p[i] / (rho[i] * rho[i]) + p[i] / (f.rho0 * f.rho0))) * f.W.grad(f.x[i] - f.wall[k]);
      largest = std::max(largest, std::sqrt(dot(a[i], a[i])));
    }
    const double dt = 1e-5;  // [s] so short that nobody reaches a wall
    StepReport report;
    stepOnce(w, *makeSolver<D>(s), dt, report);
    const Plain<D> end(w);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < D; ++k) {
        if (f.x[i][k] <= w.clearance) continue;  // pushed out of the wall first
        // Float: densities are good to 1e-6, which the equation of state makes 1e-5 of a pressure 10 % above rest.
        EXPECT_NEAR(end.v[i][k] / dt, a[i][k], (isDouble ? 1e-10 : 1e-4) * largest) << "gamma " << gamma << ", particle " << i;
      }
  }
}

TYPED_TEST(Wcsph, ObeysTheThirdLaw_CF02) {
  constexpr int D = TestFixture::D;
  Scene s = this->scene(7, "open");
  s.fluid.viscosity = 5;
  World<D> w(setupOf<D>(s, this->lump(0.3)));
  const auto solver = makeSolver<D>(s);
  StepReport report;
  for (int k = 0; k < 5; ++k) stepOnce(w, *solver, 1e-4, report);
  const Plain<D> end(w);
  typename TestFixture::V sum{};
  double size = 0;
  for (const auto& v : end.v) sum += v, size += std::sqrt(dot(v, v));
  ASSERT_GT(size, 0);
  EXPECT_LT(std::sqrt(dot(sum, sum)), (isDouble ? 1e-12 : 1e-5) * size);  // pairs cancel to rounding
}
