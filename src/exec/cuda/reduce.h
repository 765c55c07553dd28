// Sums, largest values and histograms of a GPU: blocks of fixed limits, joined in a fixed order.
#pragma once
#include <vector>

#include "exec/cuda/device.h"

namespace brim::inline BRIM_FLAVOUR {

/// What the threads of a block have, joined by a tree: the order is a function of their number alone. The first has the result.
template <class T, class Into>
__device__ T overBlock(T own, Into into) {
  __shared__ alignas(T) unsigned char memory[threads * sizeof(T)];
  T* const sum = reinterpret_cast<T*>(memory);
  const unsigned t = threadIdx.x;
  __syncthreads();  // whoever still reads the last ones
  sum[t] = own;
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) into(sum[t], sum[t + half]);
  }
  return sum[0];
}

/// Where blocks leave what they found, and how many have: the one that comes last goes on with all of it.
struct Meeting {
  unsigned* through;
  void* part;
  __device__ bool isLast() const {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      last = atomicAdd(through, 1u) == gridDim.x - 1;
      if (last) *through = 0;
    }
    __syncthreads();
    if (last) __threadfence();
    return last;
  }
  /// One that has room for `bytes`, for work of the device that comes one after the other.
  static Meeting of(std::size_t bytes) {
    constexpr std::size_t first = 256;
    static Array<unsigned char> room;
    if (room.size() == 0) {
      room.resize(first);
      check(cudaMemsetAsync(room.data(), 0, first), "clear memory");
    }
    if (room.size() < first + bytes) room.resize(first + bytes);
    return {reinterpret_cast<unsigned*>(room.data()), room.data() + first};
  }
};

/// The terms of block b, [b * perBlock, (b + 1) * perBlock), each thread taking every 128th of them; then the blocks' results.
template <class T, class F, class Into>
__device__ void reduceBlocks(int n, int perBlock, T zero, F term, Into into, Meeting meeting, T* total) {
  T* const part = static_cast<T*>(meeting.part);
  const unsigned t = threadIdx.x;
  const long long begin = (long long)blockIdx.x * perBlock, past = begin + perBlock, end = past < n ? past : n;
  T s = zero;
  for (long long i = begin + t; i < end; i += threads) into(s, T(term(int(i))));
  s = overBlock(s, into);
  if (t == 0) (gridDim.x > 1 ? part + blockIdx.x : total)[0] = s;
}
template <class T, class Into>
__device__ void reduceParts(T zero, Into into, Meeting meeting, T* total) {
  const T* const part = static_cast<const T*>(meeting.part);
  T s = zero;
  for (unsigned b = threadIdx.x; b < gridDim.x; b += threads) into(s, part[b]);
  s = overBlock(s, into);
  if (threadIdx.x == 0) *total = s;
}
template <class T, class F, class Into>
__global__ void __launch_bounds__(threads)
    reduceKernel(int n, int perBlock, T zero, F term, Into into, Meeting meeting, T* total) {
  awaitTurn();
  reduceBlocks(n, perBlock, zero, term, into, meeting, total);
  if (gridDim.x > 1 && meeting.isLast()) reduceParts(zero, into, meeting, total);
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

/// Blocks of a reduction: a function of n alone, enough to fill the device and not so many that joining them takes long.
struct Blocking {
  int perBlock, blocks;
  explicit Blocking(int n, int least = 256) {
    constexpr int most = 1024;
    perBlock = std::max(least, (n / most / int(threads) + 1) * int(threads));
    blocks = n > 0 ? (n - 1) / perBlock + 1 : 1;
  }
};
/// zero combined with term(i) for all i in [0, n), by `into(sum, term)`: blocks of fixed limits first, then their results.
template <class T, class F, class Into>
void reduceInto(T* total, int n, T zero, F term, Into into) {
  const Blocking by(n);
  launch(reduceKernel<T, F, Into>, by.blocks, threads, n, by.perBlock, zero, term, into, Meeting::of(by.blocks * sizeof(T)),
         total);
}
template <class T, class F, class Into>
T reduce(int n, T zero, F term, Into into) {
  if (n <= 0) return zero;
  T* const total = static_cast<T*>(Desk::of(sizeof(T)));
  reduceInto(total, n, zero, term, into);
  finish();
  return *total;
}
/// The same into to[at], for kernels to read; nobody waits for it. term(i) is called once for each i.
template <class T, class F, class Into>
void reduceTo(Array<T>& to, int at, int n, T zero, F term, Into into) {
  reduceInto(to.data() + at, n, zero, term, into);
}
/// Of each k, zero combined with term(m) for all m in [start[k], start[k + 1]), by a block each; for the host.
template <class T, class F, class Into>
std::vector<T> reduceEach(const Array<int>& start, T zero, F term, Into into) {
  const std::size_t n = start.size() - 1;
  if (n == 0) return {};
  T* const sums = static_cast<T*>(Desk::of(n * sizeof(T)));
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

/// A reduction that counts on the way: in the block's own memory first, as many particles share a bin and the device's memory
/// would take them one by one. The last block gives the counts to the host and leaves zeros.
template <class T, class F, class Into, class Bin>
__global__ void __launch_bounds__(threads) countingKernel(int n, int perBlock, T zero, F term, Into into, Meeting meeting,
                                                          T* total, int bins, Bin bin, int* count, int* all) {
  extern __shared__ int own[];
  for (int b = int(threadIdx.x); b < bins; b += threads) own[b] = 0;
  reduceBlocks(n, perBlock, zero, term, into, meeting, total);  // its barriers lie between the zeros and the counts
  const long long begin = (long long)blockIdx.x * perBlock, past = begin + perBlock, end = past < n ? past : n;
  for (long long i = begin + threadIdx.x; i < end; i += threads) {
    const int b = bin(int(i));
    if (b >= 0) atomicAdd(own + b, 1);
  }
  __syncthreads();
  for (int b = int(threadIdx.x); b < bins; b += threads)
    if (own[b]) atomicAdd(count + b, own[b]);
  if (!meeting.isLast()) return;
  if (gridDim.x > 1) reduceParts(zero, into, meeting, total);
  for (int b = int(threadIdx.x); b < bins; b += threads) {
    all[b] = count[b];
    count[b] = 0;
  }
}

/// How many i in [0, n) fall into each bin; bin(i) < 0 is in none. Whole numbers, so the order of adding is free.
class Histogram {
 public:
  const int* counts() const { return all_; }

  /// reduce(n, zero, term, into) and the counts in one go. queued() is called when the work is under way and not yet waited for.
  template <class T, class F, class Into, class Bin, class Queued>
  T reduceCounting(int n, T zero, F term, Into into, int bins, Bin bin, Queued queued) {
    if (bins > room_) {
      if (all_) check(cudaFreeHost(all_), "free memory");
      check(cudaHostAlloc(reinterpret_cast<void**>(&all_), bins * sizeof(int), cudaHostAllocMapped), "allocate memory");
      room_ = bins;
      count_.resize(bins);
      check(cudaMemsetAsync(count_.data(), 0, bins * sizeof(int)), "clear memory");
    }
    const Blocking by(n, 512);  // every block has all bins to clear and to give away
    T* const total = static_cast<T*>(Desk::of(sizeof(T)));
    countingKernel<<<by.blocks, threads, bins * sizeof(int)>>>(
        n, by.perBlock, zero, term, into, Meeting::of(by.blocks * sizeof(T)), total, bins, bin, count_.data(), all_);
    check(cudaGetLastError(), "start a reduction");
    queued();
    finish();
    return *total;
  }

 private:
  Array<int> count_;
  int* all_ = nullptr;
  int room_ = 0;
};

}  // namespace brim::inline BRIM_FLAVOUR
