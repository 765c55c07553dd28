// Pressure extrapolation at walls: what particles feel there is their own pressure, continued as it is at rest,
//
//   p_k = p_i + rho0 g.(x_k - x_i),   within 0 and 2 p_i.
//
// With p_k = p_i alone (Akinci et al. 2012) a wall carries nothing of the gradient along it, so that the fluid's must be steeper:
// 27 % in a gap of three spacings, and a box of 20 spacings is lifted 13 % too well. The bounds keep fluid without pressure, such
// as a film that falls along a wall, from being carried by what is below it.
#pragma once
#include "sph/lattice.h"
#include "step/context.h"

namespace brim::inline BRIM_FLAVOUR {

/// The part of grad p that the sum over the rest lattice finds: 1.02 in 3D with a support of 2 d.
template <int D, class K>
double gradientFound(K W, double spacing, double support) {
  double sum = 0;
  eachOfRestLattice<D>(spacing, support, [&](const Vec<D>& r) { sum -= double(r[1]) * W.grad(r).vec()[1]; });
  return std::pow(spacing, D) * sum;
}

template <int D>
struct WallPressure {
  Vec<D> slope;  // [m^4/(kg s^2)] g/rho0, as steep as the particles' own sums make it
  Real perRho2;  // [m^6/kg^2] 1/rho0^2
  template <class K>
  WallPressure(const StepContext<D>& c, K W, const Vec<D>& gravity)
      : slope(Real(1 / (c.world.rho0 * gradientFound<D>(W, c.world.spacing, c.world.support))) * gravity),
        perRho2(Real(1 / (c.world.rho0 * c.world.rho0))) {
    // Along a period no pressure can carry the weight: it would have to fall all the way around.
    for (int k = 0; k < D; ++k)
      if (c.world.periodic[k]) slope[k] = 0;
  }
  /// (p_k - p_i)/rho0^2, where p_i/rho0^2 = P and r = x_i - x_k.
  BRIM_FN Reals beyond(Reals P, const Vec<D, Reals>& r) const {
    Vec<D, Reals> everywhere;
    for (int k = 0; k < D; ++k) everywhere[k] = Reals(slope[k]);
    return beyond(P, r, everywhere);
  }
  BRIM_FN static Reals beyond(Reals P, const Vec<D, Reals>& r, const Vec<D, Reals>& slope) {
    return min(max(-dot(slope, r), -P), P);
  }
};

/// How much of the gradient along them walls carry, besides that across them, and whether in edges and corners too.
/// Constraint Fluids: their rows have 5 to 10 % more pressure at walls than beside them and so carry that part by themselves; in
/// edges they have 2.7 times as much, and with the whole gradient on top water rises there as a fountain, 0.09 m/s.
struct Extrapolation {
  double along = 1;
  bool edges = true;
};

/// What p_k - p_i does to the fluid's velocities within dt [s], and to its places if they were predicted already; for solvers
/// whose iterations find p_i alone, of the last step's pressures. Bodies get the same: c.reaction.impulse [N s].
template <int D, class K>
void extrapolatePressure(StepContext<D>& c, K W, bool predicted, Extrapolation how = {}) {
  World<D>& w = c.world;
  const WallPressure<D> wall(c, W, c.gravity);
  const auto s = w.solids.p();
  const auto p = w.fluid.p.view(), v = w.fluid.v.view();
  const NeighbourView nb = c.nb();
  auto slopes = c.scratch.records(w.fluid.capacity(), "{gradient that the walls around i continue, p_i}, both over rho0^2");
  {
    const auto to = slopes.view();
    const auto pressure = w.fluid.pressure.read();
    double plane = 0, edge = 0;  // [kg/m^D] what walls add in a lattice at rest beside a plane, and where two meet
    eachOfRestLattice<D>(w.spacing, w.support, [&](const Vec<D>& r) {
      if (r[0] < 0) plane += w.mass * double(W(r));
      if (r[0] < 0 || r[1] < 0) edge += w.mass * double(W(r));
    });
    const Real most = Real(edge), perFade = Real(1 / (edge - plane)), along = Real(how.along);
    const bool edges = how.edges;
    forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
      const Record<D, Reals> pi = p[i];
      Vec<D, Reals> normal = {}, g;
      Reals rho = 0;
      for (auto k : nb.solid[i]) {
        const auto [xk, mk] = s[k];
        normal += mk * W.grad(pi.x - xk);
        rho += mk * W(pi.x - xk);
      }
      for (int k = 0; k < D; ++k) g[k] = Reals(wall.slope[k]);
      const Vec<D, Reals> across = (dot(normal, g) / max(dot(normal, normal), Reals(Real(1e-20)))) * normal;
      const Reals fade = edges ? Reals(1) : max(min((Reals(most) - rho) * Reals(perFade), Reals(1)), Reals(0));
      to[i] = {across + (along * fade) * (g - across), max(wall.perRho2 * pressure[i], Reals(0))};
    });
  }
  w.fluid.padWith(*slopes, Record<D>{});
  c.refresh(*slopes);
  const auto beyond = slopes.read();
  const Real h = Real(c.dt), way = predicted ? Real(c.dt * c.dt) : Real(0);
  if (const int samples = c.reaction.size()) {
    const auto at = c.reaction.p();
    const auto out = c.reaction.impulse.view();
    const auto q = w.fluid.p.read();
    const NeighbourView around = c.reaction.nb();
    forEach(samples, [=] BRIM_KERNEL(Index k) {
      const auto [xk, mk] = at[k];
      Vec<D, Reals> f = {};
      for (auto i : around.fluid[k]) {
        const auto [xi, mi] = q[i];
        const auto [g, P] = beyond[i];
        f += (mi * wall.beyond(P, xi - xk, g)) * W.grad(xi - xk);
      }
      out[k] = {(h * mk) * f, Reals(0)};
    });
  }
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const Record<D, Reals> pi = p[i], vi = v[i];
    const auto [g, P] = beyond[i];
    Vec<D, Reals> a = {};
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      a += (-mk * wall.beyond(P, pi.x - xk, g)) * W.grad(pi.x - xk);
    }
    v[i] = {vi.x + Reals(h) * a, vi.a};
    p[i] = {pi.x + Reals(way) * a, pi.a};
  });
  c.refresh(w.fluid.p.data, Holds::positions);
}

}  // namespace brim::inline BRIM_FLAVOUR
