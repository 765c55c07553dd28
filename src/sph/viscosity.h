// Friction inside the fluid and at walls, with densities on the way: one pass over the neighbours.
#pragma once
#include "math/kernels.h"
#include "sph/lattice.h"
#include "sph/vorticity.h"

namespace brim::inline BRIM_FLAVOUR {

/// What the viscous sum below must be multiplied by, so that a shear flow v_x = y^2/2 over the rest lattice feels exactly nu.
/// With support 2 d the bare sum gives two thirds of it.
template <int D, class K>
double viscousCalibration(K W, double spacing, double support) {
  double sum = 0;
  eachOfRestLattice<D>(spacing, support, [&](const Vec<D>& r) {
    const double u = -0.5 * double(r[1]) * r[1];  // v_i - v_j along x, with y_i = 0
    sum += u * r[0] / (double(dot(r, r)) + 0.01 * support * support) * W.grad(r).vec()[0];
  });
  return 1 / (2 * (D + 2) * std::pow(spacing, D) * sum);
}

/// Viscous acceleration with kinematic viscosity nu [m^2/s], after Monaghan 2005 (Eq. 2.19 of CF in SI form):
///   a_i = 2 (D + 2) nu sum_j V_j (v_ij . x_ij) / (|x_ij|^2 + 0.01 h^2) grad W_ij
/// and XSPH (Schechter & Bridson 2012): v_i += c sum_j V_j (v_j - v_i) W_ij.
/// V_j = m_j / rho0 for the fluid, so that both conserve momentum to rounding. Walls only add to the densities: fluid that walls
/// hold is solved for (sph/implicit_viscosity.h).
/// The densities at these positions are left in the velocity records, and the velocities' curl in `curl`, if it is to be taken.
template <int D, bool turning, class K>
void smooth(StepContext<D>& c, K W, double nu, double xsph, Curl<D>& curl) {
  World<D>& w = c.world;
  auto out = c.scratch.records(w.fluid.capacity(), "{v, rho} after viscosity");
  if (turning)
    for (auto* a : {&curl.omega, &curl.size}) a->resize(w.fluid.capacity());
  const auto omegas = curl.omega.view(), sizes = curl.size.view();
  const auto p = w.fluid.p.read(), v = w.fluid.v.read(), s = w.solids.p();
  const auto to = out.view();
  const NeighbourView nb = c.nb();
  const Real v0 = Real(1 / w.rho0), part = Real(xsph), soft = Real(0.01 * w.support * w.support);
  const Real drag = Real(2 * (D + 2) * nu * c.dt * viscousCalibration<D>(W, w.spacing, w.support));
  forEachShared(w.fluid.size(), [=] BRIM_KERNEL(auto i) {
    const auto [xi, mi] = p[i];
    const auto [vi, ri] = v[i];
    Reals rho = 0;
    Vec<D, Reals> difference = {}, dv = {}, omega = {};
    BRIM_BY_FOUR for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto [vj, rj] = v[j];
      const auto r = xi - xj, u = vi - vj;
      const Reals r2 = dot(r, r);
      const auto [w, k] = W.bare(r2);
      rho += w;
      difference += w * u;
      dv += (k * dot(u, r) / (r2 + soft)) * r;
      if (turning) omega += curlTerm(k * u, r);
    }
    // All fluid particles have one mass.
    rho *= Reals(W.weight) * mi;
    dv = (Reals(drag * v0 * W.slope) * mi) * dv - (Reals(part * v0 * W.weight) * mi) * difference;
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      rho += mk * W(xi - xk);
    }
    dv = total(i, dv), rho = total(i, rho);
    if (turning) omega = (Reals(-v0 * W.slope) * mi) * total(i, omega);
    if (!leads(i)) return;
    to[i] = {vi + dv, rho};
    if (turning) omegas[i] = {omega, Reals(0)}, sizes[i] = {xi, sqrt(dot(omega, omega))};
  });
  w.fluid.padWith(*out, Record<D>{});
  w.fluid.v.data.swap(*out);
  c.refresh(w.fluid.v.data);
}
template <int D, class K>
void viscosity(StepContext<D>& c, K W, double nu, double xsph) {
  Curl<D> none;
  smooth<D, false>(c, W, nu, xsph, none);
}
template <int D, class K>
void viscosity(StepContext<D>& c, K W, double nu, double xsph, Curl<D>& curl) {
  smooth<D, true>(c, W, nu, xsph, curl);
}

/// The `xsph` with which viscosity() acts like the kinematic viscosity nu [m^2/s] inside the fluid alone, not at walls: XSPH
/// takes away the part x of differences, which is a viscosity x <r^2>/(2 dt) along each axis.
template <int D, class K>
double xsphOf(const StepContext<D>& c, K W, double nu) {
  const World<D>& w = c.world;
  double square = 0;  // [m^2] of the rest lattice
  eachOfRestLattice<D>(w.spacing, w.support, [&](const Vec<D>& r) { square += double(r[1]) * r[1] * W(r); });
  square *= std::pow(w.spacing, D);
  return std::min(0.5, 2 * c.dt * nu / square);
}

}  // namespace brim::inline BRIM_FLAVOUR
