// Particles by the tile they are in.
#pragma once
#include "grid/tiles/geometry.h"
#include "world/particles.h"

namespace brim::inline BRIM_FLAVOUR {

/// A stable counting sort by tile, on a GPU by cell: the order is a function of the particles alone. Particles outside the box of
/// tiles come last.
template <int D>
class Bins {
 public:
  /// Covers the particles and `ring` cells around them with tiles, and finds the order of the particles by tile.
  void sort(Tiles<D>&, const GridGeometry<D>&, const Particles<D>&, int ring);
  /// Moves the particles' columns into the order found, which is then 0, 1, 2, ...
  void reorder(Particles<D>& fluid, Scratch<D>& scratch) {
    const int n = fluid.size();
    fluid.reorder(order_, n, scratch);
    const auto order = order_.view();
    forEach(n, [=] BRIM_KERNEL(int i) { order[i] = i; });
  }

#if BRIM_CUDA
  /// The particles of cells, as kernels see them.
  struct Where {
    const int* start;  // per cell, in the order of fields: its first particle in `order`; all outside the tiles are one cell more
    const int* order;
    const int* cell;  // of each particle of `order`
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
