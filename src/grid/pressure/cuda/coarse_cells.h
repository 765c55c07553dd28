// coarse_cells.h on a GPU: a thread has a half line of the tile, and then a coarse cell.
#pragma once
#include "grid/tiles/lines.h"

namespace brim::inline BRIM_FLAVOUR {

/// Of the cells of a tile that coarse cell m covers, the even ones + s * the odd ones.
template <int D>
__device__ inline float pairOf(const float* cells, int m, float s) {
  const int first = 2 * (m & 3) + 16 * (m >> 2 & 3) + 128 * (m >> 4);
  float even = 0, odd = 0;
  for (int z = 0; z < (D == 3 ? 2 : 1); ++z)
    for (int y = 0; y < 2; ++y) even += cells[first + 8 * y + 64 * z], odd += cells[first + 8 * y + 64 * z + 1];
  return even + s * odd;
}
/// Cells of a tile summed into the 4^D coarse cells that it covers; `which` of several that are in use at once.
template <int D>
class Gathered {
 public:
  __device__ explicit Gathered(int which = 0) : own_(memory() + which * power(8, D)) {
    store(own_ + firstOf(ownHalfLine()), Quad(0));
  }
  __device__ void add(int n, const Quad& value) { store(own_ + firstOf(n), value); }  // a thread adds once
  /// body(cell, the even cells + s * the odd ones) for each coarse cell.
  template <class F>
  __device__ void eachPair(float s, F body) const {
    __syncthreads();
    const int m = int(threadIdx.x);
    if (m < power(4, D)) body(m, pairOf<D>(own_, m, s));
    __syncthreads();
  }

 private:
  __device__ static float* memory() {
    __shared__ alignas(16) float all[(D + 1) * power(8, D)];
    return all;
  }
  float* own_;
};
template <int D>
__device__ inline int cellOfPart(int m) {
  return (m & 3) + 8 * (m >> 2 & 3) + 64 * (m >> 4);
}
template <int D>
__device__ inline void storePair(float* part, int m, float value) {
  part[cellOfPart<D>(m)] = value;
}
template <int D>
__device__ inline float loadPair(const float* part, int m) {
  return part[cellOfPart<D>(m)];
}
/// What the coarse cells have for half line n, and for cell c.
template <int D>
__device__ inline Quad loadCoarse(const float* part, int n) {
  const float2 two = *reinterpret_cast<const float2*>(part + 2 * (n & 1) + 8 * (n >> 2 & 3) + 64 * (n >> 5 & 3));
  return {two.x, two.x, two.y, two.y};
}
__device__ inline int coarseOf(int c) { return (c >> 1 & 3) + 8 * (c >> 4 & 3) + 64 * (c >> 7 & 3); }

}  // namespace brim::inline BRIM_FLAVOUR
