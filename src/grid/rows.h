// Stencils on tiles, eight cells of a row at a time, straight from the tiles: a neighbour's row is a load from this tile or
// from the one beside it, and along x two rows are shifted together.
#pragma once
#include "grid/tiles.h"

namespace brim::inline BRIM_FLAVOUR {

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
  BRIM_FN friend Halves operator-(Halves x) { return {-x.a, -x.b}; }
  BRIM_FN friend Mask operator>(Halves x, Halves y) { return {x.a > y.a, x.b > y.b}; }
  BRIM_FN friend Halves select(Mask m, Halves x, Halves y) { return {select(m.a, x.a, y.a), select(m.b, x.b, y.b)}; }
  BRIM_FN friend Halves max(Halves x, Halves y) { return {max(x.a, y.a), max(x.b, y.b)}; }
  BRIM_FN T operator[](int k) const { return k < 4 ? a[k] : b[k - 4]; }
};

/// Eight numbers of a row.
template <class T>
using Row = std::conditional_t<sizeof(T) == 8, Halves<T>, Pack<T, 8>>;

BRIM_FN Row<float> load(const float* p) {
  Row<float> r;
  __builtin_memcpy(&r, p, sizeof r);
  return r;
}
BRIM_FN void store(float* p, Row<float> r) { __builtin_memcpy(p, &r, sizeof r); }
BRIM_FN Row<double> load(const double* p) {
  Row<double> r;
  __builtin_memcpy(&r.a, p, sizeof r.a);  // one by one: the two at once go through memory in quarters
  __builtin_memcpy(&r.b, p + 4, sizeof r.b);
  return r;
}
BRIM_FN void store(double* p, Row<double> r) {
  __builtin_memcpy(p, &r.a, sizeof r.a);
  __builtin_memcpy(p + 4, &r.b, sizeof r.b);
}
/// The cells one to the left, one to the right.
BRIM_FN Row<float> shiftUp(Row<float> left, Row<float> row) {
  return __builtin_shufflevector(left.v, row.v, 7, 8, 9, 10, 11, 12, 13, 14);
}
BRIM_FN Row<float> shiftDown(Row<float> row, Row<float> right) {
  return __builtin_shufflevector(row.v, right.v, 1, 2, 3, 4, 5, 6, 7, 8);
}
BRIM_FN Row<double> shiftUp(Row<double> left, Row<double> row) {
  return {__builtin_shufflevector(left.b.v, row.a.v, 3, 4, 5, 6), __builtin_shufflevector(row.a.v, row.b.v, 3, 4, 5, 6)};
}
BRIM_FN Row<double> shiftDown(Row<double> row, Row<double> right) {
  return {__builtin_shufflevector(row.a.v, row.b.v, 1, 2, 3, 4), __builtin_shufflevector(row.b.v, right.a.v, 1, 2, 3, 4)};
}
BRIM_FN Row<float> toSingle(Row<float> r) { return r; }
BRIM_FN Row<float> toSingle(Row<double> r) {
  const auto a = __builtin_convertvector(r.a.v, Pack<float, 4>::V), b = __builtin_convertvector(r.b.v, Pack<float, 4>::V);
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}
BRIM_FN Row<double> toDouble(Row<double> r) { return r; }
BRIM_FN Row<double> toDouble(Row<float> r) {
  return {__builtin_convertvector(__builtin_shufflevector(r.v, r.v, 0, 1, 2, 3), Pack<double, 4>::V),
          __builtin_convertvector(__builtin_shufflevector(r.v, r.v, 4, 5, 6, 7), Pack<double, 4>::V)};
}
#if BRIM_DOUBLE
template <class R>
BRIM_FN Row<Real> toReal(R r) {
  return toDouble(r);
}
#else
template <class R>
BRIM_FN Row<Real> toReal(R r) {
  return toSingle(r);
}
#endif
/// Small whole numbers, as kept in bytes.
BRIM_FN Row<float> loadBytes(const std::uint8_t* p) {
  VectorOf<std::uint8_t, 8>::type bytes;
  __builtin_memcpy(&bytes, p, sizeof bytes);
  return __builtin_convertvector(__builtin_convertvector(bytes, VectorOf<int, 8>::type), Row<float>::V);
}
template <class R>
BRIM_FN double sum(R row) {
  double s = 0;
  for (int k = 0; k < 8; ++k) s += double(row[k]);
  return s;
}
template <class R>
BRIM_FN double largest(R row) {
  double s = 0;
  for (int k = 0; k < 8; ++k) s = s < double(row[k]) ? double(row[k]) : s;
  return s;
}

/// Which rows of a tile are in use: bit n is the row of cells 8 n .. 8 n + 7.
using RowBits = std::uint64_t;

template <class F>
BRIM_FN void eachRow(RowBits rows, F body) {
  for (; rows; rows &= rows - 1) body(__builtin_ctzll(rows));
}

/// A field around one tile.
template <int D, class T>
struct Around {
  const T *own, *beside[2 * D];  // the tile; the tiles below and above along each axis

  Around() = default;
  /// numbers: of the tiles beside it.
  BRIM_FN Around(const T* field, int tile, const int* numbers) : own(field + std::size_t(tile) * power(8, D)) {
    for (int k = 0; k < 2 * D; ++k) beside[k] = field + std::size_t(numbers[k]) * power(8, D);
  }
  BRIM_FN Row<T> row(int n) const { return load(own + 8 * n); }
  /// The cells next to those of row n, below or above along axis k.
  BRIM_FN Row<T> below(int n, int k) const {
    if (k == 0) return shiftUp(load(beside[0] + 8 * n), row(n));
    const int stride = power(8, k), at = n >> 3 * (k - 1) & 7;
    return load(at ? own + 8 * n - stride : beside[2 * k] + 8 * n + 7 * stride);
  }
  BRIM_FN Row<T> above(int n, int k) const {
    if (k == 0) return shiftDown(row(n), load(beside[1] + 8 * n));
    const int stride = power(8, k), at = n >> 3 * (k - 1) & 7;
    return load(at < 7 ? own + 8 * n + stride : beside[2 * k + 1] + 8 * n - 7 * stride);
  }
  /// The sum over all 2 D neighbours.
  BRIM_FN Row<T> sides(int n) const {
    Row<T> s = below(n, 0) + above(n, 0);
    for (int k = 1; k < D; ++k) s += below(n, k) + above(n, k);
    return s;
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
