// Steps of IISPH against the paper's algorithm, written out over all pairs in double.
#include <gtest/gtest.h>

#include "cloud.h"
#include "solvers/solver.h"

using namespace brim;

namespace {

constexpr double d = 0.05, dt = 1e-3;  // [m], [s]

template <class N>
struct Iisph : testing::Test {
  static constexpr int D = N::value;
  using V = Vec<D, double>;

  static Scene scene(int iterations) {
    Scene s = emptyScene<D>(d, {0, 0, 0}, {2, 2, 2}, "open");
    s.solver.name = "iisph";
    s.solver.choices = {{"kernel", "cubic"}};
    s.solver.numbers = {{"iterations", double(iterations)}, {"tolerance", 0}, {"alpha", 0}, {"omega", 0.5}};
    s.gravity = {0.5, -9.81, 0};
    s.time.dt = dt;
    return s;
  }
  // A little too dense, and flowing together.
  static constexpr int n = D == 3 ? 6 : 12;
  static brim::Setup lump(const Scene& s) {
    return setupOf<D>(s, shakenLattice<D>(n, {0.5, 0.5, D == 3 ? 0.5 : 0}, 0.995 * d, 0.05 * d));
  }
  static void flowTogether(World<D>& w) {
    for (int i = 0; i < w.fluid.size(); ++i)
      for (int k = 0; k < D; ++k) w.fluid.v.data[i].x[k] = Real(-2 * (w.fluid.p.data[i].x[k] - 0.5 - 0.5 * n * d));
  }
};

// The paper's system.
template <int D>
struct Reference {
  using V = Vec<D, double>;
  const Plain<D>& f;
  int n;
  std::vector<double> rho, adv, a;
  std::vector<V> dii;

  explicit Reference(const Plain<D>& fluid) : f(fluid), n(int(f.x.size())), rho(n), adv(n), a(n), dii(n) {
    for (int i = 0; i < n; ++i) rho[i] = f.density(f.x[i]);
    for (int i = 0; i < n; ++i) {
      // 3 % of compression is what a step undoes at most.
      adv[i] = std::min(rho[i], 1.03 * f.rho0);
      for (int j = 0; j < n; ++j) adv[i] += dt * f.m * dot(f.v[i] - f.v[j], grad(i, j));
      for (int j = 0; j < n; ++j) dii[i] -= (dt * dt * f.m / (rho[i] * rho[i])) * grad(i, j);
    }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) a[i] += f.m * dot(dii[i] - (-dt * dt * f.m / (rho[i] * rho[i])) * grad(j, i), grad(i, j));
  }
  V grad(int i, int j) const { return f.W.grad(f.x[i] - f.x[j]); }
  std::vector<V> displacements(const std::vector<double>& p) const {
    std::vector<V> u(n);
    for (int i = 0; i < n; ++i) {
      u[i] = p[i] * dii[i];
      for (int j = 0; j < n; ++j) u[i] -= (dt * dt * f.m * p[j] / (rho[j] * rho[j])) * grad(i, j);
    }
    return u;
  }
  double densityAt(const std::vector<V>& u, int i) const {
    double sum = adv[i];
    for (int j = 0; j < n; ++j) sum += f.m * dot(u[i] - u[j], grad(i, j));
    return sum;
  }
};

using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(Iisph, Dimensions);

}  // namespace

TYPED_TEST(Iisph, TheDiagonalIsTheDerivativeOfDensityByPressure) {
  constexpr int D = TestFixture::D;
  World<D> w(this->lump(this->scene(1)));
  this->flowTogether(w);
  const Plain<D> f(w);
  const Reference<D> r(f);
  for (int i = 0; i < r.n; i += 7) {
    std::vector<double> p(r.n, 100);
    p[i] = 150;
    const double more = r.densityAt(r.displacements(p), i);
    p[i] = 50;
    const double less = r.densityAt(r.displacements(p), i);
    EXPECT_NEAR((more - less) / 100, r.a[i], 1e-9 * std::abs(r.a[i])) << "particle " << i;
  }
}

TYPED_TEST(Iisph, RelaxesPressuresAsThePaperSays) {
  constexpr int D = TestFixture::D;
  for (const int iterations : {1, 4}) {
    const Scene s = this->scene(iterations);
    World<D> w(this->lump(s));
    this->flowTogether(w);
    const Plain<D> f(w);
    const Reference<D> r(f);
    std::vector<double> p(r.n, 0);
    for (int l = 0; l < iterations; ++l) {
      const auto u = r.displacements(p);
      for (int i = 0; i < r.n; ++i) p[i] = std::max(0.0, p[i] + 0.5 / r.a[i] * (f.rho0 - r.densityAt(u, i)));
    }
    double highest = 0;
    int pressed = 0;
    for (const double q : p) highest = std::max(highest, q), pressed += q > 0;
    ASSERT_GT(pressed, r.n / 5);
    const auto u = r.displacements(p);

    StepReport report;
    stepOnce(w, *makeSolver<D>(s), dt, report);
    EXPECT_EQ(report.iterations, iterations);
    const Plain<D> end(w);
    const double seen = 1 - std::exp(-dt / 0.02);     // the part of the step's pressure in the average of 20 ms
    const double tolerance = isDouble ? 1e-9 : 1e-3;  // densities are good to 1e-6 of rho0, errors of 1 % to 1e-4
    for (int i = 0; i < w.fluid.size(); ++i) {
      const int id = w.fluid.id.data[i];
      EXPECT_NEAR(w.fluid.pressure.data[i] / seen, p[id], tolerance * highest) << "particle " << id;
      for (int k = 0; k < D; ++k)
        EXPECT_NEAR(end.v[id][k], f.v[id][k] + dt * s.gravity[k] + u[id][k] / dt, tolerance) << "particle " << id;
    }
  }
}
