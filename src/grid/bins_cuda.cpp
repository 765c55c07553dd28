// Bins on a GPU: by cell, so that a thread has the particles of a cell.
#include "grid/bins.h"

namespace brim::inline BRIM_FLAVOUR {

/// countOne for a thread of a warp: those with the same key ask for their numbers together.
__device__ static int countTogether(int* counter, int key) {
  const unsigned mates = __match_any_sync(__activemask(), key);
  const int lane = int(threadIdx.x % 32), first = __ffs(int(mates)) - 1;
  int before = 0;
  if (lane == first) before = atomicAdd(counter, __popc(mates));
  return __shfl_sync(mates, before, first) + __popc(mates & ((1u << lane) - 1));
}

template <int D>
void Bins<D>::sort(Tiles<D>& tiles, const Frame<D>& frame, const Particles<D>& fluid, int ring) {
  const int n = fluid.size();
  for (Array<int>* a : {&key_, &rank_, &order_, &cell_}) a->resize(n);
  const auto p = fluid.p.read();
  const Places<D> box = frame.places();
  const Frame<D> f = frame;
  tiles.cover(
      box, n, [=] BRIM_KERNEL(int i) { return f.cellOf(p[i].x); }, ring);
  const int outside = tiles.count() * Tiles<D>::cells;
  start_.resize(std::size_t(outside) + 2);
  fill(start_, 0, outside + 2, 0);
  const auto key = key_.view(), rank = rank_.view(), order = order_.view(), start = start_.view(), cell = cell_.view();
  const TileView<D> view = tiles.view();
  forEach(n, [=] BRIM_KERNEL(int i) {
    const int c = view.index(f.cellOf(p[i].x));
    const int k = c < outside ? c : outside;
    key[i] = k;
    rank[i] = countTogether(&start[k], k);
  });
  scan(start_, outside + 2);
  forEach(n, [=] BRIM_KERNEL(int i) {
    const int k = key[i], at = start[k] + rank[i];
    order[at] = i;
    cell[at] = k;
  });
  // Ranks came in any order; sorting each cell by index makes them repeatable.
  forEach(outside + 1, [=] BRIM_KERNEL(int c) {
    const int a = start[c], b = start[c + 1];
    if (b - a > 1) sortStretch(order.data, a, b);
  });
}

template <int D>
void Bins<D>::settle(Particles<D>& fluid) {
  const int n = fluid.size();
  fluid.reorder(order_, n);
  const auto order = order_.view();
  forEach(n, [=] BRIM_KERNEL(int i) { order[i] = i; });
}

template class Bins<2>;
template class Bins<3>;

}  // namespace brim::inline BRIM_FLAVOUR
