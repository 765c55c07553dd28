// The particles of a slice share their candidates: those within reach of the box around the particles are copied once into
// columns that stay in the first-level cache, then each particle tests them `lanes` at a time and the survivors' indices are
// compressed into its list.
#include "world/neighbours.h"

#include <algorithm>

namespace brim::inline BRIM_FLAVOUR {

static constexpr int slicesPerChunk = grain / lanes;

template <int D>
struct Neighbours<D>::Scratch {
  Array<Real> x[D];
  Array<int> index;
  int count = 0;
  Array<int> found[2];    // neighbours of each lane: fluid, solid
  long room[2] = {0, 0};  // of them, per lane

  /// The points a .. b - 1 of a set nearer than h to the box low .. high.
  void add(const Array<Real>* column, int first, int a, int b, const Vec<D>& low, const Vec<D>& high, Real h) {
    using P = Pack<Real, lanes>;
    if (std::size_t(count + b - a + 2 * lanes) > index.size()) {
      for (auto& c : x) c.resize(2 * (count + b - a) + 512);
      index.resize(x[0].size());
    }
    // Locals, because a vector store may alias anything and the members would be read again after each.
    const Real* from[D];
    Real* to[D];
    for (int k = 0; k < D; ++k) from[k] = column[k].data() + first, to[k] = x[k].data();
    int* const ids = index.data();
    int n = count;
    Pack<int, lanes> zeroOn;  // 0, 1, 2, ...
    for (int l = 0; l < lanes; ++l) zeroOn.v[l] = l;
    const P h2 = h * h * Real(1.0001);  // a little wide, so that rounding never hides a neighbour
    for (int j = a; j < b; j += lanes) {
      P xj[D], d2 = Real(0);
#pragma GCC unroll 3
      for (int k = 0; k < D; ++k) {
        xj[k] = P::load(from[k] + j);
        const P r = max(max(P(low[k]) - xj[k], xj[k] - P(high[k])), P(Real(0)));
        d2 += r * r;
      }
      Below<Real, lanes> near(d2, h2);
      near.cut(b - j);
#pragma GCC unroll 3
      for (int k = 0; k < D; ++k) near.append(xj[k], to[k] + n);
      near.append(zeroOn + Pack<int, lanes>(first + j), ids + n);
      n += near.count();
    }
    count = n;
  }
  /// So that the last pack may run past the end.
  void close() {
    for (int k = 0; k < D; ++k)
      for (int l = 0; l < lanes; ++l) x[k][count + l] = farAway;
  }
  void reserve(int set, int perLane) {
    if (perLane + 2 * lanes <= room[set]) return;
    const long more = 2 * perLane + 128;
    Array<int> bigger;
    bigger.resize(more * lanes);
    for (int l = 0; l < lanes && room[set]; ++l)
      std::copy_n(found[set].data() + l * room[set], room[set], bigger.data() + l * more);
    found[set].swap(bigger);
    room[set] = more;
  }
  /// Candidates within h of xi become the list of `lane`; returns its length.
  int within(const Vec<D>& xi, Real h, int set, int lane) {
    using P = Pack<Real, lanes>;
    int *const first = found[set].data() + lane * room[set], *out = first;
    const int* const id = index.data();
    const Real* column[D];
    for (int k = 0; k < D; ++k) column[k] = x[k].data();
    const P h2 = h * h;
    for (int j = 0, n = count; j < n; j += lanes) {
      P d2;
      for (int k = 0; k < D; ++k) {
        const P r = P::load(column[k] + j) - P(xi[k]);
        d2 = k == 0 ? r * r : d2 + r * r;
      }
      const Below<Real, lanes> near(d2, h2);
      near.append(Pack<int, lanes>::load(id + j), out);
      out += near.count();
    }
    return int(out - first);
  }
};

template <int D>
Neighbours<D>::Neighbours() : scratch_(std::make_unique<tbb::enumerable_thread_specific<Scratch>>()) {}
template <int D>
Neighbours<D>::~Neighbours() = default;

template <int D>
void Neighbours<D>::build(Real support, const Window<D>& window, View<const Record<D>> p, int n, const Around& around) {
  const auto fill = [&](Array<Real>* column, const Points& s) {
    for (int k = 0; k < D; ++k) column[k].resize(std::max(column[k].size(), std::size_t(s.first + s.n + 2 * lanes)));
    forEach(s.n, [&](int i) {
      for (int k = 0; k < D; ++k) column[k][s.first + i] = s.p[i].x[k];
    });
  };
  fill(column_[0], around.fluid);
  fill(column_[0], around.periodicGhosts);
  fill(column_[1], around.solid);

  const int slices = (n + lanes - 1) / lanes, chunks = (slices + slicesPerChunk - 1) / slicesPerChunk;
  slices_.resize(2 * std::size_t(slices));
  solidSlices_ = slices;
  chunks_.resize(chunks);
  tbb::parallel_for(0, chunks, [&](int c) { buildChunk(c, scratch_->local(), support, window, p, n, around); });
  pairs_ = 0;
  for (const Chunk& c : chunks_) pairs_ += c.pairs;
}

template <int D>
void Neighbours<D>::buildChunk(int chunk, Scratch& near, Real h, const Window<D>& w, View<const Record<D>> p, int n,
                               const Around& around) {
  Chunk& c = chunks_[chunk];
  c.pairs = 0;
  std::size_t used = 0;
  const int begin = chunk * slicesPerChunk, end = std::min(int(solidSlices_), begin + slicesPerChunk);
  Vec<D> low, high;  // the box around the particles whose candidates are collected
  // Candidates of the particles in cells cx..right of the row (y, z), from one set of points.
  const auto collect = [&](const Points& s, const Array<Real>* column, int tank, int cx, int right, int y, int z) {
    if (s.n == 0) return;
    const Runs<D> runs = s.table->runs().of(tank);
    for (int dz = D == 3 ? -1 : 0; dz <= (D == 3 ? 1 : 0); ++dz)
      for (int dy = -1; dy <= 1; ++dy) {
        const auto [a, b] = runs.run(cx - Window<D>::fine, right + Window<D>::fine, y + dy, z + dz);
        if (a < b) near.add(column, s.first, a, b, low, high, h);
      }
  };
  for (int s = begin; s < end; ++s) {
    int count[2][lanes] = {};
    const int last = std::min(n, (s + 1) * lanes);
    for (int i = s * lanes; i < last;) {
      // A stretch of particles in one row, no longer than two supports.
      const Vec<D> x0 = p[i].x;
      const int cx = w.at(x0, 0), y = w.at(x0, 1), z = D == 3 ? w.at(x0, D - 1) : 0;
      const int tank = around.tank.data ? around.tank[i] : 0;
      int e = i + 1, right = cx;
      low = high = x0;
      for (; e < last; ++e) {
        const Vec<D> xe = p[e].x;
        const int ex = w.at(xe, 0);
        if (w.at(xe, 1) != y || (D == 3 && w.at(xe, D - 1) != z) || ex > cx + 2 * Window<D>::fine ||
            (around.tank.data && around.tank[e] != tank))
          break;
        right = ex;
        for (int k = 0; k < D; ++k) low[k] = min(low[k], xe[k]), high[k] = max(high[k], xe[k]);
      }
      for (int set = 0; set < 2; ++set) {
        near.count = 0;
        if (set == 0) {
          collect(around.fluid, column_[0], tank, cx, right, y, z);
          collect(around.periodicGhosts, column_[0], 0, cx, right, y, z);
        } else {
          collect(around.solid, column_[1], 0, cx, right, y, z);
        }
        if (near.count == 0) continue;
        near.close();
        near.reserve(set, near.count);
        for (int j = i; j < e; ++j)
          if (!around.own || around.own[j]) count[set][j - s * lanes] = near.within(p[j].x, h, set, j - s * lanes);
      }
      i = e;
    }
    for (int set = 0; set < 2; ++set) {
      int longest = 0, pairs = 0;
      for (int l = 0; l < lanes; ++l) longest = std::max(longest, count[set][l]), pairs += count[set][l];
      slices_[set * solidSlices_ + s].length = longest;
      if (longest == 0) continue;
      c.pairs += pairs;
      // Interleave the lanes' lists, with padding at their ends.
      const int whole = (longest + lanes - 1) / lanes * lanes;
      near.reserve(set, whole);
      int* const found = near.found[set].data();
      const long room = near.room[set];
      for (int l = 0; l < lanes; ++l)
        std::fill(found + l * room + count[set][l], found + l * room + whole,
                  set == 0 ? around.fluidPadding : around.solidPadding);
      if (c.list.size() < used + std::size_t(whole) * lanes) c.list.resize(used + std::size_t(whole) * lanes + 1024);
      for (int m = 0; m < whole; m += lanes) interleave<lanes>(found + m, room, &c.list[used + m * lanes]);
      used += std::size_t(longest) * lanes;
    }
    c.pairs -= around.own ? std::count_if(around.own + s * lanes, around.own + last, [](char own) { return own; })
                          : std::min(lanes, last - s * lanes);  // each without itself
  }
  const int* at = c.list.data();
  for (int s = begin; s < end; ++s)
    for (int set = 0; set < 2; ++set) {
      Lists::Slice& slice = slices_[set * solidSlices_ + s];
      slice.first = at;
      at += long(slice.length) * lanes;
    }
}

template <int D>
std::size_t Neighbours<D>::bytes() const {
  std::size_t b = slices_.capacity() * sizeof(Lists::Slice);
  for (const Chunk& c : chunks_) b += c.list.bytes();
  for (const auto& set : column_)
    for (const auto& axis : set) b += axis.bytes();
  return b;
}

template class Neighbours<2>;
template class Neighbours<3>;

}  // namespace brim::inline BRIM_FLAVOUR
