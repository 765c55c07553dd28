#include <tbb/enumerable_thread_specific.h>

#include <cstring>

#include "grid/stream.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

using Eight = Pack<Real, 8>;

// Lanes of a record: (momentum, weight) of the two nodes along x, for the lower and the upper row along y.
const Eight isMomentum = Eight::V{1, 0, 1, 0, 1, 0, 1, 0}, isWeight = Eight::V{0, 1, 0, 1, 0, 1, 0, 1};
const Eight lowerX = Eight::V{1, 1, 0, 0, 1, 1, 0, 0}, signX = Eight::V{-1, -1, 1, 1, -1, -1, 1, 1};
const Eight lowerY = Eight::V{1, 1, 1, 1, 0, 0, 0, 0}, signY = Eight::V{-1, -1, -1, -1, 1, 1, 1, 1};
const Eight upperX = Eight::V{0, 0, 1, 1, 0, 0, 1, 1}, upperY = Eight::V{0, 0, 0, 0, 1, 1, 1, 1};

/// What a thread adds up for one tile: a record for every pair of rows that a particle may touch, and which cells have any.
template <int D>
struct Records {
  alignas(64) Eight of[D][Padded<D>::nodes];
  std::uint64_t fluid[Bits<D>::words];
};

// A face that a particle touches has weight: exactly zero would leave it without a velocity.
BRIM_FN Real inside(Real f) { return max(min(f, Real(1 - 1e-4)), Real(1e-4)); }

template <int D, bool affine>
void scatter(const Particles<D>& fluid, const Frame<D>& frame, const Vec<D, int>& place, const int* first, const int* last,
             const Affine<D>* matrix, Records<D>& records) {
  const auto p = fluid.p.read(), v = fluid.v.read();
  std::memset(&records, 0, sizeof records);
  for (const int* at = first; at < last; ++at) {
    const int i = *at;
    const InTile<D> x(frame.inCells(p[i].x), place);
    const int cell = x.within();
    records.fluid[cell >> 6] |= std::uint64_t(1) << (cell & 63);
    Between face[D], centre[D];
    for (int k = 0; k < D; ++k) face[k] = atFaces(x, k), face[k].f = inside(face[k].f), centre[k] = atCentres(x, k);
    for (int k = 0; k < D; ++k) {
      const Between bx = k == 0 ? face[0] : centre[0], by = k == 1 ? face[1] : centre[1];
      const Eight w = (lowerX + signX * Eight(bx.f)) * (lowerY + signY * Eight(by.f));
      Eight value = isWeight + isMomentum * Eight(v[i].x[k]);
      Real slope[D];
      if constexpr (affine) {
        const Sample<D> c = matrix->c[k]->data[i];
        for (int a = 0; a < D; ++a) slope[a] = c.x[a] * frame.cell;
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

// Records to nodes: what the records of a node, of the one before it along x, and of the rows below those hold for it.
template <int D>
void fold(const Records<D>& records, Real* out) {
  constexpr int nodes = Padded<D>::nodes, rows = nodes / 10;
  for (int k = 0; k < D; ++k) {
    Real* const m = out + 2 * k * nodes;
    Real* const w = m + nodes;
    for (int r = 0; r < rows; ++r) {
      const Real* const own = reinterpret_cast<const Real*>(records.of[k] + 10 * r);
      const bool bottom = r % 10 == 0;
      Real row[44] = {0, 0};  // {m, w} of the upper node of the record before, then four numbers a record
      for (int x = 0; x < 10; ++x)
        for (int l = 0; l < 4; ++l) row[2 + 4 * x + l] = own[8 * x + l] + (bottom ? Real(0) : own[8 * x + l - 80 + 4]);
      m[10 * r] = row[2], w[10 * r] = row[3];
      for (int x = 1; x < 10; ++x) m[10 * r + x] = row[2 + 4 * x] + row[4 * x], w[10 * r + x] = row[3 + 4 * x] + row[4 * x + 1];
    }
  }
}

}  // namespace

template <int D>
void toGrid(const Particles<D>& fluid, const Frame<D>& frame, const Tiles<D>& tiles, const Bins<D>& bins, const Affine<D>* affine,
            Blocks<D>& stage, Faces<D>& faces, Flags<D>& flags) {
  constexpr int nodes = Padded<D>::nodes, cells = Tiles<D>::cells, words = Bits<D>::words;
  const std::vector<int>& active = bins.active();
  stage.resize(int(active.size()), 2 * D);
  static_assert(alignof(Records<D>) <= 64);
  tbb::enumerable_thread_specific<std::unique_ptr<Records<D>>> scratch([] { return std::make_unique<Records<D>>(); });
  eachTile<D>(int(active.size()), [&](int a) {
    Records<D>& records = *scratch.local();
    const int t = active[a];
    const int *const first = bins.order() + bins.begin(t), *const last = bins.order() + bins.end(t);
    if (affine)
      scatter<D, true>(fluid, frame, tiles.place(t), first, last, affine, records);
    else
      scatter<D, false>(fluid, frame, tiles.place(t), first, last, nullptr, records);
    std::copy_n(records.fluid, words, flags.fluid.data() + std::size_t(t) * words);
    fold(records, stage.at(a));
  });
  faces.fit(tiles);
  eachTile<D>(tiles.count(), [&](int t) {
    alignas(64) Real sum[2][cells];
    for (int k = 0; k < D; ++k) {
      std::memset(sum, 0, sizeof sum);
      // In the order of the tiles around, whoever filled their blocks.
      for (int way = 0; way < Tiles<D>::ways; ++way) {
        const int slot = bins.slot()[tiles.around(t)[way]];
        if (slot < 0) continue;
        const Real* const from = stage.at(slot) + 2 * k * nodes;
        eachSharedRow<D>(Share::given, way, [&](int node, int cell, int length) {
          for (int x = 0; x < length; ++x) sum[0][cell + x] += from[node + x], sum[1][cell + x] += from[nodes + node + x];
        });
      }
      Real* const u = faces.u[k].data() + std::size_t(t) * cells;
      for (int c = 0; c < cells; ++c) u[c] = sum[1][c] > 0 ? sum[0][c] / sum[1][c] : Real(0);
    }
  });
}

namespace {

template <int D>
void padTile(const Tiles<D>& tiles, int t, const Array<Real> (&field)[D], Real* block) {
  for (int k = 0; k < D; ++k) {
    Real* const to = block + k * Padded<D>::nodes;
    for (int way = 0; way < Tiles<D>::ways; ++way) {
      const Real* const from = field[k].data() + std::size_t(tiles.around(t)[way]) * Tiles<D>::cells;
      eachSharedRow<D>(Share::taken, way, [&](int node, int cell, int length) {
        if (length == 8)
          std::memcpy(to + node, from + cell, 8 * sizeof(Real));
        else
          to[node] = from[cell];
      });
    }
  }
}

}  // namespace

template <int D>
void pad(const Tiles<D>& tiles, const Array<Real> (&field)[D], Blocks<D>& padded) {
  padded.resize(tiles.count(), D);
  eachTile<D>(tiles.count(), [&](int t) { padTile(tiles, t, field, padded.at(t)); });
}

template <int D>
void padActive(const Tiles<D>& tiles, const Bins<D>& bins, const Array<Real> (&field)[D], Blocks<D>& padded) {
  padded.resize(int(bins.active().size()), D);
  eachTile<D>(int(bins.active().size()), [&](int a) { padTile(tiles, bins.active()[a], field, padded.at(a)); });
}

template <int D>
void toParticles(Particles<D>& fluid, const Frame<D>& frame, const Tiles<D>& tiles, const Bins<D>& bins,
                 const Blocks<D>& velocity, const Blocks<D>& change, const Array<std::uint64_t> (&known)[D],
                 const Array<Real>& phi, const Ride<D>& ride, const Affine<D>* affine) {
  const auto p = fluid.p.view(), v = fluid.v.view();
  const auto pressure = fluid.real("pressure").view();
  std::vector<char> full(tiles.count() + 1);
  Stream<D> stream{tiles.view(), velocity.view(), {}, nullptr};
  for (int k = 0; k < D; ++k) stream.known[k] = known[k].data();
  eachTile<D>(tiles.count(), [&](int t) {
    std::uint64_t all = ~std::uint64_t(0);
    for (int s = t * Bits<D>::words; s < (t + 1) * Bits<D>::words; ++s)
      for (int k = 0; k < D; ++k) all &= known[k][s];
    full[t] = all == ~std::uint64_t(0);
  });
  stream.full = full.data();
  const Real dt = Real(ride.dt), flip = Real(ride.flip), scale = Real(ride.scale), perTime = dt * frame.perCell;
  eachTile<D>(int(bins.active().size()), [&](int a) {
    const int t = bins.active()[a];
    const Vec<D, int> place = tiles.place(t);
    const Real *const u = velocity.at(t), *const du = affine ? nullptr : change.at(a);
    // In two loops over a few particles: together they are too long for the processor to look ahead to the next particle.
    constexpr int few = 32;
    Vec<D> q[few], w[few];
    for (int first = bins.begin(t); first < bins.end(t); first += few) {
      const int n = std::min(few, bins.end(t) - first);
      const int* const who = bins.order() + first;
      for (int m = 0; m < n; ++m) {
        const int i = who[m];
        q[m] = frame.inCells(p[i].x);
        const InTile<D> at(q[m], place);
        pressure[i] = scale * phi[std::size_t(t) * Tiles<D>::cells + at.within()];
        if (affine) {
          for (int k = 0; k < D; ++k) {
            Vec<D> gradient;
            w[m][k] = gradientAt(u, at, k, gradient);
            affine->c[k]->data[i] = {frame.perCell * gradient, Real(0)};
          }
          v[i].x = w[m];
        } else {
          const Stencil<D> stencil(at);
          w[m] = stencil(u);
          v[i].x = w[m] + flip * (v[i].x + stencil(du) - w[m]);
        }
      }
      for (int m = 0; m < n; ++m) {
        const Vec<D> way = perTime * w[m];
        bool small = true;
        for (int k = 0; k < D; ++k) small = small && std::abs(way[k]) < 2;
        if (small)
          stream.follow(t, place, q[m] + Real(0.5) * way, w[m]);
        else
          w[m] = stream.along(t, place, q[m], perTime, w[m]);
        p[who[m]].x += dt * w[m];
      }
    }
  });
  // Outside the grid there is nothing but gravity.
  for (int m = bins.begin(tiles.count()); m < bins.end(tiles.count()); ++m) {
    const int i = bins.order()[m];
    v[i].x += dt * ride.g;
    p[i].x += dt * v[i].x;
    pressure[i] = 0;
  }
}

#define BRIM_TRANSFER(D)                                                                                                       \
  template void toGrid<D>(const Particles<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const Affine<D>*, Blocks<D>&, \
                          Faces<D>&, Flags<D>&);                                                                               \
  template void pad<D>(const Tiles<D>&, const Array<Real>(&)[D], Blocks<D>&);                                                  \
  template void padActive<D>(const Tiles<D>&, const Bins<D>&, const Array<Real>(&)[D], Blocks<D>&);                            \
  template void toParticles<D>(Particles<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const Blocks<D>&,              \
                               const Blocks<D>&, const Array<std::uint64_t>(&)[D], const Array<Real>&, const Ride<D>&,         \
                               const Affine<D>*);
BRIM_TRANSFER(2)
BRIM_TRANSFER(3)

}  // namespace brim::inline BRIM_FLAVOUR
