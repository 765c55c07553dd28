// rows.h on a GPU: a block of 8^D threads has a tile, a thread has a cell of it.
#pragma once
#include "grid/tiles.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D, class F>
__global__ void __launch_bounds__(power(8, D)) tileKernel(F body) {
  awaitTurn();
  body(int(blockIdx.x));
}
/// body(t) for the tiles [0, n), run by all threads of a tile.
template <int D, class F>
void eachTile(int n, const F& body) {
  if (n <= 0) return;
  launch(tileKernel<D, F>, unsigned(n), unsigned(power(8, D)), body);
}

/// The same, and the threads of the block that ends last run then() when all others are through.
template <int D, class F, class G>
__global__ void __launch_bounds__(power(8, D)) tileKernelThen(F body, G then, unsigned* through) {
  awaitTurn();
  body(int(blockIdx.x));
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(through, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  then();
  if (threadIdx.x == 0) *through = 0;
}
template <class G>
__global__ void __launch_bounds__(1024) thenKernel(G then) {
  awaitTurn();
  then();
}
template <int D, class F, class G>
void eachTileThen(int n, const F& body, const G& then) {
  constexpr int many = 2048;  // then every block's report takes longer than one more launch
  static Array<unsigned> through;
  if (n <= 0) return;
  if (n > many) {
    eachTile<D>(n, body);
    launch(thenKernel<G>, 1u, 1024u, then);
    return;
  }
  if (through.size() == 0) {
    through.resize(1);
    fill(through, 0, 1, 0u);
  }
  launch(tileKernelThen<D, F, G>, unsigned(n), unsigned(power(8, D)), body, then, through.data());
}

template <class T>
using Cells = T;
__device__ inline int ownCell() { return int(threadIdx.x); }

template <class T>
__device__ inline T load(const T* p) {
  return *p;
}
template <class T>
__device__ inline void store(T* p, T value) {
  *p = value;
}
__device__ inline float loadBytes(const std::uint8_t* p) { return float(*p); }
__device__ inline float toSingle(float a) { return a; }
__device__ inline float toReal(float a) { return a; }

using RowBits = std::uint64_t;
__device__ inline int firstOf(int n) { return n; }
__device__ inline int alongAxis(int n, int k) { return n >> 3 * k & 7; }

template <class F>
__device__ inline void eachRow(RowBits rows, F body) {
  if (rows >> (ownCell() >> 3) & 1) body(ownCell());
}
template <int D, class F>
__device__ inline void eachSlice(F body) {
  body(ownCell() >> 6);
}
template <class F>
__device__ inline void eachRowOf(int, F body) {
  body(ownCell());
}
template <class F>
__device__ inline void eachBit(std::uint64_t word, int, F body) {
  if (word >> (ownCell() & 63) & 1) body(ownCell());
}
__device__ inline Real maskOf(std::uint64_t word, int n) { return Real(word >> (n & 63) & 1); }
__device__ inline bool anyOf(std::uint64_t word, int n) { return word >> (n & 63) & 1; }

__device__ inline void giveWord(std::uint64_t& to, std::uint64_t word) {
  if ((ownCell() & 63) == 0) to = word;
}

/// The words of a tile from a bit of each of its cells.
__device__ inline void giveBits(std::uint64_t* to, bool bit) {
  const unsigned warp = __ballot_sync(0xffffffffu, bit);
  if (ownCell() % 32 == 0) reinterpret_cast<unsigned*>(to)[ownCell() / 32] = warp;
}

/// The numbers of the warps of a block (that of each is its first thread's) joined, in an order that is a function of their
/// number; the first thread has the result.
template <class T, class Into>
__device__ inline T overWarps(T value, Into into) {
  __shared__ T part[32];
  __syncthreads();  // whoever still reads the last ones
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return value;
  value = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : T{};  // zero has no weight in sums and magnitudes
  into.overWarp(value);
  return value;
}
struct Summed {
  template <class T>
  __device__ void overWarp(T& a) const {
    for (int half = 16; half > 0; half /= 2) a += __shfl_down_sync(0xffffffffu, a, half);
  }
};
template <class T>
struct Both {
  T a, b;
};
using Two = Both<double>;
struct Largest2 {
  template <class T>
  __device__ void operator()(Both<T>& s, const Both<T>& t) const {
    s = {s.a < t.a ? t.a : s.a, s.b < t.b ? t.b : s.b};
  }
  template <class T>
  __device__ void overWarp(Both<T>& s) const {
    for (int half = 16; half > 0; half /= 2)
      (*this)(s, Both<T>{__shfl_down_sync(0xffffffffu, s.a, half), __shfl_down_sync(0xffffffffu, s.b, half)});
  }
};
/// What all threads of a tile have: in single precision within a warp.
__device__ inline void giveSum(double& to, float value) {
  Summed{}.overWarp(value);
  const double sum = overWarps(double(value), Summed{});
  if (threadIdx.x == 0) to = sum;
}
__device__ inline void giveLargest(double& toA, double& toB, float a, float b) {
  Both<float> most{a, b};
  Largest2{}.overWarp(most);
  const Two both = overWarps(Two{most.a, most.b}, Largest2{});
  if (threadIdx.x == 0) toA = both.a, toB = both.b;
}

/// Of n numbers, by all threads of a block; the first has the result.
__device__ inline bool isFirstThread() { return threadIdx.x == 0; }
__device__ inline double totalOf(const double* part, int n) {
  double all = 0;
  for (int t = int(threadIdx.x); t < n; t += int(blockDim.x)) all += part[t];
  Summed{}.overWarp(all);
  return overWarps(all, Summed{});
}
__device__ inline Two largestOf(const double* a, const double* b, int n) {
  Two most{0, 0};
  for (int t = int(threadIdx.x); t < n; t += int(blockDim.x)) Largest2{}(most, Two{a[t], b[t]});
  Largest2{}.overWarp(most);
  return overWarps(most, Largest2{});
}

/// A field around one tile.
template <int D, class T>
struct Around {
  const T* field;
  int tile, numbers[2 * D];  // its own, and of the tiles beside it

  Around() = default;
  __device__ Around(const T* of, int t, const int* beside) : field(of), tile(t) {
    BRIM_UNROLL
    for (int k = 0; k < 2 * D; ++k) numbers[k] = beside[k];
  }
  __device__ T at(int t, int c) const { return field[t * power(8, D) + c]; }
  __device__ T row(int n) const { return at(tile, n); }
  __device__ T below(int n, int k) const {
    const int stride = 1 << 3 * k;
    return n >> 3 * k & 7 ? at(tile, n - stride) : at(numbers[2 * k], n + 7 * stride);
  }
  __device__ T above(int n, int k) const {
    const int stride = 1 << 3 * k;
    return (n >> 3 * k & 7) < 7 ? at(tile, n + stride) : at(numbers[2 * k + 1], n - 7 * stride);
  }
  __device__ T sides(int n) const {
    T s = below(n, 0) + above(n, 0);
    BRIM_UNROLL
    for (int k = 1; k < D; ++k) s += below(n, k) + above(n, k);
    return s;
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
