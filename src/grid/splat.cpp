// Particles and densities on a CPU, tile by tile.
#include <cstring>

#include "grid/crowd.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {
using Four = Pack<Real, 4>;
const Four lowerX = Four::V{1, 0, 1, 0}, signX = Four::V{-1, 1, -1, 1};
const Four lowerY = Four::V{1, 1, 0, 0}, signY = Four::V{-1, -1, 1, 1};
}  // namespace

template <int D>
void splat(const Particles<D>& fluid, const Frame<D>& frame, const Tiles<D>& tiles, const Bins<D>& bins,
           const SolidCells<D>& solids, Blocks<D>& stage, Array<Real>& rho, Flags<D>& flags, Array<int>& filled) {
  constexpr int nodes = Padded<D>::nodes, cells = Tiles<D>::cells, words = Bits<D>::words;
  const std::vector<int>& active = bins.active();
  const auto p = fluid.p.read();
  stage.resize(int(active.size()), 1);
  filled.resize(active.size());
  eachTile<D>(int(active.size()), [&](int a) {
    const int t = active[a];
    const Vec<D, int> place = tiles.place(t);
    // Records of four nodes: two along x in two rows along y.
    alignas(64) Four record[nodes];
    int count[cells];
    std::memset(static_cast<void*>(record), 0, sizeof record);
    std::memset(count, 0, sizeof count);
    for (int m = bins.begin(t); m < bins.end(t); ++m) {
      const InTile<D> x(frame.inCells(p[bins.order()[m]].x), place);
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
    for (int c = 0; c < cells; ++c) sum += std::min(count[c], Frame<D>::full);
    filled[a] = sum;
    for (int s = 0; s < words; ++s) {
      std::uint64_t bits = 0;
      for (int c = 0; c < 64; ++c) bits |= std::uint64_t(count[64 * s + c] > 0) << c;
      flags.fluid[std::size_t(t) * words + s] = bits;
    }
  });
  tiles.fit(rho, Real(0));
  const Real perParticle = Real(1.0 / Frame<D>::full);
  eachTile<D>(tiles.count(), [&](int t) {
    alignas(64) Real sum[cells] = {};
    for (int way = 0; way < Tiles<D>::ways; ++way) {
      const int slot = bins.slot()[tiles.around(t)[way]];
      if (slot < 0) continue;
      const Real* const from = stage.at(slot);
      eachSharedRow<D>(Share::given, way, [&](int node, int cell, int length) {
        for (int x = 0; x < length; ++x) sum[cell + x] += from[node + x];
      });
    }
    const Real* const solid = solids.fraction().data() + std::size_t(t) * cells;
    Real* const to = rho.data() + std::size_t(t) * cells;
    for (int c = 0; c < cells; ++c) to[c] = perParticle * sum[c] + solid[c];
  });
}

template <int D>
void takeDensity(Particles<D>& fluid, const Frame<D>& frame, const Tiles<D>& tiles, const Bins<D>& bins, const Array<Real>& rho,
                 double rho0) {
  const auto p = fluid.p.read();
  const auto v = fluid.v.view();
  const Real scale = Real(rho0);
  eachTile<D>(int(bins.active().size()), [&](int a) {
    const int t = bins.active()[a];
    const Vec<D, int> place = tiles.place(t);
    for (int m = bins.begin(t); m < bins.end(t); ++m) {
      const int i = bins.order()[m];
      v[i].a = scale * rho[std::size_t(t) * Tiles<D>::cells + InTile<D>(frame.inCells(p[i].x), place).within()];
    }
  });
}

template <int D>
void findWaysOut(const World<D>& w, const Frame<D>& frame, const Tiles<D>& tiles, const Bins<D>& bins,
                 const SolidCells<D>& solids, const Flags<D>& flags, Array<Vec<D>>& way) {
  constexpr int cells = Tiles<D>::cells, words = Bits<D>::words;
  const auto p = w.fluid.p.read();
  way.resize(std::size_t(tiles.count() + 1) * cells);
  const SolidView<D> view = solids.view(w);
  const Real eps = Real(0.05 * w.spacing);
  eachTile<D>(int(bins.active().size()), [&](int a) {
    const int t = bins.active()[a];
    const std::uint64_t* const buried = flags.buried.data() + std::size_t(t) * words;
    bool any = false;
    for (int s = 0; s < words; ++s) {
      any = any || buried[s];
      eachBit(buried[s], s, [&](int c) { way[std::size_t(t) * cells + c] = {}; });
    }
    if (!any) return;
    const Vec<D, int> place = tiles.place(t);
    // Several in one cell: the deepest decides; with the clamp, the longest way.
    for (int m = bins.begin(t); m < bins.end(t); ++m) {
      const Vec<D> x = p[bins.order()[m]].x;
      const int c = InTile<D>(frame.inCells(x), place).within();
      if (!Bits<D>::test(buried, c)) continue;
      const Vec<D> own = view.wayOut(x, eps);
      if (Vec<D>& known = way[std::size_t(t) * cells + c]; dot(own, own) > dot(known, known)) known = own;
    }
  });
}

template <int D>
void redistribute(World<D>& w, const Frame<D>& frame, const Tiles<D>& tiles, const Bins<D>& bins, const SolidCells<D>& solids,
                  const Flags<D>& flags, const Array<Real>& rho, const TileView<D>& velocityTiles, const Blocks<D>& velocity) {
  constexpr int cells = Tiles<D>::cells, words = Bits<D>::words;
  const auto p = w.fluid.p.read();
  const SetApart<D> apart = setApart(w, frame, solids, velocityTiles, velocity);
  eachTile<D>(int(bins.active().size()), [&](int a) {
    const int t = bins.active()[a];
    std::uint64_t crowded[words];
    bool any = false;
    for (int s = 0; s < words; ++s) {
      crowded[s] = 0;
      eachBit(flags.fluid[std::size_t(t) * words + s], s, [&](int c) {
        if (rho[std::size_t(t) * cells + c] > Real(1.5)) crowded[s] |= std::uint64_t(1) << (c & 63), any = true;
      });
    }
    if (!any) return;
    const Vec<D, int> place = tiles.place(t);
    std::vector<int> count(cells), next(cells);
    std::vector<std::pair<int, int>> who;
    for (int m = bins.begin(t); m < bins.end(t); ++m) {
      const int i = bins.order()[m], c = InTile<D>(frame.inCells(p[i].x), place).within();
      if (Bits<D>::test(crowded, c)) ++count[c], who.push_back({c, i});
    }
    for (const auto& [c, i] : who) apart(i, t, place, c, next[c]++, count[c]);
  });
}

template <int D>
void displace(World<D>& w, const Frame<D>& frame, const Tiles<D>& tiles, const Bins<D>& bins, const SolidCells<D>& solids,
              const Flags<D>& flags, const Blocks<D>& padded) {
  const Displace<D> move = displacement(w, frame, solids, flags, padded);
  eachTile<D>(int(bins.active().size()), [&](int a) {
    const int t = bins.active()[a];
    const Vec<D, int> place = tiles.place(t);
    bool buried = false;
    for (int s = 0; s < Bits<D>::words; ++s) buried = buried || flags.buried[std::size_t(t) * Bits<D>::words + s];
    for (int m = bins.begin(t); m < bins.end(t); ++m) move(bins.order()[m], t, a, place, buried);
  });
}

#define BRIM_SPLAT(D)                                                                                                           \
  template void splat<D>(const Particles<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const SolidCells<D>&,           \
                         Blocks<D>&, Array<Real>&, Flags<D>&, Array<int>&);                                                     \
  template void takeDensity<D>(Particles<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const Array<Real>&, double);    \
  template void findWaysOut<D>(const World<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const SolidCells<D>&,         \
                               const Flags<D>&, Array<Vec<D>>&);                                                                \
  template void redistribute<D>(World<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const SolidCells<D>&,              \
                                const Flags<D>&, const Array<Real>&, const TileView<D>&, const Blocks<D>&);                     \
  template void displace<D>(World<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const SolidCells<D>&, const Flags<D>&, \
                            const Blocks<D>&);
BRIM_SPLAT(2)
BRIM_SPLAT(3)

}  // namespace brim::inline BRIM_FLAVOUR
