// SolidCells on a CPU, tile by tile.
#include "grid/tiles/solid_cells.h"

#include "grid/tiles/lines.h"
#include "grid/tiles/thin_solids.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
SolidCells<D>::SolidCells(const GridGeometry<D>& geometry, const std::vector<char>& moves) : geometry_(geometry) {
  for (std::size_t b = 0; b < moves.size(); ++b) (moves[b] ? moving_ : resting_).push_back(int(b));
  copyIn(movingBodies_, moving_.data(), moving_.size());
  for (int k = 0; k < D; ++k) free_[k] = freeFractions(geometry, k);
  known_.assign(geometry.places().count(), int(unknown));
  cut_ = !moves.empty() || fractions().cutByWalls();
}

template <int D>
SolidFractions<D> SolidCells<D>::fractions() const {
  SolidFractions<D> f{geometry_, {}};
  for (int k = 0; k < D; ++k) f.free[k] = free_[k].data();
  return f;
}

template <int D>
bool SolidCells<D>::walls(const Vec<D, int>& place, Part& part) const {
  const SolidFractions<D> f = fractions();
  if (!f.atWalls(place)) return false;
  for (std::uint64_t& w : part.outside) w = 0;
  for (int c = 0; c < Tiles<D>::cells; ++c) {
    const SolidCell cell = f.wallCell(place, c);
    part.fraction[c] = cell.fraction;
    part.outside[c >> 6] |= std::uint64_t(cell.solid) << (c & 63);
    for (int k = 0; k < D; ++k) part.open[k][c] = f.wallFace(place, c, k);
  }
  return true;
}

template <int D>
bool SolidCells<D>::bodies(const Solids<D>& solids, const std::vector<int>& which, const Vec<D, int>& place, Part& part) const {
  const auto& body = solids.hostPlaced();
  const SolidFractions<D> f = fractions();
  std::vector<int> near;
  for (const int b : which)
    if (f.isNear(body[b], place)) near.push_back(b);
  if (near.empty()) return false;
  std::vector<Real> half(f.halves), distance(f.halves, Real(1e30));
  for (int h = 0; h < f.halves; ++h) {
    for (const int b : near) distance[h] = min(distance[h], distanceTo(body[b], f.halfCentre(place, h)));
    half[h] = f.halfFraction(distance[h]);
  }
  for (std::uint64_t& word : part.outside) word = 0;
  for (int c = 0; c < Tiles<D>::cells; ++c) {
    part.fraction[c] = f.cellFraction(half.data(), c);
    for (int k = 0; k < D; ++k) part.open[k][c] = f.bodyFace(distance.data(), c, k);
  }
  const ThinSolids<D> thin{f};
  for (const int b : near) {
    if (!thin.isThin(body[b])) continue;
    for (int c = 0; c < Tiles<D>::cells; ++c)
      for (int k = 0; k < D; ++k)
        if (thin.isNear(distance.data(), c, k)) part.open[k][c] = min(part.open[k][c], thin.open(body[b], place, c, k));
  }
  return true;
}

template <int D>
void SolidCells<D>::update(const Solids<D>& solids, const Tiles<D>& tiles) {
  constexpr int cells = Tiles<D>::cells, words = Bits<D>::words;
  const int n = tiles.count();
  const Places<D>& box = tiles.box();
  tiles.fit(fraction_, Real(0));
  solid_.resize(std::size_t(n + 1) * words);
  touches_.resize(n + 1);
  fill(touches_, 0, n + 1, std::uint8_t(0));
  for (int s = 0; s < words; ++s) solid_[std::size_t(n) * words + s] = 0;
  fitFaces(tiles);

  std::vector<int> fresh;
  for (int t = 0; t < n; ++t)
    if (int& k = known_[box.number(tiles.place(t))]; k == unknown) k = int(parts_.size() + fresh.size()), fresh.push_back(t);
  const std::size_t before = parts_.size();
  parts_.resize(before + fresh.size());
  eachTile<D>(int(fresh.size()), [&](int f) {
    const Vec<D, int> place = tiles.place(fresh[f]);
    auto part = std::make_unique<Part>(), more = std::make_unique<Part>();
    const bool wall = walls(place, *part), solid = bodies(solids, resting_, place, wall ? *more : *part);
    if (wall && solid) part->add(*more);
    if (wall || solid)
      parts_[before + f] = std::move(part);
    else
      known_[box.number(place)] = none;
  });

  eachTile<D>(n, [&](int t) {
    const Vec<D, int> place = tiles.place(t);
    const int k = known_[box.number(place)];
    const Part* const resting = k == none ? nullptr : parts_[k].get();
    Real* const to = fraction_.data() + std::size_t(t) * cells;
    if (resting)
      std::copy_n(resting->fraction, cells, to);
    else
      std::fill_n(to, cells, Real(0));
    touches_[t] = resting != nullptr;
    if (!cut_) {
      std::uint64_t* const bits = solid_.data() + std::size_t(t) * words;
      for (int s = 0; s < words; ++s) bits[s] = resting ? resting->outside[s] : 0;
      return;
    }
    Part part;
    const Part* moving = nullptr;
    if (!moving_.empty() && bodies(solids, moving_, place, part)) {
      moving = &part;
      touches_[t] = 1;
      for (int c = 0; c < cells; ++c) to[c] = unite(to[c], part.fraction[c]);
    }
    faces(t, resting, moving);
  });
  if (cut_) findSolid(tiles);
}

template <int D>
void SolidCells<D>::faces(int t, const Part* resting, const Part* moving) {
  constexpr int cells = Tiles<D>::cells, words = Bits<D>::words;
  for (int k = 0; k < D; ++k) {
    Real* const open = open_[k].data() + std::size_t(t) * cells;
    Real* const pushed = moving_.empty() ? nullptr : pushed_[k].data() + std::size_t(t) * cells;
    std::uint64_t* const shut = shut_[k].data() + std::size_t(t) * words;
    for (int s = 0; s < words; ++s) shut[s] = 0;
    for (int c = 0; c < cells; ++c) {
      const SolidFace face =
          resting || moving ? faceOf(resting ? resting->open[k][c] : 1, moving ? moving->open[k][c] : 1) : SolidFace{1, 0};
      open[c] = face.open;
      if (pushed) pushed[c] = face.pushed;
      shut[c >> 6] |= std::uint64_t(face.open == 0) << (c & 63);
    }
  }
}

template <int D>
std::size_t SolidCells<D>::bytes() const {
  std::size_t parts = 0;
  for (const auto& p : parts_) parts += p ? sizeof(Part) : 0;
  return parts + fraction_.bytes() + solid_.bytes() + sizeof(int) * known_.size() + faceBytes();
}

template class SolidCells<2>;
template class SolidCells<3>;

}  // namespace brim::inline BRIM_FLAVOUR
