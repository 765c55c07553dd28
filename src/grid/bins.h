// Particles by the tile they are in.
#pragma once
#include "grid/frame.h"

namespace brim::inline BRIM_FLAVOUR {

/// A stable counting sort, on a GPU by cells within the tiles: the result is a function of the particles alone. Particles outside
/// the box of tiles come last.
template <int D>
class Bins {
 public:
  /// Covers the particles and `ring` cells around them with tiles, and finds the order of the particles by tile.
  void sort(Tiles<D>&, const Frame<D>&, const Particles<D>&, int ring);
  /// Moves the particles' columns into the order found, which is then 0, 1, 2, ...
  void settle(Particles<D>&);

#if BRIM_CUDA
  /// As kernels see them.
  struct Where {
    const int* start;  // per cell of the tiles, as fields have them: its first particle in `order`; all outside are one cell more
    const int* order;
    const int* cell;  // of each of `order`
  };
  Where view() const { return {start_.data(), order_.data(), cell_.data()}; }
  std::size_t bytes() const { return key_.bytes() + rank_.bytes() + order_.bytes() + start_.bytes() + cell_.bytes(); }

 private:
  Array<int> key_, rank_, order_, start_, cell_;
#else
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
#endif
};

}  // namespace brim::inline BRIM_FLAVOUR
