// Vorticity confinement (Fedkiw 2001; slides, step 5): gives back the small swirls that the solver damps.
#pragma once
#include "math/kernels.h"
#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

template <class R>
BRIM_FN Vec<3, R> curlTerm(const Vec<3, R>& u, const Vec<3, R>& g) {
  return cross(u, g);
}
/// In the plane the vorticity has one component; it is kept in the first.
template <class R>
BRIM_FN Vec<2, R> curlTerm(const Vec<2, R>& u, const Vec<2, R>& g) {
  return {u[0] * g[1] - u[1] * g[0], R(0)};
}
template <class R>
BRIM_FN Vec<3, R> swirl(const Vec<3, R>& n, const Vec<3, R>& omega) {
  return cross(n, omega);
}
template <class R>
BRIM_FN Vec<2, R> swirl(const Vec<2, R>& n, const Vec<2, R>& omega) {
  return {n[1] * omega[0], -(n[0] * omega[0])};
}

///   omega_i = sum_j V_j (v_j - v_i) x grad W_ij,   N = grad|omega| / |grad|omega||,   v_i += dt eps d (N x omega_i)
/// eps is a pure number; the factor d [m] makes it mean the same at every resolution.
template <int D, class K>
void confineVorticity(World<D>& w, K W, double dt, double eps) {
  Array<Sample<D>> curl;  // {omega, |omega|}
  curl.resize(w.fluid.room());
  const auto p = w.fluid.p.read(), v = w.fluid.v.read();
  const auto to = curl.view();
  const NeighbourView nb = w.nb();
  const Real v0 = Real(1 / w.rho0);
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const auto [xi, mi] = p[i];
    const auto [vi, ri] = v[i];
    Vec<D, Reals> omega = {};
    BRIM_BY_FOUR for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto [vj, rj] = v[j];
      omega += curlTerm((v0 * mj) * (vj - vi), W.grad(xi - xj).vec());
    }
    to[i] = {omega, sqrt(dot(omega, omega))};
  });
  w.fluid.padWith(curl, Sample<D>{});
  w.refreshColumn(curl);
  const auto o = curl.read();
  const auto out = w.fluid.v.view();
  const Real push = Real(dt * eps * w.spacing), tiny = Real(1e-6 / w.spacing);
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const auto [xi, mi] = p[i];
    const auto [oi, li] = o[i];
    Vec<D, Reals> grad = {};
    BRIM_BY_FOUR for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto [oj, lj] = o[j];
      grad += (v0 * mj * (lj - li)) * W.grad(xi - xj);
    }
    const Vec<D, Reals> n = (Reals(1) / (sqrt(dot(grad, grad)) + Reals(tiny))) * grad;
    const Sample<D, Reals> vi = out[i];
    out[i] = {vi.x + Reals(push) * swirl(n, oi), vi.a};
  });
  w.refreshColumn(w.fluid.v.data);
}

}  // namespace brim::inline BRIM_FLAVOUR
