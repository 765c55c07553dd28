// Steps of PCISPH against the paper's algorithm, written out over all pairs in double.
#include <gtest/gtest.h>

#include "cloud.h"
#include "solvers/solver.h"

using namespace brim;

namespace {

constexpr double d = 0.05, dt = 2e-3;  // [m], [s]

template <class N>
struct Pcisph : testing::Test {
  static constexpr int D = N::value;
  using V = Vec<D, double>;

  static Scene scene(int iterations, const std::string& boundary) {
    Scene s = emptyScene<D>(d, {0, 0, 0}, {1, 1, 1}, boundary);
    s.solver.name = "pcisph";
    s.solver.choices = {{"kernel", "cubic"}};
    s.solver.numbers = {{"iterations", double(iterations)}, {"tolerance", 0}, {"alpha", 0}};
    s.gravity = {0.5, -9.81, 0};
    s.time.dt = dt;
    return s;
  }
  // Pressed together at one side and below rest density at the other.
  static std::vector<Vector> lump(double from) {
    const int n = D == 3 ? 6 : 12;
    std::vector<Vector> x = shakenLattice<D>(n, {from, from, D == 3 ? from : 0}, 0.95 * d, 0.1 * d);
    for (Vector& p : x) p[0] = from + (p[0] - from) * (1 + 0.2 * (p[0] - from) / (n * d));
    return x;
  }

  struct Result {
    std::vector<double> p;  // [Pa]
    std::vector<V> x, v;
  };
  // Algorithm 2 of the paper for the first step from rest: predict, correct, push, again.
  static Result reference(const Plain<D>& f, const Vector& gravity, int iterations) {
    const int n = int(f.x.size());
    double gradients = 0;  // sum |grad W|^2 around the prototype: the lattice
    for (int c = 0; c < (D == 3 ? 125 : 25); ++c) {
      V r;
      for (int k = 0, rest = c; k < D; ++k, rest /= 5) r[k] = d * (rest % 5 - 2);
      gradients += dot(f.W.grad(r), f.W.grad(r));
    }
    const double beta = 2 * dt * dt * f.m * f.m / (f.rho0 * f.rho0), delta = 1 / (beta * gradients);
    Result r;
    r.p.assign(n, 0);
    r.x = f.x, r.v.resize(n);
    const auto near = [&](const V& a, const V& b) { return dot(a - b, a - b) < f.W.h * f.W.h; };
    const auto move = [&] {
      for (int i = 0; i < n; ++i) {
        V a{};
        for (int j = 0; j < n; ++j) a -= (f.m * (r.p[i] + r.p[j]) / (f.rho0 * f.rho0)) * f.W.grad(f.x[i] - f.x[j]);
        for (std::size_t k = 0; k < f.wall.size(); ++k)
          a -= (f.wallMass[k] * 2 * r.p[i] / (f.rho0 * f.rho0)) * f.W.grad(f.x[i] - f.wall[k]);
        for (int k = 0; k < D; ++k) a[k] += gravity[k];
        r.v[i] = f.v[i] + dt * a;
        r.x[i] = f.x[i] + dt * r.v[i];
      }
    };
    move();
    for (int l = 0; l < iterations; ++l) {
      std::vector<double> rho(n, 0);  // at x*, over the neighbours of the step's start
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j)
          if (near(f.x[i], f.x[j])) rho[i] += f.m * f.W(r.x[i] - r.x[j]);
        for (std::size_t k = 0; k < f.wall.size(); ++k)
          if (near(f.x[i], f.wall[k])) rho[i] += f.wallMass[k] * f.W(r.x[i] - f.wall[k]);
      }
      for (int i = 0; i < n; ++i) r.p[i] = std::max(0.0, r.p[i] + delta * (rho[i] - f.rho0));
      move();
    }
    return r;
  }
};

using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(Pcisph, Dimensions);

}  // namespace

TYPED_TEST(Pcisph, PredictsAndCorrectsAsThePaperSays_PB14) {
  constexpr int D = TestFixture::D;
  for (const int iterations : {1, 4}) {
    const Scene s = this->scene(iterations, "walls");
    World<D> w(setupOf<D>(s, this->lump(0)));
    const Plain<D> start(w);
    const auto expected = this->reference(start, s.gravity, iterations);
    int pressed = 0, free = 0;
    double highest = 0, fastest = 0;
    for (const double p : expected.p) ++(p > 0 ? pressed : free), highest = std::max(highest, p);
    for (const auto& v : expected.v) fastest = std::max(fastest, std::sqrt(dot(v, v)));
    ASSERT_GT(pressed, 20);
    ASSERT_GT(free, 10);

    StepReport report;
    stepOnce(w, *makeSolver<D>(s), dt, report);
    EXPECT_EQ(report.iterations, iterations);
    const Plain<D> end(w);
    const double seen = 1 - std::exp(-dt / 0.02);  // the part of the step's pressure in the average of 20 ms
    // Float: densities are good to 1e-6 of rho0, errors of 10 % to 1e-5, and four corrections add up.
    const double tolerance = isDouble ? 1e-9 : 1e-4;
    for (int i = 0; i < w.fluid.size(); ++i) {
      const int id = w.fluid.id.data[i];
      EXPECT_NEAR(w.fluid.real("pressure").data[i] / seen, expected.p[id], tolerance * highest) << "particle " << id;
      bool held = false;  // by the distance to the wall, not by its samples
      for (int k = 0; k < D; ++k) held |= expected.x[id][k] <= 1.01 * w.clearance;
      if (held) continue;
      for (int k = 0; k < D; ++k) {
        EXPECT_NEAR(end.v[id][k], expected.v[id][k], tolerance * fastest) << "particle " << id;
        EXPECT_NEAR(end.x[id][k], expected.x[id][k], tolerance * fastest * dt + (isDouble ? 0 : 6e-8)) << "particle " << id;
      }
    }
  }
}

TYPED_TEST(Pcisph, AFreeLumpKeepsItsMomentum) {
  constexpr int D = TestFixture::D;
  Scene s = this->scene(5, "open");
  s.gravity = {0, 0, 0};
  s.fluid.viscosity = 5;
  World<D> w(setupOf<D>(s, this->lump(0.3)));
  const auto solver = makeSolver<D>(s);
  StepReport report;
  for (int k = 0; k < 5; ++k) stepOnce(w, *solver, dt, report);
  const Plain<D> end(w);
  typename TestFixture::V sum{};
  double size = 0;
  for (const auto& v : end.v) sum += v, size += std::sqrt(dot(v, v));
  ASSERT_GT(size, 0);
  EXPECT_LT(std::sqrt(dot(sum, sum)), (isDouble ? 1e-12 : 1e-5) * size);  // pairs cancel to rounding
}

TYPED_TEST(Pcisph, MakesThreeIterationsAtLeastAndStopsAtItsTolerance) {
  constexpr int D = TestFixture::D;
  for (const double tolerance : {1.0, 1e-4}) {
    Scene s = this->scene(200, "open");
    s.solver.numbers["tolerance"] = tolerance;
    World<D> w(setupOf<D>(s, this->lump(0.3)));
    StepReport report;
    stepOnce(w, *makeSolver<D>(s), dt, report);
    if (tolerance == 1) {
      EXPECT_EQ(report.iterations, 3);
    } else {
      EXPECT_GT(report.iterations, 3);
      EXPECT_LT(report.iterations, 200);
      double excess = 0;  // the step ends one correction after the one that was found good enough
      for (int i = 0; i < w.fluid.size(); ++i) excess += std::max(0.0, w.fluid.v.data[i].a / w.rho0 - 1);
      EXPECT_LT(excess / w.fluid.size(), 1.1 * tolerance);
    }
  }
}
