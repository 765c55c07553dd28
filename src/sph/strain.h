// Artificial viscosity that leaves smooth flow alone. Between two particles only that part of their velocities' difference is
// damped which the rates of strain around them do not explain,
//
//   a_i = sum_j V_j h s_ij R_ij / (|x_ij|^2 + 0.01 h^2) grad W_ij,   R_ij = res(v_ij . x_ij, x_ij . E_ij x_ij),
//   E_ij = (E_i + E_j)/2,   res(u, e) = u - minmod(u, e),   s_ij = min(alpha c, 10 |R_ij|/|x_ij|)
//
// R_ij lies between 0 and v_ij . x_ij, so that it always takes energy; it acts along x_ij, so that momentum and angular momentum
// are kept. The reconstruction is that of Frontiere, Raskin & Owen 2017 (CRKSPH), the limit by the jump itself that of Zhang, Hu
// & Adams 2017 (Riemann SPH): in slow water that is stiff only because it is deep, the speed of sound is no scale of friction.
#pragma once
#include "sph/viscosity.h"

namespace brim::inline BRIM_FLAVOUR {

/// E = D sum_j (v_ij x_ij^T + x_ij v_ij^T)/2 grad W / sum_j x_ij . grad W: exact for a linear flow in a lattice, and at a plane
/// surface, where half of the sums is missing.
template <int D, class R>
struct StrainSum {
  Vec<D, R> diagonal = {}, mixed = {};  // mixed: yz, zx, xy; in 2D the first alone, xy
  R size = R(0);
  /// k = |grad W|/|r| up to a factor, u = v_i - v_j, r = x_i - x_j.
  BRIM_FN void add(R k, const Vec<D, R>& u, const Vec<D, R>& r, R r2) {
    size += k * r2;
    for (int a = 0; a < D; ++a) diagonal[a] += k * u[a] * r[a];
    for (int c = 0; c < (D == 3 ? 3 : 1); ++c) {
      const int a = D == 3 ? (c + 1) % 3 : 0, b = D == 3 ? (c + 2) % 3 : 1;
      mixed[c] += k * (u[a] * r[b] + u[b] * r[a]);
    }
  }
  /// {diagonal, -} and {twice the others, -}. k is negative: weights fall with distance.
  BRIM_FN void finish(R least) {
    const R per = R(D) / min(size, R(0) - least);
    diagonal = per * diagonal;
    mixed = per * mixed;
  }
};

/// r . E r.
template <int D, class R>
BRIM_FN R along(const Record<D, R>& diagonal, const Record<D, R>& mixed, const Vec<D, R>& r) {
  R sum = R(0);
  for (int a = 0; a < D; ++a) sum += diagonal.x[a] * r[a] * r[a];
  for (int c = 0; c < (D == 3 ? 3 : 1); ++c) {
    const int a = D == 3 ? (c + 1) % 3 : 0, b = D == 3 ? (c + 2) % 3 : 1;
    sum += mixed.x[c] * r[a] * r[b];
  }
  return sum;
}

/// s_ij R_ij for u = v_ij . x_ij, e = x_ij . E_ij x_ij, r2 = |x_ij|^2 and fastest = alpha c.
template <class R>
BRIM_FN R jumpFriction(R u, R e, R r2, R fastest) {
  const R left = u - max(min(u, e), R(0)) - min(max(u, e), R(0));
  return min(fastest, R(10) * max(left, R(0) - left) / sqrt(r2)) * left;
}

/// viscosity() with this friction in the place of XSPH, for solvers that move particles first: the fluid's own viscosity nu
/// [m^2/s] and alphaC = alpha c [m/s], both inside the fluid alone. The densities are left in the velocity records.
template <int D, class K>
void viscosityOfJumps(StepContext<D>& c, K W, double nu, double alphaC) {
  World<D>& w = c.world;
  const int room = w.fluid.capacity();
  auto out = c.scratch.records(room, "{v, rho} after viscosity"), diagonal = c.scratch.records(room, "rates of strain"),
       mixed = c.scratch.records(room, "rates of shear");
  const auto p = w.fluid.p.read(), v = w.fluid.v.read(), s = w.solids.p();
  const NeighbourView nb = c.nb();
  {
    const auto diagonals = diagonal.view(), mixtures = mixed.view();
    const Real least = Real(1e-6 * w.support);
    forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
      const auto [xi, mi] = p[i];
      const auto [vi, ri] = v[i];
      StrainSum<D, Reals> strain;
      for (auto j : nb.fluid[i]) {
        const auto [xj, mj] = p[j];
        const auto [vj, rj] = v[j];
        const auto r = xi - xj;
        const Reals r2 = dot(r, r);
        strain.add(W.bare(r2).k, vi - vj, r, r2);
      }
      strain.finish(Reals(least));
      diagonals[i] = {strain.diagonal, Reals(0)};
      mixtures[i] = {strain.mixed, Reals(0)};
    });
  }
  for (auto* e : {&*diagonal, &*mixed}) w.fluid.padWith(*e, Record<D>{}), c.refresh(*e);
  const auto E = diagonal.read(), F = mixed.read();
  const auto to = out.view();
  const double perNu = 2 * (D + 2) * c.dt * viscousCalibration<D>(W, w.spacing, w.support) / w.rho0;
  const Real drag = Real(perNu * w.support / (2 * (D + 2))), real = Real(perNu * nu), fastest = Real(alphaC),
             soft = Real(0.01 * w.support * w.support);
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const auto [xi, mi] = p[i];
    const auto [vi, ri] = v[i];
    const Record<D, Reals> Ei = E[i], Fi = F[i];
    Reals rho = 0;
    Vec<D, Reals> dv = {};
    for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto [vj, rj] = v[j];
      const Record<D, Reals> Ej = E[j], Fj = F[j];
      const auto r = xi - xj;
      const Reals r2 = dot(r, r), soft2 = r2 + soft, u = dot(vi - vj, r);
      const auto [w, k] = W.bare(r2);
      rho += w;
      const Reals explained = Reals(Real(0.5)) * (along(Ei, Fi, r) + along(Ej, Fj, r));
      dv += (k * (drag * jumpFriction(u, explained, soft2, Reals(fastest)) + real * u) / soft2) * r;
    }
    rho *= Reals(W.weight) * mi, dv = (Reals(W.slope) * mi) * dv;  // all fluid particles have one mass
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      rho += mk * W(xi - xk);
    }
    to[i] = {vi + dv, rho};
  });
  w.fluid.padWith(*out, Record<D>{});
  w.fluid.v.data.swap(*out);
  c.refresh(w.fluid.v.data);
}

}  // namespace brim::inline BRIM_FLAVOUR
