// Gauss-Seidel sweeps on a GPU: a warp goes through the rows of a block, its threads share the pairs of a row.
//
// A row waits for the one before it, so a sweep takes as long as a chain of loads, sums over the warp and stores. Velocities are
// therefore taken into the processor's own memory for the time of a block, and rows are on their way long before their turn.
#pragma once
#include <cuda_pipeline.h>

#include "solvers/constraint/cuda/colours.h"
#include "solvers/constraint/stars.h"

namespace brim::inline BRIM_FLAVOUR {

constexpr int warp = 32;
constexpr unsigned wholeWarp = 0xffffffffu;

/// The sum over a warp, in each of its threads; its order is always the same.
template <class T>
__device__ T sumOfWarp(T a) {
  for (int far = warp / 2; far > 0; far /= 2) a += __shfl_xor_sync(wholeWarp, a, far);
  return a;
}

/// Pairs of the next rows in the processor's own memory. A thread reads only what it asked for itself.
template <int D>
struct RowsAhead {
  static constexpr int held = 2;   // pairs of a row that a thread holds; the others of a longer row are read when they are needed
  static constexpr int ahead = 8;  // rows
  struct Pairs {
    RowPair<D> at[held];
  };
  alignas(16) RowPair<D> pair[ahead][held * warp];

  __device__ void ask(int k, const RowPair<D>* from, int length, int lane) {
    for (int c = 0; c < held; ++c)
      if (const int m = lane + c * warp; m < length) __pipeline_memcpy_async(&pair[k % ahead][m], from + m, sizeof(RowPair<D>));
    __pipeline_commit();
  }
  /// Those of row k, the next after that for which it was called last; j is -1 where there is none.
  __device__ Pairs take(int k, int length, int lane) const {
    __pipeline_wait_prior(ahead - 2);
    Pairs p;
    for (int c = 0; c < held; ++c) {
      const int m = lane + c * warp;
      p.at[c].j = -1;
      if (m < length) p.at[c] = pair[k % ahead][m];
    }
    return p;
  }
};

/// Rows that have particles alone.
struct Uncoupled {
  using Sum = Real;
  __device__ Sum rate(int, int) const { return 0; }
  __device__ void push(int, int, Sum) const {}
};

/// Rows in their order. `Coupled` is what they have besides particles: of row k, rate(k, lane) is what that adds to G v, the same
/// in all threads, and push(k, lane, change) what a changed multiplier does, by all of them.
template <int D, class Coupled>
struct RowSweep {
  using Row = typename RowLists<D>::Row;
  using Sum = typename Coupled::Sum;
  const Row* rows;
  const RowPair<D>* pairs;
  Real* lambda;
  Real perM, sigma, omega;
  Bounds<Real> bounds;
  Coupled coupled;

  /// Row `own`, or an empty one past the last.
  __device__ Row head(int own, int last) const {
    Row r{};
    if (own < last) r = rows[own];
    return r;
  }

  __device__ void operator()(const int begin, const int last, Record<D>* v, RowsAhead<D>& ring) const {
    constexpr int held = RowsAhead<D>::held, ahead = RowsAhead<D>::ahead;
    const int lane = int(threadIdx.x) % warp;
    int base = begin;
    Row mine = head(base + lane, last), later = head(base + warp + lane, last);
    Real multiplier = base + lane < last ? lambda[mine.i] : 0;
    const auto lengthOf = [&](int k) {
      const int a = __shfl_sync(wholeWarp, mine.length, k - base), b = __shfl_sync(wholeWarp, later.length, k - base);
      return k - base < warp ? a : b;
    };
    int first = __shfl_sync(wholeWarp, mine.first, 0), length = lengthOf(base);
    int far = first;  // where the pairs of the next row to be asked for begin
    for (int k = base; k < base + ahead - 1; ++k) {
      const int n = lengthOf(k);
      ring.ask(k, pairs + far, n, lane);
      far += n;
    }
    auto now = ring.take(begin, length, lane);
    for (int k = begin; k < last; ++k) {
      if (k - base == warp) {
        lambda[mine.i] = multiplier;
        base = k;
        mine = later;
        later = head(base + warp + lane, last);
        multiplier = base + lane < last ? lambda[mine.i] : 0;
      }
      Record<D> u[held];
      for (int c = 0; c < held; ++c)
        if (now.at[c].j >= 0) u[c] = v[now.at[c].j];
      const Sum rate = coupled.rate(k, lane);
      Real sum = 0;
      for (int c = 0; c < held; ++c)
        if (now.at[c].j >= 0) sum += dot(now.at[c].g, u[c].x);
      for (int m = lane + held * warp; m < length; m += warp) sum += dot(pairs[first + m].g, v[pairs[first + m].j].x);
      const int farLength = lengthOf(k + ahead - 1), nextLength = lengthOf(k + 1), of = k - base;
      ring.ask(k + ahead - 1, pairs + far, farLength, lane);
      const auto next = ring.take(k + 1, nextLength, lane);
      const Sum before = __shfl_sync(wholeWarp, multiplier, of);
      const Real c = __shfl_sync(wholeWarp, mine.c, of), perD = __shfl_sync(wholeWarp, mine.perD, of);
      sum = sumOfWarp(sum);
      const Sum r = sum + rate + Sum(sigma) * before - c;
      const Sum after = relaxed(before, r, Sum(perD), {Sum(bounds.low), Sum(bounds.high)}, Sum(omega));
      if (after != before) {  // else at its bound
        const Real kick = Real(perM * (after - before));
        for (int m = 0; m < held; ++m)
          if (now.at[m].j >= 0) v[now.at[m].j] = {u[m].x + kick * now.at[m].g, u[m].a};
        for (int m = lane + held * warp; m < length; m += warp) v[pairs[first + m].j].x += kick * pairs[first + m].g;
        coupled.push(k, lane, after - before);
        if (lane == of) multiplier = Real(after);
      }
      __syncwarp();
      now = next;
      first += length, far += farLength, length = nextLength;
    }
    if (base + lane < last) lambda[mine.i] = multiplier;
    __pipeline_wait_prior(0);
  }
};

/// A block, with the velocities around it in the processor's memory.
template <int D>
__global__ void __launch_bounds__(warp)
    sweepKernel(RowSweep<D, Uncoupled> sweep, const int* begin, const Region<D>* regions, Record<D>* v) {
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ RowsAhead<D> ring;
  Record<D>* const own = reinterpret_cast<Record<D>*>(memory);
  const int lane = int(threadIdx.x), block = int(blockIdx.x);
  int from = 0, past = 0;  // of one run, each thread's own
  if (lane < Region<D>::runs) from = regions[block].begin[lane], past = regions[block].past[lane];
  const auto each = [&](auto copy) {
    for (int r = 0, at = 0; r < Region<D>::runs; ++r) {
      const int first = __shfl_sync(wholeWarp, from, r), end = __shfl_sync(wholeWarp, past, r);
      for (int m = at + lane; m < end; m += warp) copy(own + m, v + first + m - at);
      at = end;
    }
  };
  each([](Record<D>* here, Record<D>* there) { __pipeline_memcpy_async(here, there, sizeof(Record<D>)); });
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncwarp();
  sweep(begin[block], begin[block + 1], own, ring);
  __syncwarp();
  each([](Record<D>* here, Record<D>* there) { *there = *here; });
}
/// The same where regions are too large for that, with the device's memory.
template <int D, class Coupled>
__global__ void __launch_bounds__(warp) sweepFarKernel(RowSweep<D, Coupled> sweep, const int* begin, Record<D>* v) {
  __shared__ RowsAhead<D> ring;
  sweep(begin[blockIdx.x], begin[blockIdx.x + 1], v, ring);
}

template <int D, class Coupled>
RowSweep<D, Coupled> rowSweep(const RowLists<D>& lists, const DensityRows<D>& rows, Array<Real>& multiplier, Coupled coupled) {
  return {lists.rows.data(), lists.pairs.data(), multiplier.data(), 1 / rows.mass,
          rows.sigma,        rows.omega,         rows.bounds(),     coupled};
}

/// Whether velocities are taken in: at most half of a processor's memory, so that it has two blocks.
template <int D>
bool regionsFit(const Colours<D>& colours) {
  return colours.largestRegion() * sizeof(Record<D>) <= std::min<std::size_t>(100 * 1024, largestBlockMemory() / 2);
}

/// One Gauss-Seidel iteration over the coloured rows.
template <int D>
void sweepRows(World<D>& w, const Colours<D>& colours, const DensityRows<D>& rows, Array<Real>& multiplier) {
  const auto sweep = rowSweep(colours.lists(), rows, multiplier, Uncoupled{});
  const bool near = regionsFit(colours);
  const std::size_t memory = near ? colours.largestRegion() * sizeof(Record<D>) : 0;
  if (memory > 32 * 1024) allowBlockMemory(sweepKernel<D>, memory, "the sweep over coloured rows");
  Record<D>* const v = w.fluid.v.data.data();
  colours.eachColour([&](int first, int blocks) {
    const int* const begin = colours.begin().data + first;
    if (near)
      sweepKernel<<<blocks, warp, memory>>>(sweep, begin, colours.regions().data() + first, v);
    else
      sweepFarKernel<<<blocks, warp>>>(sweep, begin, v);
    check(cudaGetLastError(), "start a kernel");
  });
}

template <int D, class K>
struct RowStore {
  K W;
  typename RowLists<D>::Row* rows;
  RowPair<D>* pairs;
  int n;
  const Record<D>*p, *G;
  const Real* c;
  Lists lists;
  const int* source;  // of periodic ghosts
  int firstPeriodicGhost;
  Real scale;
  const Region<D>* regions;  // null: pairs have the particles' own numbers
  const int* block;          // one more than each row's
  Window<D> window;

  __device__ void operator()(int k, int lane) const {
    const auto row = rows[k];
    const int i = row.i;
    const Lists::Slice slice = lists.slice[unsigned(i) / Lists::width];
    const Record<D> own = G[i];
    for (int m = lane; m < row.length; m += warp) {
      const int j = slice.first[long(m) * Lists::width + i % Lists::width];
      RowPair<D> pair;
      pair.g = j == i ? own.x : (scale * W.grad(p[i].x - p[j].x)).vec();
      if (regions)
        pair.j = regions[block[k] - 1].numberOf(j, p[j].x, window);
      else
        pair.j = j < firstPeriodicGhost ? j : source[j - firstPeriodicGhost];
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

/// The geometric-stiffness rows of a star, by a warp.
template <int D>
struct StarSweep {
  const Star<D>* stars;
  StarPair<D>* pairs;
  HeldByWalls<D>* walls;
  Record<D>* v;
  Real perM;
  __device__ void ask(int k, int lane) const {
    if (lane < int(sizeof(Star<D>) + 127) / 128)
      asm volatile("prefetch.global.L1 [%0];" ::"l"(reinterpret_cast<const char*>(stars + k) + 128 * lane));
  }
  __device__ void operator()(int k, int lane) const {
    const Star<D> star = stars[k];
    if (star.first == star.last && !star.walled) return;
    Vec<D> sum = {}, given = {};
    for (int m = star.first + lane; m < star.last; m += warp) {
      const StarPair<D> p = pairs[m];
      sum += (dot(p.e, v[p.j].x) - (1 - perM * dot(p.e, p.e)) * p.mu + p.t) * p.e;
    }
    for (int a = 0; a < D; ++a) sum[a] = sumOfWarp(sum[a]);
    Vec<D> own = v[star.i].x;
    if (star.walled) sum += walls[star.i].Q - walls[star.i].L;
    const Vec<D> next = star.per * (own + perM * sum);
    for (int m = star.first + lane; m < star.last; m += warp) {
      StarPair<D> p = pairs[m];
      const Real change = dot(p.e, v[p.j].x - next) - (1 - perM * dot(p.e, p.e)) * p.mu + p.t;
      pairs[m].mu = p.mu + change;
      v[p.j].x -= (perM * change) * p.e;
      given += change * p.e;
    }
    for (int a = 0; a < D; ++a) given[a] = sumOfWarp(given[a]);
    if (lane == 0) {
      if (star.walled) {
        HeldByWalls<D>& held = walls[star.i];
        const Vec<D> L = held.Q - held.A * next;
        given += L - held.L;
        held.L = L;
      }
      own += perM * given;
      v[star.i].x = own;
    }
    __syncwarp();
  }
};
template <int D>
StarSweep<D> starSweep(World<D>& w, Stars<D>& stars, Stiffness<D>& stiffness) {
  return {stars.rows.data(), stars.pairs.data(), stiffness.walls.data(), w.fluid.v.data.data(), stiffness.perM};
}
/// Those of a block of coloured rows.
template <int D>
__global__ void __launch_bounds__(warp) starKernel(StarSweep<D> sweep, const int* begin) {
  const int first = begin[blockIdx.x], last = begin[blockIdx.x + 1], lane = int(threadIdx.x);
  for (int k = first; k < last; ++k) {
    if (k + 2 < last) sweep.ask(k + 2, lane);
    sweep(k, lane);
  }
}

template <int D, class K>
void buildStars(StepContext<D>& c, K W, const Stiffness<D>& stiffness, Colours<D>& colours, const Apart& apart, Stars<D>& stars) {
  const PairOwner<int> owner{{apart.count > 0 ? apart.mark.data() : nullptr}, c.world.fluid.firstPeriodicGhost(), nullptr};
  stars.build(c, W, stiffness, colours.lists().rows.data(), colours.lists().size, owner);
}
template <int D>
void sweepStars(World<D>& w, const Colours<D>& colours, Stars<D>& stars, Stiffness<D>& stiffness) {
  const auto sweep = starSweep(w, stars, stiffness);
  colours.eachColour([&](int first, int blocks) {
    starKernel<<<blocks, warp>>>(sweep, colours.begin().data + first);
    check(cudaGetLastError(), "start a kernel");
  });
}

/// What the rows hold, once a step.
template <int D, class K>
void storeRows(StepContext<D>& c, K W, const DensityRows<D>& rows, RowLists<D>& lists, const Region<D>* regions = nullptr,
               const int* block = nullptr) {
  if (lists.size == 0) return;
  World<D>& w = c.world;
  const RowStore<D, K> store{W,
                             lists.rows.data(),
                             lists.pairs.data(),
                             lists.size,
                             w.fluid.p.data.data(),
                             rows.G.data(),
                             rows.c.data(),
                             c.nb().fluid,
                             c.neighbourhood().ghosts().source().data(),
                             w.fluid.firstPeriodicGhost(),
                             -rows.v0 * rows.mass,
                             regions,
                             block,
                             c.neighbourhood().window()};
  constexpr int perBlock = int(threads) / warp;
  storeKernel<<<(lists.size - 1) / perBlock + 1, threads>>>(store);
  check(cudaGetLastError(), "start a kernel");
}
template <int D, class K>
void storeRows(StepContext<D>& c, K W, const DensityRows<D>& rows, Colours<D>& colours) {
  const bool near = regionsFit(colours);
  storeRows(c, W, rows, colours.lists(), near ? colours.regions().data() : nullptr, colours.number().data);
}

}  // namespace brim::inline BRIM_FLAVOUR
