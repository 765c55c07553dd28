// P2G and G2P of the density, push-out and resampling on a CPU, tile by tile.
#include <cstring>

#include "grid/density/resampling.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {
using Four = Pack<Real, 4>;
const Four lowerX = Four::V{1, 0, 1, 0}, signX = Four::V{-1, 1, -1, 1};
const Four lowerY = Four::V{1, 1, 0, 0}, signY = Four::V{-1, -1, 1, 1};
}  // namespace

template <int D>
void p2gDensity(GridState<D>& s, const Particles<D>& fluid) {
  constexpr int nodes = Padded<D>::nodes, cells = Tiles<D>::cells, words = Bits<D>::words;
  const Tiles<D>& tiles = s.tiles;
  const Bins<D>& bins = s.bins;
  const std::vector<int>& active = bins.active();
  Blocks<D>& stage = s.padded;
  const auto p = fluid.p.read();
  stage.resize(int(active.size()), 1);
  s.filled.resize(active.size());
  eachTile<D>(int(active.size()), [&](int a) {
    const int t = active[a];
    const Vec<D, int> place = tiles.place(t);
    // Records of four nodes: two along x in two lines along y.
    alignas(64) Four record[nodes];
    int count[cells];
    std::memset(static_cast<void*>(record), 0, sizeof record);
    std::memset(count, 0, sizeof count);
    for (int m = bins.begin(t); m < bins.end(t); ++m) {
      const InTile<D> x(s.geometry.inCells(p[bins.order()[m]].x), place);
      ++count[x.within()];
      const Between bx = atCentres(x, 0), by = atCentres(x, 1);
      const Four w = (lowerX + signX * Four(bx.f)) * (lowerY + signY * Four(by.f));
      Four* const to = record + bx.at + by.at;
      if constexpr (D == 2) {
        to[0] += w;
      } else {
        const Between bz = atCentres(x, 2);
        to[bz.at] += w * Four(1 - bz.f);
        to[bz.at + 100] += w * Four(bz.f);
      }
    }
    Real* const out = stage.at(a);
    const Real* const r = reinterpret_cast<const Real*>(record);
    for (int n = 0; n < nodes; ++n) {
      Real sum = r[4 * n];
      const bool left = n % 10 > 0, below = n / 10 % 10 > 0;
      if (left) sum += r[4 * n - 4 + 1];
      if (below) sum += r[4 * n - 40 + 2];
      if (left && below) sum += r[4 * n - 44 + 3];
      out[n] = sum;
    }
    int sum = 0;
    for (int c = 0; c < cells; ++c) sum += std::min(count[c], GridGeometry<D>::full);
    s.filled[a] = sum;
    for (int slice = 0; slice < words; ++slice) {
      std::uint64_t bits = 0;
      for (int c = 0; c < 64; ++c) bits |= std::uint64_t(count[64 * slice + c] > 0) << c;
      s.flags.held[std::size_t(t) * words + slice] = bits;
    }
  });
  tiles.fit(s.rho, Real(0));
  const Real perParticle = Real(1.0 / GridGeometry<D>::full);
  eachTile<D>(tiles.count(), [&](int t) {
    alignas(64) Real sum[cells] = {};
    for (int way = 0; way < Tiles<D>::ways; ++way) {
      const int slot = bins.slot()[tiles.around(t)[way]];
      if (slot < 0) continue;
      const Real* const from = stage.at(slot);
      eachSharedLine<D>(Share::given, way, [&](int node, int cell, int length) {
        for (int x = 0; x < length; ++x) sum[cell + x] += from[node + x];
      });
    }
    const Real* const solid = s.solids.fraction().data() + std::size_t(t) * cells;
    Real* const to = s.rho.data() + std::size_t(t) * cells;
    for (int c = 0; c < cells; ++c) to[c] = perParticle * sum[c] + solid[c];
  });
}

template <int D>
void g2pDensity(const GridState<D>& s, Particles<D>& fluid, double rho0) {
  const auto p = fluid.p.read();
  const auto v = fluid.v.view();
  const Real scale = Real(rho0);
  eachTile<D>(int(s.bins.active().size()), [&](int a) {
    const int t = s.bins.active()[a];
    const Vec<D, int> place = s.tiles.place(t);
    for (int m = s.bins.begin(t); m < s.bins.end(t); ++m) {
      const int i = s.bins.order()[m];
      v[i].a = scale * s.rho[std::size_t(t) * Tiles<D>::cells + InTile<D>(s.geometry.inCells(p[i].x), place).within()];
    }
  });
}

template <int D>
void findPushOut(GridState<D>& s, const Particles<D>& fluid, const Solids<D>& solids) {
  constexpr int cells = Tiles<D>::cells, words = Bits<D>::words;
  const auto p = fluid.p.read();
  s.pushOut.resize(std::size_t(s.tiles.count() + 1) * cells);
  const SolidView<D> view = s.solids.view(solids);
  const Real eps = normalStep(s.geometry);
  eachTile<D>(int(s.bins.active().size()), [&](int a) {
    const int t = s.bins.active()[a];
    const std::uint64_t* const penetrated = s.flags.penetrated.data() + std::size_t(t) * words;
    Vec<D>* const own = s.pushOut.data() + std::size_t(t) * cells;
    bool any = false;
    for (int slice = 0; slice < words; ++slice) {
      any = any || penetrated[slice];
      eachBit(penetrated[slice], slice, [&](int c) { own[c] = {}; });
    }
    if (!any) return;
    const Vec<D, int> place = s.tiles.place(t);
    for (int m = s.bins.begin(t); m < s.bins.end(t); ++m) {
      const Vec<D> x = p[s.bins.order()[m]].x;
      const int c = InTile<D>(s.geometry.inCells(x), place).within();
      if (Bits<D>::test(penetrated, c)) own[c] = longer(own[c], view.pushOut(x, eps));
    }
  });
}

template <int D>
void resample(GridState<D>& s, Particles<D>& fluid, const Solids<D>& solids, std::int64_t step) {
  constexpr int cells = Tiles<D>::cells, words = Bits<D>::words;
  const auto p = fluid.p.read();
  const Resample<D> move = resampling(s, fluid, solids, step);
  eachTile<D>(int(s.bins.active().size()), [&](int a) {
    const int t = s.bins.active()[a];
    std::uint64_t overfull[words];
    bool any = false;
    for (int slice = 0; slice < words; ++slice) {
      overfull[slice] = 0;
      eachBit(s.flags.held[std::size_t(t) * words + slice], slice, [&](int c) {
        if (s.rho[std::size_t(t) * cells + c] > overfullDensity) overfull[slice] |= std::uint64_t(1) << (c & 63), any = true;
      });
    }
    if (!any) return;
    const Vec<D, int> place = s.tiles.place(t);
    std::vector<int> count(cells), next(cells);
    std::vector<std::pair<int, int>> who;
    for (int m = s.bins.begin(t); m < s.bins.end(t); ++m) {
      const int i = s.bins.order()[m], c = InTile<D>(s.geometry.inCells(p[i].x), place).within();
      if (Bits<D>::test(overfull, c)) ++count[c], who.push_back({c, i});
    }
    for (const auto& [c, i] : who) move(i, t, place, c, next[c]++, count[c]);
  });
}

template <int D>
void displace(const GridState<D>& s, Particles<D>& fluid, const Solids<D>& solids) {
  const Displace<D> move = displacement(s, fluid, solids);
  eachTile<D>(int(s.bins.active().size()), [&](int a) {
    const int t = s.bins.active()[a];
    const Vec<D, int> place = s.tiles.place(t);
    bool penetrated = false;
    for (int w = 0; w < Bits<D>::words; ++w) penetrated = penetrated || s.flags.penetrated[std::size_t(t) * Bits<D>::words + w];
    for (int m = s.bins.begin(t); m < s.bins.end(t); ++m) move(s.bins.order()[m], t, a, place, penetrated);
  });
}

#define BRIM_DENSITY_PARTICLES(D)                                                          \
  template void p2gDensity<D>(GridState<D>&, const Particles<D>&);                         \
  template void g2pDensity<D>(const GridState<D>&, Particles<D>&, double);                 \
  template void findPushOut<D>(GridState<D>&, const Particles<D>&, const Solids<D>&);      \
  template void resample<D>(GridState<D>&, Particles<D>&, const Solids<D>&, std::int64_t); \
  template void displace<D>(const GridState<D>&, Particles<D>&, const Solids<D>&);
BRIM_DENSITY_PARTICLES(2)
BRIM_DENSITY_PARTICLES(3)

}  // namespace brim::inline BRIM_FLAVOUR
