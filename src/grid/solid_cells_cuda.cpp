// SolidCells on a GPU: a block has a tile, and keeps what it found about a place for the next time.
#include "grid/rows.h"
#include "grid/solid_cells.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

template <int D>
struct FindSolids {
  static constexpr int cells = Tiles<D>::cells, words = Bits<D>::words, unknown = -1, none = -2;
  TileView<D> tiles;
  Frame<D> frame;
  View<const Body<D>> body;
  const int *resters, *movers;
  int resterCount, moverCount;
  const Real* open[D];
  int *known, *used;
  Real* partFraction;
  std::uint64_t* partSolid;
  Real* fraction;
  std::uint64_t* solid;
  std::uint8_t* touches;

  struct Cell {
    Real fraction;
    bool solid;
  };
  __device__ bool atWalls(const Vec<D, int>& place) const {
    bool any = false;
    for (int k = 0; k < D; ++k) any = any || (frame.walled[k] && (place[k] <= 0 || 8 * place[k] + 9 > frame.size[k]));
    return any;
  }
  /// The walls of the domain: exact, since hats and boxes are products over the axes.
  __device__ Cell walls(const Vec<D, int>& place) const {
    Real share = 1;
    bool outside = false;
    for (int k = 0; k < D; ++k) {
      const int c = 8 * place[k] + (ownCell() >> 3 * k & 7), n = frame.size[k] + 16, at = c + 8;
      share *= open[k][at < 0 ? 0 : at >= n ? n - 1 : at];
      outside = outside || (frame.walled[k] && (c < 0 || c >= frame.size[k]));
    }
    return {1 - share, outside};
  }
  /// Whether any of these bodies comes near a tile, for all threads.
  __device__ bool anyNear(const Vec<D, int>& place, const int* which, int count) const {
    Vec<D> middle;
    for (int k = 0; k < D; ++k) middle[k] = Real(8 * place[k] + 4);
    middle = frame.inMetres(middle);
    const Real reach = Real(5.5) * std::sqrt(Real(D)) * frame.cell;  // from the middle to any point that matters
    bool near = false;
    for (int b = ownCell(); b < count; b += cells) {
      const Body<D>& one = body[which[b]];
      bool beside = false;
      for (int k = 0; k < D; ++k) beside = beside || middle[k] + reach < one.low[k] || middle[k] - reach > one.high[k];
      near = near || (!beside && distanceTo(one, middle) < reach);
    }
    return __syncthreads_or(near);
  }
  __device__ Real distance(const Vec<D>& q, const int* which, int count) const {
    const Vec<D> x = frame.inMetres(q);
    Real least = Real(1e30);
    for (int b = 0; b < count; ++b) {
      const Body<D>& one = body[which[b]];
      bool beside = false;
      for (int k = 0; k < D; ++k) beside = beside || x[k] + frame.cell < one.low[k] || x[k] - frame.cell > one.high[k];
      if (!beside) least = min(least, distanceTo(one, x));
    }
    return least;
  }
  /// A hat is the sum of hats half as wide, 1 2 1, and of each of those a plane at its signed distance covers a known part.
  __device__ Cell bodies(const Vec<D, int>& place, const int* which, int count) const {
    constexpr int side = 17, halves = power(side, D);
    __shared__ Real full[halves];
    __syncthreads();
    for (int h = ownCell(); h < halves; h += cells) {
      Vec<D> q;
      for (int k = 0, rest = h; k < D; ++k, rest /= side) q[k] = Real(8 * place[k]) + Real(rest % side) / 2;
      full[h] = Real(hatUpTo(-2 * double(distance(q, which, count) * frame.perCell)));
    }
    __syncthreads();
    const Real weight[3] = {Real(0.25), Real(0.5), Real(0.25)};
    Vec<D> q;
    int first = 0;
    for (int k = 0, stride = 1; k < D; ++k, stride *= side) {
      const int c = ownCell() >> 3 * k & 7;
      first += 2 * c * stride;
      q[k] = Real(8 * place[k] + c) + Real(0.5);
    }
    Real sum = 0;
    for (int z = 0; z < (D == 3 ? 3 : 1); ++z)
      for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 3; ++x)
          sum += (D == 3 ? weight[z] : Real(1)) * weight[y] * weight[x] * full[first + (z * side + y) * side + x];
    return {sum, distance(q, which, count) < 0};
  }
  /// Where both meet, what one leaves open the other may fill.
  __device__ static Cell both(const Cell& a, const Cell& b) {
    return {1 - (1 - a.fraction) * (1 - b.fraction), a.solid || b.solid};
  }
  __device__ void operator()(int t) const {
    const Vec<D, int> place = tiles.place(t);
    const int at = tiles.places[t], c = ownCell();
    __shared__ int part;
    if (c == 0) part = known[at];
    __syncthreads();
    Cell cell{0, false};
    bool touched = false;
    if (part == unknown) {
      const bool wall = atWalls(place), near = anyNear(place, resters, resterCount);
      touched = wall || near;
      if (wall) cell = walls(place);
      if (near) cell = both(cell, bodies(place, resters, resterCount));
      __syncthreads();
      if (c == 0) known[at] = part = touched ? atomicAdd(used, 1) : none;
      __syncthreads();
      if (touched) {
        partFraction[std::size_t(part) * cells + c] = cell.fraction;
        giveBits(partSolid + std::size_t(part) * words, cell.solid);
      }
    } else if (part != none) {
      touched = true;
      cell = {partFraction[std::size_t(part) * cells + c], bool(partSolid[std::size_t(part) * words + (c >> 6)] >> (c & 63) & 1)};
    }
    if (moverCount > 0 && anyNear(place, movers, moverCount)) {
      touched = true;
      cell = both(cell, bodies(place, movers, moverCount));
    }
    fraction[std::size_t(t) * cells + c] = cell.fraction;
    giveBits(solid + std::size_t(t) * words, cell.solid);
    if (c == 0) touches[t] = touched;
  }
};

}  // namespace

template <int D>
SolidCells<D>::SolidCells(const World<D>& w, const Frame<D>& frame) : frame_(frame) {
  std::vector<int> resting;
  for (std::size_t b = 0; b < w.solids.bodies().size(); ++b)
    (int(b) >= w.solids.firstFree() || w.scene().solids[b].motion.moves() ? moving_ : resting).push_back(int(b));
  copyIn(movers_, moving_.data(), moving_.size());
  copyIn(resters_, resting.data(), resting.size());
  for (int k = 0; k < D; ++k) {
    const std::vector<Real> open = openness(frame, k);
    copyIn(open_[k], open.data(), open.size());
  }
  const int places = int(frame.places().count());
  known_.resize(places);
  fill(known_, 0, places, int(unknown));
  used_.resize(1);
  fill(used_, 0, 1, 0);
}

template <int D>
void SolidCells<D>::update(const World<D>& w, const Tiles<D>& tiles) {
  constexpr int cells = Tiles<D>::cells, words = Bits<D>::words;
  const int n = tiles.count();
  tiles.fit(fraction_, Real(0));
  solid_.resize(std::size_t(n + 1) * words);
  touches_.resize(n + 1);
  fill(solid_, n * words, (n + 1) * words, std::uint64_t(0));
  fill(touches_, n, n + 1, std::uint8_t(0));
  // Every tile may be new. The host counts as if all were, and asks only when there would be no room for that.
  if (mostParts_ + n > room_) {
    mostParts_ = elementOf(used_, 0);
    if (mostParts_ + n > room_) {
      room_ = mostParts_ + 4 * n;
      partFraction_.resize(std::size_t(room_) * cells);
      partSolid_.resize(std::size_t(room_) * words);
    }
  }
  mostParts_ += n;
  FindSolids<D> find{tiles.view(),
                     frame_,
                     w.solids.bodies().read(),
                     resters_.data(),
                     movers_.data(),
                     int(resters_.size()),
                     int(moving_.size()),
                     {},
                     known_.data(),
                     used_.data(),
                     partFraction_.data(),
                     partSolid_.data(),
                     fraction_.data(),
                     solid_.data(),
                     touches_.data()};
  for (int k = 0; k < D; ++k) find.open[k] = open_[k].data();
  eachCellOfTiles<D>(n, find);
}

template <int D>
std::size_t SolidCells<D>::bytes() const {
  return partFraction_.bytes() + partSolid_.bytes() + fraction_.bytes() + solid_.bytes() + known_.bytes();
}

template class SolidCells<2>;
template class SolidCells<3>;

}  // namespace brim::inline BRIM_FLAVOUR
