// Gauss-Seidel sweeps on a GPU: a warp goes through the rows of a block, its threads share the pairs of a row.
//
// A row waits for the one before it, so a sweep takes as long as a chain of loads, sums over the warp and stores, and the
// memory's bandwidth does not matter. What does not depend on velocities is loaded ahead: the heads of 32 rows at a time, the
// pairs of two.
#pragma once
#include "sph/colours_cuda.h"

namespace brim::inline BRIM_FLAVOUR {

constexpr int warp = 32;
constexpr unsigned wholeWarp = 0xffffffffu;

/// The sum over a warp, in each of its threads; its order is always the same.
template <class T>
__device__ T sumOfWarp(T a) {
  for (int far = warp / 2; far > 0; far /= 2) a += __shfl_xor_sync(wholeWarp, a, far);
  return a;
}

/// Rows that have particles alone.
struct Uncoupled {
  using Sum = Real;
  __device__ Sum rate(int, int) const { return 0; }
  __device__ void push(int, int, Sum) const {}
};

/// Rows in their order. `Coupled` is what they have besides particles: of row k, rate(k, lane) is what this thread adds to G v,
/// and push(k, lane, change) what a changed multiplier does.
template <int D, class Coupled>
struct RowSweep {
  using Row = typename RowLists<D>::Row;
  using Sum = typename Coupled::Sum;
  const Row* rows;
  const RowPair<D>* pairs;
  int pairsInAll;
  Sample<D>* v;
  Real* lambda;
  Real perM, sigma, omega;
  bool equality;
  Coupled coupled;

  static constexpr int held = 2;  // pairs of a row that a thread holds; a longer row's are read twice
  struct Pairs {
    RowPair<D> at[held];
  };

  __device__ Pairs load(int first, int length, int lane) const {
    Pairs p;
    for (int c = 0; c < held; ++c) {
      const int m = lane + c * warp;
      p.at[c].j = -1;
      if (m < length) p.at[c] = pairs[first + m];
    }
    return p;
  }
  /// Row own of the last - own that are left, or an empty one.
  __device__ Row head(int own, int last) const {
    Row r{};
    if (own < last) r = rows[own];
    return r;
  }

  __device__ void operator()(const int begin, const int last) const {
    if (begin >= last) return;
    const int lane = int(threadIdx.x) % warp;
    int base = begin;
    Row mine = head(base + lane, last), later = head(base + warp + lane, last);
    Real multiplier = base + lane < last ? lambda[mine.i] : 0;
    const auto lengthOf = [&](int k) {
      const int a = __shfl_sync(wholeWarp, mine.length, k - base), b = __shfl_sync(wholeWarp, later.length, k - base);
      return k - base < warp ? a : b;
    };
    int first = __shfl_sync(wholeWarp, mine.first, 0), length = lengthOf(base), length1 = lengthOf(base + 1);
    Pairs now = load(first, length, lane), next = load(first + length, length1, lane);
    for (int k = begin; k < last; ++k) {
      if (k - base == warp) {
        lambda[mine.i] = multiplier;
        base = k;
        mine = later;
        later = head(base + warp + lane, last);
        multiplier = base + lane < last ? lambda[mine.i] : 0;
      }
      Sample<D> u[held];
      for (int c = 0; c < held; ++c)
        if (now.at[c].j >= 0) u[c] = v[now.at[c].j];
      const int length2 = lengthOf(k + 2);
      const Pairs third = load(first + length + length1, length2, lane);
      for (int c = 0; c < held; ++c)
        if (next.at[c].j >= 0) asm volatile("prefetch.global.L1 [%0];" ::"l"(v + next.at[c].j));
      // Pairs of some rows farther on, on their way from the device's memory: 128 bytes a thread.
      if (const int far = first + 10 * warp + 8 * lane; lane < 8 && far < pairsInAll)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(pairs + far));

      Sum sum = coupled.rate(k, lane);
      for (int c = 0; c < held; ++c)
        if (now.at[c].j >= 0) sum += dot(now.at[c].g, u[c].x);
      for (int m = lane + held * warp; m < length; m += warp) sum += dot(pairs[first + m].g, v[pairs[first + m].j].x);
      sum = sumOfWarp(sum);
      const int of = k - base;
      const Sum before = __shfl_sync(wholeWarp, multiplier, of);
      const Real c = __shfl_sync(wholeWarp, mine.c, of), perD = __shfl_sync(wholeWarp, mine.perD, of);
      Sum after = before - Sum(omega) * perD * (sum + Sum(sigma) * before - c);
      if (!equality && after > 0) after = 0;
      if (after != before) {  // else at its bound
        const Real kick = Real(perM * (after - before));
        for (int m = 0; m < held; ++m)
          if (now.at[m].j >= 0) v[now.at[m].j] = {u[m].x + kick * now.at[m].g, u[m].a};
        for (int m = lane + held * warp; m < length; m += warp) v[pairs[first + m].j].x += kick * pairs[first + m].g;
        coupled.push(k, lane, after - before);
        if (lane == of) multiplier = Real(after);
      }
      __syncwarp();
      now = next, next = third;
      first += length, length = length1, length1 = length2;
    }
    if (base + lane < last) lambda[mine.i] = multiplier;
  }
};

template <int D, class Coupled>
__global__ void __launch_bounds__(warp) sweepKernel(RowSweep<D, Coupled> sweep, const int* begin) {
  sweep(begin[blockIdx.x], begin[blockIdx.x + 1]);
}

template <int D, class Coupled>
__global__ void __launch_bounds__(warp) sweepAllKernel(RowSweep<D, Coupled> sweep, int rows) {
  sweep(0, rows);
}

template <int D, class Coupled>
RowSweep<D, Coupled> rowSweep(World<D>& w, const RowLists<D>& lists, const DensityRows<D>& rows, Array<Real>& multiplier,
                              Coupled coupled) {
  return {lists.rows.data(),
          lists.pairs.data(),
          int(lists.pairs.size()),
          w.fluid.v.data.data(),
          multiplier.data(),
          1 / rows.mass,
          rows.sigma,
          rows.omega,
          rows.equality,
          coupled};
}

/// One Gauss-Seidel iteration over the coloured rows.
template <int D>
void sweepRows(World<D>& w, const Colours<D>& colours, const DensityRows<D>& rows, Array<Real>& multiplier) {
  const auto sweep = rowSweep(w, colours.lists(), rows, multiplier, Uncoupled{});
  colours.eachColour([&](int first, int blocks) {
    sweepKernel<<<blocks, warp>>>(sweep, colours.begin().data + first);
    check(cudaGetLastError(), "start a kernel");
  });
}

template <int D, class K>
struct RowStore {
  K W;
  typename RowLists<D>::Row* rows;
  RowPair<D>* pairs;
  int n;
  const Sample<D>*p, *G;
  const Real* c;
  Lists lists;
  const int* source;  // of images
  int firstImage;
  Real scale;

  __device__ void operator()(int k, int lane) const {
    const auto row = rows[k];
    const int i = row.i;
    const Lists::Slice slice = lists.slice[unsigned(i) / Lists::width];
    const Sample<D> own = G[i];
    for (int m = lane; m < row.length; m += warp) {
      const int j = slice.first[long(m) * Lists::width + i % Lists::width];
      RowPair<D> pair;
      pair.g = j == i ? own.x : (scale * W.grad(p[i].x - p[j].x)).vec();
      pair.j = j < firstImage ? j : source[j - firstImage];
      pairs[row.first + m] = pair;
    }
    if (lane == 0) rows[k].c = c[i], rows[k].perD = own.a;
  }
};
template <int D, class K>
__global__ void __launch_bounds__(threads) storeKernel(RowStore<D, K> store) {
  const int k = int((blockIdx.x * threads + threadIdx.x) / warp);
  if (k < store.n) store(k, int(threadIdx.x) % warp);
}

/// What the rows hold, once a step.
template <int D, class K>
void storeRows(World<D>& w, K W, const DensityRows<D>& rows, RowLists<D>& lists) {
  if (lists.size == 0) return;
  const RowStore<D, K> store{W,
                             lists.rows.data(),
                             lists.pairs.data(),
                             lists.size,
                             w.fluid.p.data.data(),
                             rows.G.data(),
                             rows.c.data(),
                             w.nb().fluid,
                             w.images().source().data(),
                             w.fluid.firstImage(),
                             -rows.v0 * rows.mass};
  constexpr int perBlock = int(threads) / warp;
  storeKernel<<<(lists.size - 1) / perBlock + 1, threads>>>(store);
  check(cudaGetLastError(), "start a kernel");
}
template <int D, class K>
void storeRows(World<D>& w, K W, const DensityRows<D>& rows, Colours<D>& colours) {
  storeRows(w, W, rows, colours.lists());
}

}  // namespace brim::inline BRIM_FLAVOUR
