// Solids as the grid sees them: cells whose centre lies in one, how much of each cell's mass they are, and how they move.
#pragma once
#include "grid/frame.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
class SolidCells {
 public:
  SolidCells(const World<D>&, const Frame<D>&);

  /// For these tiles, with the solids where they are now. What solids at rest do is found once for each place.
  void update(const World<D>&, const Tiles<D>&);

  /// Per cell: the part of the hat function around its centre that is solid (Eq. 12 for a solid full of mass).
  const Array<Real>& fraction() const { return fraction_; }
  /// Bits of the cells whose centre is in a solid.
  const Array<std::uint64_t>& solid() const { return solid_; }
  /// Whether any cell of tile t has a part in a solid.
  bool touches(int t) const { return touches_[t]; }
  bool moving() const { return !moving_.empty(); }
  /// Velocity [m/s] along axis k of the moving solid nearest to x [m]; 0 where none is within a cell.
  Real velocity(const World<D>&, const Vec<D>& x, int k) const;
  std::size_t bytes() const;

 private:
  struct Part {
    Real fraction[Tiles<D>::cells];
    std::uint64_t solid[Bits<D>::words];
  };
  Real open(int k, int c) const;
  bool walls(const Vec<D, int>& place, Part&) const;
  bool bodies(const World<D>&, const std::vector<int>& which, const Vec<D, int>& place, Part&) const;

  Frame<D> frame_;
  std::vector<int> resting_, moving_;  // numbers of the bodies
  std::vector<Real> open_[D];          // per cell from -8 on: the part of its hat between the walls of this axis
  // What the solids at rest are in places seen so far: a number in parts_, or `none`.
  static constexpr int unknown = -1, none = -2;
  std::vector<int> known_;
  std::vector<std::unique_ptr<Part>> parts_;
  Array<Real> fraction_;
  Array<std::uint64_t> solid_;
  std::vector<char> touches_;
};

}  // namespace brim::inline BRIM_FLAVOUR
