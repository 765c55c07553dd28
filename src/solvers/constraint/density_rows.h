// One row per particle that keeps its density: what Constraint Fluids iterates on.
//
//   g_i = rho_i/rho0 - 1,   G_ij = -m_j/rho0 grad W_ij,   G_ii = 1/rho0 sum_k m_k grad W_ik         (Eq. 21-24)
//   r_i = G_ii v_i + sum_j G_ij v_j + Sigma lambda_i - c_i                                            (Eq. 33)
//   lambda_i -= r_i / (D_ii + Sigma),   v_j += G_ij^T dlambda_i / m_j                                 (Alg. VII.1)
//
// Eq. 25 of the paper swaps its masses and drops 1/rho0, Alg. VII.1 leaves Sigma out beside D_ii; see docs/errata.md. Walls that
// do not react cost nothing in an iteration: their gradients are part of G_ii and their velocities part of c_i.
//
// Departs from Eq. 21 at walls and bodies: of what they add to rho_i/rho0, phi, the constraint has WallPart's f(phi) in its
// place. A sample has no row of its own that pushes back, as a particle in its place has, so with Eq. 23 alone the layer at a
// wall is in balance only where it is 0.2 spacings off (0.5 in the lattice) and has 1.8 times the pressure of the fluid beside
// it.
#pragma once
#include "bodies/row.h"
#include "math/kernels.h"
#include "step/context.h"

namespace brim::inline BRIM_FLAVOUR {

/// f(phi) = phi where walls add what they add to a lattice at rest beside a plane, phi0, but twice as steep there: the wall
/// has the pressure of the fluid before it, as its mirror image would. Nearer, as at edges, it levels off to slope 1.
/// (To double the gradient alone is no gradient of anything: water at rest is stirred by it.)
///   q = phi/phi0:   f/phi0 = q^2 up to 1,   q + s (u - u^2/2) beyond, with u = (q - 1)/s up to 1 and s = 0.87: q is 1.87 at
///   edges
struct WallPart {
  Real phi0 = 0;
  static constexpr Real s = Real(0.87);
  template <class R>
  BRIM_FN R f(R phi) const {
    const R q = phi * R(1 / phi0), u = min((q - R(1)) * R(1 / s), R(1));
    return R(phi0) * select(q < R(1), q * q, q + R(s) * (u - R(Real(0.5)) * u * u));
  }
  template <class R>
  BRIM_FN R slope(R phi) const {
    const R q = phi * R(1 / phi0);
    return select(q < R(1), R(2) * q, R(2) - min((q - R(1)) * R(1 / s), R(1)));
  }
  /// f'', where it is positive.
  BRIM_FN Real bend(Real phi) const { return phi < phi0 ? 2 / phi0 : Real(0); }
};

template <int D>
struct DensityRows {
  // Of the step.
  Real v0, mass;   // [m^D/kg], [kg]
  Real sigma;      // Sigma [1/(kg m^2)]
  Real perDt, xi;  // [1/s], SPOOK's xi
  Real omega;      // over-relaxation
  Real most;       // density error that one step undoes at most
  WallPart walls;
  bool equality;   // else rho <= rho0 and lambda <= 0
  bool samples;    // walls are samples; else `wall` has what they add
  Vec<D> gravity;  // [m/s] what the step adds to velocities before the solve
  // Of each row.
  Array<Record<D>> G;       // {G_ii, 1/(D + Sigma)}
  Array<Record<D>> wall;    // {what walls without samples add to grad rho/rho0, the same times their velocities}
  Array<Real> phi;          // what walls add to rho/rho0, from samples or not
  Array<Real> c;            // [1/s]
  Array<Real> r;            // [1/s] residual before the first iteration and after the last
  Array<Real> bodySamples;  // how many samples around the particle belong to rigid bodies

  Bounds<Real> bounds() const { return {Real(-unbounded), equality ? Real(unbounded) : Real(0)}; }  // of lambda

  void resize(int room) {
    for (Array<Record<D>>* a : {&G, &wall}) a->resize(room);
    for (Array<Real>* a : {&phi, &c, &r, &bodySamples}) a->resize(room);
  }
  std::size_t bytes() const { return G.bytes() + wall.bytes() + phi.bytes() + c.bytes() + r.bytes() + bodySamples.bytes(); }
};

/// G, D, c and the residual of lambda = 0. Densities of the present places are in the velocity records.
template <int D, class K>
void prepareRows(StepContext<D>& c, K W, DensityRows<D>& rows) {
  World<D>& w = c.world;
  const auto p = w.fluid.p.read(), v = w.fluid.v.read(), s = w.solids.p(), sv = w.solids.v(), wall = rows.wall.read();
  const auto G = rows.G.view();
  const auto C = rows.c.view(), R = rows.r.view(), A = rows.bodySamples.view(), Phi = rows.phi.view();
  const NeighbourView nb = c.nb();
  const Real v0 = rows.v0, perM = 1 / rows.mass, sigma = rows.sigma, perDt = rows.perDt, xi = rows.xi, most = rows.most;
  const bool equality = rows.equality, samples = rows.samples;
  const WallPart walls = rows.walls;
  const Vec<D> dv = rows.gravity;
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const auto [x, mi] = p[i];
    const auto [vi, rho] = v[i];
    Reals S = 0, rate = 0, wallRate = 0, moving = 0, bodySamples = 0, phi = 0;
    Vec<D, Reals> sum = {}, solid = {};
    for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto [vj, rhoJ] = v[j];
      const auto g = (v0 * mj) * W.grad(x - xj);
      sum += g;
      S += dot(g, g);
      rate += dot(vi - vj, g);
    }
    if (samples) {
      for (auto k : nb.solid[i]) {
        const auto [xk, mk] = s[k];
        const auto [vk, mark] = sv[k];
        const auto g = (v0 * mk) * W.grad(x - xk);
        const Reals stays = select(mark > Reals(0), Reals(0), Reals(1));
        phi += v0 * mk * W(x - xk);
        solid += g;
        wallRate += dot(vi - vk, g);
        moving += stays * dot(vk, g);
        bodySamples += Reals(1) - stays;
      }
      Phi[i] = phi;
    } else {
      const auto [field, drift] = wall[i];
      phi = Phi[i];
      solid = field;
      wallRate = dot(vi, field) - drift;
      moving = drift;
    }
    const Reals slope = walls.slope(phi);
    for (int k = 0; k < D; ++k) solid[k] = slope * solid[k];
    rate += slope * wallRate;
    moving = slope * moving;
    const Vec<D, Reals> own = sum + solid;
    const Reals error = v0 * rho - Reals(1) + walls.f(phi) - phi, undone = max(min(error, Reals(most)), Reals(-most));
    const Reals spook = Reals(xi) * (rate - Reals(4 * perDt) * undone);
    // Below rest an inequality lets the step use up what is left.
    const Reals aim = equality ? spook : select(error > Reals(0), spook, -perDt * error);
    const Reals d = perM * (S + dot(own, own)) + sigma;
    Vec<D, Reals> kick;
    for (int k = 0; k < D; ++k) kick[k] = Reals(dv[k]);
    const Reals first = rate + dot(kick, solid) - aim;
    G[i] = {own, select(d > Reals(Real(1e-30)), Reals(1) / max(d, Reals(Real(1e-30))), Reals(0))};
    C[i] = aim + moving;
    R[i] = equality ? first : max(first, Reals(0));
    A[i] = bodySamples;
  });
  w.fluid.padWith(rows.G, Record<D>{});
  w.fluid.padWith(rows.c, Real(0));
}

/// v += M^-1 G^T lambda for all rows, as a gather: v_i += G_ii lambda_i / m + 1/rho0 sum_j lambda_j grad W_ij.
template <int D, class K>
void applyRows(StepContext<D>& c, K W, const DensityRows<D>& rows, const Array<Real>& multiplier) {
  World<D>& w = c.world;
  auto out = c.scratch.records(w.fluid.capacity(), "{x, lambda}");
  {
    const auto p = w.fluid.p.read();
    const auto q = out.view();
    const auto lambda = multiplier.read();
    forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) { q[i] = {p[i].x, lambda[i]}; });
  }
  w.fluid.padWith(*out, Particles<D>::paddingRecord());
  c.refresh(*out, Holds::positions);
  const auto q = out.read(), G = rows.G.read();
  const auto v = w.fluid.v.view();
  const NeighbourView nb = c.nb();
  const Real v0 = rows.v0, perM = 1 / rows.mass;
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const auto [xi, lambdaI] = q[i];
    const auto [own, perD] = G[i];
    const Record<D, Reals> vi = v[i];
    Vec<D, Reals> dv = {};
    for (auto j : nb.fluid[i]) {
      const auto [xj, lambdaJ] = q[j];
      dv += lambdaJ * W.grad(xi - xj);
    }
    v[i] = {vi.x + Reals(v0) * dv + (perM * lambdaI) * own, vi.a};
  });
}

/// Eq. 33 for every row at the present velocities, without what bodies add.
template <int D, class K>
void residualOfRows(StepContext<D>& c, K W, DensityRows<D>& rows, const Array<Real>& multiplier) {
  World<D>& w = c.world;
  const auto p = w.fluid.p.read(), v = w.fluid.v.read(), G = rows.G.read();
  const auto C = rows.c.read(), lambda = multiplier.read();
  const auto R = rows.r.view();
  const NeighbourView nb = c.nb();
  const Real scale = rows.v0 * rows.mass, sigma = rows.sigma;
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const auto [x, m] = p[i];
    const auto [own, perD] = G[i];
    Reals r = dot(own, v[i].x) + sigma * lambda[i] - C[i];
    for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto [vj, rhoJ] = v[j];
      r -= scale * dot(vj, W.grad(x - xj));
    }
    R[i] = r;
  });
}

}  // namespace brim::inline BRIM_FLAVOUR
