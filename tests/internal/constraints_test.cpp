// Cloth, ropes and soft bodies by themselves: their constraints, the implicit step against an assembled system, and laws.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <set>

#include "cloud.h"
#include "deformables/implicit.h"
#include "deformables/project.h"

using namespace brim;

namespace {

template <int D>
Scene sheetScene(double cells = 4) {
  Scene s = emptyScene<D>(0.05, {0, 0, 0}, {2, 2, 2}, "open");
  Cloth c;
  c.kind = D == 2 ? "rope" : "rectangle";
  c.from = {0.5, 1, 0}, c.to = {0.5 + 0.1 * cells, 1, 0};
  c.corner = {0.5, 1, 0.5}, c.along = {0.1 * cells, 0, 0}, c.across = {0, 0, 0.1 * cells};
  c.cell = 0.1;
  c.bending = 0.02;
  s.cloth.push_back(c);
  return s;
}
template <int D>
Scene softScene() {
  Scene s = emptyScene<D>(0.05, {0, 0, 0}, {2, 2, 2}, "open");
  Soft soft;
  soft.shape.min = {0.5, 0.5, 0.5}, soft.shape.max = {0.9, 0.9, 0.9};
  soft.cell = 0.1;
  s.soft.push_back(soft);
  return s;
}

template <int D>
void shake(Deformables<D>& b, double way, unsigned seed = 3) {
  const auto r = randomPoints<D>(b.nodes, {-way, -way, -way}, {way, way, way}, seed);
  for (int a = 0; a < b.nodes; ++a)
    for (int k = 0; k < D; ++k) b.x[a].x[k] += Real(r[a][k]);
}
template <int D>
void kick(Deformables<D>& b, double speed, unsigned seed = 4) {
  const auto r = randomPoints<D>(b.nodes, {-speed, -speed, -speed}, {speed, speed, speed}, seed);
  for (int a = 0; a < b.nodes; ++a)
    for (int k = 0; k < D; ++k) b.v[a].x[k] += Real(r[a][k]);
}

template <int D>
void step(Deformables<D>& b, ImplicitStep<D>& s, double dt, const Vec<D>& g, int iterations) {
  s.begin(b, dt, g);
  for (int k = 0; k < iterations; ++k) {
    s.project(b);
    s.solve(b, 1e-5, 400);
  }
  s.finish(b);
}

template <class N>
struct SoftBodies : testing::Test {
  static constexpr int D = N::value;
};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(SoftBodies, Dimensions);

}  // namespace

TYPED_TEST(SoftBodies, GradientsOfEveryConstraintMatchCentralDifferences_PF02) {
  constexpr int D = TestFixture::D;
  for (Scene s : {sheetScene<D>(), softScene<D>()}) {
    if (!s.cloth.empty()) s.cloth[0].hold = {D == 2 ? "from" : "corners"};
    Deformables<D> b(setupOf<D>(s, {}));
    shake(b, 0.02);
    const auto row = b.row.read();
    std::set<SoftKind> seen;
    for (int i = 0; i < b.constraints; ++i) {
      const SoftConstraint<D> c = b.constraint[i];
      const auto d = violation(c, row, b.x.read());
      if (!(d.C > Real(isDouble ? 1e-3 : 0.1))) continue;  // a distance has an edge at zero; the step below must not cross it
      for (int k = 0; k < 4; ++k) {
        const int node = row[c.first].node[k];
        if (k > 0 && node == row[c.first].node[0]) continue;
        const Vec<D> g = gradient(c, row, d, k);
        for (int axis = 0; axis < D; ++axis) {
          const Real at = b.x[node].x[axis], e = Real(isDouble ? 1e-6 : 2e-3);
          b.x[node].x[axis] = at + e;
          const double high = violation(c, row, b.x.read()).C;
          b.x[node].x[axis] = at - e;
          const double low = violation(c, row, b.x.read()).C;
          b.x[node].x[axis] = at;
          // Scaled by the row's own size, 1/l. Double: the difference's third order. Float: 2 mm of a 10 cm cell, squared.
          ASSERT_NEAR((high - low) / (2 * e), g[axis], (isDouble ? 1e-5 : 0.05) * (10 + std::abs(g[axis])))
              << "constraint " << i << " of kind " << int(c.kind);
        }
      }
      seen.insert(c.kind);
    }
    EXPECT_GE(seen.size(), isDouble && !s.cloth.empty() ? 3u : 2u);  // length or strain, bend, pin; strain, volume
  }
}

TYPED_TEST(SoftBodies, TheGlobalStepSolvesTheAssembledSystem_PF02_PF04) {
  constexpr int D = TestFixture::D;
  Scene s = sheetScene<D>();
  s.cloth[0].hold = {D == 2 ? "from" : "corners"};
  Deformables<D> b(setupOf<D>(s, {}));
  shake(b, 0.03);
  kick(b, 1);
  const double dt = 5e-3;
  ImplicitStep<D> implicit;
  Vec<D> g{};
  g[1] = Real(-9.81);
  implicit.begin(b, dt, g);
  const auto forces = randomPoints<D>(b.samples, {-1, -1, -1}, {1, 1, 1}, 8);
  for (int k = 0; k < b.samples; ++k) {
    for (int a = 0; a < D; ++a) implicit.force[k][a] = Real(forces[k][a]);
    implicit.kappa[k] = Real(100 + k);
  }
  implicit.project(b);

  // M/dt^2 + sum w D^T D + sum kappa B^T B, entry by entry; at x = s inertia pulls nowhere.
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(b.nodes, b.nodes), rhs = Eigen::MatrixXd::Zero(b.nodes, D);
  for (int a = 0; a < b.nodes; ++a) A(a, a) = b.x[a].a / (dt * dt);
  for (int i = 0; i < b.constraints; ++i) {
    const SoftConstraint<D> c = b.constraint[i];
    const auto d = violation(c, b.row.read(), b.x.read());
    for (int r = 0; r < c.rows; ++r) {
      const SoftRow& row = b.row[c.first + r];
      for (int k = 0; k < 4; ++k) {
        for (int l = 0; l < 4; ++l) A(row.node[k], row.node[l]) += double(c.w) * row.part[k] * row.part[l];
        for (int axis = 0; axis < D; ++axis) rhs(row.node[k], axis) -= double(c.w) * row.part[k] * d.way[r][axis];
      }
    }
  }
  for (int s2 = 0; s2 < b.samples; ++s2) {
    const SoftRow& row = b.row[b.rows + s2];
    for (int k = 0; k < 4; ++k) {
      for (int l = 0; l < 4; ++l) A(row.node[k], row.node[l]) += double(implicit.kappa[s2]) * row.part[k] * row.part[l];
      for (int axis = 0; axis < D; ++axis) rhs(row.node[k], axis) += row.part[k] * double(implicit.force[s2][axis]);
    }
  }
  const Eigen::MatrixXd expected = A.ldlt().solve(rhs);
  std::vector<Vec<D>> before;
  for (int a = 0; a < b.nodes; ++a) before.push_back(b.x[a].x);
  const int iterations = implicit.solve(b, isDouble ? 1e-13 : 1e-6, 1000);
  EXPECT_GT(iterations, 1);  // it is not diagonal
  const double size = expected.cwiseAbs().maxCoeff();
  for (int a = 0; a < b.nodes; ++a)
    for (int axis = 0; axis < D; ++axis)
      ASSERT_NEAR(implicit.displacement()[a][axis], expected(a, axis), (isDouble ? 1e-11 : 1e-4) * size);
}

TYPED_TEST(SoftBodies, LocalAndGlobalStepsNeverRaiseTheObjective_PF03) {
  constexpr int D = TestFixture::D;
  for (const Scene& s : {sheetScene<D>(), softScene<D>()}) {
    Deformables<D> b(setupOf<D>(s, {}));
    shake(b, 0.02);
    ImplicitStep<D> implicit;
    implicit.begin(b, 5e-3, {});
    double last = 1e300;
    for (int k = 0; k < 30; ++k) {
      implicit.project(b);
      const double now = implicit.objective(b);
      EXPECT_LE(now, last * (1 + (isDouble ? 1e-10 : 1e-4)));  // conjugate gradients stop at 1e-5
      last = now;
      implicit.solve(b, isDouble ? 1e-10 : 1e-5, 400);
    }
  }
}

TYPED_TEST(SoftBodies, AFreeBodyKeepsItsMomentumAndNeverGainsEnergy) {
  constexpr int D = TestFixture::D;
  for (const Scene& s : {sheetScene<D>(), softScene<D>()}) {
    Deformables<D> b(setupOf<D>(s, {}));
    kick(b, 1);
    const auto before = b.momentum();
    double mass = 0, energy = b.kineticEnergy();
    for (int a = 0; a < b.nodes; ++a) mass += b.x[a].a;
    ImplicitStep<D> implicit;
    for (int k = 0; k < 40; ++k) {
      step(b, implicit, 5e-3, {}, 10);
      // Elastic energy starts from zero, so the kinetic alone may not pass the start.
      EXPECT_LE(b.kineticEnergy(), energy * (1 + 1e-6));
    }
    for (int axis = 0; axis < D; ++axis)
      EXPECT_NEAR(b.momentum()[axis], before[axis], 1e-4 * mass);  // sums of 1 m/s; 40 steps solved to 1e-5 each
  }
}

TYPED_TEST(SoftBodies, TurnedAndMovedTheyFeelNothing) {
  constexpr int D = TestFixture::D;
  for (const Scene& s : {sheetScene<D>(), softScene<D>()}) {
    Deformables<D> b(setupOf<D>(s, {}));
    const double c = std::cos(0.7), t = std::sin(0.7);
    for (int a = 0; a < b.nodes; ++a) {
      const double x = b.x[a].x[0] - 0.6, y = b.x[a].x[1] - 0.6;
      b.x[a].x[0] = Real(0.7 + c * x - t * y), b.x[a].x[1] = Real(0.6 + t * x + c * y);
    }
    for (int i = 0; i < b.constraints; ++i)
      EXPECT_LT(violation(SoftConstraint<D>(b.constraint[i]), b.row.read(), b.x.read()).C, isDouble ? 1e-12 : 2e-5) << i;
  }
}

TEST(Rope, HangsStretchedByItsOwnWeight) {
  // rho g L^2 / (2 k) for an even rope; with masses at nodes, the half cell at the end hangs from nothing: a part (1/2n)^2 less.
  Scene s = emptyScene<2>(0.05, {0, 0, 0}, {2, 2, 1}, "open");
  Cloth c;
  c.kind = "rope";
  c.from = {1, 1.5, 0}, c.to = {1, 0.5, 0};
  c.hold = {"from"};
  c.density = 0.5, c.stretch = 100, c.bending = 0;
  s.cloth.push_back(c);
  const double expected = 0.5 * 9.81 / (2 * 100);
  const Vec<2> g{0, Real(-9.81)};
  Deformables<2> b(setupOf<2>(s, {})), positions(setupOf<2>(s, {}));
  ImplicitStep<2> implicit;
  PositionStep<2> projected;
  for (int k = 0; k < 500; ++k) {  // implicit steps damp what swings up and down
    step(b, implicit, 0.02, g, 2);
    projected.begin(positions, 0.02, g);
    for (int n = 0; n < 300; ++n) projected.sweep(positions);
  }
  const auto stretch = [&](const Deformables<2>& r) { return 0.5 - double(r.x[r.nodes - 1].x[1]); };
  EXPECT_NEAR(stretch(b), expected, 0.01 * expected);
  EXPECT_NEAR(stretch(positions), expected, 0.03 * expected);  // sweeps carry a pull one link at a time: 300 for 20^2
}

TEST(Rope, SwingsLikeAPendulum) {
  // One stiff link: the period of a point mass at 1 m, from 10 degrees, 2 pi sqrt(l/g) (1 + a^2/16).
  Scene s = emptyScene<2>(0.05, {0, 0, 0}, {3, 3, 1}, "open");
  Cloth c;
  const double angle = 10 * pi / 180;
  c.kind = "rope";
  c.from = {1.5, 2, 0}, c.to = {1.5 + std::sin(angle), 2 - std::cos(angle), 0};
  c.hold = {"from"};
  c.cell = 1, c.stretch = 1e4;  // it stretches by 0.2 mm; stiffer links turn slower in few iterations
  s.cloth.push_back(c);
  Deformables<2> b(setupOf<2>(s, {}));
  ASSERT_EQ(b.nodes, 2);
  ImplicitStep<2> implicit;
  const double dt = 1e-3;
  double last = 1, first = -1, second = -1;
  for (int k = 0; k < 2500 && second < 0; ++k) {
    step(b, implicit, dt, {0, Real(-9.81)}, 5);
    const double now = b.x[1].x[0] - 1.5;
    if (last > 0 && now <= 0) first = k * dt;
    if (last < 0 && now >= 0) second = k * dt;
    last = now;
  }
  const double period = 2 * pi * std::sqrt(1 / 9.81) * (1 + angle * angle / 16);
  EXPECT_NEAR(2 * (second - first), period, 0.01 * period);  // steps of 1 ms, and what implicit steps take away
}

TEST(SoftBody, KeepsItsVolumeWhileItSags) {
  Scene s = softScene<3>();
  s.soft[0].pins = {{0.5, 0.5, 0.5}, {0.5, 0.5, 0.9}, {0.5, 0.9, 0.5}, {0.5, 0.9, 0.9}};
  s.soft[0].stiffness = 5e3, s.soft[0].bulk_modulus = 1e6;
  Deformables<3> b(setupOf<3>(s, {}));
  const auto volume = [&] {
    double sum = 0;
    for (const auto& t : b.skin) {
      Vec<3, double> p[3];
      for (int k = 0; k < 3; ++k)
        for (int a = 0; a < 3; ++a) p[k][a] = b.x[t[k]].x[a];
      sum += dot(p[0], cross(p[1], p[2])) / 6;
    }
    return sum;
  };
  const double before = volume();
  EXPECT_NEAR(before, 0.4 * 0.4 * 0.4, 1e-4);
  ImplicitStep<3> implicit;
  for (int k = 0; k < 60; ++k) step(b, implicit, 0.01, {0, Real(-9.81), 0}, 5);
  double sunk = 0;
  for (int a = 0; a < b.nodes; ++a) sunk = std::max(sunk, 0.5 - double(b.x[a].x[1]));
  EXPECT_GT(sunk, 0.01);                         // it does hang down
  EXPECT_NEAR(volume(), before, 0.02 * before);  // weight over the modulus, 2 kPa/1 MPa, and elements that lock
}
