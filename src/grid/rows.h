// Stencils on tiles, eight cells of a row at a time, straight from the tiles: a neighbour's row is a load from this tile or
// from the one beside it, and along x two rows are shifted together.
#pragma once
#include "grid/tiles.h"

namespace brim::inline BRIM_FLAVOUR {

/// Eight numbers of a row.
template <class T>
using Row = Pack<T, 8>;

template <class T>
BRIM_FN Row<T> load(const T* p) {
  Row<T> r;
  __builtin_memcpy(&r, p, sizeof r);
  return r;
}
template <class T>
BRIM_FN void store(T* p, const Row<T>& r) {
  __builtin_memcpy(p, &r, sizeof r);
}
/// The cells one to the left, one to the right.
template <class T>
BRIM_FN Row<T> shiftUp(Row<T> left, Row<T> row) {
  return __builtin_shufflevector(left.v, row.v, 7, 8, 9, 10, 11, 12, 13, 14);
}
template <class T>
BRIM_FN Row<T> shiftDown(Row<T> row, Row<T> right) {
  return __builtin_shufflevector(row.v, right.v, 1, 2, 3, 4, 5, 6, 7, 8);
}
template <class To, class From>
BRIM_FN Row<To> convert(Row<From> r) {
  if constexpr (std::is_same_v<To, From>)
    return r;
  else
    return __builtin_convertvector(r.v, typename Row<To>::V);
}
/// Small whole numbers, as kept in bytes.
template <class T>
BRIM_FN Row<T> loadBytes(const std::uint8_t* p) {
  typename VectorOf<std::uint8_t, 8>::type bytes;
  __builtin_memcpy(&bytes, p, sizeof bytes);
  return __builtin_convertvector(__builtin_convertvector(bytes, typename VectorOf<int, 8>::type), typename Row<T>::V);
}
template <class T>
BRIM_FN double sum(Row<T> r) {
  double s = 0;
  for (int k = 0; k < 8; ++k) s += double(r.v[k]);
  return s;
}
template <class T>
BRIM_FN double largest(Row<T> r) {
  T s = 0;
  for (int k = 0; k < 8; ++k) s = s < r.v[k] ? r.v[k] : s;
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
