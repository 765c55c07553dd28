// exec for CUDA: one thread a particle, in the device's own memory. A View's elements are for kernels alone and an Array has
// none to offer, so that nvcc finds every place where the host would touch them; it has copyIn and copyOut.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "brim/error.h"

namespace brim::inline BRIM_FLAVOUR {

using Index = int;  // a particle; a neighbour is one too

constexpr unsigned threads = 128;  // of a block

inline void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // forgotten, so that the next check does not see it again
  throw Failure(std::string("the GPU failed to ") + what + ": " + cudaGetErrorString(result));
}

/// Memory as kernels see it.
template <class T>
struct View {
  T* data;
  __device__ T& operator[](int i) const { return data[i]; }
};

/// Bytes of the device's memory that arrays hold, and how many they may. A test can take most of them away.
struct Budget {
  std::size_t held = 0, most = ~std::size_t(0);
  static Budget& ours() {
    static Budget one = [] {
      Budget b;
      if (const char* mebibytes = std::getenv("BRIM_GPU_MEMORY")) b.most = std::size_t(std::atoll(mebibytes)) << 20;
      return b;
    }();
    return one;
  }
};

/// Memory of the device, given and taken back in the order of the work, so that neither waits for it; what is given back is
/// kept for the next who asks.
inline void* allocate(std::size_t bytes) {
  static const bool keeping = [] {
    cudaMemPool_t pool;
    unsigned long long all = ~0ull;
    check(cudaDeviceGetDefaultMemPool(&pool, 0), "find its memory");
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), "keep memory");
    return true;
  }();
  (void)keeping;
  void* memory = nullptr;
  Budget& budget = Budget::ours();
  const bool fits = budget.held + bytes <= budget.most;
  if (!fits || cudaMallocAsync(&memory, bytes, nullptr) != cudaSuccess) {
    cudaGetLastError();
    std::size_t left = 0, all = 0;
    cudaMemGetInfo(&left, &all);
    const auto inMebibytes = [](std::size_t n) { return std::to_string((n >> 20) + (n & 0xfffff ? 1 : 0)) + " MiB"; };
    throw Failure("the GPU's memory is full: " + inMebibytes(bytes) + " more were needed beside the " + inMebibytes(budget.held) +
                  " in use, of " + inMebibytes(fits ? all : budget.most) +
                  ". A larger resolution.spacing takes less, and --device cpu has the machine's memory");
  }
  budget.held += bytes;
  return memory;
}
inline void release(void* memory, std::size_t bytes) {
  if (!memory) return;
  Budget::ours().held -= bytes;
  cudaFreeAsync(memory, nullptr);
}

/// Memory of the device that grows without being touched.
template <class T>
class Array {
 public:
  Array() = default;
  Array(Array&& b) noexcept { swap(b); }
  Array& operator=(Array&& b) noexcept { return swap(b), *this; }
  ~Array() { release(data_, capacity_ * sizeof(T)); }

  /// Room for n elements; what was there stays, what is new has no value.
  void resize(std::size_t n) {
    if (n > capacity_) {
      Array more;
      const std::size_t room = std::max(n, capacity_ + capacity_ / 8);
      more.data_ = static_cast<T*>(allocate(room * sizeof(T)));
      more.capacity_ = room;
      if (size_) check(cudaMemcpyAsync(more.data_, data_, size_ * sizeof(T), cudaMemcpyDeviceToDevice), "copy memory");
      swap(more);
    }
    size_ = n;
  }
  void swap(Array& b) noexcept {
    std::swap(data_, b.data_);
    std::swap(size_, b.size_);
    std::swap(capacity_, b.capacity_);
  }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return capacity_ * sizeof(T); }
  T* data() { return data_; }  // an address of the device
  const T* data() const { return data_; }
  View<T> view() { return {data_}; }
  View<const T> view() const { return {data_}; }
  View<const T> read() const { return {data_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

inline void finish() { check(cudaStreamSynchronize(nullptr), "finish its work"); }

/// A place of the host's memory that the device reaches: small results go through it, which takes half as long.
class Desk {
 public:
  static void* of(std::size_t bytes) {
    static Desk one;
    if (bytes > one.room_) {
      if (one.memory_) check(cudaFreeHost(one.memory_), "free memory");
      check(cudaHostAlloc(&one.memory_, bytes, cudaHostAllocMapped), "allocate memory");
      one.room_ = bytes;
    }
    return one.memory_;
  }

 private:
  void* memory_ = nullptr;
  std::size_t room_ = 0;
};

template <class Byte>
__global__ void __launch_bounds__(threads) deskKernel(Byte* to, const Byte* from, unsigned bytes) {
  for (unsigned k = blockIdx.x * threads + threadIdx.x; k < bytes; k += gridDim.x * threads) to[k] = from[k];
}
/// A few bytes to memory of the host that the device reaches, by a kernel: a copy would wait for those of a frame, which pass
/// through the same engine.
inline void putOnDesk(void* desk, const void* from, std::size_t bytes) {
  deskKernel<<<unsigned((bytes - 1) / (4 * threads) + 1), threads>>>(static_cast<unsigned char*>(desk),
                                                                     static_cast<const unsigned char*>(from), unsigned(bytes));
  check(cudaGetLastError(), "give data back");
}

/// Copies between the machine's memory and the host's.
template <class T>
void copyIn(Array<T>& to, const T* from, std::size_t n) {
  to.resize(n);
  if (n) check(cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyHostToDevice), "take data");
}
template <class T>
void copyOut(const Array<T>& from, T* to, std::size_t n) {
  const std::size_t bytes = n * sizeof(T);
  if (n == 0) return;
  if (bytes > 65536) {
    check(cudaMemcpy(to, from.data(), bytes, cudaMemcpyDeviceToHost), "give data back");
    return;
  }
  void* const desk = Desk::of(bytes);
  putOnDesk(desk, from.data(), bytes);
  finish();
  std::memcpy(static_cast<void*>(to), desk, bytes);
}

/// Neighbour lists in slices of the 32 particles of a warp, interleaved so that its threads read side by side, padded with
/// the ghost.
struct Lists {
  static constexpr int width = 32;
  struct Slice {
    const int* first;
    int length;
  };
  const Slice* slice;

  struct Iterator {
    const int* p;
    __device__ int operator*() const { return *p; }
    __device__ void operator++() { p += width; }
    __device__ bool operator!=(Iterator b) const { return p != b.p; }
  };
  struct Range {
    Iterator b, e;
    __device__ Iterator begin() const { return b; }
    __device__ Iterator end() const { return e; }
  };
  __device__ Range operator[](Index i) const {
    const Slice s = slice[unsigned(i) / width];
    const int* const first = s.first + unsigned(i) % width;
    return {{first}, {first + long(width) * s.length}};
  }
};

/// While there is one, kernels come to the device before those in front of them have ended, which hides most of what a launch
/// takes: for solvers of hundreds of short ones (flip with 276,480 particles: 1.62 -> 1.33 ms a step). Long ones lose by it, a
/// tenth of a PBF iteration.
class ShortKernels {
 public:
  ShortKernels() : before_(on) { on = true; }
  ~ShortKernels() { on = before_; }
  ShortKernels(const ShortKernels&) = delete;
  ShortKernels& operator=(const ShortKernels&) = delete;
  static inline thread_local bool on = false;

 private:
  bool before_;
};

/// Starts a kernel that begins with awaitTurn(), after which all that came before is done and seen.
template <class... P>
void launch(void (*kernel)(P...), unsigned blocks, unsigned perBlock, P... arguments) {
  if (!ShortKernels::on) {
    kernel<<<blocks, perBlock>>>(arguments...);
    check(cudaGetLastError(), "start a kernel");
    return;
  }
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(perBlock);
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, arguments...), "start a kernel");
}
__device__ inline void awaitTurn() {
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
}

template <class F>
__global__ void __launch_bounds__(threads) eachKernel(int n, F body) {
  awaitTurn();
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i < unsigned(n)) body(int(i));
}

/// body(i) for i in [0, n), one thread each.
template <class F>
void forEach(int n, F body) {
  if (n <= 0) return;
  launch(eachKernel<F>, (n - 1) / threads + 1, threads, n, body);
}

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
  explicit Blocking(int n) {
    constexpr int least = 256, most = 1024;
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
/// After how many iterations a loop looks whether it is done: looking means waiting.
constexpr int lookEvery = 8;
template <class F>
double sumOf(int n, F term) {
  return reduce(n, 0.0, term, Add{});
}
template <class F>
double maxOf(int n, F term) {
  return reduce(n, 0.0, term, Largest{});
}

/// A number that other threads may be changing; and a change of it if it is `expected`, which returns what it was.
__device__ inline int readShared(int& shared) { return *static_cast<volatile int*>(&shared); }
__device__ inline int swapIf(int& shared, int expected, int desired) { return atomicCAS(&shared, expected, desired); }

/// Adds one to a counter that many threads count in; returns what it was.
__device__ inline int countOne(int& counter) { return atomicAdd(&counter, 1); }

/// Sets a number that many threads set to one.
__device__ inline void setOne(int& shared) { shared = 1; }

/// Sets bits of a word that many threads set bits in. Nearly always they are there already.
__device__ inline void setBits(std::uint32_t& word, std::uint32_t bits) {
  if (~*static_cast<volatile std::uint32_t*>(&word) & bits) atomicOr(&word, bits);
}

/// count[k] becomes the sum of those before it, for k in [0, n).
void scan(Array<int>& counts, int n);
/// Sorts the first n keys; order[k] says where the k-th was, and ties keep their order.
void sortKeys(Array<std::int64_t>& keys, Array<int>& order, int n);

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
    const Blocking by(n);
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
