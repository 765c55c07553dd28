// Between the cells of a tile and the 4^D coarse cells that it covers: sums, loads and stores.
#pragma once
#include "grid/tiles/lines.h"
#if BRIM_CUDA
#include "grid/pressure/cuda/coarse_cells.h"
#else

namespace brim::inline BRIM_FLAVOUR {

/// Lines of a tile summed into those of the 4^D coarse cells it covers.
template <int D>
class Gathered {
 public:
  static constexpr int lines = power(4, D - 1);
  explicit Gathered(int = 0) {}
  BRIM_FN static int coarseLine(int n) { return D == 2 ? n >> 1 : (n >> 1 & 3) | (n >> 4 & 3) << 2; }
  BRIM_FN void add(int n, Cells<float> value) { sum_[coarseLine(n)] += value; }
  /// body(line, the even cells + s * the odd ones) for two lines of four coarse cells at a time.
  template <class F>
  BRIM_FN void eachPair(float s, F body) const {
    for (int m = 0; m < lines; m += 2) {
      const auto a = sum_[m].v, b = sum_[m + 1].v;
      body(m, Cells<float>(__builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)) +
                  Cells<float>(s) * Cells<float>(__builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)));
    }
  }

 private:
  Cells<float> sum_[lines] = {};
};
/// Where coarse line m of a part starts, counted from the part's first element.
template <int D>
BRIM_FN int lineOfPart(int m) {
  return 8 * (m & 3) + 64 * (m >> 2);
}
/// Two lines of four into a coarse field.
template <int D>
BRIM_FN void storePair(float* part, int m, Cells<float> value) {
  __builtin_memcpy(part + lineOfPart<D>(m), &value, 16);
  __builtin_memcpy(part + lineOfPart<D>(m + 1), reinterpret_cast<const char*>(&value) + 16, 16);
}
template <int D>
BRIM_FN Cells<float> loadPair(const float* part, int m) {
  Cells<float> value;
  __builtin_memcpy(&value, part + lineOfPart<D>(m), 16);
  __builtin_memcpy(reinterpret_cast<char*>(&value) + 16, part + lineOfPart<D>(m + 1), 16);
  return value;
}
/// What the coarse cells have for the cells of line n.
template <int D>
BRIM_FN Cells<float> loadCoarse(const float* part, int n) {
  Pack<float, 4> e;
  __builtin_memcpy(&e, part + lineOfPart<D>(Gathered<D>::coarseLine(n)), sizeof e);
  return __builtin_shufflevector(e.v, e.v, 0, 0, 1, 1, 2, 2, 3, 3);
}

}  // namespace brim::inline BRIM_FLAVOUR
#endif
