// SolidCells on a GPU: a block has a tile, and keeps what it found about a place for the next time.
#include "grid/tiles/solid_cells.h"

#include "grid/tiles/lines.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

template <int D>
struct FindSolids {
  static constexpr int cells = Tiles<D>::cells, words = Bits<D>::words, unknown = -1, none = -2;
  TileView<D> tiles;
  SolidFractions<D> fractions;
  View<const PlacedSolid<D>> body;
  const int *restingBodies, *movingBodies;
  int restingCount, movingCount;
  int *known, *used;
  Real* partFraction;
  std::uint64_t* partSolid;
  Real* fraction;
  std::uint64_t* solid;
  std::uint8_t* touches;

  /// Whether any of these bodies comes near a tile, for all threads.
  __device__ bool anyNear(const Vec<D, int>& place, const int* which, int count) const {
    bool near = false;
    for (int b = ownCell(); b < count; b += cells) near = near || fractions.isNear(body[which[b]], place);
    return __syncthreads_or(near);
  }
  __device__ Real distance(const Vec<D>& x, const int* which, int count) const {
    Real least = Real(1e30);
    for (int b = 0; b < count; ++b) {
      const PlacedSolid<D>& one = body[which[b]];
      if (!isBeyondBox(one, x, fractions.geometry.cell)) least = min(least, distanceTo(one, x));
    }
    return least;
  }
  __device__ SolidCell bodies(const Vec<D, int>& place, const int* which, int count) const {
    constexpr int halves = SolidFractions<D>::halves;
    __shared__ Real half[halves];
    __syncthreads();
    for (int h = ownCell(); h < halves; h += cells)
      half[h] = fractions.halfFraction(distance(fractions.halfCentre(place, h), which, count));
    __syncthreads();
    return {fractions.cellFraction(half, ownCell()), distance(fractions.cellCentre(place, ownCell()), which, count) < 0};
  }
  __device__ void operator()(int t) const {
    const Vec<D, int> place = tiles.place(t);
    const int at = tiles.places[t], c = ownCell();
    __shared__ int part;
    if (c == 0) part = known[at];
    __syncthreads();
    SolidCell cell{0, false};
    bool touched = false;
    if (part == unknown) {
      const bool wall = fractions.atWalls(place), near = anyNear(place, restingBodies, restingCount);
      touched = wall || near;
      if (wall) cell = fractions.wallCell(place, c);
      if (near) cell = unite(cell, bodies(place, restingBodies, restingCount));
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
    if (movingCount > 0 && anyNear(place, movingBodies, movingCount)) {
      touched = true;
      cell = unite(cell, bodies(place, movingBodies, movingCount));
    }
    fraction[std::size_t(t) * cells + c] = cell.fraction;
    giveBits(solid + std::size_t(t) * words, cell.solid);
    if (c == 0) touches[t] = touched;
  }
};

}  // namespace

template <int D>
SolidCells<D>::SolidCells(const GridGeometry<D>& geometry, const std::vector<char>& moves) : geometry_(geometry) {
  for (std::size_t b = 0; b < moves.size(); ++b) (moves[b] ? moving_ : resting_).push_back(int(b));
  copyIn(movingBodies_, moving_.data(), moving_.size());
  copyIn(restingBodies_, resting_.data(), resting_.size());
  for (int k = 0; k < D; ++k) {
    const std::vector<Real> free = freeFractions(geometry, k);
    copyIn(free_[k], free.data(), free.size());
  }
  const int places = int(geometry.places().count());
  known_.resize(places);
  fill(known_, 0, places, int(unknown));
  used_.resize(1);
  fill(used_, 0, 1, 0);
}

template <int D>
void SolidCells<D>::update(const Solids<D>& solids, const Tiles<D>& tiles) {
  constexpr int cells = Tiles<D>::cells, words = Bits<D>::words;
  const int n = tiles.count();
  tiles.fit(fraction_, Real(0));
  solid_.resize(std::size_t(n + 1) * words);
  touches_.resize(n + 1);
  fill(solid_, n * words, (n + 1) * words, std::uint64_t(0));
  fill(touches_, n, n + 1, std::uint8_t(0));
  // Every tile may be new. The host counts as if all were, and asks only when memory would be too small for that.
  if (mostParts_ + n > capacity_) {
    mostParts_ = elementOf(used_, 0);
    if (mostParts_ + n > capacity_) {
      capacity_ = mostParts_ + 4 * n;
      partFraction_.resize(std::size_t(capacity_) * cells);
      partSolid_.resize(std::size_t(capacity_) * words);
    }
  }
  mostParts_ += n;
  FindSolids<D> find{tiles.view(),         {geometry_, {}},      solids.placed().read(), restingBodies_.data(),
                     movingBodies_.data(), int(resting_.size()), int(moving_.size()),    known_.data(),
                     used_.data(),         partFraction_.data(), partSolid_.data(),      fraction_.data(),
                     solid_.data(),        touches_.data()};
  for (int k = 0; k < D; ++k) find.fractions.free[k] = free_[k].data();
  eachCellOfTiles<D>(n, find);
}

template <int D>
std::size_t SolidCells<D>::bytes() const {
  return partFraction_.bytes() + partSolid_.bytes() + fraction_.bytes() + solid_.bytes() + known_.bytes();
}

template class SolidCells<2>;
template class SolidCells<3>;

}  // namespace brim::inline BRIM_FLAVOUR
