// Separation by springs and by distances, over neighbour lists.
#include "grid/density/separation.h"

namespace brim::inline BRIM_FLAVOUR {

// Pairs in one point have no direction and stay together, as does a particle with itself.
template <int D>
void springs(StepContext<D>& c, double stiffness) {
  World<D>& w = c.world;
  c.search();
  auto out = c.scratch.records(w.fluid.capacity(), "{x, m} moved apart");
  const auto p = w.fluid.p.read();
  const auto to = out.view();
  const NeighbourView nb = c.nb();
  const Real perD2 = Real(1 / (w.spacing * w.spacing)), step = Real(c.dt * stiffness * w.spacing), tiny = Real(1e-6 * w.spacing);
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const auto [xi, mi] = p[i];
    Vec<D, Reals> move = {};
    for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto r = xi - xj;
      const Reals r2 = dot(r, r);
      move += (step * max(1 - r2 * perD2, Reals(Real(0))) / max(sqrt(r2), Reals(tiny))) * r;
    }
    to[i] = {xi + move, mi};
  });
  w.fluid.padWith(*out, Particles<D>::paddingRecord());
  w.fluid.p.data.swap(*out);
}

template <int D>
void distances(StepContext<D>& c, int passes) {
  World<D>& w = c.world;
  c.search();
  auto out = c.scratch.records(w.fluid.capacity(), "{x, m} moved apart");
  const NeighbourView nb = c.nb();
  const Real d = Real(w.spacing), tiny = Real(1e-6 * w.spacing);
  for (int pass = 0; pass < passes; ++pass) {
    const auto p = w.fluid.p.read();
    const auto to = out.view();
    forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
      const auto [xi, mi] = p[i];
      Vec<D, Reals> move = {};
      Reals pairs = 0;
      for (auto j : nb.fluid[i]) {
        const auto [xj, mj] = p[j];
        const auto r = xi - xj;
        const Reals q = sqrt(dot(r, r)), missing = select(q > Reals(tiny), max(d - q, Reals(Real(0))), Reals(Real(0)));
        pairs += select(missing > Reals(Real(0)), Reals(Real(1)), Reals(Real(0)));
        move += (Real(0.5) * missing / max(q, Reals(tiny))) * r;
      }
      to[i] = {xi + (1 / max(pairs, Reals(Real(1)))) * move, mi};
    });
    w.fluid.padWith(*out, Particles<D>::paddingRecord());
    w.fluid.p.data.swap(*out);
    c.refresh(w.fluid.p.data, Holds::positions);  // for the next pass
  }
}

template void springs<2>(StepContext<2>&, double);
template void springs<3>(StepContext<3>&, double);
template void distances<2>(StepContext<2>&, int);
template void distances<3>(StepContext<3>&, int);

}  // namespace brim::inline BRIM_FLAVOUR
