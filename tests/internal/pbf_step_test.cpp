// Whole steps of plain PBF against Algorithm 1 of the course sheet and the loop of the slides, written out over all pairs in
// double. The order of the parts is what is tested: whatever is swapped, left out or done twice shows in the positions.
//   v += dt g, x* = x + dt v        the prediction; the step's only change before the neighbours are found
//   neighbours at x*, once          pairs that come near during the iterations do not count, pairs that part still do
//   n times: rho, S, lambda of all, then dx of all, then x* += dx
//   v = (x* - x)/dt, then viscosity, XSPH and vorticity confinement, all from these velocities
// The sheet puts viscosity at the head of a step and the slides XSPH at its tail; between two steps that is the same place.
#include <gtest/gtest.h>

#include "cloud.h"
#include "solvers/solver.h"

using namespace brim;

namespace {

constexpr double d = 0.05, dt = 4e-3;  // [m], [s]
constexpr double eta = 0.5;  // [Pa s] so thick that leaving viscosity out would show, and thin enough for an explicit sum

template <class N>
struct PbfStep : testing::Test {
  static constexpr int D = N::value;
  using V = Vec<D, double>;
  static constexpr int side = D == 3 ? 7 : 16;  // 343 or 256 particles: so many that five iterations leave some pressed

  static Scene scene(int iterations, double xsph, double vorticity) {
    Scene s = emptyScene<D>(d, {0, 0, 0}, {1, 1, 1}, "open");
    s.gravity = {0.5, -9.81, 0};
    s.fluid.viscosity = eta;
    s.solver.name = "pbf";
    s.solver.choices["acceleration"] = "none";
    s.solver.numbers = {{"iterations", double(iterations)}, {"tolerance", 0}, {"xsph", xsph}, {"vorticity", vorticity}};
    s.solver.numbers["largest_correction"] = 1e6;
    return s;
  }

  // Everything within a step of Algorithm 1.
  struct Reference {
    PlainCubic<D> W{2 * d};
    std::vector<V> x, v;
    double m = 1000 * std::pow(d, D), rho0 = 1000;

    bool near(const V& a, const V& b) const { return dot(a - b, a - b) < W.h * W.h; }
    template <class F>
    void overLattice(F body) const {
      for (int c = 0; c < (D == 3 ? 125 : 25); ++c) {
        V r;
        for (int k = 0, rest = c; k < D; ++k, rest /= 5) r[k] = d * (rest % 5 - 2);
        body(r);
      }
    }

    void step(const Scene& s) {
      const int n = int(x.size());
      std::vector<V> predicted(n);
      for (int i = 0; i < n; ++i) {
        for (int k = 0; k < D; ++k) v[i][k] += dt * s.gravity[k];
        predicted[i] = x[i] + dt * v[i];
      }
      std::vector<std::vector<int>> neighbours(n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          if (near(predicted[i], predicted[j])) neighbours[i].push_back(j);
      for (int l = 0; l < int(s.solver.numbers.at("iterations")); ++l) correct(predicted, neighbours);
      for (int i = 0; i < n; ++i) v[i] = (1 / dt) * (predicted[i] - x[i]);
      x = predicted;
      const std::vector<V> u = v;
      smooth(neighbours, s.fluid.viscosity / rho0, s.solver.numbers.at("xsph"));
      if (const double eps = s.solver.numbers.at("vorticity"); eps > 0) confine(u, neighbours, eps);
    }

    // One iteration: Eq. 6-10 with equal masses.
    void correct(std::vector<V>& at, const std::vector<std::vector<int>>& neighbours) const {
      double restS = 0;
      overLattice([&](const V& r) { restS += m / (rho0 * rho0) * dot(W.grad(r), W.grad(r)); });
      const int n = int(at.size());
      std::vector<double> lambda(n, 0);
      for (int i = 0; i < n; ++i) {
        double rho = 0, S = 0;
        V gradI{};
        for (const int j : neighbours[i]) {
          const V grad = (m / rho0) * W.grad(at[i] - at[j]);
          rho += m * W(at[i] - at[j]);
          gradI += grad;
          S += dot(grad, grad) / m;
        }
        S += dot(gradI, gradI) / m;
        if (rho > rho0) lambda[i] = -(rho / rho0 - 1) / (S + 1e-4 * restS);
      }
      std::vector<V> dx(n);
      for (int i = 0; i < n; ++i)
        for (const int j : neighbours[i]) dx[i] += ((lambda[i] + lambda[j]) / rho0) * W.grad(at[i] - at[j]);
      for (int i = 0; i < n; ++i) at[i] += dx[i];
    }

    // Viscosity that the flow v_x = y^2/2 over the lattice feels as exactly nu, and XSPH, both from the same velocities.
    void smooth(const std::vector<std::vector<int>>& neighbours, double nu, double c) {
      const double soft = 0.01 * W.h * W.h, V0 = m / rho0;
      double felt = 0;  // by the flow at y = 0, where its second derivative is 1
      overLattice([&](const V& r) { felt += V0 * (-0.5 * r[1] * r[1]) * r[0] / (dot(r, r) + soft) * W.grad(r)[0]; });
      const std::vector<V> u = v;
      for (std::size_t i = 0; i < x.size(); ++i)
        for (const int j : neighbours[i]) {
          const V r = x[i] - x[j], uij = u[i] - u[j];
          v[i] += (dt * nu / felt * V0 * dot(uij, r) / (dot(r, r) + soft)) * W.grad(r);
          v[i] -= (c * V0 * W(r)) * uij;
        }
    }

    // v_i += dt eps d (N x omega), omega the curl of u.
    void confine(const std::vector<V>& u, const std::vector<std::vector<int>>& neighbours, double eps) {
      const std::size_t n = x.size();
      const double V0 = m / rho0;
      std::vector<std::array<double, 3>> omega(n, {0, 0, 0});
      const auto cross = [](const std::array<double, 3>& a, const std::array<double, 3>& b) {
        return std::array<double, 3>{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
      };
      const auto full = [](const V& a) { return std::array<double, 3>{a[0], a[1], D == 3 ? a[D - 1] : 0}; };
      const auto size = [](const std::array<double, 3>& a) { return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); };
      for (std::size_t i = 0; i < n; ++i)
        for (const int j : neighbours[i]) {
          const auto term = cross(full(V0 * (u[j] - u[i])), full(W.grad(x[i] - x[j])));
          for (int k = 0; k < 3; ++k) omega[i][k] += term[k];
        }
      for (std::size_t i = 0; i < n; ++i) {
        V grad{};
        for (const int j : neighbours[i]) grad += (V0 * (size(omega[j]) - size(omega[i]))) * W.grad(x[i] - x[j]);
        const auto push = cross(full((1 / (std::sqrt(dot(grad, grad)) + 1e-6 / d)) * grad), omega[i]);
        for (int k = 0; k < D; ++k) v[i][k] += dt * eps * d * push[k];
      }
    }
  };

  // Two steps of a crowded lump in which everybody moves differently.
  static void compare(const Scene& s) {
    World<D> w(setupOf<D>(s, shakenLattice<D>(side, {0.1, 0.1, D == 3 ? 0.1 : 0}, 0.85 * d, 0.1 * d)));
    const std::vector<Vector> u = randomPoints<D>(w.fluid.size(), {-1, -1, -1}, {1, 1, 1}, 9);
    for (int i = 0; i < w.fluid.size(); ++i)
      for (int k = 0; k < D; ++k) w.fluid.v.data[i].x[k] = Real(u[w.fluid.id.data[i]][k]);
    Reference expected;
    {
      const Plain<D> start(w);
      expected.x = start.x, expected.v = start.v;
    }
    const auto solver = makeSolver<D>(s);
    StepReport report;
    for (int step = 0; step < 2; ++step) {
      stepOnce(w, *solver, dt, report);
      expected.step(s);
      EXPECT_EQ(report.iterations, int(s.solver.numbers.at("iterations")));
      const Plain<D> now(w);
      double fastest = 0;
      for (const V& v : expected.v) fastest = std::max(fastest, std::sqrt(dot(v, v)));
      // Float: 3e-8 m of a position make 1e-6 of a density and 1e-5 of a correction; the second step starts from that and grows
      // it tenfold. Double: the kernels keep |r| above a millionth of h, which moves corrections by 1e-10.
      const double tolerance = (isDouble ? 1e-9 : 2e-4) * std::pow(10, step);
      for (std::size_t i = 0; i < now.x.size(); ++i)
        for (int k = 0; k < D; ++k) {
          ASSERT_NEAR(now.x[i][k], expected.x[i][k], tolerance * fastest * dt) << "particle " << i << ", step " << step;
          ASSERT_NEAR(now.v[i][k], expected.v[i][k], tolerance * fastest) << "particle " << i << ", step " << step;
        }
    }
  }
};

using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(PbfStep, Dimensions);

}  // namespace

TYPED_TEST(PbfStep, FollowsAlgorithm1OfTheSheet_CS09) {
  for (const int iterations : {1, 3, 5}) this->compare(this->scene(iterations, 0, 0));
}

TYPED_TEST(PbfStep, FollowsTheLoopOfTheSlides_PB09) { this->compare(this->scene(3, 0.1, 20)); }
