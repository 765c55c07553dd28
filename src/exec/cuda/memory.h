// Memory of a GPU. A View's elements are for kernels alone and an Array has no elements to offer the host, so that nvcc finds
// every place where the host would touch memory of the device; the host uses copyIn and copyOut.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "brim/error.h"
#include "math/assert.h"

namespace brim::inline BRIM_FLAVOUR {

using Index = int;  // a particle; a neighbour is one too

constexpr unsigned threads = 128;  // of a block

inline void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // forgotten, so that the next check does not see it again
  throw Failure(std::string("the GPU failed to ") + what + ": " + cudaGetErrorString(result));
}

inline void finish() { check(cudaStreamSynchronize(nullptr), "finish its work"); }
/// What other programs do on the device, in streams of their own, too.
inline void finishOthers() { check(cudaDeviceSynchronize(), "finish its work"); }

/// Tests compile with BRIM_HOST_ACCESS: all arrays of the process are then pinned memory of the host, which kernels reach too,
/// and the host may use elements of arrays and views, for which it waits until the device is idle.
inline bool& pinnedArrays() {
  static bool pinned = false;
  return pinned;
}
#if BRIM_HOST_ACCESS
[[maybe_unused]] static const bool pinnedFromTheStart = pinnedArrays() = true;
#define BRIM_ELEMENT __host__ __device__
#else
#define BRIM_ELEMENT __device__
#endif

/// Memory as kernels see it.
template <class T>
struct View {
  T* data;
  BRIM_ELEMENT T& operator[](int i) const {
#if BRIM_HOST_ACCESS && !defined(__CUDA_ARCH__)
    finish();
#endif
    return data[i];
  }
};

/// Bytes of the device's memory that arrays of the process hold, and how many they may hold. BRIM_GPU_MEMORY [MiB] sets the
/// limit, so that a test can take most of the memory away.
struct Budget {
  std::atomic<std::size_t> held = 0;
  std::size_t most = ~std::size_t(0);
  static Budget& ofProcess() {
    static Budget one;
    return one;
  }

 private:
  Budget() {
    if (const char* mebibytes = std::getenv("BRIM_GPU_MEMORY")) most = std::size_t(std::atoll(mebibytes)) << 20;
  }
};

/// Memory of the device, allocated and freed in the order of the stream, so that the host waits for neither. Freed memory stays
/// with the process for the next allocation.
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
  Budget& budget = Budget::ofProcess();
  const std::size_t before = budget.held.fetch_add(bytes);
  const bool fits = before + bytes <= budget.most;
  const auto get = [&] {
    return pinnedArrays() ? cudaHostAlloc(&memory, bytes, cudaHostAllocMapped) : cudaMallocAsync(&memory, bytes, nullptr);
  };
  if (!fits || get() != cudaSuccess) {
    budget.held -= bytes;
    cudaGetLastError();
    std::size_t left = 0, all = 0;
    cudaMemGetInfo(&left, &all);
    const auto inMebibytes = [](std::size_t n) { return std::to_string((n >> 20) + (n & 0xfffff ? 1 : 0)) + " MiB"; };
    throw Failure("the GPU's memory is full: " + inMebibytes(bytes) + " more were needed beside the " + inMebibytes(before) +
                  " in use, of " + inMebibytes(fits ? all : budget.most) +
                  ". A larger resolution.spacing takes less, and --device cpu has the machine's memory");
  }
  return memory;
}
inline void release(void* memory, std::size_t bytes) {
  if (!memory) return;
  Budget::ofProcess().held -= bytes;
  if (pinnedArrays()) {
    cudaStreamSynchronize(nullptr);
    cudaFreeHost(memory);
  } else {
    cudaFreeAsync(memory, nullptr);
  }
}

/// Memory of the device that grows without being touched.
template <class T>
class Array {
 public:
  Array() = default;
  Array(Array&& b) noexcept { swap(b); }
  Array& operator=(Array&& b) noexcept { return swap(b), *this; }
  ~Array() { release(data_, capacity_ * sizeof(T)); }

  /// Memory for n elements. The old elements keep their values, the new ones have none.
  void resize(std::size_t n) {
    if (n > capacity_) {
      Array more;
      const std::size_t room = std::max(n, capacity_ + capacity_ / 8);
      more.data_ = static_cast<T*>(allocate(room * sizeof(T)));
      more.capacity_ = room;
      if (size_) check(cudaMemcpyAsync(more.data_, data_, size_ * sizeof(T), cudaMemcpyDefault), "copy memory");
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
#if BRIM_HOST_ACCESS
  T& operator[](std::size_t i) {
    finish();
    return data_[i];
  }
  const T& operator[](std::size_t i) const {
    finish();
    return data_[i];
  }
#endif
  View<T> view() { return {data_}; }
  View<const T> view() const { return {data_}; }
  View<const T> read() const { return {data_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

/// Pinned memory of the host that kernels write to: a small result reaches the host through it in half the time of a copy.
class StagingBuffer {
 public:
  StagingBuffer() = default;
  StagingBuffer(StagingBuffer&& b) noexcept : memory_(std::exchange(b.memory_, nullptr)), bytes_(std::exchange(b.bytes_, 0)) {}
  StagingBuffer& operator=(StagingBuffer&& b) noexcept {
    std::swap(memory_, b.memory_);
    std::swap(bytes_, b.bytes_);
    return *this;
  }
  ~StagingBuffer() {
    if (memory_) cudaFreeHost(memory_);
  }
  /// Memory for n elements; what an earlier call gave is lost if it was smaller. No kernel may still write to it.
  template <class T>
  T* reserve(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    if (bytes > bytes_) {
      if (memory_) check(cudaFreeHost(memory_), "free memory");
      memory_ = nullptr, bytes_ = 0;
      check(cudaHostAlloc(&memory_, bytes, cudaHostAllocMapped), "allocate memory");
      bytes_ = bytes;
    }
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Scratch memory of one thread of the host. Simulations on several threads do not share it, and a simulation may move to another
/// thread between two calls, because no value stays in it from one call to the next:
///   staging   is filled by a kernel, waited for and read before the function that uses it returns
///   the rest  is device memory that only kernels use. All kernels of the process run one after the other, in the default stream,
///             and memory is freed in the same order: a thread may end while kernels that use its scratch are still queued.
/// A function must not run other work on its thread (a TBB loop) between launching the kernel that fills `staging` and reading
/// it.
struct ThreadScratch {
  StagingBuffer staging;
  Array<unsigned char> partials;  // of BlockPartials: a counter, which every kernel leaves at zero, then results of blocks
  Array<unsigned char> cub;       // what CUB asks for
  Array<std::int64_t> keys;       // of sortKeys
  Array<int> order;               // of sortKeys
  static ThreadScratch& ours() {
    static thread_local ThreadScratch one;
    return one;
  }
};

template <class Byte>
__global__ void __launch_bounds__(threads) stagingKernel(Byte* to, const Byte* from, unsigned bytes) {
  for (unsigned k = blockIdx.x * threads + threadIdx.x; k < bytes; k += gridDim.x * threads) to[k] = from[k];
}
/// A few bytes to a staging buffer, by a kernel: a copy would wait for the copies of a frame, which pass through the same engine.
inline void copyToStaging(void* staging, const void* from, std::size_t bytes) {
  stagingKernel<<<unsigned((bytes - 1) / (4 * threads) + 1), threads>>>(static_cast<unsigned char*>(staging),
                                                                        static_cast<const unsigned char*>(from), unsigned(bytes));
  check(cudaGetLastError(), "give data back");
}

/// Copies between the machine's memory and the host's.
template <class T>
void copyIn(Array<T>& to, const T* from, std::size_t n) {
  to.resize(n);
  if (n) check(cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDefault), "take data");
}
template <class T>
void copyOut(const Array<T>& from, T* to, std::size_t n) {
  BRIM_ASSERT(n <= from.size(), "copyOut reads past the array's end");
  const std::size_t bytes = n * sizeof(T);
  if (n == 0) return;
  if (bytes > 65536) {
    check(cudaMemcpy(to, from.data(), bytes, cudaMemcpyDefault), "give data back");
    return;
  }
  auto* const staging = ThreadScratch::ours().staging.reserve<unsigned char>(bytes);
  copyToStaging(staging, from.data(), bytes);
  finish();
  std::memcpy(static_cast<void*>(to), staging, bytes);
}

}  // namespace brim::inline BRIM_FLAVOUR
