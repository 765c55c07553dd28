// Fluid and cloth in one solve: against the assembled system over particles and nodes, and what both keep together.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "cloud.h"
#include "deformables/project.h"
#include "solvers/solver.h"
#include "sph/lattice.h"
#include "sph/projection.h"

using namespace brim;

namespace {

constexpr double d = 0.05, dt = 4e-3, w0 = 2e4;  // [m], [s], [N/m]

// A crowded lump of fluid on a sheet, so near that every constraint at the bottom holds samples.
template <int D>
struct OnCloth {
  Scene scene;
  std::unique_ptr<World<D>> world;

  explicit OnCloth(const std::string& solver, const std::string& acceleration, int iterations, double pitch = 0.9 * d) {
    scene = emptyScene<D>(d, {0, 0, 0}, {1, 1, 1}, "open");
    scene.solver.name = solver;
    scene.solver.choices["acceleration"] = acceleration;
    scene.solver.numbers = {{"iterations", double(iterations)}, {"tolerance", 0}, {"xsph", 0}};
    if (solver == "projective") scene.solver.numbers["stiffness"] = w0;
    Cloth c;
    c.kind = D == 2 ? "rope" : "rectangle";
    c.from = {0.3, 0.3, 0}, c.to = {0.7, 0.3, 0};
    c.corner = {0.35, 0.3, 0.35}, c.along = {0.3, 0, 0}, c.across = {0, 0, 0.3};
    c.stretch = 500;
    scene.cloth.push_back(c);
    std::vector<Vector> points = shakenLattice<D>(D == 3 ? 4 : 6, {0.4, 0.325, 0.4}, pitch, 0.05 * d);
    world = std::make_unique<World<D>>(setupOf<D>(scene, points));
    World<D>& w = *world;
    w.fluid.real("pressure");
    const auto u = randomPoints<D>(w.fluid.size(), {-0.5, -0.5, -0.5}, {0.5, 0, 0.5}, 9);
    for (int i = 0; i < w.fluid.size(); ++i)
      for (int k = 0; k < D; ++k) w.fluid.v.data[i].x[k] = Real(u[w.fluid.id.data[i]][k]);
  }
  Vec<D, double> momentum() const {
    Vec<D, double> sum = world->soft.momentum();
    for (int i = 0; i < world->fluid.size(); ++i)
      for (int k = 0; k < D; ++k) sum[k] += world->mass * world->fluid.v.data[i].x[k];
    return sum;
  }
  StepReport step(Solver<D>& solver, double h = dt) {
    StepReport report;
    stepOnce(*world, solver, h, report);
    placeBoundary(*world, world->solids.time());
    world->time += h;
    return report;
  }
};

template <class N>
struct FluidAndCloth : testing::Test {
  static constexpr int D = N::value;
};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(FluidAndCloth, Dimensions);

}  // namespace

// The first iteration of a plain step, by its definition: Algorithm 1 on copies of particles and samples, then one assembled
// system over particles and nodes, M/dt^2 + sum w S^T S + sum w D^T D, with S of a sample its barycentric row.
TYPED_TEST(FluidAndCloth, OneGlobalStepSolvesTheAssembledSystemOfBoth_PF02_PF04) {
  constexpr int D = TestFixture::D;
  using V = Vec<D, double>;
  OnCloth<D> now("projective", "none", 1);
  World<D>& w = *now.world;
  const Plain<D> plain(w);  // before the step; by id
  const int n = w.fluid.size(), nodes = w.soft.nodes, m = w.soft.samples;
  std::vector<V> s(n), node(nodes), sample(m);
  for (int i = 0; i < n; ++i) s[i] = plain.x[i] + dt * plain.v[i];
  for (int a = 0; a < nodes; ++a)
    for (int k = 0; k < D; ++k) node[a][k] = w.soft.x[a].x[k];
  const auto row = [&](int k) -> const SoftRow& { return w.soft.row[w.soft.rows + k]; };
  for (int k = 0; k < m; ++k)
    for (int c = 0; c < 4; ++c) sample[k] += double(row(k).part[c]) * node[row(k).node[c]];

  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + nodes, n + nodes), b = Eigen::MatrixXd::Zero(n + nodes, D);
  const auto add = [&](int i, double factor, const V& x) {
    for (int k = 0; k < D; ++k) b(i, k) += factor * x[k];
  };
  for (int i = 0; i < n; ++i) A(i, i) = w.mass / (dt * dt), add(i, A(i, i), s[i]);
  for (int a = 0; a < nodes; ++a) A(n + a, n + a) = w.soft.x[a].a / (dt * dt), add(n + a, A(n + a, n + a), node[a]);
  int held = 0;
  for (int i = 0; i < n; ++i) {
    std::vector<int> member, samples;
    for (int j = 0; j < n; ++j)
      if (dot(s[i] - s[j], s[i] - s[j]) < w.support * w.support) member.push_back(j);
    for (int k = 0; k < m; ++k)
      if (dot(s[i] - sample[k], s[i] - sample[k]) < w.support * w.support) samples.push_back(k);
    held += int(samples.size());
    std::vector<V> p;  // members, then samples
    for (const int j : member) p.push_back(s[j]);
    for (const int k : samples) p.push_back(sample[k]);
    std::size_t own = 0;
    while (member[own] != i) ++own;
    for (int newton = 0; newton < 10; ++newton) {
      double rho = 0, size = 0;
      std::vector<V> g(p.size(), V{});
      for (std::size_t k = 0; k < p.size(); ++k) {
        const double mass = k < member.size() ? w.mass : double(w.soft.sampleMass[samples[k - member.size()]]);
        rho += mass * plain.W(p[own] - p[k]);
        g[own] += (mass / w.rho0) * plain.W.grad(p[own] - p[k]);
        g[k] -= (mass / w.rho0) * plain.W.grad(p[own] - p[k]);
      }
      const double C = rho / w.rho0 - 1;
      if (C < (isDouble ? 1e-14 : 4e-7)) break;
      for (const V& x : g) size += dot(x, x);
      for (std::size_t k = 0; k < p.size(); ++k) p[k] -= (C / size) * g[k];
    }
    for (std::size_t k = 0; k < member.size(); ++k) A(member[k], member[k]) += w0, add(member[k], w0, p[k]);
    for (std::size_t k = 0; k < samples.size(); ++k) {
      const SoftRow& r = row(samples[k]);
      for (int c = 0; c < 4; ++c) {
        for (int e = 0; e < 4; ++e) A(n + r.node[c], n + r.node[e]) += w0 * r.part[c] * r.part[e];
        add(n + r.node[c], w0 * r.part[c], p[member.size() + k]);
      }
    }
  }
  ASSERT_GT(held, 20);
  for (int i = 0; i < w.soft.constraints; ++i) {
    const SoftConstraint<D> c = w.soft.constraint[i];
    Vec<D> q[3], p[3];
    for (int r = 0; r < c.rows; ++r) q[r] = rowOf<D>(w.soft.row[c.first + r], w.soft.x.read());
    projectRows(c, q, p);
    for (int r = 0; r < c.rows; ++r) {
      const SoftRow& line = w.soft.row[c.first + r];
      V target;
      for (int k = 0; k < D; ++k) target[k] = p[r][k];
      for (int k = 0; k < 4; ++k) {
        for (int l = 0; l < 4; ++l) A(n + line.node[k], n + line.node[l]) += double(c.w) * line.part[k] * line.part[l];
        add(n + line.node[k], double(c.w) * line.part[k], target);
      }
    }
  }
  const Eigen::MatrixXd x = A.ldlt().solve(b);

  const auto solver = makeSolver<D>(now.scene);
  // What passes the sheet within the step is put back after the solve; here nothing is that fast.
  now.step(*solver);
  const Plain<D> after(w);
  const double tolerance = isDouble ? 1e-9 : 1e-5;  // conjugate gradients to 1e-5 of moves of a few mm; float rounds to 6e-8
  double moved = 0;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < D; ++k) ASSERT_NEAR(after.x[i][k], x(i, k), tolerance) << "particle " << i;
  for (int a = 0; a < nodes; ++a)
    for (int k = 0; k < D; ++k) {
      ASSERT_NEAR(w.soft.x[a].x[k], x(n + a, k), isDouble ? 1e-6 : 1e-5) << "node " << a;
      moved = std::max(moved, std::abs(double(w.soft.x[a].x[k]) - node[a][k]));
    }
  EXPECT_GT(moved, 5e-4);  // the fluid did push the sheet
}

TYPED_TEST(FluidAndCloth, KeepTheirMomentumTogether_PF26_PB16) {
  constexpr int D = TestFixture::D;
  for (const char* solver : {"projective", "pbf"}) {
    OnCloth<D> now(solver, "multilevel", 30);
    now.scene.fluid.viscosity = 0.1;  // so that friction between the two counts as well
    const auto before = now.momentum(), cloth = now.world->soft.momentum();
    const auto made = makeSolver<D>(now.scene);
    for (int k = 0; k < 25; ++k) now.step(*made);
    const auto after = now.momentum(), taken = now.world->soft.momentum();
    const double scale = now.world->mass * now.world->fluid.size() * 1.0;  // lumps that spread at about 1 m/s
    EXPECT_GT(std::abs(taken[1] - cloth[1]), 2e-3 * scale) << solver;      // something was exchanged
    // Rounding of 30 iterations in 25 steps; the last conjugate gradients of a step stop at 1e-4 of what they began with.
    for (int k = 0; k < D; ++k) EXPECT_NEAR(after[k], before[k], 1e-4 * scale) << solver << ", axis " << k;
  }
}

TEST(FluidAndClothInThePlane, PlainAndAcceleratedStepsEndNearEachOther) {
  // The same minimum, found by averaging copies and by multipliers. Plain iterations move a light node by little more than a
  // thousandth of the way each; in space 3000 are not enough.
  constexpr int D = 2;
  OnCloth<D> plain("projective", "none", 3000, 0.97 * d), fast("projective", "multilevel", 300, 0.97 * d);
  plain.step(*makeSolver<D>(plain.scene));
  fast.step(*makeSolver<D>(fast.scene));
  double way = 0, apart = 0;
  for (int a = 0; a < plain.world->soft.nodes; ++a) {
    const Vec<D> x = plain.world->soft.x[a].x, y = fast.world->soft.x[a].x;
    way += (0.3 - x[1]) * (0.3 - x[1]);
    apart += dot(x - y, x - y);
  }
  EXPECT_GT(std::sqrt(way / plain.world->soft.nodes), 1e-4);
  // One linear step stands for the projection in the accelerated method: a tenth, as for fluid alone.
  EXPECT_LT(std::sqrt(apart), 0.15 * std::sqrt(way));
}
