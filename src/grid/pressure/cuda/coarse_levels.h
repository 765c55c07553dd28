// The coarse levels of the V-cycle on a GPU. Their tiles are few, and a launch for every sweep would take longer than the sweep:
// cooperative blocks sweep the levels of a few hundred tiles, and a cluster of blocks all levels after them, a tile to a block.
#pragma once
#include <cooperative_groups.h>

#include <algorithm>

#include "grid/pressure/multigrid_kernels.h"

namespace brim::inline BRIM_FLAVOUR {

constexpr int deepest = 16;  // levels

/// The blocks of a cluster, which share the tiles of a level. GPUs before compute capability 9.0 have no clusters: one block
/// there.
class Cluster {
 public:
  static constexpr int largest = 16, portable = 8;  // blocks
#if __CUDA_ARCH__ >= 900
  __device__ Cluster() : rank_(int(cooperative_groups::this_cluster().block_rank())), size_(int(gridDim.x)) {}
  __device__ static void meet() { cooperative_groups::this_cluster().sync(); }
#else
  __device__ Cluster() : rank_(0), size_(1) {}
  __device__ static void meet() { __syncthreads(); }
#endif
  __device__ bool isFirst() const { return rank_ == 0; }
  template <class F>
  __device__ void sweep(int tiles, const F& body) const {
    for (int t = rank_; t < tiles; t += size_) {
      body(t);
      __syncthreads();  // bodies use the block's memory
    }
    meet();
  }
  __device__ int rank() const { return rank_; }
  /// As many blocks as the device takes.
  template <class P>
  static int sizeFor(void (*kernel)(P), int perBlock) {
    if (!hasClusters()) return 1;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "prepare a kernel");
    cudaLaunchAttribute shape;
    const cudaLaunchConfig_t config = as(largest, perBlock, shape);
    int clusters = 0;
    const bool fits = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess && clusters > 0;
    cudaGetLastError();
    return fits ? largest : portable;
  }
  template <class P>
  static void work(int size, int perBlock, void (*kernel)(P), const P& what) {
    cudaLaunchAttribute shape;
    const cudaLaunchConfig_t config = as(size, perBlock, shape);
    check(cudaLaunchKernelEx(&config, kernel, what), "start a kernel");
  }

 private:
  static cudaLaunchConfig_t as(int blocks, int perBlock, cudaLaunchAttribute& shape) {
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim = {unsigned(blocks), 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(unsigned(blocks));
    config.blockDim = dim3(unsigned(perBlock));
    config.attrs = &shape;
    config.numAttrs = hasClusters();
    return config;
  }
  int rank_, size_;
};

/// The blocks of a whole launch, few enough to be on the device at once, that wait for each other.
class CooperativeBlocks {
 public:
  /// arrived: the blocks of all launches at all barriers so far, `before` when this launch begins.
  __device__ CooperativeBlocks(unsigned* arrived, unsigned before) : arrived_(arrived), due_(before) {}
  __device__ void meet() {
    __syncthreads();
    if (threadIdx.x == 0) {
      due_ += gridDim.x;
      __threadfence();
      atomicAdd(arrived_, 1u);
      while (int(*static_cast<volatile unsigned*>(arrived_) - due_) < 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }
  template <class F>
  __device__ void sweep(int tiles, const F& body) const {
    for (int t = int(blockIdx.x); t < tiles; t += int(gridDim.x)) body(t);
  }

 private:
  unsigned* arrived_;
  unsigned due_;
};
/// Levels that cooperative blocks sweep, all but the last.
template <int D>
struct CooperativeLevels {
  LevelView<D> level[deepest];
  int levels;
  unsigned* arrived;
  unsigned before;
};
constexpr unsigned blocksPerProcessor = 6;
template <int D>
__global__ void __launch_bounds__(halfLines<D>, blocksPerProcessor) downKernel(CooperativeLevels<D> all) {
  awaitTurn();
  CooperativeBlocks blocks(all.arrived, all.before);
  for (int i = 0; i + 1 < all.levels; ++i) {
    const LevelView<D>&l = all.level[i], &next = all.level[i + 1];
    if (i > 0) blocks.meet();
    blocks.sweep(l.tiles, SmoothFromZero<D, false>{l});
    blocks.meet();
    blocks.sweep(l.tiles, RestrictResidual<D, false>{l, next});
  }
}
template <int D>
__global__ void __launch_bounds__(halfLines<D>, blocksPerProcessor) upKernel(CooperativeLevels<D> all) {
  awaitTurn();
  CooperativeBlocks blocks(all.arrived, all.before);
  for (int i = all.levels - 2; i >= 0; --i) {
    const LevelView<D>&l = all.level[i], &next = all.level[i + 1];
    if (i + 2 < all.levels) blocks.meet();
    blocks.sweep(l.tiles, SmoothCorrected<D, false>{l, next, l.y, omega2});
    blocks.meet();
    blocks.sweep(l.tiles, Smooth<D, false>{l, l.y, l.z, omega1, nullptr});
  }
}
/// Blocks that are on the device at once, of either kernel.
template <int D>
int cooperativeSize() {
  static const int size = [] {
    int processors = 0, each = int(blocksPerProcessor);
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0), "count its processors");
    for (auto* kernel : {downKernel<D>, upKernel<D>}) {
      int most = 0;
      check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, kernel, halfLines<D>, 0), "count a kernel's blocks");
      each = std::min(each, most);
    }
    return processors * each;
  }();
  return size;
}

template <int D>
struct BuildCoarseLevels {
  LevelView<D> level[deepest];
  TileView<D> tiles[deepest];
  double* count[deepest];
  int levels;
};
template <int D>
__global__ void __launch_bounds__(halfLines<D>) buildCoarseLevelsKernel(BuildCoarseLevels<D> all) {
  const Cluster cluster;
  for (int i = 0; i + 1 < all.levels; ++i) {
    const LevelView<D>&fine = all.level[i], &coarse = all.level[i + 1];
    cluster.sweep(fine.tiles, GatherLinks<D, false>{fine, coarse, all.tiles[i], all.tiles[i + 1]});
    cluster.sweep(coarse.tiles, FinishLevel<D>{{coarse}, {coarse, all.count[i + 1]}});
  }
}

template <int D>
struct CoarseLevels {
  LevelView<D> level[deepest];
  int levels;
  bool finest;  // the only level is the finest
  const float* inverse;
  const int *cells, *count;
  double* part;
  ConvergenceControl then;
};

template <int D>
__device__ void solveCoarsest(const CoarseLevels<D>& coarse) {
  __shared__ float r[CoarsestSolve<D>::most];
  const LevelView<D>& last = coarse.level[coarse.levels - 1];
  const int n = *coarse.count;
  double product = 0;
  for (int i = ownCell(); i < n; i += power(8, D)) r[i] = __ldcg(last.r + coarse.cells[i]);
  __syncthreads();
  for (int i = ownCell(); i < n; i += power(8, D)) {
    float z = 0;
    for (int j = 0; j < n; ++j) z += coarse.inverse[j * n + i] * r[j];
    last.z[coarse.cells[i]] = z;
    product += double(r[i]) * z;
  }
  __syncthreads();
  if (!coarse.finest) return;
  for (int t = ownCell(); t < last.tiles; t += power(8, D)) coarse.part[t] = 0;
  __syncthreads();
  giveSum(coarse.part[0], float(product));
  __syncthreads();
  coarse.then();
}

/// A thread's cell of a level and its links to its neighbours, read while the cluster waits, so that after a barrier a sweep has
/// only to wait for its neighbours' values. These are read past the cache, where the other blocks' stores are.
template <int D>
struct OwnCell {
  int at = -1, side[2 * D];  // elements of the cell, -1 if it is no unknown, and of those beside it
  int coarse = 0, sideCoarse[2 * D];
  float inverse = 0, diag = 0, weight[2 * D];

  OwnCell() = default;
  __device__ OwnCell(const LevelView<D>& l, int t) {
    constexpr int cells = power(8, D);
    if (t >= l.tiles) return;
    const int c = ownCell(), own = t * cells + c;
    inverse = l.inverse[own];
    if (!(inverse > 0)) return;
    at = own;
    diag = l.diag[own];
    coarse = l.coarse[t] + coarseOf(c);
    BRIM_UNROLL
    for (int s = 0; s < 2 * D; ++s) {
      const int k = s / 2, stride = 1 << 3 * k, x = c >> 3 * k & 7;
      const bool inside = s % 2 ? x < 7 : x > 0;
      const int tile = inside ? t : l.beside[2 * D * t + s];
      const int cell = c + (s % 2 ? (inside ? stride : -7 * stride) : (inside ? -stride : 7 * stride));
      side[s] = tile * cells + cell;
      weight[s] = l.w[k][s % 2 ? side[s] : own];
      sideCoarse[s] = tile < l.tiles ? l.coarse[tile] + coarseOf(cell) : 0;  // beyond all tiles the weight is 0
    }
  }
  __device__ bool isUnknown() const { return at >= 0; }
  __device__ float own(const float* field) const { return __ldcg(field + at); }
  __device__ float sum(const float* field) const {
    float s = 0;
    BRIM_UNROLL
    for (int k = 0; k < 2 * D; ++k) s += weight[k] * __ldcg(field + side[k]);
    return s;
  }
  /// The same of a field with the next level's correction.
  __device__ float sum(const float* field, const float* next) const {
    float s = 0;
    BRIM_UNROLL
    for (int k = 0; k < 2 * D; ++k) s += weight[k] * (__ldcg(field + side[k]) + __ldcg(next + sideCoarse[k]));
    return s;
  }
};

/// The V-cycle of levels of which each block of the cluster has one tile at most.
template <int D>
__global__ void __launch_bounds__(power(8, D)) coarseLevelsKernel(CoarseLevels<D> coarse) {
  const Cluster cluster;
  const int t = cluster.rank(), last = coarse.levels - 1;
  OwnCell<D> cell;
  if (last > 0) cell = OwnCell<D>(coarse.level[0], t);
  for (int i = 0; i < last; ++i) {
    const LevelView<D>&l = coarse.level[i], &next = coarse.level[i + 1];
    float z = 0, r = 0;
    if (cell.isUnknown()) {
      r = cell.own(l.r);
      z = chebyshevFromZero(cell.own(l.t), cell.inverse, cell.sum(l.t));
      l.z[cell.at] = z;
    }
    cluster.meet();
    if (t < l.tiles) {
      __shared__ float rest[power(8, D)];
      const int c = ownCell(), part = l.coarse[t];
      rest[c] = cell.isUnknown() ? residualOf(r, cell.diag, z, cell.sum(l.z)) : 0.0f;
      __syncthreads();
      if (c < power(4, D)) {
        const float value = restriction<D> * pairOf<D>(rest, c, 1);
        storePair<D>(next.r + part, c, value);
        storePair<D>(next.t + part, c, loadPair<D>(next.inverse + part, c) * value);
      }
      __syncthreads();
    }
    if (i + 1 < last) cell = OwnCell<D>(next, t);
    cluster.meet();
  }
  if (cluster.isFirst()) solveCoarsest(coarse);
  for (int i = last - 1; i >= 0; --i) {
    const LevelView<D>& l = coarse.level[i];
    if (i + 1 < last) cell = OwnCell<D>(l, t);
    const float r = cell.isUnknown() ? cell.own(l.r) : 0.0f;
    cluster.meet();
    float y = 0;
    if (cell.isUnknown()) {
      const float* const next = coarse.level[i + 1].z;
      y = chebyshevStep(omega2, cell.own(l.z) + __ldcg(next + cell.coarse), cell.inverse, r, cell.sum(l.z, next));
      l.y[cell.at] = y;
    }
    cluster.meet();
    if (cell.isUnknown()) l.z[cell.at] = chebyshevStep(omega1, y, cell.inverse, r, cell.sum(l.y));
  }
}

template <int D>
int clusterSize() {
  static const int size =
      std::min(Cluster::sizeFor(coarseLevelsKernel<D>, power(8, D)), Cluster::sizeFor(buildCoarseLevelsKernel<D>, halfLines<D>));
  return size;
}

}  // namespace brim::inline BRIM_FLAVOUR
