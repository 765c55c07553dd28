// rho_i = sum_j m_j W_ij over fluid and solid samples (a wall sample counts rho0 V). Sheet Eq. 1; PF Eq. 6-8.
#pragma once
#include "math/kernels.h"
#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

/// Calls body(W) with the kernel of this name and support.
template <int D, class F>
void withKernel(const std::string& name, double support, F body) {
  if (name == "wendland")
    body(Wendland<D>(support));
  else if (name == "poly6")
    body(Poly6Spiky<D>(support));
  else
    body(Cubic<D>(support));
}

/// Densities into the fourth number of the velocity records, at the present positions.
template <int D, class K>
void density(World<D>& w, K W) {
  const auto p = w.fluid.p.read(), s = w.solids.p();
  const auto v = w.fluid.v.view();
  const NeighbourView nb = w.nb();
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const Vec<D, Reals> xi = Sample<D, Reals>(p[i]).x;
    Reals rho = 0;
    for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      rho += mj * W(xi - xj);
    }
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      rho += mk * W(xi - xk);
    }
    const Sample<D, Reals> vi = v[i];
    v[i] = {vi.x, rho};
  });
}

}  // namespace brim::inline BRIM_FLAVOUR
