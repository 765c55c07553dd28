// One plain PBF iteration against the sheet's definitions. The reference knows only C_i (Eq. 1): it takes gradients by
// differences, sums S_i over everything that can move (Eq. 6) and moves particles by w_i lambda_j grad_i C_j (Eq. 3). So the
// closed forms of Eq. 7-9 in the solver are tested, not copied.
#include <gtest/gtest.h>

#include "cloud.h"
#include "solvers/solver.h"

using namespace brim;

namespace {

constexpr double d = 0.05, dt = 4e-3;  // [m], [s]

template <class N>
struct PbfTerms : testing::Test {
  static constexpr int D = N::value;
  using V = Vec<D, double>;

  struct Result {
    std::vector<double> C, S, lambda;
    std::vector<V> dx;
  };

  static Scene corner(double relaxation) {
    Scene s = emptyScene<D>(d, {0, 0, 0}, {1, 1, 1}, "walls");
    s.solver.name = "pbf";
    s.solver.choices["acceleration"] = "none";
    s.solver.numbers = {{"iterations", 1}, {"tolerance", 0}, {"xsph", 0}, {"relaxation", relaxation}};
    s.solver.numbers["largest_correction"] = 1e6;  // the sheet to the letter
    return s;
  }

  static Result reference(const Plain<D>& f, double eps) {
    const int n = int(f.x.size());
    const double step = 1e-4 * d;
    Result r;
    std::vector<std::vector<V>> grad(n, std::vector<V>(n));  // grad[i][j]: of C_i by x_j
    for (int i = 0; i < n; ++i) {
      r.C.push_back(f.density(f.x[i]) / f.rho0 - 1);
      for (int j = 0; j < n; ++j) {
        if (f.W.h * f.W.h < dot(f.x[i] - f.x[j], f.x[i] - f.x[j])) continue;
        for (int k = 0; k < D; ++k) {
          // Central differences of fourth order.
          const auto moved = [&](double by) {
            Plain<D> g = f;
            g.x[j][k] += by;
            return g.density(g.x[i]) / f.rho0;
          };
          grad[i][j][k] = (8 * (moved(step) - moved(-step)) - (moved(2 * step) - moved(-2 * step))) / (12 * step);
        }
      }
      double S = 0;
      for (int j = 0; j < n; ++j) S += dot(grad[i][j], grad[i][j]) / f.m;
      r.S.push_back(S);
      r.lambda.push_back(r.C[i] > 0 ? -r.C[i] / (S + eps) : 0);
    }
    r.dx.assign(n, V{});
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) r.dx[i] += (r.lambda[j] / f.m) * grad[j][i];
    return r;
  }

  // A crowded lump in the corner of the tank, thin towards its far side, so that some C are above zero and some below.
  static std::vector<Vector> lump() {
    std::vector<Vector> x = shakenLattice<D>(D == 3 ? 6 : 12, {0, 0, 0}, 0.92 * d, 0.15 * d);
    for (Vector& p : x) p[0] *= 1 + 0.2 * p[0] / ((D == 3 ? 6 : 12) * d);
    return x;
  }

  // S of the inner point of a resting lattice: what `relaxation` is a part of.
  static double restS() {
    const PlainCubic<D> W{2 * d};
    const double m = 1000 * std::pow(d, D);
    double sum = 0;
    for (int c = 0; c < (D == 3 ? 125 : 25); ++c) {
      V r;
      for (int k = 0, rest = c; k < D; ++k, rest /= 5) r[k] = d * (rest % 5 - 2);
      sum += dot(W.grad(r), W.grad(r));
    }
    return m * sum / 1e6;
  }
};

using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(PbfTerms, Dimensions);

// Float: positions of 0.3 m carry 3e-8 m, of which densities (times 1/d) make 1e-6; sums of 30 terms and the quotient by S,
// which differs tenfold between particles, the rest. Double: the differences of the reference are good to 1e-10.
constexpr double tolerance = isDouble ? 1e-7 : 1e-4;

}  // namespace

TYPED_TEST(PbfTerms, MultipliersAndStepsAreTheSheets_CS03_CS04_CS05_CS06_CS07_PB04) {
  constexpr int D = TestFixture::D;
  for (const double relaxation : {1e-4, 0.5}) {
    const Scene scene = this->corner(relaxation);
    World<D> w(setupOf<D>(scene, this->lump()));
    const Plain<D> start(w);
    const auto expected = this->reference(start, relaxation * this->restS());
    int pressed = 0, free = 0;
    for (const double C : expected.C) ++(C > 0 ? pressed : free);
    ASSERT_GT(pressed, 20);
    ASSERT_GT(free, 20);

    StepReport report;
    stepOnce(w, *makeSolver<D>(scene), dt, report);
    EXPECT_EQ(report.iterations, 1);
    const Plain<D> end(w);
    const auto& pressure = w.fluid.real("pressure").data;
    double largest = 0, furthest = 0;
    for (const double l : expected.lambda) largest = std::max(largest, -l);
    for (const auto& dx : expected.dx) furthest = std::max(furthest, std::sqrt(dot(dx, dx)));
    const double perPascal = start.m / start.rho0 * dt * dt;  // lambda = -V dt^2 p
    for (int i = 0; i < w.fluid.size(); ++i) {
      const int id = w.fluid.id.data[i];
      EXPECT_NEAR(-perPascal * pressure[i], expected.lambda[id], tolerance * largest) << "lambda of particle " << id;
      EXPECT_TRUE(expected.C[id] > -1e-5 || pressure[i] == 0) << "a particle below rest density pushes (CS-07)";
      for (int k = 0; k < D; ++k) {
        const double moved = end.x[id][k] - start.x[id][k];
        if (end.x[id][k] <= 1.01 * w.clearance) continue;  // held off the wall by its distance, not by its samples
        // Half a unit of rounding of a position on top: x is stored after dx is added.
        EXPECT_NEAR(moved, expected.dx[id][k], tolerance * furthest + (isDouble ? 0 : 3e-8)) << "dx of particle " << id;
        EXPECT_NEAR(end.v[id][k], expected.dx[id][k] / dt, tolerance * furthest / dt) << "v = dx/dt (CS-08)";
      }
    }
  }
}

TYPED_TEST(PbfTerms, AFreeLumpKeepsItsMomentum_CS06) {
  constexpr int D = TestFixture::D;
  Scene scene = this->corner(1e-4);
  scene.domain.boundary = {"open", "open", "open"};
  std::vector<Vector> x = this->lump();
  for (Vector& p : x)
    for (int k = 0; k < D; ++k) p[k] += 0.3;
  World<D> w(setupOf<D>(scene, x));
  StepReport report;
  stepOnce(w, *makeSolver<D>(scene), dt, report);
  const Plain<D> end(w);
  double size = 0;
  typename TestFixture::V sum{};
  for (const auto& v : end.v) sum += v, size += std::sqrt(dot(v, v));
  ASSERT_GT(size, 0);
  EXPECT_LT(std::sqrt(dot(sum, sum)), (isDouble ? 1e-12 : 1e-5) * size);  // pairs cancel to rounding
}

TYPED_TEST(PbfTerms, ANeighbourAtTheEdgeOfTheKernelGivesAFiniteStep_CS03_PB05) {
  constexpr int D = TestFixture::D;
  // Two coincident particles and one that barely reaches them: C is well above zero and every gradient almost vanishes.
  std::vector<Vector> x(40, {0.5, 0.5, 0.5});
  x.push_back({0.5 + 2 * d * (1 - 1e-4), 0.5, 0.5});
  for (Vector& p : x) p[2] = D == 3 ? p[2] : 0;
  const Scene scene = this->corner(1e-4);
  World<D> w(setupOf<D>(scene, x));
  StepReport report;
  stepOnce(w, *makeSolver<D>(scene), dt, report);
  const Plain<D> end(w);
  for (std::size_t i = 0; i < end.x.size(); ++i)
    for (int k = 0; k < D; ++k) {
      ASSERT_TRUE(std::isfinite(end.x[i][k]));
      EXPECT_LT(std::abs(end.x[i][k] - x[i][k]), 2 * d);  // not thrown further than the kernel reaches
    }
}

TYPED_TEST(PbfTerms, ATrappedParticleStaysWhereItIs_PB05) {
  constexpr int D = TestFixture::D;
  const Scene scene = this->corner(1e-4);
  World<D> w(setupOf<D>(scene, {{0.5, 0.5, D == 3 ? 0.5 : 0}}));
  StepReport report;
  stepOnce(w, *makeSolver<D>(scene), dt, report);
  const Plain<D> end(w);
  for (int k = 0; k < D; ++k) EXPECT_EQ(Real(end.x[0][k]), Real(0.5));
}
