// Worlds whose particles stand where a test wants them, and plain double sums over all of their pairs.
#pragma once
#include <random>

#include "math/kernels.h"
#include "solvers/solver.h"

namespace brim::inline BRIM_FLAVOUR {

constexpr bool isDouble = sizeof(Real) == 8;

/// Points drawn evenly from a box; the same on every machine (the standard fixes mt19937, but no distribution).
template <int D>
std::vector<Vector> randomPoints(int n, const Vector& low, const Vector& high, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<Vector> x(n, Vector{0, 0, 0});
  for (Vector& p : x)
    for (int k = 0; k < D; ++k) p[k] = low[k] + (high[k] - low[k]) * (random() / 4294967296.0);
  return x;
}

template <int D>
Scene emptyScene(double spacing, const Vector& low, const Vector& high, const std::string& boundary) {
  Scene s;
  s.dimension = D;
  s.resolution.spacing = spacing;
  s.domain.min = low, s.domain.max = high;
  s.domain.boundary = {boundary, boundary, boundary};
  s.fluid.blocks.emplace_back();
  s.fluid.viscosity = 0;
  s.gravity = {0, 0, 0};
  return s;
}

/// The walls of the scene, and fluid at these points of it.
template <int D>
Setup setupOf(const Scene& scene, const std::vector<Vector>& points) {
  Setup s;
  s.scene = scene;
  s.solids = solidShapes(scene);
  s.position = points;
  s.velocity.assign(points.size(), {0, 0, 0});
  s.block.assign(points.size(), 0);
  const double h = scene.resolution.support * scene.resolution.spacing;
  const Cubic<D> W(h);
  const auto kernel = [&](double r) {
    Vec<D> x{};
    x[0] = Real(r);
    return r < h ? double(W(x)) : 0.0;
  };
  s.walls = sampleWalls(scene, s.solids, kernel);
  s.deformables = deformableMeshes(scene, kernel);
  return s;
}

/// One step by hand. Its memory is thrown away: whatever a solver needs of the last step is in the world and in the solver.
template <int D>
void stepOnce(World<D>& w, Solver<D>& solver, double dt, StepReport& report) {
  StepMemory<D> memory;
  SolverState<D> state(w.fluid);
  solver.declareState(state);
  memory.timer.begin(report);
  StepContext<D> c(w, memory, report, dt);
  solver.step(c);
}

/// A step of dt [s] that has found its neighbours: for tests that call single stages, with `c`.
template <int D>
struct Searched {
  StepMemory<D> memory;
  StepReport report;
  StepContext<D> c;
  explicit Searched(World<D>& w, double dt = 0) : c(w, memory, report, dt) {
    memory.timer.begin(report);
    c.search();
  }
};

/// The cubic kernel in double, written on its own, by pieces as Monaghan prints it.
template <int D>
struct PlainCubic {
  double h;
  double operator()(const Vec<D, double>& r) const {
    const double q = 2 * std::sqrt(dot(r, r)) / h, sigma = D == 2 ? 10 / (7 * pi) : 1 / pi, scale = sigma * std::pow(2 / h, D);
    if (q >= 2) return 0;
    return scale * (q < 1 ? 1 - 1.5 * q * q + 0.75 * q * q * q : 0.25 * (2 - q) * (2 - q) * (2 - q));
  }
  Vec<D, double> grad(const Vec<D, double>& r) const {
    const double l = std::sqrt(dot(r, r)), q = 2 * l / h, sigma = D == 2 ? 10 / (7 * pi) : 1 / pi;
    if (q >= 2 || l == 0) return {};
    const double slope = sigma * std::pow(2 / h, D + 1) * (q < 1 ? -3 * q + 2.25 * q * q : -0.75 * (2 - q) * (2 - q));
    return (slope / l) * r;
  }
};

/// What the sums run over: all fluid, by id, and all samples, in double.
template <int D>
struct Plain {
  using V = Vec<D, double>;
  std::vector<V> x, v, wall;
  std::vector<double> wallMass;  // [kg] rho0 V of a sample
  PlainCubic<D> W;
  double m, rho0;

  explicit Plain(World<D>& w) : x(w.fluid.size()), v(x.size()), W{w.support}, m(w.mass), rho0(w.rho0) {
    for (int i = 0; i < w.fluid.size(); ++i)
      for (int k = 0; k < D; ++k) {
        x[w.fluid.id.data[i]][k] = w.fluid.p.data[i].x[k];
        v[w.fluid.id.data[i]][k] = w.fluid.v.data[i].x[k];
      }
    for (int j = 0; j < w.solids.size(); ++j) {
      V y;
      for (int k = 0; k < D; ++k) y[k] = w.solids.p()[j].x[k];
      wall.push_back(y);
      wallMass.push_back(w.solids.p()[j].a);
    }
  }
  double density(const V& at) const {
    double rho = 0;
    for (const V& y : x) rho += m * W(at - y);
    for (std::size_t k = 0; k < wall.size(); ++k) rho += wallMass[k] * W(at - wall[k]);
    return rho;
  }
};

/// A lattice of n^D points from `corner` on, `pitch` apart, each shaken by up to `jitter` along every axis.
template <int D>
std::vector<Vector> shakenLattice(int n, const Vector& corner, double pitch, double jitter) {
  std::vector<Vector> x;
  for (int c = 0; c < (D == 3 ? n * n * n : n * n); ++c) {
    const std::array<int, 3> at = {c % n, c / n % n, D == 3 ? c / n / n : 0};
    Vector p = {0, 0, 0};
    for (int k = 0; k < D; ++k) p[k] = corner[k] + pitch * (at[k] + 0.5);
    x.push_back(p);
  }
  const std::vector<Vector> shake = randomPoints<D>(int(x.size()), {-jitter, -jitter, -jitter}, {jitter, jitter, jitter}, 5);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (int k = 0; k < D; ++k) x[i][k] += shake[i][k];
  return x;
}

}  // namespace brim::inline BRIM_FLAVOUR
