// Velocities between particles and grid on a GPU.
#include "grid/spread_cuda.h"
#include "grid/stream.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

struct Moment {
  Real m, w;  // momentum and weight
  __device__ Moment& operator+=(const Moment& b) { return m += b.m, w += b.w, *this; }
};

template <int D>
struct Scatter {
  TileView<D> tiles;
  Frame<D> frame;
  typename Bins<D>::Where bins;
  View<const Sample<D>> p, v;
  const Sample<D>* affine[D];
  Real* stage;
  std::uint64_t* fluid;
};

/// What a component needs of a particle.
template <int D, bool affine>
struct Carried {
  Vec<D> f;  // place within the cell
  Real v;
};
template <int D>
struct Carried<D, true> {
  Vec<D> f;
  Real v, slope[D];
};

template <int D>
constexpr int scatterRoom = roomFor<D, Carried<D, false>>(int(sizeof(Moment)) * Reach<D, 0>::count * Tiles<D>::cells);

template <int D, bool affine, int k>
__device__ void scatterComponent(const Scatter<D>& s, int t, int first, int last, const Vec<D, int>& place, Moment* at) {
  using R = Reach<D, k>;
  constexpr int cells = Tiles<D>::cells, nodes = Padded<D>::nodes;
  const int c = ownCell();
  Moment sum[R::count] = {};
  const auto read = [&](int m) {
    const int i = s.bins.order[m];
    Carried<D, affine> one;
    one.f = inCell(InTile<D>(s.frame.inCells(s.p[i].x), place)), one.v = s.v[i].x[k];
    if constexpr (affine)
      for (int a = 0; a < D; ++a) one.slope[a] = s.affine[k][i].x[a] * s.frame.cell;
    return one;
  };
  const auto add = [&](const Carried<D, affine>& one) {
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
  eachOfCell(s.bins.start[t * cells], s.bins.start[(t + 1) * cells], first, last, reinterpret_cast<Carried<D, affine>*>(at),
             scatterRoom<D> / int(sizeof(Carried<D, affine>)), read, add);
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
  if (s.bins.start[t * cells] == s.bins.start[(t + 1) * cells]) return;  // nobody is here
  const int first = s.bins.start[t * cells + c], last = s.bins.start[t * cells + c + 1];
  giveBits(s.fluid + std::size_t(t) * Bits<D>::words, last > first);
  const Vec<D, int> place = s.tiles.place(t);
  scatterComponent<D, affine, 0>(s, t, first, last, place, at);
  scatterComponent<D, affine, 1>(s, t, first, last, place, at);
  if constexpr (D == 3) scatterComponent<D, affine, 2>(s, t, first, last, place, at);
}

template <int D, bool affine>
void scatterAll(int tiles, const Scatter<D>& s) {
  constexpr int room = scatterRoom<D>;
  static const bool roomy = [] {
    check(cudaFuncSetAttribute(scatterKernel<D, affine>, cudaFuncAttributeMaxDynamicSharedMemorySize, room), "prepare a kernel");
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
    eachGiver<D>(tiles, t, start, [&](int c, int from, int node) {
      const Real* const block = stage + std::size_t(from) * 2 * D * nodes + node;
      BRIM_UNROLL
      for (int k = 0; k < D; ++k) {
        const Moment given{block[2 * k * nodes], block[(2 * k + 1) * nodes]};
        BRIM_UNROLL
        for (int e = 0; e < 4; ++e)
          if (e == c) sum[k][e] += given;
      }
    });
    const auto mean = [](const Moment& a) { return a.w > 0 ? a.m / a.w : Real(0); };
    BRIM_UNROLL
    for (int k = 0; k < D; ++k)
      store(u[k] + t * cells + firstOf(ownHalfRow()), Quad(mean(sum[k][0]), mean(sum[k][1]), mean(sum[k][2]), mean(sum[k][3])));
  }
};

template <int D>
struct Pad {
  TileView<D> tiles;
  const int* start;  // of the particles of cells: tiles without any are left out; null: none are
  const Real* field[D];
  Real* to;
  __device__ void operator()(int t) const {
    constexpr int cells = Tiles<D>::cells, nodes = Padded<D>::nodes;
    if (start && start[t * cells] == start[(t + 1) * cells]) return;
    constexpr int rounds = (nodes + cells - 1) / cells;
    Real value[rounds][D];  // all read before any is written, so that a thread waits once
    BRIM_UNROLL
    for (int r = 0; r < rounds; ++r) {
      const int n = ownCell() + r * cells;
      if (n >= nodes) continue;
      int way = 0, cell = 0;
      for (int a = 0, rest = n, three = 1; a < D; ++a, rest /= 10, three *= 3) {
        const int x = rest % 10 - 1;
        way += (x < 0 ? 0 : x > 7 ? 2 : 1) * three;
        cell += (x & 7) << 3 * a;
      }
      const std::size_t from = std::size_t(tiles.around(t)[way]) * cells + cell;
      BRIM_UNROLL
      for (int k = 0; k < D; ++k) value[r][k] = field[k][from];
    }
    BRIM_UNROLL
    for (int r = 0; r < rounds; ++r) {
      const int n = ownCell() + r * cells;
      BRIM_UNROLL
      for (int k = 0; k < D; ++k)
        if (n < nodes) to[(std::size_t(t) * D + k) * nodes + n] = value[r][k];
    }
  }
};

template <int D, bool apic>
struct Carry {
  View<Sample<D>> p, v;
  View<Real> pressure;
  Frame<D> frame;
  typename Bins<D>::Where bins;
  Stream<D> stream;
  BlockView<D> change;
  const Real* phi;
  Sample<D>* affine[D];
  Real dt, flip, scale;
  Vec<D> g;

  __device__ void operator()(int m) const {
    constexpr int cells = Tiles<D>::cells;
    const int i = bins.order[m], c = bins.cell[m], t = c / cells;
    Sample<D> x = p[i], u = v[i];
    if (t >= stream.tiles.count) {  // outside the grid there is nothing but gravity
      u.x += dt * g;
      x.x += dt * u.x;
      pressure[i] = 0;
      p[i] = x, v[i] = u;
      return;
    }
    const Vec<D, int> place = stream.tiles.place(t);
    const Vec<D> q = frame.inCells(x.x);
    const InTile<D> at(q, place);
    pressure[i] = scale * phi[c];
    Vec<D> w;
    if constexpr (apic) {
      BRIM_UNROLL
      for (int k = 0; k < D; ++k) {
        Vec<D> gradient;
        w[k] = gradientAt(stream.velocity.at(t), at, k, gradient);
        affine[k][i] = {frame.perCell * gradient, Real(0)};
      }
      u.x = w;
    } else {
      const Stencil<D> stencil(at);
      w = stencil(stream.velocity.at(t));
      u.x = w + flip * (u.x + stencil(change.at(t)) - w);
    }
    x.x += dt * stream.along(t, place, q, dt * frame.perCell, w);
    p[i] = x, v[i] = u;
  }
};

}  // namespace

template <int D>
void toGrid(const Particles<D>& fluid, const Frame<D>& frame, const Tiles<D>& tiles, const Bins<D>& bins, const Affine<D>* affine,
            Blocks<D>& stage, Faces<D>& faces, Flags<D>& flags) {
  stage.resize(tiles.count(), 2 * D);
  Scatter<D> s{tiles.view(), frame, bins.view(), fluid.p.read(), fluid.v.read(), {}, stage.at(0), flags.fluid.data()};
  for (int k = 0; k < D && affine; ++k) s.affine[k] = affine->c[k]->data.data();
  if (affine)
    scatterAll<D, true>(tiles.count(), s);
  else
    scatterAll<D, false>(tiles.count(), s);
  faces.fit(tiles);
  Divide<D> divide{tiles.view(), bins.view().start, stage.at(0), {}};
  for (int k = 0; k < D; ++k) divide.u[k] = faces.u[k].data();
  eachTile<D>(tiles.count(), divide);
}

template <int D>
static void padAll(const Tiles<D>& tiles, const int* start, const Array<Real> (&field)[D], Blocks<D>& padded) {
  padded.resize(tiles.count(), D);
  Pad<D> body{tiles.view(), start, {}, padded.at(0)};
  for (int k = 0; k < D; ++k) body.field[k] = field[k].data();
  eachCellOfTiles<D>(tiles.count(), body);
}
template <int D>
void pad(const Tiles<D>& tiles, const Array<Real> (&field)[D], Blocks<D>& padded) {
  padAll(tiles, nullptr, field, padded);
}
template <int D>
void padActive(const Tiles<D>& tiles, const Bins<D>& bins, const Array<Real> (&field)[D], Blocks<D>& padded) {
  padAll(tiles, bins.view().start, field, padded);
}

template <int D>
void toParticles(Particles<D>& fluid, const Frame<D>& frame, const Tiles<D>& tiles, const Bins<D>& bins,
                 const Blocks<D>& velocity, const Blocks<D>& change, const Array<std::uint64_t> (&known)[D],
                 const Array<Real>& phi, const Ride<D>& ride, const Affine<D>* affine) {
  Stream<D> stream{tiles.view(), velocity.view(), {}, nullptr};
  for (int k = 0; k < D; ++k) stream.known[k] = known[k].data();
  const auto carry = [&](auto body) {
    for (int k = 0; k < D && affine; ++k) body.affine[k] = affine->c[k]->data.data();
    forEach(fluid.size(), body);
  };
  const auto p = fluid.p.view(), v = fluid.v.view();
  const auto pressure = fluid.real("pressure").view();
  const Real dt = Real(ride.dt), flip = Real(ride.flip), scale = Real(ride.scale);
  if (affine)
    carry(Carry<D, true>{p, v, pressure, frame, bins.view(), stream, change.view(), phi.data(), {}, dt, flip, scale, ride.g});
  else
    carry(Carry<D, false>{p, v, pressure, frame, bins.view(), stream, change.view(), phi.data(), {}, dt, flip, scale, ride.g});
}

#define BRIM_TRANSFER(D)                                                                                                       \
  template void toGrid<D>(const Particles<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const Affine<D>*, Blocks<D>&, \
                          Faces<D>&, Flags<D>&);                                                                               \
  template void pad<D>(const Tiles<D>&, const Array<Real>(&)[D], Blocks<D>&);                                                  \
  template void padActive<D>(const Tiles<D>&, const Bins<D>&, const Array<Real>(&)[D], Blocks<D>&);                            \
  template void toParticles<D>(Particles<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const Blocks<D>&,              \
                               const Blocks<D>&, const Array<std::uint64_t>(&)[D], const Array<Real>&, const Ride<D>&,         \
                               const Affine<D>*);
BRIM_TRANSFER(2)
BRIM_TRANSFER(3)

}  // namespace brim::inline BRIM_FLAVOUR
