#include "grid/transfer.h"

#include <tbb/enumerable_thread_specific.h>

#include <cstring>

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
  forEachTile(int(active.size()), [&](int a) {
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
  forEachTile(tiles.count(), [&](int t) {
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
  forEachTile(tiles.count(), [&](int t) { padTile(tiles, t, field, padded.at(t)); });
}

template <int D>
void padActive(const Tiles<D>& tiles, const Bins<D>& bins, const Array<Real> (&field)[D], Blocks<D>& padded) {
  padded.resize(int(bins.active().size()), D);
  forEachTile(int(bins.active().size()), [&](int a) { padTile(tiles, bins.active()[a], field, padded.at(a)); });
}

namespace {

/// u of component k and its gradient, in cells.
template <int D>
BRIM_FN Real gradientAt(const Real* block, const InTile<D>& x, int k, Vec<D>& gradient) {
  Between b[D];
  int at = k * Padded<D>::nodes;
  for (int a = 0; a < D; ++a) b[a] = a == k ? atFaces(x, a) : atCentres(x, a), at += b[a].at;
  Real value = 0;
  gradient = {};
  for (int n = 0; n < power(2, D); ++n) {
    int node = at;
    Real w = 1, slope[D];
    for (int a = 0; a < D; ++a) slope[a] = 1;
    for (int a = 0; a < D; ++a) {
      const bool upper = n >> a & 1;
      const Real part = upper ? b[a].f : 1 - b[a].f;
      node += upper ? Padded<D>::strides[a] : 0;
      for (int c = 0; c < D; ++c) slope[c] *= c == a ? (upper ? Real(1) : Real(-1)) : part;
      w *= part;
    }
    const Real u = block[node];
    value += w * u;
    for (int a = 0; a < D; ++a) gradient[a] += slope[a] * u;
  }
  return value;
}

}  // namespace

namespace {

/// The grid's velocity where its faces are known.
template <int D>
class Stream {
 public:
  Stream(const Tiles<D>& tiles, const Blocks<D>& velocity, const Array<std::uint64_t> (&known)[D])
      : tiles_(tiles.view()), velocity_(velocity), full_(tiles.count() + 1) {
    for (int k = 0; k < D; ++k) known_[k] = known[k].data();
    forEachTile(tiles.count(), [&](int t) {
      std::uint64_t all = ~std::uint64_t(0);
      for (int s = 0; s < Bits<D>::words; ++s) all &= knownAt(t * Bits<D>::words + s);
      full_[t] = all == ~std::uint64_t(0);
    });
  }
  const Real* of(int t) const { return velocity_.at(t); }

  /// u at q (in cells) if all faces of the cell there are known; else it stays as it is. Tile t at `here` is a first guess.
  BRIM_FN void follow(int t, const Vec<D, int>& here, const Vec<D>& q, Vec<D>& u) const {
    Vec<D, int> cell, place;
    bool same = true;
    for (int k = 0; k < D; ++k) {
      cell[k] = int(std::floor(q[k])), place[k] = cell[k] >> 3;
      same = same && place[k] == here[k];
    }
    if (!same) t = tiles_.at(place);
    const int c = TileView<D>::within(cell);
    if (!full_[t] && !(knownAt(t * Bits<D>::words + (c >> 6)) >> (c & 63) & 1)) return;
    u = Stencil<D>(InTile<D>(q, place))(velocity_.at(t));
  }

  /// The mean velocity of a long step from q, where it is u: midpoint steps of at most two cells. One long one would end the
  /// fall of every fast drop half a step above the pool, whose velocity it would meet there.
  Vec<D> along(int t, const Vec<D, int>& here, Vec<D> q, Real perTime, Real longest, Vec<D> u) const {
    const int parts = 1 + int(min(longest / 2, Real(63)));
    const Real part = perTime / Real(parts);
    Vec<D> sum{};
    for (int n = 0; n < parts; ++n) {
      if (n > 0) follow(t, here, q, u);
      follow(t, here, q + (part / 2) * u, u);
      sum += u;
      q += part * u;
    }
    return (1 / Real(parts)) * sum;
  }

 private:
  BRIM_FN std::uint64_t knownAt(std::size_t word) const {
    std::uint64_t all = known_[0][word];
    for (int k = 1; k < D; ++k) all &= known_[k][word];
    return all;
  }
  TileView<D> tiles_;
  const Blocks<D>& velocity_;
  const std::uint64_t* known_[D];
  std::vector<char> full_;  // per tile: all faces are known
};

}  // namespace

template <int D>
void toParticles(Particles<D>& fluid, const Frame<D>& frame, const Tiles<D>& tiles, const Bins<D>& bins,
                 const Blocks<D>& velocity, const Blocks<D>& change, const Array<std::uint64_t> (&known)[D],
                 const Array<Real>& phi, const Ride<D>& ride, const Affine<D>* affine) {
  const auto p = fluid.p.view(), v = fluid.v.view();
  const auto pressure = fluid.real("pressure").view();
  const Stream<D> stream(tiles, velocity, known);
  const Real dt = Real(ride.dt), flip = Real(ride.flip), scale = Real(ride.scale), perTime = dt * frame.perCell;
  forEachTile(int(bins.active().size()), [&](int a) {
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
        Real longest = 0;  // [cells]
        for (int k = 0; k < D; ++k) longest = max(longest, std::abs(w[m][k]) * perTime);
        if (longest < 2)
          stream.follow(t, place, q[m] + (perTime / 2) * w[m], w[m]);
        else
          w[m] = stream.along(t, place, q[m], perTime, longest, w[m]);
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
