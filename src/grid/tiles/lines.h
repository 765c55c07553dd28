// Kernels over the cells of tiles, written once for both machines. A body runs once for each tile; within it eachLine, eachSlice
// and eachBit go over the tile's lines, slices and cells.
//   CPU: a thread has a tile, and Cells are the eight cells of a line at a time, straight from the tiles: a neighbour's line is a
//   load from this tile or from the one beside it, and along x two lines are shifted together.
//   GPU (cuda/lines.h): a block has a tile, and Cells are the four cells of a thread's half line: every thread runs the body, and
//   eachLine, eachSlice and eachBit give each thread its own half line.
#pragma once
#include "grid/tiles/tiles.h"
#if BRIM_CUDA
#include "grid/tiles/cuda/lines.h"
#else

namespace brim::inline BRIM_FLAVOUR {

/// body(t) for the tiles [0, n).
template <int D, class F>
void eachTile(int n, const F& body) {
  constexpr int worthThreads = D == 3 ? 16 : 128;
  if (n >= worthThreads)
    tbb::parallel_for(tbb::blocked_range<int>(0, n, worthThreads / 4), [&](const auto& r) {
      for (int t = r.begin(); t < r.end(); ++t) body(t);
    });
  else
    for (int t = 0; t < n; ++t) body(t);
}

/// then(), once, for work that belongs to no tile.
template <class G>
void runThen(const G& then) {
  then();
}
/// body(t) for the tiles [0, n), and then() when all are through.
template <int D, class F, class G>
void eachTileThen(int n, const F& body, const G& then) {
  eachTile<D>(n, body);
  then();
}

/// Eight numbers as two packs of four: GCC 12 makes scalar code of comparisons and shuffles beyond the machine's registers.
template <class T>
struct Halves {
  Pack<T, 4> a, b;
  struct Mask {
    typename Pack<T, 4>::M a, b;
  };

  Halves() = default;
  BRIM_FN Halves(Pack<T, 4> low, Pack<T, 4> high) : a(low), b(high) {}
  BRIM_FN Halves(T s) : a(s), b(s) {}
  BRIM_FN Halves& operator+=(Halves c) { return a += c.a, b += c.b, *this; }
  BRIM_FN friend Halves operator+(Halves x, Halves y) { return {x.a + y.a, x.b + y.b}; }
  BRIM_FN friend Halves operator-(Halves x, Halves y) { return {x.a - y.a, x.b - y.b}; }
  BRIM_FN friend Halves operator*(Halves x, Halves y) { return {x.a * y.a, x.b * y.b}; }
  BRIM_FN friend Halves operator/(Halves x, Halves y) { return {x.a / y.a, x.b / y.b}; }
  BRIM_FN friend Halves operator-(Halves x) { return {-x.a, -x.b}; }
  BRIM_FN friend Mask operator>(Halves x, Halves y) { return {x.a > y.a, x.b > y.b}; }
  BRIM_FN friend Halves select(Mask m, Halves x, Halves y) { return {select(m.a, x.a, y.a), select(m.b, x.b, y.b)}; }
  BRIM_FN friend Halves max(Halves x, Halves y) { return {max(x.a, y.a), max(x.b, y.b)}; }
  BRIM_FN friend Halves min(Halves x, Halves y) { return {min(x.a, y.a), min(x.b, y.b)}; }
  BRIM_FN T operator[](int k) const { return k < 4 ? a[k] : b[k - 4]; }
};

/// Eight numbers of a line.
template <class T>
using Cells = std::conditional_t<sizeof(T) == 8, Halves<T>, Pack<T, 8> >;

BRIM_FN Cells<float> load(const float* p) {
  Cells<float> r;
  __builtin_memcpy(&r, p, sizeof r);
  return r;
}
BRIM_FN void store(float* p, Cells<float> r) { __builtin_memcpy(p, &r, sizeof r); }
BRIM_FN Cells<double> load(const double* p) {
  Cells<double> r;
  __builtin_memcpy(&r.a, p, sizeof r.a);  // one by one: the two at once go through memory in quarters
  __builtin_memcpy(&r.b, p + 4, sizeof r.b);
  return r;
}
BRIM_FN void store(double* p, Cells<double> r) {
  __builtin_memcpy(p, &r.a, sizeof r.a);
  __builtin_memcpy(p + 4, &r.b, sizeof r.b);
}
/// The cells one to the left of a line, and one to the right.
BRIM_FN Cells<float> shiftUp(Cells<float> left, Cells<float> line) {
  return __builtin_shufflevector(left.v, line.v, 7, 8, 9, 10, 11, 12, 13, 14);
}
BRIM_FN Cells<float> shiftDown(Cells<float> line, Cells<float> right) {
  return __builtin_shufflevector(line.v, right.v, 1, 2, 3, 4, 5, 6, 7, 8);
}
BRIM_FN Cells<double> shiftUp(Cells<double> left, Cells<double> line) {
  return {__builtin_shufflevector(left.b.v, line.a.v, 3, 4, 5, 6), __builtin_shufflevector(line.a.v, line.b.v, 3, 4, 5, 6)};
}
BRIM_FN Cells<double> shiftDown(Cells<double> line, Cells<double> right) {
  return {__builtin_shufflevector(line.a.v, line.b.v, 1, 2, 3, 4), __builtin_shufflevector(line.b.v, right.a.v, 1, 2, 3, 4)};
}
BRIM_FN Cells<float> toSingle(Cells<float> r) { return r; }
BRIM_FN Cells<float> toSingle(Cells<double> r) {
  const auto a = __builtin_convertvector(r.a.v, Pack<float, 4>::V), b = __builtin_convertvector(r.b.v, Pack<float, 4>::V);
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}
BRIM_FN Cells<double> toDouble(Cells<double> r) { return r; }
BRIM_FN Cells<double> toDouble(Cells<float> r) {
  return {__builtin_convertvector(__builtin_shufflevector(r.v, r.v, 0, 1, 2, 3), Pack<double, 4>::V),
          __builtin_convertvector(__builtin_shufflevector(r.v, r.v, 4, 5, 6, 7), Pack<double, 4>::V)};
}
#if BRIM_DOUBLE
template <class R>
BRIM_FN Cells<Real> toReal(R r) {
  return toDouble(r);
}
#else
template <class R>
BRIM_FN Cells<Real> toReal(R r) {
  return toSingle(r);
}
#endif
/// Small whole numbers, as kept in bytes.
BRIM_FN Cells<float> loadBytes(const std::uint8_t* p) {
  VectorOf<std::uint8_t, 8>::type bytes;
  __builtin_memcpy(&bytes, p, sizeof bytes);
  return __builtin_convertvector(__builtin_convertvector(bytes, VectorOf<int, 8>::type), Cells<float>::V);
}
template <class R>
BRIM_FN double sum(R line) {
  double s = 0;
  for (int k = 0; k < 8; ++k) s += double(line[k]);
  return s;
}
template <class R>
BRIM_FN double largest(R line) {
  double s = 0;
  for (int k = 0; k < 8; ++k) s = s < double(line[k]) ? double(line[k]) : s;
  return s;
}

/// Which lines of a tile are in use: bit n is the line of cells 8 n .. 8 n + 7.
using LineBits = std::uint64_t;

/// The first cell of line n.
BRIM_FN int firstOf(int n) { return 8 * n; }
/// Where line n is along axis k > 0.
BRIM_FN int alongAxis(int n, int k) { return n >> 3 * (k - 1) & 7; }

/// body(n) for lines in use.
template <class F>
BRIM_FN void eachLine(LineBits lines, F body) {
  for (; lines; lines &= lines - 1) body(__builtin_ctzll(lines));
}
/// body(s) for the slices of a tile, 8 x 8 cells each.
template <int D, class F>
BRIM_FN void eachSlice(F body) {
  for (int s = 0; s < power(8, D - 2); ++s) body(s);
}
/// body(n) for the lines of a slice.
template <class F>
BRIM_FN void eachLineOf(int s, F body) {
  for (int n = 8 * s; n < 8 * s + 8; ++n) body(n);
}
/// body(c) for each set bit of a tile's slice s; c counts the cells of the tile.
template <class F>
BRIM_FN void eachBit(std::uint64_t word, int s, F body) {
  for (; word; word &= word - 1) body(64 * s + __builtin_ctzll(word));
}

/// 1 in the lanes whose bit is set, 0 in the others.
struct Lanes {
  alignas(64) Real of[256][8];
  Lanes() {
    for (int m = 0; m < 256; ++m)
      for (int x = 0; x < 8; ++x) of[m][x] = Real(m >> x & 1);
  }
};
inline const Lanes lanesOf;
/// The bits of line n as numbers, from the word of its slice.
BRIM_FN Cells<Real> maskOf(std::uint64_t word, int n) { return load(lanesOf.of[word >> 8 * (n & 7) & 255]); }
/// Whether any bit of line n is set.
BRIM_FN bool anyOf(std::uint64_t word, int n) { return word >> 8 * (n & 7) & 255; }

/// Writes the result of a whole tile: a slice's word, a sum over its cells, two maxima.
BRIM_FN void giveWord(std::uint64_t& to, std::uint64_t word) { to = word; }
template <class R>
BRIM_FN void giveSum(double& to, R line) {
  to = sum(line);
}
template <class R>
BRIM_FN void giveLargest(double& toA, double& toB, R a, R b) {
  toA = largest(a), toB = largest(b);
}

/// Sums and maxima of n numbers, one for each tile.
BRIM_FN bool isFirstThread() { return true; }
inline double totalOf(const double* part, int n) {
  double all = 0;
  for (int t = 0; t < n; ++t) all += part[t];
  return all;
}
struct Two {
  double a, b;
};
inline Two largestOf(const double* a, const double* b, int n) {
  Two most{0, 0};
  for (int t = 0; t < n; ++t) most = {most.a < a[t] ? a[t] : most.a, most.b < b[t] ? b[t] : most.b};
  return most;
}

/// A field around one tile.
template <int D, class T>
struct Around {
  const T *own, *beside[2 * D];  // the tile; the tiles below and above along each axis

  Around() = default;
  /// `numbers` are those of the tiles beside the tile.
  BRIM_FN Around(const T* field, int tile, const int* numbers) : own(field + std::size_t(tile) * power(8, D)) {
    for (int k = 0; k < 2 * D; ++k) beside[k] = field + std::size_t(numbers[k]) * power(8, D);
  }
  BRIM_FN Cells<T> line(int n) const { return load(own + 8 * n); }
  /// The cells next to those of line n, below or above along axis k.
  BRIM_FN Cells<T> below(int n, int k) const {
    if (k == 0) return shiftUp(load(beside[0] + 8 * n), line(n));
    const int stride = power(8, k), at = n >> 3 * (k - 1) & 7;
    return load(at ? own + 8 * n - stride : beside[2 * k] + 8 * n + 7 * stride);
  }
  BRIM_FN Cells<T> above(int n, int k) const {
    if (k == 0) return shiftDown(line(n), load(beside[1] + 8 * n));
    const int stride = power(8, k), at = n >> 3 * (k - 1) & 7;
    return load(at < 7 ? own + 8 * n + stride : beside[2 * k + 1] + 8 * n - 7 * stride);
  }
  /// The sum over all 2 D neighbours.
  BRIM_FN Cells<T> sides(int n) const {
    Cells<T> s = below(n, 0) + above(n, 0);
    for (int k = 1; k < D; ++k) s += below(n, k) + above(n, k);
    return s;
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
#endif
