// Particles by the tile they are in.
#pragma once
#include "grid/frame.h"

namespace brim::inline BRIM_FLAVOUR {

/// A stable counting sort: the result is a function of the particles alone. Particles outside the box of tiles come last.
template <int D>
class Bins {
 public:
  /// Covers the particles and `ring` cells around them with tiles, and finds the order of the particles by tile.
  void sort(Tiles<D>&, const Frame<D>&, const Particles<D>&, int ring);
  /// Moves the particles' columns into the order found, which is then 0, 1, 2, ...
  void settle(Particles<D>&);

  /// The particles of tile t are order()[k] for k in [begin(t), end(t)); those of `tiles` are outside.
  int begin(int t) const { return start_[t]; }
  int end(int t) const { return start_[t + 1]; }
  const int* order() const { return order_.data(); }
  /// Tiles that hold particles, and for each tile its number among them or -1.
  const std::vector<int>& active() const { return active_; }
  const std::vector<int>& slot() const { return slot_; }
  std::size_t bytes() const { return key_.bytes() + order_.bytes() + 4 * (start_.size() + count_.size() + 2 * slot_.size()); }

 private:
  Array<int> key_, order_;
  std::vector<int> start_, count_, active_, slot_;
};

}  // namespace brim::inline BRIM_FLAVOUR
