// SolidCells on a GPU: a block has a tile, and keeps what it found about a place for the next time.
#include "grid/tiles/solid_cells.h"

#include "grid/tiles/lines.h"
#include "grid/tiles/thin_solids.h"

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
  Real *partFraction, *partOpen;
  std::uint64_t* partSolid;
  Real* fraction;
  std::uint64_t* solid;
  std::uint8_t* touches;
  bool cut;
  Real *open[D], *pushed[D];
  std::uint64_t* shut[D];

  struct Own {  // of a thread's cell: the fraction, and the open part of its lower faces
    Real fraction, open[D];
  };

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
  __device__ Own bodies(const Vec<D, int>& place, const int* which, int count) const {
    constexpr int halves = SolidFractions<D>::halves;
    __shared__ Real half[halves], far[halves];
    __syncthreads();
    for (int h = ownCell(); h < halves; h += cells) {
      far[h] = distance(fractions.halfCentre(place, h), which, count);
      half[h] = fractions.halfFraction(far[h]);
    }
    __syncthreads();
    Own own{fractions.cellFraction(half, ownCell()), {}};
    for (int k = 0; k < D; ++k) own.open[k] = fractions.bodyFace(far, ownCell(), k);
    const ThinSolids<D> thin{fractions};
    for (int b = 0; b < count; ++b) {
      const PlacedSolid<D>& one = body[which[b]];
      if (!thin.isThin(one) || !fractions.isNear(one, place)) continue;
      for (int k = 0; k < D; ++k)
        if (thin.isNear(far, ownCell(), k)) own.open[k] = min(own.open[k], thin.open(one, place, ownCell(), k));
    }
    return own;
  }
  __device__ void operator()(int t) const {
    const Vec<D, int> place = tiles.place(t);
    const int at = tiles.places[t], c = ownCell();
    __shared__ int part;
    if (c == 0) part = known[at];
    __syncthreads();
    Own own{0, {}};
    for (int k = 0; k < D; ++k) own.open[k] = 1;
    bool touched = false, outside = false;
    if (part == unknown) {
      const bool wall = fractions.atWalls(place), near = anyNear(place, restingBodies, restingCount);
      touched = wall || near;
      if (wall) {
        const SolidCell cell = fractions.wallCell(place, c);
        own.fraction = cell.fraction, outside = cell.solid;
        for (int k = 0; k < D; ++k) own.open[k] = fractions.wallFace(place, c, k);
      }
      if (near) {
        const Own more = bodies(place, restingBodies, restingCount);
        own.fraction = unite(own.fraction, more.fraction);
        for (int k = 0; k < D; ++k) own.open[k] = bothOpen(own.open[k], more.open[k]);
      }
      __syncthreads();
      if (c == 0) known[at] = part = touched ? atomicAdd(used, 1) : none;
      __syncthreads();
      if (touched) {
        partFraction[std::size_t(part) * cells + c] = own.fraction;
        for (int k = 0; k < D && cut; ++k) partOpen[(std::size_t(part) * D + k) * cells + c] = own.open[k];
        giveBits(partSolid + std::size_t(part) * words, outside);
      }
    } else if (part != none) {
      touched = true;
      own.fraction = partFraction[std::size_t(part) * cells + c];
      for (int k = 0; k < D && cut; ++k) own.open[k] = partOpen[(std::size_t(part) * D + k) * cells + c];
      outside = partSolid[std::size_t(part) * words + (c >> 6)] >> (c & 63) & 1;
    }
    Own moving{0, {}};
    for (int k = 0; k < D; ++k) moving.open[k] = 1;
    if (movingCount > 0 && anyNear(place, movingBodies, movingCount)) {
      touched = true;
      moving = bodies(place, movingBodies, movingCount);
    }
    fraction[std::size_t(t) * cells + c] = unite(own.fraction, moving.fraction);
    if (!cut) giveBits(solid + std::size_t(t) * words, outside);
    for (int k = 0; k < D && cut; ++k) {
      const SolidFace face = faceOf(own.open[k], moving.open[k]);
      open[k][std::size_t(t) * cells + c] = face.open;
      if (movingCount > 0) pushed[k][std::size_t(t) * cells + c] = face.pushed;
      giveBits(shut[k] + std::size_t(t) * words, face.open == 0);
    }
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
  SolidFractions<D> fractions{geometry, {}};
  cut_ = !moves.empty() || fractions.cutByWalls();
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
      if (cut_) partOpen_.resize(std::size_t(capacity_) * D * cells);
      partSolid_.resize(std::size_t(capacity_) * words);
    }
  }
  mostParts_ += n;
  fitFaces(tiles);
  FindSolids<D> find{tiles.view(),
                     {geometry_, {}},
                     solids.placed().read(),
                     restingBodies_.data(),
                     movingBodies_.data(),
                     int(resting_.size()),
                     int(moving_.size()),
                     known_.data(),
                     used_.data(),
                     partFraction_.data(),
                     partOpen_.data(),
                     partSolid_.data(),
                     fraction_.data(),
                     solid_.data(),
                     touches_.data(),
                     cut_,
                     {},
                     {},
                     {}};
  for (int k = 0; k < D; ++k) find.open[k] = open_[k].data(), find.pushed[k] = pushed_[k].data(), find.shut[k] = shut_[k].data();
  for (int k = 0; k < D; ++k) find.fractions.free[k] = free_[k].data();
  eachCellOfTiles<D>(n, find);
  if (cut_) findSolid(tiles);
}

template <int D>
std::size_t SolidCells<D>::bytes() const {
  return partFraction_.bytes() + partSolid_.bytes() + fraction_.bytes() + solid_.bytes() + known_.bytes() + partOpen_.bytes() +
         faceBytes();
}

template class SolidCells<2>;
template class SolidCells<3>;

}  // namespace brim::inline BRIM_FLAVOUR
