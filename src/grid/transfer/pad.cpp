// Padded blocks on a CPU: line by line from the tiles around.
#include "grid/transfer/pad.h"

#include <cstring>

namespace brim::inline BRIM_FLAVOUR {

namespace {

template <int D>
void padTile(const Tiles<D>& tiles, int t, const Array<Real> (&field)[D], Real* block) {
  for (int k = 0; k < D; ++k) {
    Real* const to = block + k * Padded<D>::nodes;
    for (int way = 0; way < Tiles<D>::ways; ++way) {
      const Real* const from = field[k].data() + std::size_t(tiles.around(t)[way]) * Tiles<D>::cells;
      eachSharedLine<D>(Share::taken, way, [&](int node, int cell, int length) {
        if (length == 8)
          std::memcpy(to + node, from + cell, 8 * sizeof(Real));
        else
          to[node] = from[cell];
      });
    }
  }
}

}  // namespace

template <int D>
void padVelocity(GridState<D>& s) {
  s.velocity.resize(s.tiles.count(), D);
  eachTile<D>(s.tiles.count(), [&](int t) { padTile(s.tiles, t, s.faces.u, s.velocity.at(t)); });
}

template <int D>
void padActive(GridState<D>& s, const Array<Real> (&field)[D]) {
  const std::vector<int>& active = s.bins.active();
  s.padded.resize(int(active.size()), D);
  eachTile<D>(int(active.size()), [&](int a) { padTile(s.tiles, active[a], field, s.padded.at(a)); });
}

template void padVelocity<2>(GridState<2>&);
template void padVelocity<3>(GridState<3>&);
template void padActive<2>(GridState<2>&, const Array<Real> (&)[2]);
template void padActive<3>(GridState<3>&, const Array<Real> (&)[3]);

}  // namespace brim::inline BRIM_FLAVOUR
