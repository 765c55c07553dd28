// Bins on a GPU: by cell, so that a thread has the particles of a cell.
#include "grid/tiles/bins.h"

#include "world/cells.h"
#include "world/cuda/several.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

/// The cell of each particle, and how many came to it before; those of a warp in the same cell ask together.
template <int D>
struct FindKeys {
  TileView<D> tiles;
  GridGeometry<D> geometry;
  View<const Record<D>> p;
  int n, outside;
  View<int> start, key, rank;
  __device__ void operator()(int t) const {
    int k[several], before[several];
    unsigned mates[several];
    BRIM_UNROLL
    for (int e = 0; e < several; ++e) {
      const int i = ownOf(t, e);
      const int c = i < n ? tiles.index(geometry.cellOf(p[i].x)) : -1;
      k[e] = c < outside ? c : outside;
    }
    const int lane = int(threadIdx.x % 32);
    BRIM_UNROLL
    for (int e = 0; e < several; ++e) {
      mates[e] = __match_any_sync(0xffffffffu, k[e]);
      before[e] = 0;
      if (k[e] >= 0 && lane == __ffs(int(mates[e])) - 1) before[e] = atomicAdd(&start[k[e]], __popc(mates[e]));
    }
    BRIM_UNROLL
    for (int e = 0; e < several; ++e) {
      const int r = __shfl_sync(0xffffffffu, before[e], __ffs(int(mates[e])) - 1) + __popc(mates[e] & ((1u << lane) - 1));
      if (k[e] < 0) continue;
      key[ownOf(t, e)] = k[e];
      rank[ownOf(t, e)] = r;
    }
  }
};
struct PutInOrder {
  View<const int> start, key, rank;
  int n;
  View<int> order;
  __device__ void operator()(int t) const {
    int k[several], at[several];
    BRIM_UNROLL
    for (int e = 0; e < several; ++e) {
      const int i = ownOf(t, e);
      k[e] = i < n ? key[i] : -1;
      at[e] = i < n ? rank[i] : 0;
    }
    BRIM_UNROLL
    for (int e = 0; e < several; ++e)
      if (k[e] >= 0) at[e] += start[k[e]];
    BRIM_UNROLL
    for (int e = 0; e < several; ++e)
      if (k[e] >= 0) order[at[e]] = ownOf(t, e);
  }
};

}  // namespace

template <int D>
void Bins<D>::sort(Tiles<D>& tiles, const GridGeometry<D>& geometry, const Particles<D>& fluid, int ring) {
  const int n = fluid.size();
  for (Array<int>* a : {&key_, &rank_, &order_, &cell_}) a->resize(n);
  const auto p = fluid.p.read();
  const GridGeometry<D> f = geometry;
  tiles.cover(
      geometry.places(), n, [=] BRIM_KERNEL(int i) { return f.cellOf(p[i].x); }, ring);
  const int outside = tiles.count() * Tiles<D>::cells;
  start_.resize(std::size_t(outside) + 4);
  const auto order = order_.view(), start = start_.view(), cell = cell_.view();
  forEach(outside / 4 + 1, [=] BRIM_KERNEL(int k) { reinterpret_cast<int4*>(start.data)[k] = make_int4(0, 0, 0, 0); });
  forEach(threadsFor(n), FindKeys<D>{tiles.view(), f, p, n, outside, start, key_.view(), rank_.view()});
  scan(start_, outside + 2);
  forEach(threadsFor(n), PutInOrder{start_.read(), key_.read(), rank_.read(), n, order});
  // Ranks came in any order; sorting each cell by index makes them repeatable.
  forEach(outside + 1, [=] BRIM_KERNEL(int c) {
    const int a = start[c], b = start[c + 1];
    if (b - a > 1) sortStretch(order.data, a, b);
    for (int m = a; m < b; ++m) cell[m] = c;
  });
}

template class Bins<2>;
template class Bins<3>;

}  // namespace brim::inline BRIM_FLAVOUR
