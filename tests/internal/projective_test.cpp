// Projective Fluids against its paper, written out over all pairs in double: Algorithm 1 with a copy of every position, the
// global system of Eq. 5 as a matrix, and the objective of Eq. 4.
#include <gtest/gtest.h>

#include "cloud.h"
#include "solvers/solver.h"
#include "sph/lattice.h"
#include "sph/projection.h"

using namespace brim;

namespace {

constexpr double d = 0.05, dt = 4e-3, w0 = 2e4;  // [m], [s], [N/m]: so soft that inertia shows beside 30 copies

template <class N>
struct ProjectiveStep : testing::Test {
  static constexpr int D = N::value;
  using V = Vec<D, double>;
  static constexpr int side = D == 3 ? 6 : 12;

  static Scene scene(int iterations, const std::string& acceleration = "none") {
    Scene s = emptyScene<D>(d, {0, 0, 0}, {0.65, 0.65, 0.4}, "walls");
    s.gravity = {0.5, -9.81, 0};
    s.solver.name = "projective";
    s.solver.choices["acceleration"] = acceleration;
    s.solver.numbers = {{"iterations", double(iterations)}, {"tolerance", 0}, {"stiffness", w0}, {"xsph", 0}};
    return s;
  }
  // A crowded lump in a corner, so that walls press as well, in which everybody moves differently.
  static std::unique_ptr<World<D>> lump(const Scene& s, double pitch = 0.9 * d) {
    auto made = std::make_unique<World<D>>(setupOf<D>(s, shakenLattice<D>(side, {0, 0, 0}, pitch, 0.1 * d)));
    World<D>& w = *made;
    const std::vector<Vector> u = randomPoints<D>(w.fluid.size(), {-1, -1, -1}, {1, 1, 1}, 9);
    for (int i = 0; i < w.fluid.size(); ++i)
      for (int k = 0; k < D; ++k) w.fluid.v.data[i].x[k] = Real(u[w.fluid.id.data[i]][k]);
    return made;
  }

  /// The members of a constraint and its copy of their positions.
  struct Constraint {
    int i;
    std::vector<int> member, samples;  // found at s, once a step
    std::vector<V> p;
    int steps = 0;
  };

  // One step of the paper from the state of a world.
  struct Reference : Plain<D> {
    std::vector<V> s;
    std::vector<Constraint> constraint;
    double eps = 1e-14;
    using Plain<D>::x, Plain<D>::v, Plain<D>::W, Plain<D>::m, Plain<D>::rho0, Plain<D>::wall, Plain<D>::wallMass;

    Reference(World<D>& w, const Vector& gravity) : Plain<D>(w) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        V move;
        for (int k = 0; k < D; ++k) move[k] = dt * v[i][k] + dt * dt * gravity[k];
        s.push_back(x[i] + move);
      }
      x = s;
      for (int i = 0; i < int(x.size()); ++i) {
        Constraint c{i, {}, {}, {}, 0};
        for (int j = 0; j < int(x.size()); ++j)
          if (dot(s[i] - s[j], s[i] - s[j]) < W.h * W.h) c.member.push_back(j);
        for (int k = 0; k < int(wall.size()); ++k)
          if (dot(s[i] - wall[k], s[i] - wall[k]) < W.h * W.h) c.samples.push_back(k);
        constraint.push_back(c);
      }
    }
    double value(const Constraint& c, std::vector<V>* gradient) const {
      std::size_t own = 0;
      while (c.member[own] != c.i) ++own;
      double rho = 0;
      if (gradient) gradient->assign(c.p.size(), V{});
      for (std::size_t k = 0; k < c.p.size(); ++k) {
        rho += m * W(c.p[own] - c.p[k]);
        if (!gradient) continue;
        (*gradient)[own] += (m / rho0) * W.grad(c.p[own] - c.p[k]);
        (*gradient)[k] -= (m / rho0) * W.grad(c.p[own] - c.p[k]);
      }
      for (const int k : c.samples) {
        rho += wallMass[k] * W(c.p[own] - wall[k]);
        if (gradient) (*gradient)[own] += (wallMass[k] / rho0) * W.grad(c.p[own] - wall[k]);
      }
      return rho / rho0 - 1;
    }
    // Algorithm 1.
    void project(Constraint& c) const {
      c.p.clear();
      for (const int l : c.member) c.p.push_back(x[l]);
      std::vector<V> gradient;
      double C = value(c, nullptr);
      for (c.steps = 0; C > eps && c.steps < mostNewtonSteps; ++c.steps) {
        value(c, &gradient);
        double size = 0;
        for (const V& g : gradient) size += dot(g, g);
        if (size == 0) break;
        for (std::size_t k = 0; k < c.p.size(); ++k) c.p[k] -= (C / size) * gradient[k];
        C = value(c, nullptr);
      }
    }
    void local() {
      for (Constraint& c : constraint) project(c);
    }
    // A = M/dt^2 + sum w S^T S and b, by their definition, per axis.
    std::vector<std::vector<double>> matrix() const {
      std::vector<std::vector<double>> A(x.size(), std::vector<double>(x.size(), 0));
      for (std::size_t l = 0; l < x.size(); ++l) A[l][l] = m / (dt * dt);
      for (const Constraint& c : constraint)
        for (std::size_t row = 0; row < c.member.size(); ++row)  // S has one 1 a row, so S^T S adds over equal rows only
          for (std::size_t other = 0; other < c.member.size(); ++other)
            A[c.member[row]][c.member[other]] += row == other ? w0 : 0;
      return A;
    }
    std::vector<V> rightHandSide() const {
      std::vector<V> b;
      for (const V& at : s) b.push_back((m / (dt * dt)) * at);
      for (const Constraint& c : constraint)
        for (std::size_t k = 0; k < c.member.size(); ++k) b[c.member[k]] += w0 * c.p[k];
      return b;
    }
    void global() {
      const auto A = matrix();
      const auto b = rightHandSide();
      for (std::size_t l = 0; l < x.size(); ++l) x[l] = (1 / A[l][l]) * b[l];
    }
    double objective() const {  // Eq. 4
      double f = 0;
      for (std::size_t l = 0; l < x.size(); ++l) f += m / (2 * dt * dt) * dot(x[l] - s[l], x[l] - s[l]);
      for (const Constraint& c : constraint)
        for (std::size_t k = 0; k < c.member.size(); ++k) f += w0 / 2 * dot(x[c.member[k]] - c.p[k], x[c.member[k]] - c.p[k]);
      return f;
    }
  };

  // Positions of the solver after one step of this many iterations.
  static std::vector<V> solved(const Scene& s, double pitch = 0.9 * d) {
    const auto w = lump(s, pitch);
    StepReport report;
    stepOnce(*w, *makeSolver<D>(s), dt, report);
    return Plain<D>(*w).x;
  }
};

using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(ProjectiveStep, Dimensions);

}  // namespace

TYPED_TEST(ProjectiveStep, FollowsAlgorithms1And2_PF04_PF08_PF10_PF11) {
  constexpr int D = TestFixture::D;
  for (const int iterations : {1, 4}) {
    const Scene s = this->scene(iterations);
    const auto w = this->lump(s);
    typename TestFixture::Reference expected(*w, s.gravity);
    for (int k = 0; k < iterations; ++k) expected.local(), expected.global();
    const auto now = this->solved(s);
    // Double: 1e-14 of C at which projections end, over gradients of 1/d, four times. Float: positions round to 3e-8 m.
    const double tolerance = isDouble ? 1e-12 : 2e-6;
    for (std::size_t i = 0; i < now.size(); ++i)
      for (int k = 0; k < D; ++k) ASSERT_NEAR(now[i][k], expected.x[i][k], tolerance) << "particle " << i;
  }
}

TYPED_TEST(ProjectiveStep, SolvesADiagonalSystemSoThatJacobiPcgTakesOneIteration_PF12) {
  const Scene s = this->scene(1);
  const auto w = this->lump(s);
  typename TestFixture::Reference r(*w, s.gravity);
  r.local();
  const auto A = r.matrix();
  const auto b = r.rightHandSide();
  const std::size_t n = A.size();
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_GT(A[i][i], 0);
    for (std::size_t j = 0; j < n; ++j)
      if (i != j) {
        ASSERT_EQ(A[i][j], 0);
      }
  }
  // One iteration of conjugate gradients with the preconditioner diag(A), from zero, along the first axis.
  const auto times = [&](const std::vector<double>& y) {
    std::vector<double> q(n, 0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) q[i] += A[i][j] * y[j];
    return q;
  };
  std::vector<double> p(n);
  for (std::size_t i = 0; i < n; ++i) p[i] = b[i][0] / A[i][i];
  const auto q = times(p);
  double rz = 0, pq = 0, left = 0, size = 0;
  for (std::size_t i = 0; i < n; ++i) rz += b[i][0] * p[i], pq += p[i] * q[i];
  for (std::size_t i = 0; i < n; ++i) left += std::pow(b[i][0] - rz / pq * q[i], 2), size += b[i][0] * b[i][0];
  EXPECT_LT(std::sqrt(left / size), 1e-14);  // a few units in the last place of the sums
}

TYPED_TEST(ProjectiveStep, NeverRaisesTheObjectiveWhileNeighboursAreFrozen_PF03) {
  double last = 1e300, first = 0;
  for (const int iterations : {1, 2, 3, 5, 8, 12}) {
    const Scene s = this->scene(iterations);
    const auto w = this->lump(s);
    typename TestFixture::Reference r(*w, s.gravity);
    r.x = this->solved(s);
    r.local();
    const double f = r.objective();
    EXPECT_LE(f, last * (1 + 1e-3)) << iterations;  // Alg. 1 ends near the closest point, not on it
    last = f;
    if (iterations == 1) first = f;
  }
  EXPECT_LT(last, 0.99 * first);  // and it falls: by 2 % in 2D, where particles are so heavy that one iteration does most of it
}

TYPED_TEST(ProjectiveStep, TheAcceleratedMethodEndsAtTheSameMinimum_PF03) {
  // No wall under the lump: the coarse level stays out of it.
  Scene plain = this->scene(1000), fast = this->scene(200, "multilevel");
  const double pitch = 0.97 * d;
  for (Scene* s : {&plain, &fast}) {
    s->domain.boundary = {"open", "open", "open"};
    s->solver.numbers["stiffness"] = 1e5;
  }
  const auto w = this->lump(plain, pitch);
  typename TestFixture::Reference r(*w, plain.gravity);
  const auto objective = [&](const Scene& s) {
    r.x = this->solved(s, pitch);
    r.local();
    return r.objective();
  };
  const double best = objective(plain);
  const auto a = r.x;
  const double f = objective(fast);
  double way = 0, apart = 0;
  for (std::size_t i = 0; i < a.size(); ++i) way += dot(a[i] - r.s[i], a[i] - r.s[i]), apart += dot(a[i] - r.x[i], a[i] - r.x[i]);
  // One linear step in the place of the projection tells tau within C, some percent here.
  EXPECT_LT(f, 1.05 * best);
  EXPECT_LT(std::sqrt(apart), 0.1 * std::sqrt(way));
}

TYPED_TEST(ProjectiveStep, ProjectionsReach1e14InAboutThreeNewtonSteps_PF09) {
  // A dam that has begun to fall, in steps of 2 ms; every projection of the next step's first local step is counted.
  constexpr int D = TestFixture::D;
  Scene s = emptyScene<D>(d, {0, 0, 0}, {1, 1, 0.4}, "walls");
  s.gravity = {0, -9.81, 0};
  s.solver.name = "projective";
  s.solver.choices["acceleration"] = "none";
  s.solver.numbers["stiffness"] = 1e6;
  World<D> w(setupOf<D>(s, shakenLattice<D>(8, {0, 0, 0}, d, 0)));
  const auto solver = makeSolver<D>(s);
  StepReport report;
  for (int step = 0; step < 100; ++step) stepOnce(w, *solver, 2e-3, report);
  for (int i = 0; i < w.fluid.size(); ++i)
    for (int k = 0; k < D; ++k) w.fluid.p.data[i].x[k] += Real(2e-3) * w.fluid.v.data[i].x[k];
  Searched<D> now(w);
  NewtonControl o{Real(1 / w.rho0), Real(w.mass / w.rho0), Real(w.mass), Real(isDouble ? 1e-14 : 4e-7),
                  Real(w.support),  mostNewtonSteps};
  Projections<D> to;
  projectDensities(now.c, Cubic<D>(w.support), o, to);
  double sum = 0;
  int active = 0, many = 0;
  for (int i = 0; i < w.fluid.size(); ++i) {
    const Real taken = to.steps[i];
    active += taken > 0, many += taken > 10, sum += taken;
  }
  ASSERT_GT(active, w.fluid.size() / 10);
  if (isDouble) {
    // The paper says three to four. Here 2.8 in 2D and 2.5 in 3D: C starts near 1e-2 or below and each step squares it.
    EXPECT_GE(sum / active, 2);
    EXPECT_LE(sum / active, 4);
  } else {
    EXPECT_LE(sum / active, 2.5);  // each step squares C: 1e-2, 1e-4, 1e-8
  }
  EXPECT_LE(many, active / 100);
  testing::Test::RecordProperty("newton_steps", std::to_string(sum / active));
}

TYPED_TEST(ProjectiveStep, TwoParticlesPartToTheDistanceOfRestDensity_PF08) {
  constexpr int D = TestFixture::D;
  Scene s = emptyScene<D>(d, {0, 0, 0}, {1, 1, 1}, "open");
  const double z = D == 3 ? 0.5 : 0, r0 = 0.7 * d;
  World<D> w(setupOf<D>(s, {{0.5, 0.5, z}, {0.5 + r0, 0.5, z}}));
  Searched<D> now(w);
  // As heavy as it takes for a pair at 1.1 d to be at rest: V (W(0) + W(1.1 d)) = 1.
  const PlainCubic<D> W{2 * d};
  Vec<D, double> zero{}, rest{};
  rest[0] = 1.1 * d;
  const double V = 1 / (W(zero) + W(rest)), m = 1;
  NewtonControl o{Real(V / m), Real(V), Real(m), Real(isDouble ? 1e-14 : 4e-7), Real(w.support), mostNewtonSteps};
  Projections<D> to;
  projectDensities(now.c, Cubic<D>(w.support), o, to);
  for (int i = 0; i < 2; ++i) {
    const double side = w.fluid.p.data[i].x[0] < Real(0.5 + r0 / 2) ? -1 : 1;
    // Both copies move half the way, along the line between them.
    // The kernel takes W(0) at 1e-6 h, which is 6e-12 of it.
    EXPECT_NEAR(to.own[i].x[0], side * (1.1 * d - r0) / 2, (isDouble ? 2e-11 : 1e-6) * d);
    for (int k = 1; k < D; ++k) EXPECT_EQ(to.own[i].x[k], 0);
    EXPECT_GT(to.steps[i], 1);
  }
}
