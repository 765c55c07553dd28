// G2P and advection on a GPU: a thread has a particle.
#include "grid/transfer/g2p_kernels.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

template <int D, bool apic>
struct G2POne {
  G2P<D, apic> g2p;
  typename Bins<D>::Where bins;
  BlockView<D> change;

  __device__ void operator()(int m) const {
    const Advection<D>& advection = g2p.advection;
    const int i = bins.order[m], c = bins.cell[m], t = c / Tiles<D>::cells;
    if (t >= advection.tiles.count) {
      g2p.fall(i);
      return;
    }
    Record<D> x = g2p.p[i], u = g2p.v[i];
    const Vec<D, int> place = advection.tiles.place(t);
    const Vec<D> q = g2p.geometry.inCells(x.x);
    const InTile<D> at(q, place);
    g2p.pressure[i] = g2p.pressureAt(std::size_t(c), at);
    Vec<D> w = g2p.update(i, at, advection.velocity.at(t), change.at(t), u.x);
    advection.average(t, place, q, g2p.dt * g2p.geometry.perCell, w);
    x.x += g2p.dt * w;
    g2p.p[i] = x, g2p.v[i] = u;
  }
};

}  // namespace

template <int D>
void g2pVelocity(GridState<D>& s, Particles<D>& fluid, const G2PParameters<D>& par, const Affine<D>* affine) {
  if (affine)
    forEach(fluid.size(), G2POne<D, true>{g2pOf<D, true>(s, fluid, par, affine), s.bins.view(), s.padded.view()});
  else
    forEach(fluid.size(), G2POne<D, false>{g2pOf<D, false>(s, fluid, par, affine), s.bins.view(), s.padded.view()});
}

template void g2pVelocity<2>(GridState<2>&, Particles<2>&, const G2PParameters<2>&, const Affine<2>*);
template void g2pVelocity<3>(GridState<3>&, Particles<3>&, const G2PParameters<3>&, const Affine<3>*);

}  // namespace brim::inline BRIM_FLAVOUR
