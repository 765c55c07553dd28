// P2G on a GPU (gather.h).
#include "grid/transfer/cuda/gather.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

struct Moment {
  Real m, w;  // momentum and weight
  __device__ Moment& operator+=(const Moment& b) { return m += b.m, w += b.w, *this; }
};

template <int D>
struct Scatter {
  TileView<D> tiles;
  GridGeometry<D> geometry;
  typename Bins<D>::Where bins;
  View<const Record<D>> p, v;
  const Record<D>* affine[D];
  Real* stage;
  std::uint64_t* fluid;
};

/// What a component of the velocity needs of a particle.
template <int D, bool affine>
struct ParticleRecord {
  Vec<D> f;  // where in its cell
  Real v;
};
template <int D>
struct ParticleRecord<D, true> {
  Vec<D> f;
  Real v, slope[D];
};

template <int D>
constexpr int momentBytes = sharedBytesFor<D, ParticleRecord<D, false>>(int(sizeof(Moment)) * Reach<D, 0>::count *
                                                                        Tiles<D>::cells);

template <int D, bool affine, int k>
__device__ void scatterComponent(const Scatter<D>& s, int t, int first, int last, const Vec<D, int>& place, Moment* at) {
  using R = Reach<D, k>;
  constexpr int cells = Tiles<D>::cells, nodes = Padded<D>::nodes;
  const int c = ownCell();
  Moment sum[R::count] = {};
  const auto read = [&](int m) {
    const int i = s.bins.order[m];
    ParticleRecord<D, affine> one;
    one.f = inCell(InTile<D>(s.geometry.inCells(s.p[i].x), place)), one.v = s.v[i].x[k];
    if constexpr (affine)
      for (int a = 0; a < D; ++a) one.slope[a] = s.affine[k][i].x[a] * s.geometry.cell;
    return one;
  };
  const auto add = [&](const ParticleRecord<D, affine>& one) {
    const NodeWeights<D, k> weight(one.f.e);
    // From the particle to a node along an axis, in cells.
    const auto away = [&](int a, int j) {
      return a == k ? Real(j) - weight.w[a][1] : Real(j + R::first(a)) + Real(0.5) - one.f[a < D ? a : 0];
    };
    int offset = 0;
    BRIM_UNROLL
    for (int jz = 0; jz < R::nodes(2); ++jz) BRIM_UNROLL
    for (int jy = 0; jy < R::nodes(1); ++jy) BRIM_UNROLL
    for (int jx = 0; jx < R::nodes(0); ++jx, ++offset) {
      const Real w = weight.w[2][jz] * weight.w[1][jy] * weight.w[0][jx];
      Real value = one.v;
      if constexpr (affine) {
        value += one.slope[0] * away(0, jx) + one.slope[1] * away(1, jy);
        if (D == 3) value += one.slope[D - 1] * away(D - 1, jz);
      }
      sum[offset].m += w * value;
      sum[offset].w += w;
    }
  };
  eachOfCell(s.bins.start[t * cells], s.bins.start[(t + 1) * cells], first, last,
             reinterpret_cast<ParticleRecord<D, affine>*>(at), momentBytes<D> / int(sizeof(ParticleRecord<D, affine>)), read,
             add);
  __syncthreads();
  BRIM_UNROLL
  for (int o = 0; o < R::count; ++o) at[o * cells + c] = sum[o];
  __syncthreads();
  Real* const to = s.stage + (std::size_t(t) * 2 * D + 2 * k) * nodes;
  for (int n = c; n < nodes; n += cells) {
    const Moment all = collect<D, k>(at, n);
    to[n] = all.m, to[nodes + n] = all.w;
  }
}

template <int D, bool affine>
__global__ void __launch_bounds__(power(8, D), affine ? 1 : 2) scatterKernel(Scatter<D> s) {
  extern __shared__ float moments[];
  Moment* const at = reinterpret_cast<Moment*>(moments);
  constexpr int cells = Tiles<D>::cells;
  const int t = int(blockIdx.x), c = ownCell();
  if (s.bins.start[t * cells] == s.bins.start[(t + 1) * cells]) return;  // no particles
  const int first = s.bins.start[t * cells + c], last = s.bins.start[t * cells + c + 1];
  giveBits(s.fluid + std::size_t(t) * Bits<D>::words, last > first);
  const Vec<D, int> place = s.tiles.place(t);
  scatterComponent<D, affine, 0>(s, t, first, last, place, at);
  scatterComponent<D, affine, 1>(s, t, first, last, place, at);
  if constexpr (D == 3) scatterComponent<D, affine, 2>(s, t, first, last, place, at);
}

template <int D, bool affine>
void scatterAll(int tiles, const Scatter<D>& s) {
  constexpr int room = momentBytes<D>;
  static const bool roomy = [] {
    allowBlockMemory(scatterKernel<D, affine>, room, "the transfer of particles to the grid");
    return true;
  }();
  (void)roomy;
  if (tiles == 0) return;
  scatterKernel<D, affine><<<tiles, power(8, D), room>>>(s);
  check(cudaGetLastError(), "start a kernel");
}

/// Velocities of faces from the blocks.
template <int D>
struct Divide {
  TileView<D> tiles;
  const int* start;
  const Real* stage;
  Real* u[D];
  __device__ void operator()(int t) const {
    constexpr int cells = Tiles<D>::cells, nodes = Padded<D>::nodes;
    Moment sum[D][4] = {};
    eachSourceBlock<D>(tiles, t, start, [&](int c, int from, int node) {
      const Real* const block = stage + std::size_t(from) * 2 * D * nodes + node;
      BRIM_UNROLL
      for (int k = 0; k < D; ++k) {
        const Moment given{block[2 * k * nodes], block[(2 * k + 1) * nodes]};
        BRIM_UNROLL
        for (int e = 0; e < 4; ++e)
          if (e == c) sum[k][e] += given;
      }
    });
    const auto mean = [](const Moment& a) { return faceVelocity(a.m, a.w); };
    BRIM_UNROLL
    for (int k = 0; k < D; ++k)
      store(u[k] + t * cells + firstOf(ownHalfLine()), Quad(mean(sum[k][0]), mean(sum[k][1]), mean(sum[k][2]), mean(sum[k][3])));
  }
};

}  // namespace

template <int D>
void p2gVelocity(GridState<D>& s, const Particles<D>& fluid, const Affine<D>* affine) {
  const int tiles = s.tiles.count();
  Blocks<D>& stage = s.velocity;
  stage.resize(tiles, 2 * D);
  Scatter<D> scatter{s.tiles.view(), s.geometry, s.bins.view(), fluid.p.read(),
                     fluid.v.read(), {},         stage.at(0),   s.flags.held.data()};
  for (int k = 0; k < D && affine; ++k) scatter.affine[k] = affine->c[k]->data.data();
  if (affine)
    scatterAll<D, true>(tiles, scatter);
  else
    scatterAll<D, false>(tiles, scatter);
  s.faces.fit(s.tiles);
  Divide<D> divide{s.tiles.view(), s.bins.view().start, stage.at(0), {}};
  for (int k = 0; k < D; ++k) divide.u[k] = s.faces.u[k].data();
  eachTile<D>(tiles, divide);
}

template void p2gVelocity<2>(GridState<2>&, const Particles<2>&, const Affine<2>*);
template void p2gVelocity<3>(GridState<3>&, const Particles<3>&, const Affine<3>*);

}  // namespace brim::inline BRIM_FLAVOUR
