// Sums, largest values and histograms of a GPU: in blocks with fixed limits, combined in a fixed order.
#pragma once
#include <vector>

#include "exec/cuda/device.h"

namespace brim::inline BRIM_FLAVOUR {

/// The values of a block's threads combined by a tree, whose order depends on the number of threads alone.
template <class T, class Into>
__device__ T overBlock(T own, Into into) {
  __shared__ alignas(T) unsigned char memory[threads * sizeof(T)];
  T* const sum = reinterpret_cast<T*>(memory);
  const unsigned t = threadIdx.x;
  __syncthreads();  // other threads may still read an earlier sum
  sum[t] = own;
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) into(sum[t], sum[t + half]);
  }
  return sum[0];
}

/// Memory where the blocks of a kernel leave partial results, and a count of the blocks that have: the last block combines them.
struct BlockPartials {
  unsigned* arrived;  // blocks; every kernel leaves zero
  void* part;
  __device__ bool isLastBlock() const {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      last = atomicAdd(arrived, 1u) == gridDim.x - 1;
      if (last) *arrived = 0;
    }
    __syncthreads();
    if (last) __threadfence();
    return last;
  }
  /// For the next kernel that this thread launches, with memory for `bytes`.
  static BlockPartials ofThread(std::size_t bytes) {
    constexpr std::size_t first = 256;
    Array<unsigned char>& memory = ThreadScratch::ours().partials;
    if (memory.size() == 0) {
      memory.resize(first);
      check(cudaMemsetAsync(memory.data(), 0, first), "clear memory");
    }
    if (memory.size() < first + bytes) memory.resize(first + bytes);
    return {reinterpret_cast<unsigned*>(memory.data()), memory.data() + first};
  }
};

/// The terms [b * perBlock, (b + 1) * perBlock) of block b, each thread taking every 128th; then the partial results of the
/// blocks.
template <class T, class F, class Into>
__device__ void reduceBlocks(int n, int perBlock, T zero, F term, Into into, BlockPartials partials, T* total) {
  T* const part = static_cast<T*>(partials.part);
  const unsigned t = threadIdx.x;
  const long long begin = (long long)blockIdx.x * perBlock, past = begin + perBlock, end = past < n ? past : n;
  T s = zero;
  for (long long i = begin + t; i < end; i += threads) into(s, T(term(int(i))));
  s = overBlock(s, into);
  if (t == 0) (gridDim.x > 1 ? part + blockIdx.x : total)[0] = s;
}
template <class T, class Into>
__device__ void reduceParts(T zero, Into into, BlockPartials partials, T* total) {
  const T* const part = static_cast<const T*>(partials.part);
  T s = zero;
  for (unsigned b = threadIdx.x; b < gridDim.x; b += threads) into(s, part[b]);
  s = overBlock(s, into);
  if (threadIdx.x == 0) *total = s;
}
template <class T, class F, class Into>
__global__ void __launch_bounds__(threads)
    reduceKernel(int n, int perBlock, T zero, F term, Into into, BlockPartials partials, T* total) {
  awaitTurn();
  reduceBlocks(n, perBlock, zero, term, into, partials, total);
  if (gridDim.x > 1 && partials.isLastBlock()) reduceParts(zero, into, partials, total);
}
/// sums[b]: zero combined with the terms of [start[b], start[b + 1]).
template <class T, class F, class Into>
__global__ void __launch_bounds__(threads) reduceEachKernel(const int* start, T zero, F term, Into into, T* sums) {
  T s = zero;
  for (int i = start[blockIdx.x] + int(threadIdx.x); i < start[blockIdx.x + 1]; i += threads) into(s, T(term(i)));
  s = overBlock(s, into);
  if (threadIdx.x == 0) sums[blockIdx.x] = s;
}

struct Add {
  __device__ void operator()(double& s, double t) const { s += t; }
};
struct Largest {
  __device__ void operator()(double& s, double t) const { s = s < t ? t : s; }
};

/// Blocks of a reduction: a function of n alone, enough to fill the device and not so many that combining them takes long.
struct Blocking {
  int perBlock, blocks;
  explicit Blocking(int n, int least = 256) {
    constexpr int most = 1024;
    perBlock = std::max(least, (n / most / int(threads) + 1) * int(threads));
    blocks = n > 0 ? (n - 1) / perBlock + 1 : 1;
  }
};
/// zero combined with term(i) for all i in [0, n), by `into(sum, term)`: in blocks with fixed limits first, then their results.
template <class T, class F, class Into>
void reduceInto(T* total, int n, T zero, F term, Into into) {
  const Blocking by(n);
  launch(reduceKernel<T, F, Into>, by.blocks, threads, n, by.perBlock, zero, term, into,
         BlockPartials::ofThread(by.blocks * sizeof(T)), total);
}
template <class T, class F, class Into>
T reduce(int n, T zero, F term, Into into) {
  if (n <= 0) return zero;
  T* const total = ThreadScratch::ours().staging.reserve<T>(1);
  reduceInto(total, n, zero, term, into);
  finish();
  return *total;
}
/// The same into to[at], for kernels to read; the host does not wait for it. term(i) is called once for each i.
template <class T, class F, class Into>
void reduceTo(Array<T>& to, int at, int n, T zero, F term, Into into) {
  reduceInto(to.data() + at, n, zero, term, into);
}
/// For each k, zero combined with term(m) for all m in [start[k], start[k + 1]), one block for a k; for the host.
template <class T, class F, class Into>
std::vector<T> reduceEach(const Array<int>& start, T zero, F term, Into into) {
  const std::size_t n = start.size() - 1;
  if (n == 0) return {};
  T* const sums = ThreadScratch::ours().staging.reserve<T>(n);
  reduceEachKernel<<<unsigned(n), threads>>>(start.data(), zero, term, into, sums);
  check(cudaGetLastError(), "start a reduction");
  finish();
  return {sums, sums + n};
}
template <class F>
double sumOf(int n, F term) {
  return reduce(n, 0.0, term, Add{});
}
template <class F>
double maxOf(int n, F term) {
  return reduce(n, 0.0, term, Largest{});
}

/// A reduction that also fills a histogram: in a block's shared memory first, as many particles share a bin and atomics on global
/// memory would take them one by one. The last block gives the counts to the host and leaves zeros.
template <class T, class F, class Into, class Bin>
__global__ void __launch_bounds__(threads) countingKernel(int n, int perBlock, T zero, F term, Into into, BlockPartials partials,
                                                          T* total, int bins, Bin bin, int* count, int* all) {
  extern __shared__ int own[];
  for (int b = int(threadIdx.x); b < bins; b += threads) own[b] = 0;
  reduceBlocks(n, perBlock, zero, term, into, partials, total);  // has the barriers between the zeros and the counts
  const long long begin = (long long)blockIdx.x * perBlock, past = begin + perBlock, end = past < n ? past : n;
  for (long long i = begin + threadIdx.x; i < end; i += threads) {
    const int b = bin(int(i));
    if (b >= 0) atomicAdd(own + b, 1);
  }
  __syncthreads();
  for (int b = int(threadIdx.x); b < bins; b += threads)
    if (own[b]) atomicAdd(count + b, own[b]);
  if (!partials.isLastBlock()) return;
  if (gridDim.x > 1) reduceParts(zero, into, partials, total);
  for (int b = int(threadIdx.x); b < bins; b += threads) {
    all[b] = count[b];
    count[b] = 0;
  }
}

/// How many i in [0, n) fall into each bin; bin(i) < 0 is in no bin. Whole numbers, so the order of adding does not matter.
class Histogram {
 public:
  const int* counts() const { return counts_; }

  /// reduce(n, zero, term, into) and the counts in one kernel. queued() is called when the kernel is queued and before the host
  /// waits for it; the results have a buffer of their own, because queued() may use the thread's.
  template <class T, class F, class Into, class Bin, class Queued>
  T reduceCounting(int n, T zero, F term, Into into, int bins, Bin bin, Queued queued) {
    if (std::size_t(bins) > count_.size()) {
      count_.resize(bins);
      check(cudaMemsetAsync(count_.data(), 0, bins * sizeof(int)), "clear memory");
    }
    const Blocking by(n, 512);  // every block clears and adds all bins
    T* const total = total_.reserve<T>(1);
    int* const all = all_.reserve<int>(bins);
    counts_ = all;
    countingKernel<<<by.blocks, threads, bins * sizeof(int)>>>(
        n, by.perBlock, zero, term, into, BlockPartials::ofThread(by.blocks * sizeof(T)), total, bins, bin, count_.data(), all);
    check(cudaGetLastError(), "start a reduction");
    queued();
    finish();
    return *total;
  }

 private:
  Array<int> count_;  // zeros between two kernels
  StagingBuffer total_, all_;
  const int* counts_ = nullptr;
};

}  // namespace brim::inline BRIM_FLAVOUR
