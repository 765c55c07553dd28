// Solids as the grid sees them: cells whose centre lies in one, how much of each cell's mass they are, and how they move.
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
  View<const PlacedSolid<D>> body;
  int bodies;
  View<const int> movingBodies;  // numbers of the bodies that move
  int movingCount;
  Real cell;  // [m]
  Vec<D> extent;
  Vec<D, bool> walled;

  BRIM_FN bool moving() const { return movingCount > 0; }
  /// Velocity [m/s] along axis k of the moving solid nearest to x [m]; 0 where none is within a cell.
  BRIM_DEVICE_FN Real velocity(const Vec<D>& x, int k) const {
    Real least = cell, v = 0;
    for (int m = 0; m < movingCount; ++m) {
      const PlacedSolid<D>& b = body[movingBodies[m]];
      if (isBeyondBox(b, x, cell)) continue;
      if (const Real d = distanceTo(b, x); d < least) {
        Real at[3] = {}, u[3];
        for (int a = 0; a < D; ++a) at[a] = x[a];
        b.pose.velocityAt(at, u);
        least = d, v = u[k];
      }
    }
    return v;
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
  /// Bits of the cells whose centre is in a solid.
  const Array<std::uint64_t>& solid() const { return solid_; }
  bool moving() const { return !moving_.empty(); }
  SolidView<D> view(const Solids<D>& solids) const {
    return {fraction_.read(),     solid_.read(),       touches_.read(), solids.placed().read(), int(solids.placed().size()),
            movingBodies_.read(), int(moving_.size()), geometry_.cell,  geometry_.extent,       geometry_.walled};
  }
  std::size_t bytes() const;

 private:
  GridGeometry<D> geometry_;
  std::vector<int> moving_, resting_;  // numbers of the bodies that move, and of those that do not
  Array<int> movingBodies_;            // the former where kernels are
  // What the solids at rest are in places seen so far: known_ has the number of a part, or `none`.
  static constexpr int unknown = -1, none = -2;
#if BRIM_CUDA
  Array<int> known_, restingBodies_, used_;  // used: how many parts there are
  Array<Real> free_[D], partFraction_;
  Array<std::uint64_t> partSolid_;
  int mostParts_ = 0, capacity_ = 0;  // parts that there may be, and that memory is allocated for
#else
  struct Part {
    Real fraction[Tiles<D>::cells];
    std::uint64_t solid[Bits<D>::words];
    void set(int c, const SolidCell& cell) {
      fraction[c] = cell.fraction;
      if (cell.solid) solid[c >> 6] |= std::uint64_t(1) << (c & 63);
    }
    void add(const Part& b) {
      for (int c = 0; c < Tiles<D>::cells; ++c) fraction[c] = unite({fraction[c], false}, {b.fraction[c], false}).fraction;
      for (int s = 0; s < Bits<D>::words; ++s) solid[s] |= b.solid[s];
    }
  };
  SolidFractions<D> fractions() const;
  bool walls(const Vec<D, int>& place, Part&) const;
  bool bodies(const Solids<D>&, const std::vector<int>& which, const Vec<D, int>& place, Part&) const;

  std::vector<Real> free_[D];  // per axis: freeFractions()
  std::vector<int> known_;
  std::vector<std::unique_ptr<Part>> parts_;
#endif
  Array<Real> fraction_;
  Array<std::uint64_t> solid_;
  Array<std::uint8_t> touches_;  // per tile: solids come near any of its cells
};

}  // namespace brim::inline BRIM_FLAVOUR
