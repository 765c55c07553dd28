// P2G by gathering, on a GPU. The particles of a tile come to the block's shared memory; a thread has the particles of a cell and
// adds up what they give to the nodes around the cell; then each node of the tile's padded block collects what the cells beside
// it have, and each cell what the blocks have for it: sums in an order that is a function of the particles alone.
#pragma once
#include "grid/transfer/p2g.h"

namespace brim::inline BRIM_FLAVOUR {

/// The particles of a tile, [begin, end), in the block's memory, as many at a time as fit, and body(record) for those of the
/// thread's cell, [first, last), in their order. The threads read(m) them side by side: a thread that asked for the particles of
/// its own cell would wait for each.
template <class Record, class Read, class Body>
__device__ void eachOfCell(int begin, int end, int first, int last, Record* memory, int records, Read read, Body body) {
  const auto at = [](int k) { return k + (k >> 3); };  // cells have about eight each: without the gaps they share banks
  const int most = records / 9 * 8;
  for (int base = begin; base < end; base += most) {
    const int past = base + most < end ? base + most : end;
    __syncthreads();
    BRIM_BY_FOUR
    for (int m = base + int(threadIdx.x); m < past; m += int(blockDim.x)) memory[at(m - base)] = read(m);
    __syncthreads();
    const int from = first > base ? first : base, to = last < past ? last : past;
    for (int m = from; m < to; ++m) body(memory[at(m - base)]);
  }
}

template <int D>
__device__ Vec<D> inCell(const InTile<D>& x) {
  Vec<D> f;
  for (int k = 0; k < D; ++k) f[k] = x.f[k];
  return f;
}

/// Bytes of a block's memory for eachOfCell that hold a tile with a quarter more particles than at rest, at least `least`.
template <int D, class Record>
constexpr int sharedBytesFor(int least) {
  const int bytes = Tiles<D>::cells * GridGeometry<D>::full * 45 / 32 * int(sizeof(Record));
  return bytes > least ? bytes : least;
}

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
        w[a][1] = faceWeight(f[a]), w[a][0] = 1 - w[a][1];
      } else {
        w[a][0] = max(Real(0.5) - f[a], Real(0));
        w[a][2] = max(f[a] - Real(0.5), Real(0));
        w[a][1] = 1 - w[a][0] - w[a][2];
      }
    }
  }
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

/// body(k, tile, node) for each block that has something for cell k of the thread's half line: this tile's own first, and for
/// cells at its sides those beside it, in their order, whose blocks end one cell within this tile. Tiles without particles have
/// none.
template <int D, class F>
__device__ void eachSourceBlock(const TileView<D>& tiles, int t, const int* start, F body) {
  const int* const around = tiles.around(t) + (TileView<D>::ways - 1) / 2;
  const auto gives = [&](int tile) { return start[tile * Tiles<D>::cells] != start[(tile + 1) * Tiles<D>::cells]; };
  const auto nodeOf = [](int place, int from) { return from == 0 ? place + 1 : from < 0 ? 9 : 0; };
  const int first = firstOf(ownHalfLine()), x = first & 7, y = first >> 3 & 7, z = first >> 6;
  const int up = D == 3 ? 100 : 0;
  if (gives(t)) {
    BRIM_UNROLL
    for (int k = 0; k < 4; ++k) body(k, t, nodeOf(x + k, 0) + 10 * nodeOf(y, 0) + up * nodeOf(z, 0));
  }
  const int side = x == 0 ? -1 : 1, edge = x == 0 ? 0 : 3;  // a half line has one cell at a side
  const int lowY = y == 0 ? -1 : 0, highY = y == 7 ? 1 : 0, lowZ = D == 3 && z == 0 ? -1 : 0, highZ = D == 3 && z == 7 ? 1 : 0;
  for (int dz = lowZ; dz <= highZ; ++dz)
    for (int dy = lowY; dy <= highY; ++dy) {
      const int line = 10 * nodeOf(y, dy) + up * nodeOf(z, dz);
      if (const int from = around[3 * dy + 9 * dz]; (dy || dz) && from < tiles.count && gives(from)) {
        BRIM_UNROLL
        for (int k = 0; k < 4; ++k) body(k, from, nodeOf(x + k, 0) + line);
      }
      if (const int from = around[side + 3 * dy + 9 * dz]; from < tiles.count && gives(from))
        body(edge, from, nodeOf(0, side) + line);
    }
}

}  // namespace brim::inline BRIM_FLAVOUR
