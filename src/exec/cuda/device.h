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

/// Starts a kernel that begins with awaitTurn() or awaitOthers(), after which all that came before is done and seen.
template <class... P>
void launch(bool early, void (*kernel)(P...), unsigned blocks, unsigned perBlock, P... arguments) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(perBlock);
  config.attrs = &attribute;
  config.numAttrs = early;
  check(cudaLaunchKernelEx(&config, kernel, arguments...), "start a kernel");
}
template <class... P>
void launch(void (*kernel)(P...), unsigned blocks, unsigned perBlock, P... arguments) {
  constexpr unsigned few = 64;  // blocks that are in nobody's way while they wait
  launch(ShortKernels::on || blocks <= few, kernel, blocks, perBlock, arguments...);
}
__device__ inline void awaitOthers() { cudaGridDependencySynchronize(); }
/// The next kernel may come at once; without this it comes when the last block ends.
__device__ inline void awaitTurn() {
  awaitOthers();
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

/// Sets elements to `value` if they are many: four for a thread, so that it is the memory that bounds it.
template <class T>
bool fillMany(Array<T>& to, int first, int last, T value) {
  constexpr int each = 4, few = 1 << 14;
  const int n = last - first, apart = (n + each - 1) / each;
  if (n < few) return false;
  const auto t = to.view();
  forEach(apart, [=] __device__(int k) {
    for (int m = k; m < n; m += apart) t[first + m] = value;
  });
  return true;
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
/// Name, memory and the speed of a large copy.
std::string deviceInWords();

/// After how many iterations a loop looks whether it is done: looking means waiting.
constexpr int lookEvery = 8;

}  // namespace brim::inline BRIM_FLAVOUR
