// The smallest solver that runs: SPH with a linear equation of state (Desbrun & Gascuel 1996) and explicit steps.
//
//   p_i = c^2 (rho_i - rho0)+
//   a_i = g - sum_j m_j (p_i + p_j)/rho0^2 grad W_ij;   a wall sample has the pressure of the particle, p_k = p_i
#include "solvers/solver.h"
#include "sph/viscosity.h"

namespace brim::inline BRIM_FLAVOUR {

struct SkeletonParameters {
  double sound_speed = 20;

  void visit(ParameterVisitor& v) {
    v("sound_speed", sound_speed, {"m/s", "Speed of sound. Larger: less compression, shorter steps.", 0, 1e5, true});
  }
};

// Pressures from the densities in the velocity records {v, rho}, and dt a into `kick`.
template <int D, class K>
void skeletonForces(StepContext<D>& c, K W, double sound, Array<Record<D>>& kick) {
  World<D>& w = c.world;
  const auto p = w.fluid.p.read(), v = w.fluid.v.read(), s = w.solids.p();
  const auto to = kick.view();
  const auto P = w.fluid.pressure.view();
  const NeighbourView nb = c.nb();
  const Real c2 = Real(sound * sound), rho0 = Real(w.rho0), push = Real(-c.dt / (w.rho0 * w.rho0));
  const Vec<D> dv = Real(c.dt) * c.gravity;
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const auto [xi, mi] = p[i];
    const auto [vi, rhoI] = v[i];
    const Reals pi = c2 * max(rhoI - Reals(rho0), Reals(0));
    Vec<D, Reals> f = {};
    for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto [vj, rhoJ] = v[j];
      f += (mj * (pi + c2 * max(rhoJ - Reals(rho0), Reals(0)))) * W.grad(xi - xj);
    }
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      f += (mk * (pi + pi)) * W.grad(xi - xk);
    }
    f = Reals(push) * f;
    for (int k = 0; k < D; ++k) f[k] += Reals(dv[k]);
    to[i] = {f, Reals(0)};
    P[i] = pi;
  });
}

template <int D>
void drift(StepContext<D>& c) {
  const auto x = c.world.fluid.p.view(), v = c.world.fluid.v.view();
  const Real h = Real(c.dt);
  forEach(c.world.fluid.size(), [=] BRIM_KERNEL(int i) { x[i].x += h * v[i].x; });
}

template <int D>
class Skeleton : public Solver<D> {
 public:
  explicit Skeleton(const Scene& scene) : o_(parametersOf<SkeletonParameters>(scene)) {}

  TimeLimit limit(const World<D>& w) const override { return {0.4 * w.spacing / o_.sound_speed, "sound"}; }

  // Move, then find densities and forces at the new positions: positions, velocities and densities belong together at the end.
  void step(StepContext<D>& c) override {
    World<D>& w = c.world;
    c.placeBoundaryAt(c.end);
    drift(c);
    c.collideAndRelease();  // particles in solids and walls are moved out
    c.search();             // sorts the particles: views of their columns are taken again
    c.stage("search");
    auto kick = c.scratch.records(w.fluid.capacity(), "dt a");
    c.withKernel([&](auto W) {
      viscosity(c, W, w.nu, 0);  // also finds the densities
      skeletonForces(c, W, o_.sound_speed, *kick);
    });
    const auto u = w.fluid.v.view();
    const auto dv = kick.read();
    forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) { u[i].x += dv[i].x; });
    c.stage("forces");
    c.report.iterations = 1;
  }

 private:
  SkeletonParameters o_;
};

void skeletonParameters(ParameterVisitor& v) { SkeletonParameters().visit(v); }

template <int D>
std::unique_ptr<Solver<D>> makeSkeleton(const Scene& s) {
  return std::make_unique<Skeleton<D>>(s);
}
template std::unique_ptr<Solver<2>> makeSkeleton<2>(const Scene&);
template std::unique_ptr<Solver<3>> makeSkeleton<3>(const Scene&);

}  // namespace brim::inline BRIM_FLAVOUR
