// Solids as the grid sees them: which part of each face they leave open (Batty et al. 2007; Ng, Min & Gibou 2009), how much of
// each cell's mass they are, and how they move.
#pragma once
#include <memory>

#include "grid/tiles/solid_fractions.h"

namespace brim::inline BRIM_FLAVOUR {

/// Solids as kernels see them.
template <int D>
struct SolidView {
  View<const Real> fraction;  // this and the next two: as SolidCells has them
  View<const std::uint64_t> solid;
  View<const std::uint8_t> touches;
  const Real* pushed[D];  // null where nothing moves
  View<const PlacedSolid<D>> body;
  int bodies;
  View<const int> movingBodies;  // numbers of the bodies that move
  int movingCount;
  Real cell;  // [m]
  Vec<D> extent;
  Vec<D, bool> walled;

  BRIM_FN bool moving() const { return movingCount > 0; }
  /// The moving solid nearest to x [m]; -1 where none is within a cell.
  BRIM_DEVICE_FN int nearest(const Vec<D>& x) const {
    Real least = cell;
    int which = -1;
    for (int m = 0; m < movingCount; ++m) {
      const PlacedSolid<D>& b = body[movingBodies[m]];
      if (isBeyondBox(b, x, cell)) continue;
      if (const Real d = distanceTo(b, x); d < least) least = d, which = movingBodies[m];
    }
    return which;
  }
  /// Its velocity [m/s] there along axis k; 0 where none is within a cell.
  BRIM_DEVICE_FN Real velocity(const Vec<D>& x, int k) const {
    const int b = nearest(x);
    if (b < 0) return 0;
    Real at[3] = {}, u[3];
    for (int a = 0; a < D; ++a) at[a] = x[a];
    body[b].pose.velocityAt(at, u);
    return u[k];
  }
  /// Whether x [m] is in no solid and within the walls.
  BRIM_DEVICE_FN bool isFree(const Vec<D>& x) const {
    for (int k = 0; k < D; ++k)
      if (walled[k] && (x[k] < 0 || x[k] > extent[k])) return false;
    for (int b = 0; b < bodies; ++b)
      if (distanceTo(body[b], x) < 0) return false;
    return true;
  }
  /// The push-out displacement [m] from x to the surface of the solid it is deepest in, Eq. 13, at most half a cell long; 0
  /// outside solids. It points up where x is as far from all sides.
  BRIM_DEVICE_FN Vec<D> pushOut(const Vec<D>& x, Real eps) const {
    Real deepest = 0;
    Vec<D> out{};
    for (int b = 0; b < bodies; ++b) {
      Real at[3] = {}, y[3], n[3] = {}, world[3];
      for (int k = 0; k < D; ++k) at[k] = x[k];
      body[b].pose.toBody(at, y);
      const Real depth = -body[b].shape.distance(y);
      if (!(depth > deepest)) continue;
      body[b].shape.normal(y, eps, n);
      body[b].pose.directionToWorld(n, world);
      deepest = depth;
      for (int k = 0; k < D; ++k) out[k] = min(depth, cell / 2) * world[k];
      if (dot(out, out) == 0) out[1] = min(depth, cell / 2);
    }
    return out;
  }
};

/// Per body: whether it moves, by its prescribed motion or because it is free.
template <int D>
std::vector<char> movingBodies(const Solids<D>& solids, const Scene& scene) {
  std::vector<char> moves(solids.placed().size());
  for (std::size_t b = 0; b < moves.size(); ++b) moves[b] = int(b) >= solids.firstFree() || scene.solids[b].motion.moves();
  return moves;
}

template <int D>
class SolidCells {
 public:
  SolidCells(const GridGeometry<D>&, const std::vector<char>& moves);

  /// For these tiles, with the solids where they are now. What solids at rest do is found once for each place.
  void update(const Solids<D>&, const Tiles<D>&);

  /// Per cell: the volume fraction of solids in the tent kernel around its centre (Eq. 12 for a solid full of mass).
  const Array<Real>& fraction() const { return fraction_; }
  /// Bits of the cells without an open face; where nothing cuts cells, of those outside the walls.
  const Array<std::uint64_t>& solid() const { return solid_; }
  /// Whether solids or walls may cut cells. Where they do not, the three below are empty: a face is shut if a cell beside it is
  /// solid, and open if not.
  bool cut() const { return cut_; }
  /// Per cell, of its lower face along k: the part (0 .. 1) that is open to fluid; 0 if it would be less than leastOpen.
  const Array<Real>& open(int k) const { return open_[k]; }
  /// The part of the same face that moving solids cover; empty where nothing moves.
  const Array<Real>& pushed(int k) const { return pushed_[k]; }
  /// Bits of the faces that are shut: open is 0.
  const Array<std::uint64_t>& shut(int k) const { return shut_[k]; }
  /// Per tile: solids come near any of its cells.
  const Array<std::uint8_t>& touches() const { return touches_; }
  bool moving() const { return !moving_.empty(); }
  SolidView<D> view(const Solids<D>& solids) const {
    SolidView<D> v{fraction_.read(),       solid_.read(),
                   touches_.read(),        {},
                   solids.placed().read(), int(solids.placed().size()),
                   movingBodies_.read(),   int(moving_.size()),
                   geometry_.cell,         geometry_.extent,
                   geometry_.walled};
    for (int k = 0; k < D; ++k) v.pushed[k] = moving() ? pushed_[k].data() : nullptr;
    return v;
  }
  std::size_t bytes() const;

  // Steps of update(); public because nvcc wants kernels there.
  void fitFaces(const Tiles<D>& tiles) {
    if (!cut_) return;
    const int n = tiles.count() * Bits<D>::words;
    for (int k = 0; k < D; ++k) {
      tiles.fit(open_[k], Real(1));
      if (moving()) tiles.fit(pushed_[k], Real(0));
      shut_[k].resize(n + Bits<D>::words);
      fill(shut_[k], n, n + Bits<D>::words, std::uint64_t(0));
    }
  }
  /// The bits of cells without an open face, from those of shut faces.
  void findSolid(const Tiles<D>&);

 private:
  std::size_t faceBytes() const {
    std::size_t n = 0;
    for (int k = 0; k < D; ++k) n += open_[k].bytes() + pushed_[k].bytes() + shut_[k].bytes();
    return n;
  }

  GridGeometry<D> geometry_;
  bool cut_ = false;
  std::vector<int> moving_, resting_;  // numbers of the bodies that move, and of those that do not
  Array<int> movingBodies_;            // the former where kernels are
  // What the solids at rest are in places seen so far: known_ has the number of a part, or `none`.
  static constexpr int unknown = -1, none = -2;
#if BRIM_CUDA
  Array<int> known_, restingBodies_, used_;        // used: how many parts there are
  Array<Real> free_[D], partFraction_, partOpen_;  // open: D numbers a cell, one axis after the other within a tile
  Array<std::uint64_t> partSolid_;
  int mostParts_ = 0, capacity_ = 0;  // parts that there may be, and that memory is allocated for
#else
  struct Part {
    Real fraction[Tiles<D>::cells], open[D][Tiles<D>::cells];
    std::uint64_t outside[Bits<D>::words];  // of the walls
    void add(const Part& b) {
      for (int c = 0; c < Tiles<D>::cells; ++c) {
        fraction[c] = unite(fraction[c], b.fraction[c]);
        for (int k = 0; k < D; ++k) open[k][c] = bothOpen(open[k][c], b.open[k][c]);
      }
    }
  };
  SolidFractions<D> fractions() const;
  bool walls(const Vec<D, int>& place, Part&) const;
  bool bodies(const Solids<D>&, const std::vector<int>& which, const Vec<D, int>& place, Part&) const;
  /// The faces of tile t, from what the solids at rest and the moving ones are there, null: nothing.
  void faces(int t, const Part* resting, const Part* moving);

  std::vector<Real> free_[D];  // per axis: freeFractions()
  std::vector<int> known_;
  std::vector<std::unique_ptr<Part>> parts_;
#endif
  Array<Real> fraction_, open_[D], pushed_[D];
  Array<std::uint64_t> solid_, shut_[D];
  Array<std::uint8_t> touches_;  // per tile: solids come near any of its cells
};

}  // namespace brim::inline BRIM_FLAVOUR
