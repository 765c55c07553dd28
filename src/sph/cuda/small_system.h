// The coarse level's system in one block of a GPU, as long as its unknowns fit that block's memory: with 1,900 of them forty
// iterations of three launches took 0.7 ms, of which nearly all was waiting.
#pragma once
#include "exec/cuda/one_block.h"
#include "sph/coarse_terms.h"

namespace brim::inline BRIM_FLAVOUR {

/// Links in a block's memory, face by face.
struct BlockLinks {
  struct One {
    int to;
    float weight;
  };
  std::uint16_t* to;
  float* weight;
  int n;
  static constexpr int none = 0xffff;
  __device__ One operator()(int i, int face) const {
    const int there = to[face * n + i];
    return {there == none ? -1 : there, weight[face * n + i]};
  }
};

constexpr std::size_t spareOfBlock = 4096;  // bytes for reductions
inline bool fitsOneBlock(int n) {
  constexpr int many = 8192;  // from there on the whole device is faster
  return n <= many && n * sizeof(Pair) + spareOfBlock <= largestBlockMemory();
}
template <int D>
std::size_t bytesWithLinks(int n) {
  return std::size_t(n) * (sizeof(Pair) + 2 * D * (sizeof(float) + sizeof(std::uint16_t)));
}

template <int D>
__global__ void __launch_bounds__(OneBlock::size) smallBodiesKernel(int n, BodySearch<D> search, int* largest) {
  awaitTurn();
  extern __shared__ double memory[];
  const View<int> kept = search.parent, parent = {reinterpret_cast<int*>(memory)};
  search.parent = parent, search.holds = {parent.data + n}, search.breathes = {parent.data + 2 * n};
  OneBlock block;
  block.each(n, [=](int i) { search.begin(i); });
  block.each(n, [=](int i) { search.join(i); });
  block.each(n, [=](int i) { search.mark(i); });
  const int most = block.reduce(
      n, 0, [=](int i) { return search.close(i); }, [](int& s, int t) { s = s < t ? t : s; });
  // For the host, which lists the bodies without air.
  block.each(n, [=](int i) { kept[i] = parent[i]; });
  if (threadIdx.x == 0) *largest = most;
}

template <int D, class L>
__device__ void iterateInBlock(int n, int most, const Gradients<D, L>& g) {
  OneBlock block;
  Pair left = block.reduce(
           n, Pair{}, [=](int i) { return g.begin(i); }, AddPair{}),
       beta;
  const Pair first = left;
  for (int it = 0; it < most && !isSolved(left, first); ++it) {
    block.each(n, [=](int i) { g.turn(i, beta); });
    const Pair alpha = ratio(left, block.reduce(
                                       n, Pair{}, [=](int i) { return g.image(i); }, AddPair{}));
    const Pair now = block.reduce(
        n, Pair{}, [=](int i) { return g.go(i, alpha); }, AddPair{});
    beta = ratio(now, left);
    left = now;
  }
}
/// Neighbours read p and links: they are in the block's memory, links if they have room there.
template <int D, bool linksToo>
__global__ void __launch_bounds__(OneBlock::size) solveSmallKernel(int n, int most, Gradients<D> g) {
  awaitTurn();
  extern __shared__ double memory[];
  g.p = {reinterpret_cast<Pair*>(memory)};
  if constexpr (linksToo) {
    float* const weight = reinterpret_cast<float*>(g.p.data + n);
    const BlockLinks own = {reinterpret_cast<std::uint16_t*>(weight + 2 * D * n), weight, n};
    const Links from = g.link;
    OneBlock().each(2 * D * n, [=](int m) {
      const Link& l = from.link[m];
      own.to[m] = std::uint16_t(l.to >= 0 ? l.to : BlockLinks::none), own.weight[m] = l.weight;
    });
    iterateInBlock(n, most, Gradients<D, BlockLinks>{own, g.filled, g.softness, g.diagonal, g.inverse, g.r, g.x, g.p, g.q});
  } else {
    iterateInBlock(n, most, g);
  }
}

template <class... P>
void launchOneBlock(void (*kernel)(P...), std::size_t bytes, P... arguments) {
  constexpr std::size_t always = 40 << 10;  // what every kernel may have, less what reductions take
  if (bytes > always) allowBlockMemory(kernel, bytes, "the coarse level of the pressure");
  kernel<<<1, OneBlock::size, bytes>>>(arguments...);
  check(cudaGetLastError(), "start a kernel");
}

template <int D>
int findSmallBodies(int n, const BodySearch<D>& search) {
  int* const largest = ThreadScratch::ours().staging.reserve<int>(1);
  launchOneBlock(smallBodiesKernel<D>, 3 * sizeof(int) * std::size_t(n), n, search, largest);
  finish();
  return *largest;
}
template <int D>
void solveSmall(int n, int most, const Gradients<D>& g) {
  if (const std::size_t bytes = bytesWithLinks<D>(n); bytes + spareOfBlock <= largestBlockMemory())
    launchOneBlock(solveSmallKernel<D, true>, bytes, n, most, g);
  else
    launchOneBlock(solveSmallKernel<D, false>, sizeof(Pair) * std::size_t(n), n, most, g);
}

}  // namespace brim::inline BRIM_FLAVOUR
