// P2G and G2P of the density, push-out and resampling on a GPU: a thread has a cell, or a particle.
#include "grid/density/resampling.h"
#include "grid/transfer/cuda/gather.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

template <int D>
struct DensityP2G {
  TileView<D> tiles;
  GridGeometry<D> geometry;
  typename Bins<D>::Where bins;
  View<const Record<D>> p;
  Real* stage;
  std::uint64_t* fluid;
  int* filled;
};

template <int D>
constexpr int densityBytes = sharedBytesFor<D, Vec<D>>(int(sizeof(Real)) * Reach<D, -1>::count * Tiles<D>::cells);

template <int D>
__global__ void __launch_bounds__(power(8, D)) densityKernel(DensityP2G<D> s) {
  using R = Reach<D, -1>;
  constexpr int cells = Tiles<D>::cells, nodes = Padded<D>::nodes;
  extern __shared__ float weights[];  // before these the places of particles
  __shared__ int filled;
  const int t = int(blockIdx.x), c = ownCell();
  const int begin = s.bins.start[t * cells], end = s.bins.start[(t + 1) * cells];
  if (begin == end) {  // no particles
    if (c == 0) s.filled[t] = 0;
    return;
  }
  const int first = s.bins.start[t * cells + c], last = s.bins.start[t * cells + c + 1];
  const Vec<D, int> place = s.tiles.place(t);
  giveBits(s.fluid + std::size_t(t) * Bits<D>::words, last > first);
  if (c == 0) filled = 0;
  __syncthreads();
  atomicAdd(&filled, last - first < GridGeometry<D>::full ? last - first : GridGeometry<D>::full);
  Real sum[R::count] = {};
  eachOfCell(
      begin, end, first, last, reinterpret_cast<Vec<D>*>(weights), densityBytes<D> / int(sizeof(Vec<D>)),
      [&](int m) { return inCell(InTile<D>(s.geometry.inCells(s.p[s.bins.order[m]].x), place)); },
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
    const int first = firstOf(ownHalfLine());
    float sum[4] = {};
    eachSourceBlock<D>(tiles, t, start, [&](int k, int from, int node) {
      const float given = stage[std::size_t(from) * nodes + node];
      BRIM_UNROLL
      for (int e = 0; e < 4; ++e)
        if (e == k) sum[e] += given;
    });
    const std::size_t at = std::size_t(t) * cells + first;
    store(rho + at, Quad(1.0f / GridGeometry<D>::full) * Quad(sum[0], sum[1], sum[2], sum[3]) + load(solid + at));
  }
};

template <int D>
struct G2PDensity {
  typename Bins<D>::Where bins;
  View<Record<D>> v;
  const Real* rho;
  int outside;
  Real scale;
  __device__ void operator()(int m) const {
    if (bins.cell[m] < outside) v[bins.order[m]].a = scale * rho[bins.cell[m]];
  }
};

template <int D>
struct FindPushOut {
  typename Bins<D>::Where bins;
  View<const Record<D>> p;
  SolidView<D> solids;
  const std::uint64_t* penetrated;
  Real eps;
  Vec<D>* pushOut;
  __device__ void operator()(int t) const {
    eachSlice<D>([&](int s) {
      eachBit(penetrated[t * Bits<D>::words + s], s, [&](int c) {
        const int at = t * Tiles<D>::cells + c;
        Vec<D> longest{};
        for (int m = bins.start[at]; m < bins.start[at + 1]; ++m)
          longest = longer(longest, solids.pushOut(p[bins.order[m]].x, eps));
        pushOut[at] = longest;
      });
    });
  }
};

template <int D>
struct ResampleTile {
  Resample<D> move;
  TileView<D> tiles;
  typename Bins<D>::Where bins;
  const std::uint64_t* fluid;
  const Real* rho;
  __device__ void operator()(int t) const {
    eachSlice<D>([&](int s) {
      const std::uint64_t is = fluid[t * Bits<D>::words + s];
      const Quad here = load(rho + t * Tiles<D>::cells + firstOf(ownHalfLine()));
      if (!(largest(here) > overfullDensity)) return;
      const Vec<D, int> place = tiles.place(t);
      eachBit(is, s, [&](int c) {
        const int at = t * Tiles<D>::cells + c, first = bins.start[at], n = bins.start[at + 1] - first;
        if (!(rho[at] > overfullDensity)) return;
        for (int j = 0; j < n; ++j) move(bins.order[first + j], t, place, c, j, n);
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
void p2gDensity(GridState<D>& s, const Particles<D>& fluid) {
  constexpr int shared = densityBytes<D>;
  static const bool allowed = [] {
    allowBlockMemory(densityKernel<D>, shared, "the grid's density");
    return true;
  }();
  (void)allowed;
  const int n = s.tiles.count();
  s.padded.resize(n, 1);
  s.filled.resize(n);
  s.tiles.fit(s.rho, Real(0));
  if (n == 0) return;
  densityKernel<D><<<n, power(8, D), shared>>>(DensityP2G<D>{s.tiles.view(), s.geometry, s.bins.view(), fluid.p.read(),
                                                             s.padded.at(0), s.flags.held.data(), s.filled.data()});
  check(cudaGetLastError(), "start a kernel");
  eachTile<D>(n, AddUp<D>{s.tiles.view(), s.bins.view().start, s.padded.at(0), s.solids.fraction().data(), s.rho.data()});
}

template <int D>
void g2pDensity(const GridState<D>& s, Particles<D>& fluid, double rho0) {
  forEach(fluid.size(),
          G2PDensity<D>{s.bins.view(), fluid.v.view(), s.rho.data(), s.tiles.count() * Tiles<D>::cells, Real(rho0)});
}

template <int D>
void findPushOut(GridState<D>& s, const Particles<D>& fluid, const Solids<D>& solids) {
  s.pushOut.resize(std::size_t(s.tiles.count() + 1) * Tiles<D>::cells);
  eachTile<D>(s.tiles.count(), FindPushOut<D>{s.bins.view(), fluid.p.read(), s.solids.view(solids), s.flags.penetrated.data(),
                                              normalStep(s.geometry), s.pushOut.data()});
}

template <int D>
void resample(GridState<D>& s, Particles<D>& fluid, const Solids<D>& solids, std::int64_t step) {
  eachTile<D>(s.tiles.count(), ResampleTile<D>{resampling(s, fluid, solids, step), s.tiles.view(), s.bins.view(),
                                               s.flags.held.data(), s.rho.data()});
}

template <int D>
void displace(const GridState<D>& s, Particles<D>& fluid, const Solids<D>& solids) {
  forEach(fluid.size(), DisplaceOne<D>{displacement(s, fluid, solids), s.tiles.view(), s.bins.view()});
}

#define BRIM_DENSITY_PARTICLES(D)                                                          \
  template void p2gDensity<D>(GridState<D>&, const Particles<D>&);                         \
  template void g2pDensity<D>(const GridState<D>&, Particles<D>&, double);                 \
  template void findPushOut<D>(GridState<D>&, const Particles<D>&, const Solids<D>&);      \
  template void resample<D>(GridState<D>&, Particles<D>&, const Solids<D>&, std::int64_t); \
  template void displace<D>(const GridState<D>&, Particles<D>&, const Solids<D>&);
BRIM_DENSITY_PARTICLES(2)
BRIM_DENSITY_PARTICLES(3)

}  // namespace brim::inline BRIM_FLAVOUR
