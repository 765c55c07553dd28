// What the density projection does to single particles: resampling and displacement, for the CPU's loops and the GPU's threads.
#pragma once
#include "grid/density/density.h"
#include "grid/transfer/stencil.h"

namespace brim::inline BRIM_FLAVOUR {

/// A number in [0, 1) from a particle's id, the step and the axis.
BRIM_FN Real randomOf(std::uint64_t id, std::uint64_t step, int k) {
  std::uint64_t h = id * 0x9e3779b97f4a7c15ull + step * 0xd1b54a32d192ed03ull + std::uint64_t(k + 1) * 0x8cb92ba72f3d8dd7ull;
  for (int round = 0; round < 2; ++round) h = (h ^ h >> 32) * 0xd6e8feb86659fd93ull;
  return Real(double(h >> 40) * 0x1p-24);
}

/// Density over rho0 above which the particles of a cell are resampled: the upper clamp of its error.
constexpr Real overfullDensity = Real(1.5);

/// Moves one of the particles of an overfull cell.
template <int D>
struct Resample {
  View<Record<D>> p, v;
  View<const int> id;
  std::uint64_t step;
  GridGeometry<D> geometry;
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
    const Vec<D> x = geometry.inMetres(q);
    if (solids.touches[t] && !solids.isFree(x)) return;
    p[i].x = x;
    Vec<D> u;
    if (sample(velocityTiles, velocity, q, u)) v[i].x = u;
  }
};

template <int D>
struct Displace {
  View<Record<D>> p;
  GridGeometry<D> geometry;
  SolidView<D> solids;
  const std::uint64_t* penetrated;
  BlockView<D> padded;
  Real eps;  // [m] for normals

  /// `anyPenetrated`: there may be penetrating particles in this tile.
  BRIM_DEVICE_FN void operator()(int i, int t, int block, const Vec<D, int>& place, bool anyPenetrated) const {
    Record<D> own = p[i];
    const InTile<D> at(geometry.inCells(own.x), place);
    Vec<D> move = Stencil<D>(at)(padded.at(block));
    // Between cells whose push-outs are opposite the field is zero: a particle there takes its own push-out.
    if (anyPenetrated && dot(move, move) < Real(0.01) * geometry.cell * geometry.cell &&
        Bits<D>::test(penetrated + std::size_t(t) * Bits<D>::words, at.within()))
      move = solids.pushOut(own.x, eps);
    own.x += move;
    p[i] = own;  // whole: a part of it would have to be joined with the rest in memory
  }
};

/// The longer of two push-outs; with several particles in one cell that of the deepest decides.
template <int D>
BRIM_FN Vec<D> longer(const Vec<D>& a, const Vec<D>& b) {
  return dot(b, b) > dot(a, a) ? b : a;
}
/// [m] the step with which normals of solids are found.
template <int D>
Real normalStep(const GridGeometry<D>& geometry) {
  return Real(0.05 * geometry.spacing);
}

template <int D>
Resample<D> resampling(const GridState<D>& s, Particles<D>& fluid, const Solids<D>& solids, std::int64_t step) {
  return {fluid.p.view(), fluid.v.view(),        fluid.id.read(),        std::uint64_t(step),
          s.geometry,     s.solids.view(solids), s.velocityTiles.view(), s.velocity.view()};
}
template <int D>
Displace<D> displacement(const GridState<D>& s, Particles<D>& fluid, const Solids<D>& solids) {
  return {fluid.p.view(), s.geometry, s.solids.view(solids), s.flags.penetrated.data(), s.padded.view(), normalStep(s.geometry)};
}

}  // namespace brim::inline BRIM_FLAVOUR
