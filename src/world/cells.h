// Points sorted into cells, so that all points near a place are a few runs of consecutive ones.
#pragma once
#include <cmath>
#include <cstdint>

#include "exec/exec.h"

namespace brim::inline BRIM_FLAVOUR {

/// The box of cells in use: h wide, and h/4 along x, so that candidates are 3^(D-1) runs cut close to the sphere.
/// Its corner moves in steps of several cells, so that a table of points at rest stays valid while the fluid moves.
template <int D>
struct Window {
  static constexpr int fine = 4;        // cells per support along x
  static constexpr double reach = 1e6;  // supports from the domain's corner; what is farther, or not a number, is lost:
                                        // no window covers it, and the step that lost it ends as diverged
  double scale[D] = {};                 // [1/m] cells per metre
  std::int64_t low[3] = {0, 0, 0}, size[3] = {0, 1, 1};
  bool dense = true;

  /// Covers low..high [m] and one support around it. Dense while the table has at most `room` cells. A tight one has no more
  /// cells than that takes: for boxes that stay where they are.
  void cover(const double* boxLow, const double* boxHigh, double support, double room, bool tight = false);

  /// Cell of x along axis k; for a lost x (see `reach`) some cell whose neighbours lie in the window.
  BRIM_FN int at(const Vec<D>& x, int k) const {
    const double s = std::floor(x[k] * scale[k]) - double(low[k]), margin = k == 0 ? fine : 1,
                 most = double(size[k]) - 1 - margin;
    return int(s >= margin ? (s <= most ? s : most) : margin);
  }
  BRIM_FN std::int64_t key(std::int64_t x, std::int64_t y, std::int64_t z) const { return (z * size[1] + y) * size[0] + x; }
  /// The key of the cell of x, or that past the last cell if x lies outside the window.
  BRIM_FN std::int64_t keyOf(const Vec<D>& x) const {
    std::int64_t c[3] = {0, 0, 0};
    for (int k = 0; k < D; ++k) {
      const double s = std::floor(x[k] * scale[k]) - double(low[k]);  // exact: no window moves a point to another cell
      if (!(s >= 0 && s < double(size[k]))) return cells();
      c[k] = std::int64_t(s);
    }
    return key(c[0], c[1], c[2]);
  }
  BRIM_FN std::int64_t cells() const { return size[0] * size[1] * size[2]; }
  /// Cells of a tank in a table of several: one more holds what lies outside the window.
  BRIM_FN std::int64_t stretch() const { return cells() + 1; }
  bool operator==(const Window& b) const {
    bool same = dense == b.dense;
    for (int k = 0; k < D; ++k) same = same && low[k] == b.low[k] && scale[k] == b.scale[k];
    for (int k = 0; k < 3; ++k) same = same && size[k] == b.size[k];
    return same;
  }
};

/// Consecutive points: first .. past - 1.
struct Run {
  int first, past;
};

/// The points of a table, as kernels read it.
template <int D>
struct Runs {
  Window<D> window;
  const int* start;         // dense: of each cell, its first point
  const std::int64_t* key;  // else: of each point, its cell
  int n;

  /// The points of the cells x0..x1 of the row (y, z).
  BRIM_FN Run run(std::int64_t x0, std::int64_t x1, std::int64_t y, std::int64_t z) const {
    const std::int64_t a = window.key(x0, y, z), b = window.key(x1, y, z) + 1;
    if (window.dense) return {start[a], start[b]};
    return {before(a), before(b)};
  }
  /// Those of one tank alone, in a dense table of several.
  BRIM_FN Runs of(int tank) const { return {window, start + tank * window.stretch(), key, n}; }

 private:
  // How many points lie in cells before c.
  BRIM_FN int before(std::int64_t c) const {
    int low = 0;
    for (int length = n; length > 0;) {
      const int half = length / 2;
      if (key[low + half] < c)
        low += half + 1, length -= half + 1;
      else
        length = half;
    }
    return low;
  }
};

#if BRIM_CUDA
/// n <= N different numbers ascending: each finds its place by itself, in registers, and most are there already.
template <int N>
BRIM_FN void sortFew(int* number, int n) {
  int own[N];
  bool ascending = true;
  BRIM_UNROLL
  for (int k = 0; k < N; ++k) {
    own[k] = k < n ? number[k] : 0x7fffffff;
    if (k > 0) ascending = ascending && own[k - 1] <= own[k];
  }
  if (ascending) return;
  BRIM_UNROLL
  for (int k = 0; k < N; ++k) {
    int place = 0;
    BRIM_UNROLL
    for (int m = 0; m < N; ++m) place += own[m] < own[k];
    if (k < n) number[place] = own[k];
  }
}
#endif

/// order[a .. b - 1] ascending.
BRIM_FN void sortStretch(int* order, int a, int b) {
#if BRIM_CUDA
  if (b - a <= 8) return sortFew<8>(order + a, b - a);
  if (b - a <= 16) return sortFew<16>(order + a, b - a);
#endif
  if (b - a <= 32) {
    for (int k = a + 1; k < b; ++k) {
      const int v = order[k];
      int m = k;
      for (; m > a && order[m - 1] > v; --m) order[m] = order[m - 1];
      order[m] = v;
    }
    return;
  }
  // A heap: no recursion, so that a GPU's thread can do it too.
  const auto sink = [=](int at, int n) {
    for (int child; (child = 2 * at + 1) < n; at = child) {
      if (child + 1 < n && order[a + child] < order[a + child + 1]) ++child;
      if (order[a + at] >= order[a + child]) return;
      const int v = order[a + at];
      order[a + at] = order[a + child];
      order[a + child] = v;
    }
  };
  const int n = b - a;
  for (int k = n / 2; k-- > 0;) sink(k, n);
  for (int k = n - 1; k > 0; --k) {
    const int v = order[a];
    order[a] = order[a + k];
    order[a + k] = v;
    sink(0, k);
  }
}

/// A counting sort over a dense table of cells, or sorted keys where the table would be mostly empty. The result is a
/// function of the points alone: ties keep their order, whatever the threads do.
template <int D>
class CellTable {
 public:
  /// Say so if many points may lie outside the window.
  void sort(int n, View<const Record<D>> p, const Window<D>& window, bool manyOutside = false);
  /// The same for points of several tanks, `tank[i]` in [0, tanks), by tank first. The window must be dense.
  void sort(int n, View<const Record<D>> p, const Window<D>& window, View<const int> tank, int tanks);
  /// order()[k]: where the point that is now k-th was before the sort.
  const Array<int>& order() const { return order_; }
  Runs<D> runs() const { return {window_, start_.data(), key_.data(), n_}; }
  std::size_t bytes() const { return cell_.bytes() + rank_.bytes() + order_.bytes() + start_.bytes() + key_.bytes(); }

 private:
  int n_ = 0;
  Window<D> window_;
  Array<int> cell_, rank_, order_, start_, outside_;
  Array<std::int64_t> key_;
};

}  // namespace brim::inline BRIM_FLAVOUR
