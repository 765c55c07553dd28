// What particles read from the grid on their way.
#pragma once
#include "grid/transfer.h"

namespace brim::inline BRIM_FLAVOUR {

/// u of component k and its gradient, in cells.
template <int D>
BRIM_DEVICE_FN Real gradientAt(const Real* block, const InTile<D>& x, int k, Vec<D>& gradient) {
  Between b[D];
  int at = k * Padded<D>::nodes;
  for (int a = 0; a < D; ++a) b[a] = a == k ? atFaces(x, a) : atCentres(x, a), at += b[a].at;
  Real value = 0;
  gradient = {};
  for (int n = 0; n < power(2, D); ++n) {
    int node = at;
    Real w = 1, slope[D];
    for (int a = 0; a < D; ++a) slope[a] = 1;
    for (int a = 0; a < D; ++a) {
      const bool upper = n >> a & 1;
      const Real part = upper ? b[a].f : 1 - b[a].f;
      node += upper ? Padded<D>::stride(a) : 0;
      for (int c = 0; c < D; ++c) slope[c] *= c == a ? (upper ? Real(1) : Real(-1)) : part;
      w *= part;
    }
    const Real u = block[node];
    value += w * u;
    for (int a = 0; a < D; ++a) gradient[a] += slope[a] * u;
  }
  return value;
}

/// The grid's velocity where its faces are known.
template <int D>
struct Stream {
  TileView<D> tiles;
  BlockView<D> velocity;
  const std::uint64_t* known[D];
  const char* full;  // per tile: all faces are known; null: nobody has looked

  BRIM_DEVICE_FN bool knows(int t, int c) const {
    if (full && full[t]) return true;
    const std::size_t word = std::size_t(t) * Bits<D>::words + (c >> 6);
    std::uint64_t all = known[0][word];
    for (int k = 1; k < D; ++k) all &= known[k][word];
    return all >> (c & 63) & 1;
  }
  /// u at q (in cells) if all faces of the cell there are known; else it stays as it is. Tile t at `here` is a first guess.
  BRIM_DEVICE_FN void follow(int t, const Vec<D, int>& here, const Vec<D>& q, Vec<D>& u) const {
    Vec<D, int> cell, place;
    bool same = true;
    for (int k = 0; k < D; ++k) {
      cell[k] = int(std::floor(q[k])), place[k] = cell[k] >> 3;
      same = same && place[k] == here[k];
    }
    if (!same) t = tiles.at(place);
    if (!knows(t, TileView<D>::within(cell))) return;
    u = Stencil<D>(InTile<D>(q, place))(velocity.at(t));
  }
  /// The mean velocity of a step from q, where it is u: midpoint steps of at most two cells. One long one would end the fall of
  /// every fast drop half a step above the pool, whose velocity it would meet there.
  BRIM_DEVICE_FN Vec<D> along(int t, const Vec<D, int>& here, Vec<D> q, Real perTime, Vec<D> u) const {
    Real longest = 0;  // [cells]
    for (int k = 0; k < D; ++k) longest = max(longest, std::abs(u[k]) * perTime);
    const int parts = 1 + int(min(longest / 2, Real(63)));
    const Real part = perTime / Real(parts);
    Vec<D> sum{};
    for (int n = 0; n < parts; ++n) {
      if (n > 0) follow(t, here, q, u);
      follow(t, here, q + (part / 2) * u, u);
      sum += u;
      q += part * u;
    }
    return (1 / Real(parts)) * sum;
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
