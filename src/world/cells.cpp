#include "world/cells.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void Window<D>::cover(const double* boxLow, const double* boxHigh, double support, double room, bool tight) {
  const int stride = tight ? 1 : 4;  // supports between possible corners
  double total = 1;
  for (int k = 0; k < 3; ++k) low[k] = 0, size[k] = 1;
  for (int k = 0; k < D; ++k) {
    const int narrow = k == 0 ? fine : 1, step = stride * narrow;
    scale[k] = narrow / (support * 1.0001);  // a little wide, so that rounding never hides a neighbour
    const auto floorTo = [&](double x) { return std::int64_t(std::floor(x / step)) * step; };
    low[k] = floorTo(boxLow[k] * scale[k] - narrow - 1);
    size[k] = floorTo(boxHigh[k] * scale[k] + narrow + 1) + step - low[k];
    total *= double(size[k]);
  }
  dense = total <= room;
}

// The ranks, in old order, of the points in the last cell: those outside the window.
static void rankOutside(int n, int last, View<const int> cell, View<int> rank, Array<int>& outside) {
  outside.resize(n);
  const auto before = outside.view();
  forEach(n, [=] BRIM_KERNEL(int i) { before[i] = cell[i] == last; });
  scan(outside, n);
  forEach(n, [=] BRIM_KERNEL(int i) {
    if (cell[i] == last) rank[i] = before[i];
  });
}

template <int D>
static void sortDense(const Window<D> w, int n, View<const Record<D>> p, View<const int> tank, int tanks, Array<int>& starts,
                      Array<int>& cells, Array<int>& ranks, Array<int>& orders, Array<int>* outside) {
  const int stretch = int(w.stretch()), all = tanks * stretch;  // the last of each tank holds what lies outside the window
  starts.resize(all + 1);
  cells.resize(n);
  ranks.resize(n);
  fill(starts, 0, all + 1, 0);
  const auto start = starts.view(), cell = cells.view(), rank = ranks.view(), order = orders.view();
  forEach(n, [=] BRIM_KERNEL(int i) {
    const int c = int(w.keyOf(p[i].x)) + (tank.data ? tank[i] * stretch : 0);
    cell[i] = c;
    rank[i] = countOne(start[c]);
  });
  scan(starts, all + 1);
  if (outside) rankOutside(n, all - 1, cells.read(), rank, *outside);
  forEach(n, [=] BRIM_KERNEL(int i) { order[start[cell[i]] + rank[i]] = i; });
  // Ranks came in any order; sorting each cell by old index makes them repeatable. One of its particles does that, as most cells
  // have none.
  const int sorted = outside ? all - 1 : all;
  forEach(n, [=] BRIM_KERNEL(int i) {
    const int c = cell[i];
    if (rank[i] > 0 || c >= sorted) return;
    const int a = start[c], b = start[c + 1];
    if (b - a > 1) sortStretch(order.data, a, b);
  });
}

template <int D>
static void keysOf(const Window<D> w, int n, View<const Record<D>> p, View<std::int64_t> key) {
  forEach(n, [=] BRIM_KERNEL(int i) { key[i] = w.keyOf(p[i].x); });
}

template <int D>
void CellTable<D>::sort(int n, View<const Record<D>> p, const Window<D>& window, bool manyOutside) {
  n_ = n;
  window_ = window;
  order_.resize(n);
  if (window.dense) {
    sortDense(window, n, p, View<const int>{nullptr}, 1, start_, cell_, rank_, order_, manyOutside ? &outside_ : nullptr);
    return;
  }
  key_.resize(n);
  keysOf(window, n, p, key_.view());
  sortKeys(key_, order_, n);
}

template <int D>
void CellTable<D>::sort(int n, View<const Record<D>> p, const Window<D>& window, View<const int> tank, int tanks) {
  BRIM_ASSERT(window.dense, "only a dense table has tanks");
  n_ = n;
  window_ = window;
  order_.resize(n);
  sortDense(window, n, p, tank, tanks, start_, cell_, rank_, order_, static_cast<Array<int>*>(nullptr));
}

template struct Window<2>;
template struct Window<3>;
template class CellTable<2>;
template class CellTable<3>;

}  // namespace brim::inline BRIM_FLAVOUR
