// G2P and advection on a CPU, tile by tile.
#include "grid/transfer/g2p_kernels.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

template <int D>
std::vector<char> tilesWithAllFacesKnown(const GridState<D>& s) {
  std::vector<char> full(s.tiles.count() + 1);
  eachTile<D>(s.tiles.count(), [&](int t) {
    std::uint64_t all = ~std::uint64_t(0);
    for (int w = t * Bits<D>::words; w < (t + 1) * Bits<D>::words; ++w)
      for (int k = 0; k < D; ++k) all &= s.flags.known[k][w];
    full[t] = all == ~std::uint64_t(0);
  });
  return full;
}

template <int D, bool apic>
void g2pTiles(const GridState<D>& s, G2P<D, apic> g2p) {
  const Bins<D>& bins = s.bins;
  const std::vector<char> full = tilesWithAllFacesKnown(s);
  g2p.advection.full = full.data();
  const Real perTime = g2p.dt * s.geometry.perCell;
  eachTile<D>(int(bins.active().size()), [&](int a) {
    const int t = bins.active()[a];
    const Vec<D, int> place = s.tiles.place(t);
    const Real *const u = s.velocity.at(t), *const change = apic && !(g2p.flip > 0) ? nullptr : s.padded.at(a);
    // In two loops over a few particles: together they are too long for the processor to look ahead to the next particle.
    constexpr int few = 32;
    Vec<D> q[few], w[few];
    for (int first = bins.begin(t); first < bins.end(t); first += few) {
      const int n = std::min(few, bins.end(t) - first);
      const int* const who = bins.order() + first;
      for (int m = 0; m < n; ++m) {
        const int i = who[m];
        q[m] = s.geometry.inCells(g2p.p[i].x);
        const InTile<D> at(q[m], place);
        g2p.pressure[i] = g2p.pressureAt(std::size_t(t) * Tiles<D>::cells + at.within(), at);
        w[m] = g2p.update(i, at, u, change, g2p.v[i].x);
      }
      for (int m = 0; m < n; ++m) {
        g2p.advection.average(t, place, q[m], perTime, w[m]);
        g2p.p[who[m]].x += g2p.dt * w[m];
      }
    }
  });
  for (int m = bins.begin(s.tiles.count()); m < bins.end(s.tiles.count()); ++m) g2p.fall(bins.order()[m]);
}

}  // namespace

template <int D>
void g2pVelocity(GridState<D>& s, Particles<D>& fluid, const G2PParameters<D>& par, const Affine<D>* affine) {
  if (affine)
    g2pTiles(s, g2pOf<D, true>(s, fluid, par, affine));
  else
    g2pTiles(s, g2pOf<D, false>(s, fluid, par, affine));
}

template void g2pVelocity<2>(GridState<2>&, Particles<2>&, const G2PParameters<2>&, const Affine<2>*);
template void g2pVelocity<3>(GridState<3>&, Particles<3>&, const G2PParameters<3>&, const Affine<3>*);

}  // namespace brim::inline BRIM_FLAVOUR
