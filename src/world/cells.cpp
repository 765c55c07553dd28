#include "world/cells.h"

#include <tbb/parallel_sort.h>

#include <atomic>

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void Window<D>::cover(const double* boxLow, const double* boxHigh, double support, double room) {
  constexpr int stride = 4;  // supports between possible corners
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

template <int D>
void CellTable<D>::sort(int n, View<const Sample<D>> p, const Window<D>& window) {
  n_ = n;
  window_ = window;
  order_.resize(n);
  if (window.dense)
    sortDense(p);
  else
    sortKeys(p);
}

// start[c] = number of points in cells before c, in two sweeps over fixed blocks.
static void scan(int* start, int cells) {
  constexpr int block = 1 << 15;
  const int blocks = (cells + block - 1) / block;
  std::vector<int> sum(blocks);
  auto sweep = [&](auto body) {
    tbb::parallel_for(0, blocks, [&](int b) { body(b, b * block, std::min(cells, (b + 1) * block)); });
  };
  sweep([&](int b, int from, int to) {
    int s = 0;
    for (int c = from; c < to; ++c) s += start[c];
    sum[b] = s;
  });
  for (int b = 0, s = 0; b < blocks; ++b) std::swap(s, sum[b]), s += sum[b];
  sweep([&](int b, int from, int to) {
    int s = sum[b];
    for (int c = from; c < to; ++c) {
      const int k = start[c];
      start[c] = s;
      s += k;
    }
  });
}

template <int D>
void CellTable<D>::sortDense(View<const Sample<D>> p) {
  const int cells = int(window_.cells()) + 1;  // the last holds what lies outside the window
  start_.resize(cells + 1);
  cell_.resize(n_);
  rank_.resize(n_);
  int *const start = start_.data(), *const cell = cell_.data(), *const rank = rank_.data(), *const order = order_.data();
  forEach(cells + 1, [=](int c) { start[c] = 0; });
  const Window<D> w = window_;
  forEach(n_, [=](int i) {
    cell[i] = int(w.keyOf(p[i].x));
    rank[i] = std::atomic_ref<int>(start[cell[i]]).fetch_add(1, std::memory_order_relaxed);
  });
  scan(start, cells + 1);
  forEach(n_, [=](int i) { order[start[cell[i]] + rank[i]] = i; });
  // Ranks came in any order; sorting each cell by old index makes them repeatable.
  tbb::parallel_for(tbb::blocked_range<int>(0, cells, 4096), [=](const auto& r) {
    for (int c = r.begin(); c < r.end(); ++c) {
      const int a = start[c], b = start[c + 1];
      if (b - a > 32) {
        std::sort(order + a, order + b);
        continue;
      }
      for (int k = a + 1; k < b; ++k) {
        const int v = order[k];
        int m = k;
        for (; m > a && order[m - 1] > v; --m) order[m] = order[m - 1];
        order[m] = v;
      }
    }
  });
}

template <int D>
void CellTable<D>::sortKeys(View<const Sample<D>> p) {
  key_.resize(n_);
  std::vector<std::pair<std::int64_t, int>> pair(n_);
  const Window<D> w = window_;
  forEach(n_, [&](int i) { pair[i] = {w.keyOf(p[i].x), i}; });
  tbb::parallel_sort(pair.begin(), pair.end());
  forEach(n_, [&](int i) { key_[i] = pair[i].first, order_[i] = pair[i].second; });
}

template struct Window<2>;
template struct Window<3>;
template class CellTable<2>;
template class CellTable<3>;

}  // namespace brim::inline BRIM_FLAVOUR
