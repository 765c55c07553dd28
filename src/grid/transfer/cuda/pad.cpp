// Padded blocks on a GPU: a thread for each cell of a tile.
#include "grid/transfer/pad.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

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

template <int D>
void padAll(const Tiles<D>& tiles, const int* start, const Array<Real> (&field)[D], Blocks<D>& padded) {
  padded.resize(tiles.count(), D);
  Pad<D> body{tiles.view(), start, {}, padded.at(0)};
  for (int k = 0; k < D; ++k) body.field[k] = field[k].data();
  eachCellOfTiles<D>(tiles.count(), body);
}

}  // namespace

template <int D>
void padVelocity(GridState<D>& s) {
  padAll(s.tiles, nullptr, s.faces.u, s.velocity);
}
template <int D>
void padActive(GridState<D>& s, const Array<Real> (&field)[D]) {
  padAll(s.tiles, s.bins.view().start, field, s.padded);
}

template void padVelocity<2>(GridState<2>&);
template void padVelocity<3>(GridState<3>&);
template void padActive<2>(GridState<2>&, const Array<Real> (&)[2]);
template void padActive<3>(GridState<3>&, const Array<Real> (&)[3]);

}  // namespace brim::inline BRIM_FLAVOUR
