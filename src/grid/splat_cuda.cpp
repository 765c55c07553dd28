// Particles and densities on a GPU: a thread has a cell, or a particle.
#include "grid/crowd.h"
#include "grid/spread_cuda.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

template <int D>
struct Splat {
  TileView<D> tiles;
  Frame<D> frame;
  typename Bins<D>::Where bins;
  View<const Sample<D>> p;
  Real* stage;
  std::uint64_t* fluid;
  int* filled;
};

template <int D>
constexpr int splatRoom = roomFor<D, Vec<D>>(int(sizeof(Real)) * Reach<D, -1>::count * Tiles<D>::cells);

template <int D>
__global__ void __launch_bounds__(power(8, D)) splatKernel(Splat<D> s) {
  using R = Reach<D, -1>;
  constexpr int cells = Tiles<D>::cells, nodes = Padded<D>::nodes;
  extern __shared__ float weights[];  // and before these the places of particles
  __shared__ int filled;
  const int t = int(blockIdx.x), c = ownCell();
  const int begin = s.bins.start[t * cells], end = s.bins.start[(t + 1) * cells];
  if (begin == end) {  // nobody is here
    if (c == 0) s.filled[t] = 0;
    return;
  }
  const int first = s.bins.start[t * cells + c], last = s.bins.start[t * cells + c + 1];
  const Vec<D, int> place = s.tiles.place(t);
  giveBits(s.fluid + std::size_t(t) * Bits<D>::words, last > first);
  if (c == 0) filled = 0;
  __syncthreads();
  atomicAdd(&filled, last - first < Frame<D>::full ? last - first : Frame<D>::full);
  Real sum[R::count] = {};
  eachOfCell(
      begin, end, first, last, reinterpret_cast<Vec<D>*>(weights), splatRoom<D> / int(sizeof(Vec<D>)),
      [&](int m) { return inCell(InTile<D>(s.frame.inCells(s.p[s.bins.order[m]].x), place)); },
      [&](const Vec<D>& f) {
        const NodeWeights<D, -1> weight(f.e);
        int offset = 0;
        BRIM_UNROLL
        for (int jz = 0; jz < R::nodes(2); ++jz) BRIM_UNROLL
        for (int jy = 0; jy < R::nodes(1); ++jy) BRIM_UNROLL
        for (int jx = 0; jx < R::nodes(0); ++jx, ++offset) sum[offset] += weight.w[2][jz] * weight.w[1][jy] * weight.w[0][jx];
      });
  __syncthreads();
  BRIM_UNROLL
  for (int o = 0; o < R::count; ++o) weights[o * cells + c] = sum[o];
  __syncthreads();
  if (c == 0) s.filled[t] = filled;
  Real* const to = s.stage + std::size_t(t) * nodes;
  for (int n = c; n < nodes; n += cells) to[n] = collect<D, -1>(weights, n);
}

/// Densities of cells from the blocks.
template <int D>
struct AddUp {
  TileView<D> tiles;
  const int* start;
  const Real *stage, *solid;
  Real* rho;
  __device__ void operator()(int t) const {
    constexpr int cells = Tiles<D>::cells, nodes = Padded<D>::nodes;
    const int first = firstOf(ownHalfRow());
    float sum[4] = {};
    eachGiver<D>(tiles, t, start, [&](int k, int from, int node) {
      const float given = stage[std::size_t(from) * nodes + node];
      BRIM_UNROLL
      for (int e = 0; e < 4; ++e)
        if (e == k) sum[e] += given;
    });
    const std::size_t at = std::size_t(t) * cells + first;
    store(rho + at, Quad(1.0f / Frame<D>::full) * Quad(sum[0], sum[1], sum[2], sum[3]) + load(solid + at));
  }
};

template <int D>
struct TakeDensity {
  typename Bins<D>::Where bins;
  View<Sample<D>> v;
  const Real* rho;
  int outside;
  Real scale;
  __device__ void operator()(int m) const {
    if (bins.cell[m] < outside) v[bins.order[m]].a = scale * rho[bins.cell[m]];
  }
};

/// Several in one cell: the deepest decides; with the clamp, the longest way.
template <int D>
struct FindWaysOut {
  typename Bins<D>::Where bins;
  View<const Sample<D>> p;
  SolidView<D> solids;
  const std::uint64_t* buried;
  Real eps;
  Vec<D>* way;
  __device__ void operator()(int t) const {
    eachSlice<D>([&](int s) {
      eachBit(buried[t * Bits<D>::words + s], s, [&](int c) {
        const int at = t * Tiles<D>::cells + c;
        Vec<D> longest{};
        for (int m = bins.start[at]; m < bins.start[at + 1]; ++m) {
          const Vec<D> own = solids.wayOut(p[bins.order[m]].x, eps);
          if (dot(own, own) > dot(longest, longest)) longest = own;
        }
        way[at] = longest;
      });
    });
  }
};

template <int D>
struct Redistribute {
  SetApart<D> apart;
  TileView<D> tiles;
  typename Bins<D>::Where bins;
  const std::uint64_t* fluid;
  const Real* rho;
  __device__ void operator()(int t) const {
    eachSlice<D>([&](int s) {
      const std::uint64_t is = fluid[t * Bits<D>::words + s];
      const Quad here = load(rho + t * Tiles<D>::cells + firstOf(ownHalfRow()));
      if (!(largest(here) > Real(1.5))) return;
      const Vec<D, int> place = tiles.place(t);
      eachBit(is, s, [&](int c) {
        const int at = t * Tiles<D>::cells + c, first = bins.start[at], n = bins.start[at + 1] - first;
        if (!(rho[at] > Real(1.5))) return;
        for (int j = 0; j < n; ++j) apart(bins.order[first + j], t, place, c, j, n);
      });
    });
  }
};

template <int D>
struct DisplaceOne {
  Displace<D> move;
  TileView<D> tiles;
  typename Bins<D>::Where bins;
  __device__ void operator()(int m) const {
    const int t = bins.cell[m] / Tiles<D>::cells;
    if (t < tiles.count) move(bins.order[m], t, t, tiles.place(t), true);
  }
};

}  // namespace

template <int D>
void splat(const Particles<D>& fluid, const Frame<D>& frame, const Tiles<D>& tiles, const Bins<D>& bins,
           const SolidCells<D>& solids, Blocks<D>& stage, Array<Real>& rho, Flags<D>& flags, Array<int>& filled) {
  constexpr int room = splatRoom<D>;
  static const bool roomy = [] {
    check(cudaFuncSetAttribute(splatKernel<D>, cudaFuncAttributeMaxDynamicSharedMemorySize, room), "prepare a kernel");
    return true;
  }();
  (void)roomy;
  const int n = tiles.count();
  stage.resize(n, 1);
  filled.resize(n);
  tiles.fit(rho, Real(0));
  if (n == 0) return;
  splatKernel<D><<<n, power(8, D), room>>>(
      Splat<D>{tiles.view(), frame, bins.view(), fluid.p.read(), stage.at(0), flags.fluid.data(), filled.data()});
  check(cudaGetLastError(), "start a kernel");
  eachTile<D>(n, AddUp<D>{tiles.view(), bins.view().start, stage.at(0), solids.fraction().data(), rho.data()});
}

template <int D>
void takeDensity(Particles<D>& fluid, const Frame<D>&, const Tiles<D>& tiles, const Bins<D>& bins, const Array<Real>& rho,
                 double rho0) {
  forEach(fluid.size(), TakeDensity<D>{bins.view(), fluid.v.view(), rho.data(), tiles.count() * Tiles<D>::cells, Real(rho0)});
}

template <int D>
void findWaysOut(const World<D>& w, const Frame<D>&, const Tiles<D>& tiles, const Bins<D>& bins, const SolidCells<D>& solids,
                 const Flags<D>& flags, Array<Vec<D>>& way) {
  way.resize(std::size_t(tiles.count() + 1) * Tiles<D>::cells);
  eachTile<D>(tiles.count(), FindWaysOut<D>{bins.view(), w.fluid.p.read(), solids.view(w), flags.buried.data(),
                                            Real(0.05 * w.spacing), way.data()});
}

template <int D>
void redistribute(World<D>& w, const Frame<D>& frame, const Tiles<D>& tiles, const Bins<D>& bins, const SolidCells<D>& solids,
                  const Flags<D>& flags, const Array<Real>& rho, const TileView<D>& velocityTiles, const Blocks<D>& velocity) {
  eachTile<D>(tiles.count(), Redistribute<D>{setApart(w, frame, solids, velocityTiles, velocity), tiles.view(), bins.view(),
                                             flags.fluid.data(), rho.data()});
}

template <int D>
void displace(World<D>& w, const Frame<D>& frame, const Tiles<D>& tiles, const Bins<D>& bins, const SolidCells<D>& solids,
              const Flags<D>& flags, const Blocks<D>& padded) {
  forEach(w.fluid.size(), DisplaceOne<D>{displacement(w, frame, solids, flags, padded), tiles.view(), bins.view()});
}

#define BRIM_SPLAT(D)                                                                                                           \
  template void splat<D>(const Particles<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const SolidCells<D>&,           \
                         Blocks<D>&, Array<Real>&, Flags<D>&, Array<int>&);                                                     \
  template void takeDensity<D>(Particles<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const Array<Real>&, double);    \
  template void findWaysOut<D>(const World<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const SolidCells<D>&,         \
                               const Flags<D>&, Array<Vec<D>>&);                                                                \
  template void redistribute<D>(World<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const SolidCells<D>&,              \
                                const Flags<D>&, const Array<Real>&, const TileView<D>&, const Blocks<D>&);                     \
  template void displace<D>(World<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const SolidCells<D>&, const Flags<D>&, \
                            const Blocks<D>&);
BRIM_SPLAT(2)
BRIM_SPLAT(3)

}  // namespace brim::inline BRIM_FLAVOUR
