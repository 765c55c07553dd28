// P2G on a CPU: each tile scatters its own particles into a private block, and the blocks are added up in the order of the tiles.
#include "grid/transfer/p2g.h"

#include <tbb/enumerable_thread_specific.h>

#include <cstring>

namespace brim::inline BRIM_FLAVOUR {

namespace {

using Eight = Pack<Real, 8>;

// Lanes of a record: (momentum, weight) of the two nodes along x, for the lower and the upper line along y.
const Eight isMomentum = Eight::V{1, 0, 1, 0, 1, 0, 1, 0}, isWeight = Eight::V{0, 1, 0, 1, 0, 1, 0, 1};
const Eight lowerX = Eight::V{1, 1, 0, 0, 1, 1, 0, 0}, signX = Eight::V{-1, -1, 1, 1, -1, -1, 1, 1};
const Eight lowerY = Eight::V{1, 1, 1, 1, 0, 0, 0, 0}, signY = Eight::V{-1, -1, -1, -1, 1, 1, 1, 1};
const Eight upperX = Eight::V{0, 0, 1, 1, 0, 0, 1, 1}, upperY = Eight::V{0, 0, 0, 0, 1, 1, 1, 1};

/// What a thread adds up for one tile: a record for every pair of lines that a particle may touch, and which cells have any.
template <int D>
struct Records {
  alignas(64) Eight of[D][Padded<D>::nodes];
  std::uint64_t fluid[Bits<D>::words];
};

template <int D, bool affine>
void scatter(const Particles<D>& fluid, const GridGeometry<D>& geometry, const Vec<D, int>& place, const int* first,
             const int* last, const Affine<D>* matrix, Records<D>& records) {
  const auto p = fluid.p.read(), v = fluid.v.read();
  std::memset(&records, 0, sizeof records);
  for (const int* at = first; at < last; ++at) {
    const int i = *at;
    const InTile<D> x(geometry.inCells(p[i].x), place);
    const int cell = x.within();
    records.fluid[cell >> 6] |= std::uint64_t(1) << (cell & 63);
    Between face[D], centre[D];
    for (int k = 0; k < D; ++k) face[k] = atFaces(x, k), face[k].f = faceWeight(face[k].f), centre[k] = atCentres(x, k);
    for (int k = 0; k < D; ++k) {
      const Between bx = k == 0 ? face[0] : centre[0], by = k == 1 ? face[1] : centre[1];
      const Eight w = (lowerX + signX * Eight(bx.f)) * (lowerY + signY * Eight(by.f));
      Eight value = isWeight + isMomentum * Eight(v[i].x[k]);
      Real slope[D];
      if constexpr (affine) {
        const Record<D> c = matrix->c[k]->data[i];
        for (int a = 0; a < D; ++a) slope[a] = c.x[a] * geometry.cell;
        value += isMomentum * ((upperX - Eight(bx.f)) * Eight(slope[0]) + (upperY - Eight(by.f)) * Eight(slope[1]));
      }
      Eight* const to = records.of[k] + bx.at + by.at;
      if constexpr (D == 2) {
        to[0] += w * value;
      } else {
        const Between bz = k == 2 ? face[2] : centre[2];
        Eight* const z = to + bz.at;
        if constexpr (affine) {
          z[0] += w * Eight(1 - bz.f) * (value - isMomentum * Eight(bz.f * slope[2]));
          z[100] += w * Eight(bz.f) * (value + isMomentum * Eight((1 - bz.f) * slope[2]));
        } else {
          const Eight both = w * value;
          z[0] += both * Eight(1 - bz.f);
          z[100] += both * Eight(bz.f);
        }
      }
    }
  }
}

// Records to nodes: what the records of a node, of the one before it along x, and of the lines below those hold for it.
template <int D>
void fold(const Records<D>& records, Real* out) {
  constexpr int nodes = Padded<D>::nodes, lines = nodes / 10;
  for (int k = 0; k < D; ++k) {
    Real* const m = out + 2 * k * nodes;
    Real* const w = m + nodes;
    for (int r = 0; r < lines; ++r) {
      const Real* const own = reinterpret_cast<const Real*>(records.of[k] + 10 * r);
      const bool bottom = r % 10 == 0;
      Real line[44] = {0, 0};  // {m, w} of the upper node of the record before, then four numbers a record
      for (int x = 0; x < 10; ++x)
        for (int l = 0; l < 4; ++l) line[2 + 4 * x + l] = own[8 * x + l] + (bottom ? Real(0) : own[8 * x + l - 80 + 4]);
      m[10 * r] = line[2], w[10 * r] = line[3];
      for (int x = 1; x < 10; ++x)
        m[10 * r + x] = line[2 + 4 * x] + line[4 * x], w[10 * r + x] = line[3 + 4 * x] + line[4 * x + 1];
    }
  }
}

}  // namespace

template <int D>
void p2gVelocity(GridState<D>& s, const Particles<D>& fluid, const Affine<D>* affine) {
  constexpr int nodes = Padded<D>::nodes, cells = Tiles<D>::cells, words = Bits<D>::words;
  const Tiles<D>& tiles = s.tiles;
  const Bins<D>& bins = s.bins;
  const std::vector<int>& active = bins.active();
  Blocks<D>& stage = s.velocity;
  stage.resize(int(active.size()), 2 * D);
  static_assert(alignof(Records<D>) <= 64);
  tbb::enumerable_thread_specific<std::unique_ptr<Records<D>>> scratch([] { return std::make_unique<Records<D>>(); });
  eachTile<D>(int(active.size()), [&](int a) {
    Records<D>& records = *scratch.local();
    const int t = active[a];
    const int *const first = bins.order() + bins.begin(t), *const last = bins.order() + bins.end(t);
    if (affine)
      scatter<D, true>(fluid, s.geometry, tiles.place(t), first, last, affine, records);
    else
      scatter<D, false>(fluid, s.geometry, tiles.place(t), first, last, nullptr, records);
    std::copy_n(records.fluid, words, s.flags.held.data() + std::size_t(t) * words);
    fold(records, stage.at(a));
  });
  s.faces.fit(tiles);
  eachTile<D>(tiles.count(), [&](int t) {
    alignas(64) Real sum[2][cells];
    for (int k = 0; k < D; ++k) {
      std::memset(sum, 0, sizeof sum);
      // In the order of the tiles around, whichever threads filled their blocks.
      for (int way = 0; way < Tiles<D>::ways; ++way) {
        const int slot = bins.slot()[tiles.around(t)[way]];
        if (slot < 0) continue;
        const Real* const from = stage.at(slot) + 2 * k * nodes;
        eachSharedLine<D>(Share::given, way, [&](int node, int cell, int length) {
          for (int x = 0; x < length; ++x) sum[0][cell + x] += from[node + x], sum[1][cell + x] += from[nodes + node + x];
        });
      }
      Real* const u = s.faces.u[k].data() + std::size_t(t) * cells;
      for (int c = 0; c < cells; ++c) u[c] = faceVelocity(sum[0][c], sum[1][c]);
    }
  });
}

template void p2gVelocity<2>(GridState<2>&, const Particles<2>&, const Affine<2>*);
template void p2gVelocity<3>(GridState<3>&, const Particles<3>&, const Affine<3>*);

}  // namespace brim::inline BRIM_FLAVOUR
