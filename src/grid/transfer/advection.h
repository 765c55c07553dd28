// RK2 advection through the grid's velocities.
#pragma once
#include "grid/tiles/flags.h"
#include "grid/transfer/stencil.h"

namespace brim::inline BRIM_FLAVOUR {

/// The grid's velocity where its faces are known.
template <int D>
struct Advection {
  TileView<D> tiles;
  BlockView<D> velocity;
  const std::uint64_t* known[D];
  const char* full;  // per tile: all faces are known; null: not looked for

  BRIM_DEVICE_FN bool isKnown(int t, int c) const {
    if (full && full[t]) return true;
    const std::size_t word = std::size_t(t) * Bits<D>::words + (c >> 6);
    std::uint64_t all = known[0][word];
    for (int k = 1; k < D; ++k) all &= known[k][word];
    return all >> (c & 63) & 1;
  }
  /// u at q (in cells) if all faces of the cell there are known; else u stays as it is. Tile t at `here` is a first guess.
  BRIM_DEVICE_FN void sampleKnown(int t, const Vec<D, int>& here, const Vec<D>& q, Vec<D>& u) const {
    Vec<D, int> cell, place;
    bool same = true;
    for (int k = 0; k < D; ++k) {
      cell[k] = int(std::floor(q[k])), place[k] = cell[k] >> 3;
      same = same && place[k] == here[k];
    }
    if (!same) t = tiles.at(place);
    if (!isKnown(t, TileView<D>::within(cell))) return;
    u = Stencil<D>(InTile<D>(q, place))(velocity.at(t));
  }
  /// Turns u, the velocity at q, into the mean velocity of a step from there: midpoint steps of at most two cells. One long
  /// midpoint step would end the fall of every fast drop half a step above the pool, because it would take the pool's velocity
  /// there. `perTime` is the time step over the side of a cell.
  BRIM_DEVICE_FN void average(int t, const Vec<D, int>& here, const Vec<D>& q, Real perTime, Vec<D>& u) const {
    const Vec<D> way = perTime * u;  // [cells]
    bool small = true;
    for (int k = 0; k < D; ++k) small = small && std::abs(way[k]) < 2;
    if (small)
      sampleKnown(t, here, q + Real(0.5) * way, u);
    else
      u = meanOfSteps(t, here, q, perTime, u);
  }
  BRIM_DEVICE_FN Vec<D> meanOfSteps(int t, const Vec<D, int>& here, Vec<D> q, Real perTime, Vec<D> u) const {
    Real longest = 0;  // [cells]
    for (int k = 0; k < D; ++k) longest = max(longest, std::abs(u[k]) * perTime);
    const int parts = 1 + int(min(longest / 2, Real(63)));
    const Real part = perTime / Real(parts);
    Vec<D> sum{};
    for (int n = 0; n < parts; ++n) {
      if (n > 0) sampleKnown(t, here, q, u);
      sampleKnown(t, here, q + (part / 2) * u, u);
      sum += u;
      q += part * u;
    }
    return (1 / Real(parts)) * sum;
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
