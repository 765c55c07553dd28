// exec for CUDA: one thread a particle, in the device's own memory. A View's elements are for kernels alone and an Array has
// none to offer, so that nvcc finds every place where the host would touch them; it has copyIn and copyOut.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
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

/// Memory of the device that grows without being touched.
template <class T>
class Array {
 public:
  Array() = default;
  Array(Array&& b) noexcept { swap(b); }
  Array& operator=(Array&& b) noexcept { return swap(b), *this; }
  ~Array() { cudaFree(data_); }

  /// Room for n elements; what was there stays, what is new has no value.
  void resize(std::size_t n) {
    if (n > capacity_) {
      Array more;
      more.capacity_ = std::max(n, capacity_ + capacity_ / 8);
      check(cudaMalloc(&more.data_, more.capacity_ * sizeof(T)), "allocate memory");
      if (size_) check(cudaMemcpy(more.data_, data_, size_ * sizeof(T), cudaMemcpyDeviceToDevice), "copy memory");
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

/// Copies between the machine's memory and the host's.
template <class T>
void copyIn(Array<T>& to, const T* from, std::size_t n) {
  to.resize(n);
  if (n) check(cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyHostToDevice), "take data");
}
template <class T>
void copyOut(const Array<T>& from, T* to, std::size_t n) {
  if (n) check(cudaMemcpy(to, from.data(), n * sizeof(T), cudaMemcpyDeviceToHost), "give data back");
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

template <class F>
__global__ void __launch_bounds__(threads) eachKernel(int n, F body) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i < unsigned(n)) body(int(i));
}

/// body(i) for i in [0, n), one thread each.
template <class F>
void forEach(int n, F body) {
  if (n <= 0) return;
  eachKernel<<<(n - 1) / threads + 1, threads>>>(n, body);
  check(cudaGetLastError(), "start a kernel");
}

/// part[b]: zero combined with the terms of block b, [b * perBlock, (b + 1) * perBlock). Each thread takes every 128th of
/// them and a tree joins the threads: the order is a function of n alone.
template <class T, class F, class Into>
__global__ void __launch_bounds__(threads) reduceKernel(int n, int perBlock, T zero, F term, Into into, T* part) {
  __shared__ alignas(T) unsigned char memory[threads * sizeof(T)];
  T* const sum = reinterpret_cast<T*>(memory);
  const unsigned t = threadIdx.x;
  const long long begin = (long long)blockIdx.x * perBlock, past = begin + perBlock, end = past < n ? past : n;
  T s = zero;
  for (long long i = begin + t; i < end; i += threads) into(s, T(term(int(i))));
  sum[t] = s;
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) into(sum[t], sum[t + half]);
  }
  if (t == 0) part[blockIdx.x] = sum[0];
}

template <class T>
struct Load {
  const T* p;
  __device__ T operator()(int i) const { return p[i]; }
};
struct Add {
  __device__ void operator()(double& s, double t) const { s += t; }
};
struct Largest {
  __device__ void operator()(double& s, double t) const { s = s < t ? t : s; }
};

/// zero combined with term(i) for all i in [0, n), by `into(sum, term)`: blocks of fixed limits first, then their results.
template <class T, class F, class Into>
T reduce(int n, T zero, F term, Into into) {
  if (n <= 0) return zero;
  constexpr int block = 2048;
  const int blocks = (n - 1) / block + 1;
  Array<T> part, total;
  part.resize(blocks);
  total.resize(1);
  reduceKernel<<<blocks, threads>>>(n, block, zero, term, into, part.data());
  check(cudaGetLastError(), "start a reduction");
  reduceKernel<<<1, threads>>>(blocks, blocks, zero, Load<T>{part.data()}, into, total.data());
  check(cudaGetLastError(), "start a reduction");
  copyOut(total, &zero, 1);
  return zero;
}
template <class F>
double sumOf(int n, F term) {
  return reduce(n, 0.0, term, Add{});
}
template <class F>
double maxOf(int n, F term) {
  return reduce(n, 0.0, term, Largest{});
}

template <class F>
struct CountIn {
  F bin;
  int* count;
  __device__ void operator()(int i) const {
    const int b = bin(i);
    if (b >= 0) atomicAdd(count + b, 1);
  }
};

/// How many i in [0, n) fall into each bin; bin(i) < 0 is in none. Whole numbers, so the order of adding is free.
template <class F>
std::vector<int> histogram(int n, int bins, F bin) {
  Array<int> count;
  count.resize(bins);
  check(cudaMemset(count.data(), 0, bins * sizeof(int)), "clear memory");
  forEach(n, CountIn<F>{bin, count.data()});
  std::vector<int> all(bins);
  copyOut(count, all.data(), all.size());
  return all;
}

}  // namespace brim::inline BRIM_FLAVOUR
