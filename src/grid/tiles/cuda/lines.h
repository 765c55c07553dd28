// lines.h on a GPU: a block has a tile, and a thread half a line of it, four cells, so that a load brings sixteen bytes. Work
// that is better done by single cells has a thread for each cell (eachCellOfTiles).
#pragma once
#include "grid/tiles/tiles.h"

namespace brim::inline BRIM_FLAVOUR {

/// Threads that have a tile's half lines.
template <int D>
constexpr int halfLines = power(8, D) / 4;

template <int D, class F>
__global__ void __launch_bounds__(halfLines<D>) tileKernel(F body) {
  awaitTurn();
  body(int(blockIdx.x));
}
/// body(t) for the tiles [0, n), run by all threads of a tile.
template <int D, class F>
void eachTile(int n, const F& body) {
  if (n <= 0) return;
  launch(tileKernel<D, F>, unsigned(n), unsigned(halfLines<D>), body);
}

template <int D, class F>
__global__ void __launch_bounds__(power(8, D)) cellsKernel(F body) {
  awaitTurn();
  body(int(blockIdx.x));
}
/// The same, run by a thread for each cell of a tile.
template <int D, class F>
void eachCellOfTiles(int n, const F& body) {
  if (n <= 0) return;
  launch(cellsKernel<D, F>, unsigned(n), unsigned(power(8, D)), body);
}
__device__ inline int ownCell() { return int(threadIdx.x); }

template <class G>
__global__ void __launch_bounds__(1024) thenKernel(G then) {
  awaitTurn();
  then();
}
/// then() by one block.
template <class G>
void runThen(const G& then) {
  launch(thenKernel<G>, 1u, 1024u, then);
}
/// eachTile, and the threads of the block that ends last run then() when all others are through.
template <int D, class F, class G>
__global__ void __launch_bounds__(halfLines<D>) tileKernelThen(F body, G then, BlockPartials blocks) {
  awaitTurn();
  body(int(blockIdx.x));
  if (!blocks.isLastBlock()) return;
  then();
}
template <int D, class F, class G>
void eachTileThen(int n, const F& body, const G& then) {
  constexpr int many = 16 * halfLines<D>;  // then every block's report takes longer than one more launch
  if (n <= 0) return;
  if (n > many) {
    eachTile<D>(n, body);
    runThen(then);
    return;
  }
  launch(tileKernelThen<D, F, G>, unsigned(n), unsigned(halfLines<D>), body, then, BlockPartials::ofThread(0));
}

/// Four numbers of half a line.
struct alignas(16) Quad {
  float v[4];
  struct Mask {
    bool m[4];
  };

  Quad() = default;
  __device__ Quad(float a) : v{a, a, a, a} {}
  __device__ Quad(float a, float b, float c, float d) : v{a, b, c, d} {}
  __device__ float operator[](int k) const { return v[k]; }
  __device__ Quad& operator+=(const Quad& b) { return *this = *this + b; }
  __device__ Quad& operator-=(const Quad& b) { return *this = *this - b; }
  __device__ friend Quad operator+(const Quad& a, const Quad& b) {
    return {a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2], a.v[3] + b.v[3]};
  }
  __device__ friend Quad operator-(const Quad& a, const Quad& b) {
    return {a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2], a.v[3] - b.v[3]};
  }
  __device__ friend Quad operator*(const Quad& a, const Quad& b) {
    return {a.v[0] * b.v[0], a.v[1] * b.v[1], a.v[2] * b.v[2], a.v[3] * b.v[3]};
  }
  __device__ friend Quad operator/(const Quad& a, const Quad& b) {
    return {a.v[0] / b.v[0], a.v[1] / b.v[1], a.v[2] / b.v[2], a.v[3] / b.v[3]};
  }
  __device__ friend Quad operator-(const Quad& a) { return {-a.v[0], -a.v[1], -a.v[2], -a.v[3]}; }
  __device__ friend Mask operator>(const Quad& a, const Quad& b) {
    return {{a.v[0] > b.v[0], a.v[1] > b.v[1], a.v[2] > b.v[2], a.v[3] > b.v[3]}};
  }
  __device__ friend Quad select(const Mask& c, const Quad& a, const Quad& b) {
    return {c.m[0] ? a.v[0] : b.v[0], c.m[1] ? a.v[1] : b.v[1], c.m[2] ? a.v[2] : b.v[2], c.m[3] ? a.v[3] : b.v[3]};
  }
  __device__ friend Quad max(const Quad& a, const Quad& b) { return select(a > b, a, b); }
  __device__ friend Quad min(const Quad& a, const Quad& b) { return select(b > a, a, b); }
};
template <class T>
using Cells = Quad;

__device__ inline Quad load(const float* p) {
  const float4 a = *reinterpret_cast<const float4*>(p);
  return {a.x, a.y, a.z, a.w};
}
__device__ inline void store(float* p, const Quad& a) {
  *reinterpret_cast<float4*>(p) = make_float4(a.v[0], a.v[1], a.v[2], a.v[3]);
}
__device__ inline Quad loadBytes(const std::uint8_t* p) {
  const uchar4 a = *reinterpret_cast<const uchar4*>(p);
  return {float(a.x), float(a.y), float(a.z), float(a.w)};
}
/// 1 / diag of the finest level, 0 where diag is 0.
__device__ inline Quad inverseOf(const Quad& diag) { return select(diag > Quad(0), Quad(1) / max(diag, Quad(1e-20f)), Quad(0)); }
__device__ inline Quad toSingle(const Quad& a) { return a; }
__device__ inline Quad toReal(const Quad& a) { return a; }

// n counts a tile's half lines.
using LineBits = std::uint64_t;
__device__ inline int ownHalfLine() { return int(threadIdx.x); }
__device__ inline int firstOf(int n) { return 4 * n; }
__device__ inline int alongAxis(int n, int k) { return n >> (3 * k - 2) & 7; }

template <class F>
__device__ inline void eachLine(LineBits lines, F body) {
  if (lines >> (ownHalfLine() >> 1) & 1) body(ownHalfLine());
}
template <int D, class F>
__device__ inline void eachSlice(F body) {
  body(ownHalfLine() >> 4);
}
template <class F>
__device__ inline void eachLineOf(int, F body) {
  body(ownHalfLine());
}
/// The four bits of a half line.
__device__ inline unsigned bitsOf(std::uint64_t word, int n) { return unsigned(word >> 4 * (n & 15)) & 15u; }
template <class F>
__device__ inline void eachBit(std::uint64_t word, int, F body) {
  for (unsigned bits = bitsOf(word, ownHalfLine()); bits; bits &= bits - 1) body(4 * ownHalfLine() + __ffs(int(bits)) - 1);
}
__device__ inline Quad maskOf(std::uint64_t word, int n) {
  const unsigned bits = bitsOf(word, n);
  return {float(bits & 1), float(bits >> 1 & 1), float(bits >> 2 & 1), float(bits >> 3)};
}
__device__ inline bool anyOf(std::uint64_t word, int n) { return bitsOf(word, n) != 0; }

__device__ inline void giveWord(std::uint64_t& to, std::uint64_t word) {
  if ((ownHalfLine() & 15) == 0) to = word;
}

/// The words of a tile from a bit of each of its cells.
__device__ inline void giveBits(std::uint64_t* to, bool bit) {
  const unsigned warp = __ballot_sync(0xffffffffu, bit);
  if (ownCell() % 32 == 0) reinterpret_cast<unsigned*>(to)[ownCell() / 32] = warp;
}

/// The threads of a warp; a tile in 2D has 16 half lines.
__device__ inline int warpWidth() { return blockDim.x < 32 ? int(blockDim.x) : 32; }
__device__ inline unsigned wholeWarp() { return blockDim.x < 32 ? (1u << blockDim.x) - 1 : 0xffffffffu; }

/// Joins the numbers of the warps of a block, each held by the first thread of its warp, in an order that depends on the number
/// of warps alone; the first thread of the block has the result.
template <class T, class Into>
__device__ inline T overWarps(T value, Into into) {
  __shared__ T part[32];
  if (blockDim.x <= 32) return value;
  __syncthreads();  // other threads may still read the last ones
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
    for (int half = warpWidth() / 2; half > 0; half /= 2) a += __shfl_down_sync(wholeWarp(), a, half);
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
    for (int half = warpWidth() / 2; half > 0; half /= 2)
      (*this)(s, Both<T>{__shfl_down_sync(wholeWarp(), s.a, half), __shfl_down_sync(wholeWarp(), s.b, half)});
  }
};
/// The sum over all threads of a block: in single precision within a warp.
__device__ inline void giveSum(double& to, float value) {
  Summed{}.overWarp(value);
  const double sum = overWarps(double(value), Summed{});
  if (threadIdx.x == 0) to = sum;
}
__device__ inline void giveSum(double& to, const Quad& a) { giveSum(to, (a.v[0] + a.v[1]) + (a.v[2] + a.v[3])); }
__device__ inline float largest(const Quad& a) {
  float most = a.v[0];
  for (int k = 1; k < 4; ++k) most = most < a.v[k] ? a.v[k] : most;
  return most;
}
__device__ inline void giveLargest(double& toA, double& toB, const Quad& a, const Quad& b) {
  Both<float> most{largest(a), largest(b)};
  Largest2{}.overWarp(most);
  const Two both = overWarps(Two{most.a, most.b}, Largest2{});
  if (threadIdx.x == 0) toA = both.a, toB = both.b;
}

/// Sums and maxima of n numbers by all threads of a block; the first thread has the result.
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

/// A field around one tile: of(tile, n) is half line n, of.cell(tile, c) a cell.
template <int D, class Field>
struct AroundField {
  Field of;
  int tile, numbers[2 * D];  // its own, and of the tiles beside it

  AroundField() = default;
  __device__ AroundField(const Field& field, int t, const int* beside) : of(field), tile(t) {
    BRIM_UNROLL
    for (int k = 0; k < 2 * D; ++k) numbers[k] = beside[k];
  }
  __device__ Quad line(int n) const { return of(tile, n); }
  __device__ Quad below(int n, int k) const {
    if (k == 0) {
      const Quad own = line(n);
      return {n & 1 ? of.cell(tile, 4 * n - 1) : of.cell(numbers[0], 4 * n + 7), own.v[0], own.v[1], own.v[2]};
    }
    const int stride = power(8, k) / 4;
    return alongAxis(n, k) ? of(tile, n - stride) : of(numbers[2 * k], n + 7 * stride);
  }
  __device__ Quad above(int n, int k) const {
    if (k == 0) {
      const Quad own = line(n);
      return {own.v[1], own.v[2], own.v[3], n & 1 ? of.cell(numbers[1], 4 * n - 4) : of.cell(tile, 4 * n + 4)};
    }
    const int stride = power(8, k) / 4;
    return alongAxis(n, k) < 7 ? of(tile, n + stride) : of(numbers[2 * k + 1], n - 7 * stride);
  }
  __device__ Quad sides(int n) const {
    Quad s = below(n, 0) + above(n, 0);
    BRIM_UNROLL
    for (int k = 1; k < D; ++k) s += below(n, k) + above(n, k);
    return s;
  }
};
template <int D>
struct PlainField {
  const float* field;
  __device__ Quad operator()(int t, int n) const { return load(field + t * power(8, D) + 4 * n); }
  __device__ float cell(int t, int c) const { return field[t * power(8, D) + c]; }
};
template <int D, class T>
struct Around : AroundField<D, PlainField<D>> {
  Around() = default;
  __device__ Around(const T* of, int t, const int* beside) : AroundField<D, PlainField<D>>(PlainField<D>{of}, t, beside) {}
};

/// The same for threads that have a cell each.
template <int D, class T>
struct AroundCell {
  const T* field;
  int tile, numbers[2 * D];

  __device__ AroundCell(const T* of, int t, const int* beside) : field(of), tile(t) {
    BRIM_UNROLL
    for (int k = 0; k < 2 * D; ++k) numbers[k] = beside[k];
  }
  __device__ T at(int t, int c) const { return field[t * power(8, D) + c]; }
  __device__ T own() const { return at(tile, ownCell()); }
  __device__ T below(int k) const {
    const int c = ownCell(), stride = 1 << 3 * k;
    return c >> 3 * k & 7 ? at(tile, c - stride) : at(numbers[2 * k], c + 7 * stride);
  }
  __device__ T above(int k) const {
    const int c = ownCell(), stride = 1 << 3 * k;
    return (c >> 3 * k & 7) < 7 ? at(tile, c + stride) : at(numbers[2 * k + 1], c - 7 * stride);
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
