// What happens to single particles when densities are projected.
#pragma once
#include "grid/density.h"

namespace brim::inline BRIM_FLAVOUR {

/// A number in [0, 1) from a particle's id, the step and the axis.
BRIM_FN Real randomOf(std::uint64_t id, std::uint64_t step, int k) {
  std::uint64_t h = id * 0x9e3779b97f4a7c15ull + step * 0xd1b54a32d192ed03ull + std::uint64_t(k + 1) * 0x8cb92ba72f3d8dd7ull;
  for (int round = 0; round < 2; ++round) h = (h ^ h >> 32) * 0xd6e8feb86659fd93ull;
  return Real(double(h >> 40) * 0x1p-24);
}

/// Sets one of the particles of a crowded cell apart from the others.
template <int D>
struct SetApart {
  View<Sample<D>> p, v;
  View<const int> id;
  std::uint64_t step;
  Frame<D> frame;
  SolidView<D> solids;
  TileView<D> velocityTiles;
  BlockView<D> velocity;

  /// As many parts as particles, or a few more; the j-th particle goes to the j-th of n parts evenly chosen.
  BRIM_DEVICE_FN void operator()(int i, int t, const Vec<D, int>& place, int c, int j, int n) const {
    int side = 1;
    while (power(side, D) < n) ++side;
    const std::int64_t parts = std::int64_t(power(side, D));
    std::int64_t part = j * parts / n;
    Vec<D> q;
    for (int k = 0; k < D; ++k, part /= side) {
      const Real jitter = (randomOf(id[i], step, k) - Real(0.5)) / 2;
      q[k] = Real(8 * place[k] + (c >> 3 * k & 7)) + (Real(part % side) + Real(0.5) + jitter) / Real(side);
    }
    const Vec<D> x = frame.inMetres(q);
    if (solids.touches[t] && !solids.isFree(x)) return;
    p[i].x = x;
    Vec<D> u;
    if (sample(velocityTiles, velocity, q, u)) v[i].x = u;
  }
};

template <int D>
struct Displace {
  View<Sample<D>> p;
  Frame<D> frame;
  SolidView<D> solids;
  const std::uint64_t* buried;
  BlockView<D> padded;
  Real eps;  // [m] for normals

  /// `anyBuried`: there may be buried particles in this tile.
  BRIM_DEVICE_FN void operator()(int i, int t, int block, const Vec<D, int>& place, bool anyBuried) const {
    Sample<D> own = p[i];
    const InTile<D> at(frame.inCells(own.x), place);
    Vec<D> move = Stencil<D>(at)(padded.at(block));
    // Between cells whose ways out are opposite the field is zero: who would stay there goes its own way.
    if (anyBuried && dot(move, move) < Real(0.01) * frame.cell * frame.cell &&
        Bits<D>::test(buried + std::size_t(t) * Bits<D>::words, at.within()))
      move = solids.wayOut(own.x, eps);
    own.x += move;
    p[i] = own;  // whole: a part of it would have to be joined with the rest in memory
  }
};

template <int D>
SetApart<D> setApart(World<D>& w, const Frame<D>& frame, const SolidCells<D>& solids, const TileView<D>& velocityTiles,
                     const Blocks<D>& velocity) {
  return {w.fluid.p.view(), w.fluid.v.view(), w.fluid.id.read(), std::uint64_t(w.step), frame,
          solids.view(w),   velocityTiles,    velocity.view()};
}
template <int D>
Displace<D> displacement(World<D>& w, const Frame<D>& frame, const SolidCells<D>& solids, const Flags<D>& flags,
                         const Blocks<D>& padded) {
  return {w.fluid.p.view(), frame, solids.view(w), flags.buried.data(), padded.view(), Real(0.05 * w.spacing)};
}

}  // namespace brim::inline BRIM_FLAVOUR
