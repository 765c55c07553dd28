// From particles to the grid on a GPU. A thread has the particles of a cell and adds up what they have for the nodes around it;
// then each node of the tile's padded block collects what the cells beside it have, and each cell what the blocks have for it:
// sums in an order that is a function of the particles alone.
#pragma once
#include "grid/transfer.h"

namespace brim::inline BRIM_FLAVOUR {

/// The nodes around a cell that its particles reach: along an axis its two faces, or the centres of it and of both beside it.
template <int D, int k>
struct Reach {  // k: the component, -1 for nodes at centres
  __device__ static constexpr int nodes(int axis) { return axis >= D ? 1 : axis == k ? 2 : 3; }
  __device__ static constexpr int first(int axis) { return axis == k || axis >= D ? 0 : -1; }
  static constexpr int count = k < 0 ? power(3, D) : 2 * power(3, D - 1);
};

/// Weights of these nodes for a particle at f within its cell.
template <int D, int k>
struct NodeWeights {
  Real w[3][3];
  __device__ NodeWeights(const Real (&f)[D]) {
    BRIM_UNROLL
    for (int a = 0; a < 3; ++a) {
      if (a >= D) {
        w[a][0] = 1;
      } else if (a == k) {
        // A face that a particle touches has weight: exactly zero would leave it without a velocity.
        w[a][1] = clampedFace(f[a]), w[a][0] = 1 - w[a][1];
      } else {
        w[a][0] = max(Real(0.5) - f[a], Real(0));
        w[a][2] = max(f[a] - Real(0.5), Real(0));
        w[a][1] = 1 - w[a][0] - w[a][2];
      }
    }
  }
  __device__ static Real clampedFace(Real f) { return max(min(f, Real(1 - 1e-4)), Real(1e-4)); }
};

/// sum over the cells of a tile of what they have for a node of its block; at[offset][cell] is what a cell has.
template <int D, int k, class T>
__device__ T collect(const T* at, int node) {
  using R = Reach<D, k>;
  int x[3] = {0, 0, 0};
  for (int a = 0, rest = node; a < D; ++a, rest /= 10) x[a] = rest % 10 - 1;
  T sum{};
  int offset = 0;
  BRIM_UNROLL
  for (int jz = 0; jz < R::nodes(2); ++jz) BRIM_UNROLL
  for (int jy = 0; jy < R::nodes(1); ++jy) BRIM_UNROLL
  for (int jx = 0; jx < R::nodes(0); ++jx, ++offset) {
    const unsigned cx = unsigned(x[0] - jx - R::first(0)), cy = unsigned(x[1] - jy - R::first(1)),
                   cz = unsigned(x[2] - jz - R::first(2));
    if (cx < 8 && cy < 8 && cz < (D == 3 ? 8u : 1u)) sum += at[offset * power(8, D) + int(cx + 8 * cy + 64 * cz)];
  }
  return sum;
}

/// body(tile, node) for each block that has something for a cell of tile t, in the order of the tiles around it.
template <int D, class F>
__device__ void eachGiver(const TileView<D>& tiles, int t, F body) {
  const int c = ownCell();
  const int* const around = tiles.around(t);
  for (int way = 0; way < TileView<D>::ways; ++way) {
    int node = 0;
    bool gives = true;
    for (int a = 0, rest = way; a < D; ++a, rest /= 3) {
      const int at = c >> 3 * a & 7, from = rest % 3 - 1;  // that tile lies there; its block ends one cell within this one
      gives = gives && (from == 0 || (from < 0 ? at == 0 : at == 7));
      node += (from == 0 ? at + 1 : from < 0 ? 9 : 0) * Padded<D>::stride(a);
    }
    if (gives && around[way] < tiles.count) body(around[way], node);
  }
}

}  // namespace brim::inline BRIM_FLAVOUR
