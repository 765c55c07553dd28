// Constraint Fluids against its paper, written out over all pairs in double: Jacobians by differences, the matrix S = G M^-1 G^T
// + Sigma that the solver never forms, and contacts of particles with a body.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "cloud.h"
#include "solvers/constraint/bound_rows.h"
#include "solvers/solver.h"

using namespace brim;

namespace {

constexpr double d = 0.05, dt = 4e-3, damping = 4, xi = 1 / (1 + 4 * damping);

template <class N>
struct ConstraintStep : testing::Test {
  static constexpr int D = N::value;
  static constexpr int side = D == 3 ? 4 : 7;

  // A crowded lump in free space in which everybody moves differently.
  static std::unique_ptr<World<D>> lump(const Scene& s) {
    auto made = std::make_unique<World<D>>(setupOf<D>(s, shakenLattice<D>(side, {0.3, 0.3, 0.3}, 0.95 * d, 0.1 * d)));
    World<D>& w = *made;
    const std::vector<Vector> u = randomPoints<D>(w.fluid.size(), {-0.2, -0.2, -0.2}, {0.2, 0.2, 0.2}, 9);
    for (int i = 0; i < w.fluid.size(); ++i)
      for (int k = 0; k < D; ++k) w.fluid.v.data[i].x[k] = Real(u[w.fluid.id.data[i]][k]);
    return made;
  }
  // So yielding that Sigma is a fifth of S's diagonal, about m/rho0^2 sum |grad W|^2: few hundred sweeps come down to rounding.
  static double compliance(const Plain<D>& p) {
    double sum = 0;
    for (const auto& y : p.x) sum += dot(p.W.grad(p.x[0] - y), p.W.grad(p.x[0] - y));
    return 0.2 * p.m / (p.rho0 * p.rho0) * sum * dt * dt / (4 * xi);
  }
  static Scene scene(const std::string& condition, double compliance = 0) {
    Scene s = emptyScene<D>(d, {0, 0, 0}, {1, 1, 1}, "open");
    s.gravity = {0.5, -9.81, 0};
    s.time.dt = dt;
    s.solver.name = "constraint";
    s.solver.numbers = {
        {"iterations", 2000},   {"damping", damping}, {"compliance", compliance}, {"largest_correction", 1e6}, {"warm_start", 0},
        {"over_relaxation", 1}, {"xsph", 0}};
    s.solver.choices = {{"acceleration", "none"}, {"condition", condition}};
    return s;
  }

  /// The step's problem: r = S lambda - b, with v = before + M^-1 G^T lambda.
  struct Dense {
    Eigen::MatrixXd G, S;
    Eigen::VectorXd before, b, error;
    Dense(World<D>& w, const Vector& gravity, double epsilon, bool equality) {
      const Plain<D> p(w);
      const int n = int(p.x.size());
      G = Eigen::MatrixXd::Zero(n, n * D);
      Eigen::VectorXd old(n * D), c(n);
      before.resize(n * D), error.resize(n);
      for (int i = 0; i < n; ++i) {
        error[i] = p.density(p.x[i]) / p.rho0 - 1;
        for (int k = 0; k < D; ++k) old[i * D + k] = p.v[i][k], before[i * D + k] = p.v[i][k] + dt * gravity[k];
        for (int j = 0; j < n; ++j) {
          const auto g = p.W.grad(p.x[i] - p.x[j]);
          for (int k = 0; k < D; ++k) {
            G(i, i * D + k) += p.m / p.rho0 * g[k];
            G(i, j * D + k) -= p.m / p.rho0 * g[k];
          }
        }
      }
      const Eigen::VectorXd rate = G * old;
      for (int i = 0; i < n; ++i) c[i] = equality || error[i] > 0 ? xi * (rate[i] - 4 / dt * error[i]) : -error[i] / dt;
      b = c - G * before;
      S = G * G.transpose() / p.m + 4 * epsilon * xi / (dt * dt) * Eigen::MatrixXd::Identity(n, n);
    }
  };
  /// A lump, its problem, and the solver that is to find the problem's solution.
  struct Case {
    double eps;
    Scene scene;
    std::unique_ptr<World<D>> world;
    Dense dense;
    explicit Case(const std::string& condition)
        : eps(compliance(Plain<D>(*lump(ConstraintStep::scene(condition))))),
          scene(ConstraintStep::scene(condition, eps)),
          world(lump(scene)),
          dense(*world, scene.gravity, eps, condition == "equality") {}
    void step() {
      StepReport report;
      stepOnce(*world, *makeSolver<D>(scene), dt, report);
    }
  };
  static Eigen::VectorXd byId(World<D>& w, const Array<Real>& column) {
    Eigen::VectorXd all(w.fluid.size());
    for (int i = 0; i < w.fluid.size(); ++i) all[w.fluid.id.data[i]] = column[i];
    return all;
  }
};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(ConstraintStep, Dimensions);

TYPED_TEST(ConstraintStep, JacobiansAreWhatDifferencesGive_CF07) {
  constexpr int D = TypeParam::value;
  auto made = TestFixture::lump(TestFixture::scene("equality"));
  const Plain<D> p(*made);
  const typename TestFixture::Dense dense(*made, {0, 0, 0}, 0, true);
  const double h = 1e-6;
  for (const int i : {0, int(p.x.size()) / 2})
    for (int j = 0; j < int(p.x.size()); ++j)
      for (int k = 0; k < D; ++k) {
        const auto at = [&](double shift) {
          Plain<D> q = p;
          q.x[j][k] += shift;
          return q.density(q.x[i]) / q.rho0;
        };
        EXPECT_NEAR(dense.G(i, j * D + k), (at(h) - at(-h)) / (2 * h), 1e-6 / d) << i << " by " << j;
      }
  // And those of the solver are these.
  World<D>& w = *made;
  Searched<D> now(w, dt);
  DensityRows<D> rows = {};
  rows.v0 = Real(1 / w.rho0), rows.mass = Real(w.mass), rows.perDt = Real(1 / dt), rows.xi = Real(xi), rows.most = 1;
  rows.walls.phi0 = 1, rows.equality = rows.samples = true;
  rows.resize(w.fluid.capacity());
  prepareRows(now.c, Cubic<D>(w.support), rows);
  const double scale = dense.G.cwiseAbs().maxCoeff();
  for (int i = 0; i < w.fluid.size(); ++i)
    for (int k = 0; k < D; ++k) {
      const int id = w.fluid.id.data[i];
      EXPECT_NEAR(rows.G[i].x[k], dense.G(id, id * D + k), (isDouble ? 1e-12 : 1e-5) * scale);
    }
}

TYPED_TEST(ConstraintStep, TheLinearPartOfAFlowIsThatOfALinearFlow) {
  constexpr int D = TypeParam::value;
  auto made = TestFixture::lump(TestFixture::scene("equality"));
  World<D>& w = *made;
  Searched<D> now(w, dt);
  double L[D][D];
  for (int a = 0; a < D; ++a)
    for (int b = 0; b < D; ++b) L[a][b] = 1 + 2 * a - 3 * b * b;  // [1/s]
  for (int i = 0; i < w.fluid.size(); ++i)
    for (int a = 0; a < D; ++a) {
      double u = 0.5;
      for (int b = 0; b < D; ++b) u += L[a][b] * w.fluid.p.data[i].x[b];
      w.fluid.v.data[i].x[a] = Real(u);
    }
  LocalFlow<D> flow;
  flow.measure(now.c, Cubic<D>(w.support));
  const auto at = flow.read();
  // A thousandth of the moments' trace is added to each direction: 3/1000 of the gradient (of up to 12/s) is missing where
  // neighbours are on all sides, and up to four times as much at corners.
  for (int i = 0; i < w.fluid.size(); ++i)
    for (int b = 0; b < D; ++b) {
      Vec<D> r = {};
      r[b] = Real(d);
      const Vec<D> u = at(i, r);
      for (int a = 0; a < D; ++a) EXPECT_NEAR(u[a], d * L[a][b], 0.012 * 12 * d) << i << " component " << a << " along " << b;
    }
}

TYPED_TEST(ConstraintStep, FindsWhatADenseSolveFinds_CF12_CF15) {
  constexpr int D = TypeParam::value;
  typename TestFixture::Case c("equality");
  World<D>& w = *c.world;
  const auto& dense = c.dense;
  const Plain<D> start(w);
  const Eigen::VectorXd lambda = dense.S.ldlt().solve(dense.b);
  const Eigen::VectorXd v = dense.before + dense.G.transpose() * lambda / w.mass;
  ASSERT_GT((v - dense.before).cwiseAbs().maxCoeff(), 0.05) << "[m/s] the rows have something to do";
  c.step();
  const Plain<D> end(w);
  const double tolerance = isDouble ? 1e-10 : 2e-5;  // [m/s] sums of thousands of changes, each rounded
  for (std::size_t i = 0; i < end.x.size(); ++i)
    for (int k = 0; k < D; ++k) {
      EXPECT_NEAR(end.v[i][k], v[i * D + k], tolerance) << i;
      EXPECT_NEAR(end.x[i][k], start.x[i][k] + dt * v[i * D + k], isDouble ? 1e-12 : 2e-7) << i;  // [m] the step's last stage
    }
}

TYPED_TEST(ConstraintStep, OfInequalitiesIsComplementary_CF13) {
  // r = S lambda - b: where fluid pushes (lambda < 0) the condition holds (r = 0), where it holds by itself (r < 0) nothing
  // pushes.
  typename TestFixture::Case c("inequality");
  const auto& dense = c.dense;
  c.step();
  World<TypeParam::value>& w = *c.world;
  const Eigen::VectorXd lambda = TestFixture::byId(w, w.fluid.real("multiplier").data), r = dense.S * lambda - dense.b;
  const double rounding = (isDouble ? 1e-10 : 2e-5) * dense.b.cwiseAbs().maxCoeff();
  int pushing = 0, idle = 0;
  for (int i = 0; i < int(lambda.size()); ++i) {
    EXPECT_LE(lambda[i], 0) << i;
    EXPECT_LE(r[i], rounding) << i;
    if (lambda[i] < 0) {
      EXPECT_GE(r[i], -rounding) << i;
    }
    ++(lambda[i] < 0 ? pushing : idle);
  }
  EXPECT_GT(pushing, 5);
  EXPECT_GT(idle, 5);
}

// Particles around a box that drifts and turns.
template <int D>
Scene drifting() {
  Scene s = emptyScene<D>(d, {0, 0, 0}, {1, 1, 1}, "open");
  s.solver.name = "constraint";
  RigidBody b;
  b.name = "box";
  b.shape.min = {0.4, 0.45, 0.42}, b.shape.max = {0.65, 0.6, 0.62};
  b.density = 300;
  b.velocity = {0.3, -0.2, D == 3 ? 0.1 : 0};
  b.spin = {D == 3 ? 0.7 : 0, D == 3 ? -0.4 : 0, 1};
  s.bodies.push_back(b);
  return s;
}

// On a GPU contacts are in lists of the device (solvers/constraint/cuda/contacts.h), which a host cannot read, and surfaces are
// met by kernels alone.
#if !BRIM_CUDA
/// Planes half a support off, as in the paper.
template <int D>
ContactReach<D> planes(const World<D>& w) {
  return {Real(w.support / 2), Real(w.support), 0, {}, true};
}

TYPED_TEST(ConstraintStep, ContactsFollowTheBodyAsDifferencesSay_CF10) {
  // The distances of particles at rest from the body before and after it moved, against the rate that the rows predict.
  constexpr int D = TypeParam::value;
  const Scene s = drifting<D>();
  // Beside the faces' middles, where a distance is that from a plane, and more than half a support off.
  std::vector<Vector> around = {{0.34, 0.5, 0.5}, {0.71, 0.55, 0.5}, {0.5, 0.39, 0.55}, {0.55, 0.66, 0.5}};
  if (D == 3) around.insert(around.end(), {{0.5, 0.5, 0.36}, {0.55, 0.55, 0.68}});
  World<D> w(setupOf<D>(s, around));
  const Spook spook(1, damping);  // of g > 0 it says -g
  const double step = 1e-3;
  BoundRows<D> before, after;
  before.gatherContacts(w, spook, planes(w));
  ASSERT_EQ(before.contacts.size(), around.size());
  std::vector<double> rate;
  for (const auto& c : before.contacts) rate.push_back(BoundRows<D>::rateOf(w, c.block));
  w.bodies->begin(0, step, {0, 0, 0}, {});
  w.bodies->finish();
  placeBodies(w);
  after.gatherContacts(w, spook, planes(w));
  ASSERT_EQ(after.contacts.size(), around.size());
  for (std::size_t k = 0; k < rate.size(); ++k) {
    const double moved = before.contacts[k].c - after.contacts[k].c;
    // The second order of a turn of a thousandth, and in float the distance's rounding.
    EXPECT_NEAR(moved, step * rate[k], isDouble ? 1e-6 : 2e-6) << k;
    EXPECT_GT(std::abs(rate[k]), 0.01) << k;
  }
}

TYPED_TEST(ConstraintStep, ContactsPushBackOnTheBody_CF10_CF13) {
  // Particles that stand in the way of the box: after a sweep they part, and both momenta are what they were.
  constexpr int D = TypeParam::value;
  const Scene s = drifting<D>();
  World<D> w(setupOf<D>(s, {{0.67, 0.55, 0.5}, {0.5, 0.43, 0.55}, {0.66, 0.5, 0.45}}));
  BoundRows<D> bound;
  bound.gatherContacts(w, Spook(dt, damping), planes(w));
  ASSERT_EQ(bound.contacts.size(), 3u);
  DensityRows<D> density = {};
  density.mass = Real(w.mass);
  Array<Real> lambda;
  using namespace vectors;
  const auto momenta = [&] {
    const BodyState& b = w.bodies->body(0);
    const Vector p = (1 / b.perMass) * w.bodies->velocity(0).v;
    Eigen::Matrix3d inverse;
    for (int k = 0; k < 9; ++k) inverse(k / 3, k % 3) = b.perInertiaHere[k];
    Eigen::Vector3d turn(w.bodies->velocity(0).w.data());
    if (D == 2)
      turn[2] /= inverse(2, 2);
    else
      turn = inverse.inverse() * turn;
    std::array<double, 6> sum = {p[0], p[1], p[2]};
    const Vector spin = vectors::cross(b.x, p);
    for (int k = 0; k < 3; ++k) sum[3 + k] = turn[k] + spin[k];
    for (int i = 0; i < w.fluid.size(); ++i) {
      Vector x = {0, 0, 0}, q = {0, 0, 0};
      for (int k = 0; k < D; ++k) x[k] = w.fluid.p.data[i].x[k], q[k] = w.mass * w.fluid.v.data[i].x[k];
      const Vector l = vectors::cross(x, q);
      for (int k = 0; k < 3; ++k) sum[k] += q[k], sum[3 + k] += l[k];
    }
    return sum;
  };
  const auto old = momenta();
  for (int k = 0; k < 50; ++k) bound.sweep(w, density, lambda);
  const auto now = momenta();
  const double scale = std::abs(old[0]) + std::abs(old[1]);
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(now[k], old[k], (isDouble ? 1e-12 : 1e-6) * scale) << k;
  int pushing = 0;
  for (const auto& c : bound.contacts) {
    EXPECT_GE(c.lambda, 0);
    const double r = BoundRows<D>::residual(w, c);
    EXPECT_GE(r, -1e-6);
    if (c.lambda > 0) {
      EXPECT_NEAR(r, 0, 1e-6);
    }
    pushing += c.lambda > 0;
  }
  EXPECT_GE(pushing, 2);
}

TYPED_TEST(ConstraintStep, EverySurfaceNearAParticleCounts) {
  // A particle amid 10 (3D: 12) balls, more surfaces than a kernel holds at once: none of them may be left out.
  constexpr int D = TypeParam::value;
  Scene s = emptyScene<D>(d, {0, 0, 0}, {1, 1, 1}, "open");
  s.solver.name = "constraint";
  const Vector middle = {0.5, 0.5, D == 3 ? 0.5 : 0};
  const int balls = D == 3 ? 12 : 10;
  const double far = 0.07, radius = 0.02;  // [m] of a support of 0.1
  for (int k = 0; k < balls; ++k) {
    const double angle = 2 * pi * k / balls, up = D == 3 ? (k % 3 - 1) * 0.5 : 0, out = far * (1 - 0.02 * k);
    Solid ball;
    ball.name = "ball" + std::to_string(k);
    ball.shape.kind = "sphere";
    ball.shape.centre = {middle[0] + out * std::sqrt(1 - up * up) * std::cos(angle),
                         middle[1] + out * std::sqrt(1 - up * up) * std::sin(angle), middle[2] + out * up};
    ball.shape.radius = radius;
    s.solids.push_back(ball);
  }
  World<D> w(setupOf<D>(s, {middle}));
  const PlainCubic<D> W{w.support};
  const WallField field(D, w.spacing, w.support, 1, [&](double r) {
    Vec<D, double> x{};
    x[0] = r;
    return W(x);
  });
  const auto phiAt = [&](const Vec<D>& x, auto each) {
    double left = 1;
    for (int k = 0; k < balls; ++k) {
      double r2 = 0;
      for (int a = 0; a < D; ++a) r2 += std::pow(double(x[a]) - s.solids[k].shape.centre[a], 2);
      Real phi, slope;
      field.view().at(Real(std::sqrt(r2) - radius), phi, slope);
      left *= 1 - double(phi);
      each(double(phi));
    }
    return 1 - left;
  };
  const FieldAround<D> around(w, field);
  const Vec<D> x = w.fluid.p.data[0].x;
  std::vector<int> seen(balls);
  Vec<D> gradient{};
  const double phi = around.at(x, [&](const Vec<D>& g, const Vec<D>&, int shape) {
    ++seen[shape];
    gradient += g;
  });
  for (int k = 0; k < balls; ++k) EXPECT_EQ(seen[k], 1) << k;
  const double expected = phiAt(x, [](double one) { EXPECT_GT(one, 1e-3); });
  EXPECT_NEAR(phi, expected, 1e-5);
  // The gradient is that of phi, by differences; the table's slopes are means over a hundredth of a support.
  for (int k = 0; k < D; ++k) {
    const double h = w.support / 200;
    Vec<D> above = x, below = x;
    above[k] += Real(h), below[k] -= Real(h);
    const double slope = (phiAt(above, [](double) {}) - phiAt(below, [](double) {})) / (2 * h);
    EXPECT_NEAR(gradient[k], slope, 0.01 / w.support) << k;
  }
}
#endif

}  // namespace
