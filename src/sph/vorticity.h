// Vorticity confinement (Fedkiw 2001; Macklin & Müller 2013): gives back the small swirls that the solver damps.
#pragma once
#include "math/kernels.h"
#include "step/context.h"

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

/// What viscosity() leaves of the velocities it began with: omega_i = sum_j V_j (v_j - v_i) x grad W_ij.
template <int D>
struct Curl {
  Array<Record<D>> omega;  // {omega_i, 0}      [1/s]
  Array<Record<D>> size;   // {x_i, |omega_i|}  [m], [1/s]: all that a neighbour asks for, in one record
};

///   N = grad|omega| / |grad|omega||,   v_i += dt eps d (N x omega_i)
/// eps is a pure number; the factor d [m] makes it mean the same at every resolution.
template <int D, class K>
void confineVorticity(StepContext<D>& c, K W, double eps, Curl<D>& curl) {
  World<D>& w = c.world;
  w.fluid.padWith(curl.size, Particles<D>::paddingRecord());
  c.refresh(curl.size, Holds::positions);
  const auto q = curl.size.read(), omega = curl.omega.read();
  const auto v = w.fluid.v.view();
  const NeighbourView nb = c.nb();
  const Real volume = Real(w.mass / w.rho0), push = Real(c.dt * eps * w.spacing), tiny = Real(1e-6 / w.spacing);
  forEachShared(w.fluid.size(), [=] BRIM_KERNEL(auto i) {
    const auto [xi, li] = q[i];
    const auto [oi, none] = omega[i];
    const Record<D, Reals> vi = v[i];
    Vec<D, Reals> grad = {};
    BRIM_BY_FOUR for (auto j : nb.fluid[i]) {
      const auto [xj, lj] = q[j];
      const auto r = xi - xj;
      grad += ((lj - li) * W.bare(dot(r, r)).k) * r;
    }
    grad = Reals(volume * W.slope) * total(i, grad);
    if (!leads(i)) return;
    const Vec<D, Reals> n = (Reals(1) / (sqrt(dot(grad, grad)) + Reals(tiny))) * grad;
    v[i] = {vi.x + Reals(push) * swirl(n, oi), vi.a};
  });
  c.refresh(w.fluid.v.data);
}

}  // namespace brim::inline BRIM_FLAVOUR
