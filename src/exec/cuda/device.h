// exec for CUDA: kernels of one thread a particle, how they are launched, and what their threads share.
#pragma once
#include <cstdint>
#include <string>

#include "exec/cuda/memory.h"

namespace brim::inline BRIM_FLAVOUR {

/// Compute capability 9.0 and later: clusters of blocks, and kernels that are launched before their turn.
inline bool hasClusters() {
  static const bool has = [] {
    int major = 0;
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "say what it can");
    return major >= 9;
  }();
  return has;
}

/// The largest memory [bytes] that a block may have of its processor's.
inline std::size_t largestBlockMemory() {
  static const std::size_t largest = [] {
    int bytes = 0;
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "say what a block may have");
    return std::size_t(bytes);
  }();
  return largest;
}
/// Lets a kernel ask for so much of its processor's memory. `work` says whose kernel it is.
template <class Kernel>
void allowBlockMemory(Kernel* kernel, std::size_t bytes, const char* work) {
  if (bytes > largestBlockMemory())
    throw Failure(std::string(work) + " needs " + std::to_string((bytes + 1023) / 1024) +
                  " KiB of a processor's memory for a block, and " + "this GPU gives " +
                  std::to_string(largestBlockMemory() / 1024) + "; GPUs of compute capability 8.0 and later have enough");
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)), "reserve a block's memory");
}

/// While an object of this class lives, a kernel is launched before the kernel in front of it has ended (programmatic dependent
/// launch), which hides most of a launch's time: for solvers of hundreds of short kernels (flip with 276,480 particles: 1.62 ->
/// 1.33 ms a step). Long kernels lose by it, a tenth of a PBF iteration. It changes speed alone, so a flag of the thread will do.
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

/// Starts a kernel that begins with awaitTurn() or awaitOthers(): after that call all kernels before it are done and their
/// results visible.
template <class... P>
void launch(bool early, void (*kernel)(P...), unsigned blocks, unsigned perBlock, P... arguments) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(perBlock);
  config.attrs = &attribute;
  config.numAttrs = early && hasClusters();
  check(cudaLaunchKernelEx(&config, kernel, arguments...), "start a kernel");
}
template <class... P>
void launch(void (*kernel)(P...), unsigned blocks, unsigned perBlock, P... arguments) {
  constexpr unsigned few = 64;  // so few blocks leave the device to others while they wait
  launch(ShortKernels::on || blocks <= few, kernel, blocks, perBlock, arguments...);
}
__device__ inline void awaitOthers() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}
/// awaitOthers, and the next kernel may be launched at once instead of when the last block of this one ends.
__device__ inline void awaitTurn() {
#if __CUDA_ARCH__ >= 900
  awaitOthers();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
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

/// Sets elements to `value` if they are many: four elements for a thread, so that memory bounds the time.
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

/// Reads a number that other threads may be changing. swapIf sets it to `desired` if it is `expected`; both return the old value.
__device__ inline int readShared(int& shared) { return *static_cast<volatile int*>(&shared); }
__device__ inline int swapIf(int& shared, int expected, int desired) { return atomicCAS(&shared, expected, desired); }

/// Adds one to a counter that many threads use; returns its old value.
__device__ inline int countOne(int& counter) { return atomicAdd(&counter, 1); }

/// Sets a number that many threads set to one.
__device__ inline void setOne(int& shared) { shared = 1; }

/// Sets bits of a word that many threads set bits in. Nearly always the bits are set already.
__device__ inline void setBits(std::uint32_t& word, std::uint32_t bits) {
  if (~*static_cast<volatile std::uint32_t*>(&word) & bits) atomicOr(&word, bits);
}

/// Over the 32 threads of a warp, all of which call. GPUs before compute capability 8.0 have no instruction for it.
template <class Into>
__device__ int overWarp(int a, Into into) {
  for (int apart = 16; apart > 0; apart /= 2) a = into(a, __shfl_xor_sync(0xffffffffu, a, apart));
  return a;
}
__device__ inline int largestOfWarp(int a) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xffffffffu, a);
#else
  return overWarp(a, [](int x, int y) { return x > y ? x : y; });
#endif
}
__device__ inline int totalOfWarp(int a) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xffffffffu, a);
#else
  return overWarp(a, [](int x, int y) { return x + y; });
#endif
}
/// Bits of those threads of a warp that are in `together`, which all of them call with.
__device__ inline unsigned bitsOfWarp(unsigned together, unsigned bits) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(together, bits);
#else
  unsigned all = 0;
  for (unsigned rest = together; rest; rest &= rest - 1) all |= __shfl_sync(together, bits, __ffs(int(rest)) - 1);
  return all;
#endif
}

/// Exclusive prefix sum of the first n counts.
void scan(Array<int>& counts, int n);
/// Sorts the first n keys, stably; order[k] is the old place of the k-th.
void sortKeys(Array<std::int64_t>& keys, Array<int>& order, int n);
/// Name, memory and the speed of a large copy.
std::string deviceInWords();

/// A loop tests its convergence once in so many iterations: the host has to wait for the device to know.
constexpr int lookEvery = 8;

}  // namespace brim::inline BRIM_FLAVOUR
