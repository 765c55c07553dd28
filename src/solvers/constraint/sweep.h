// Gauss-Seidel sweeps over the density rows in colours.
#pragma once
#include "solvers/constraint/colours.h"
#include "solvers/constraint/density_rows.h"
#include "solvers/constraint/stars.h"
#if BRIM_CUDA
#include "solvers/constraint/cuda/sweep.h"
#else

namespace brim::inline BRIM_FLAVOUR {

/// What the coloured rows hold, once a step: G_ij of all pairs in the order of the sweeps, G_ii and c.
template <int D, class K>
void storeRows(StepContext<D>& c, K W, const DensityRows<D>& rows, Colours<D>& colours) {
  World<D>& w = c.world;
  const auto G = rows.G.read();
  const auto C = rows.c.read();
  typename Colours<D>::Row* const row = colours.rows().data();
  forEach(int(colours.rows().size()), [=] BRIM_KERNEL(int k) { row[k].G = G[row[k].i], row[k].c = C[row[k].i]; });
  const auto p = w.fluid.p.read();
  const auto place = colours.place();
  const NeighbourView nb = c.nb();
  const Real scale = -rows.v0 * rows.mass;
  const int padding = w.fluid.padding();
  RowPair* const pairs = colours.pairs().data();
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const auto [x, mi] = p[i];
    RowPair* to[lanes];
    for (int k = 0; k < lanes; ++k) to[k] = place[i.first + k] < 0 ? nullptr : pairs + place[i.first + k];
    int stored = 0;
    for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const Reals f = scale * W.grad(x - xj).g;
      // Lists end with padding, out of reach: the particle itself in their place, where rows may write, takes f = 0 as well.
      for (int k = 0; k < lanes; ++k)
        if (to[k]) *to[k]++ = {f[k], 4 * (j.index[k] == padding ? i.first + k : j.index[k])};
      ++stored;
    }
    for (; stored % 4; ++stored)
      for (int k = 0; k < lanes; ++k)
        if (to[k]) *to[k]++ = {0, 4 * (i.first + k)};
  });
}

/// One Gauss-Seidel iteration over the coloured rows: r is summed, and the velocities changed, by pairs.
template <int D>
void sweepRows(World<D>& w, const Colours<D>& colours, const DensityRows<D>& rows, Array<Real>& multiplier) {
  using Quad = Pack<Real, 4>;  // a record; all particles have one mass, so the last number of x_i - x_j is 0
  static_assert(sizeof(Record<D>) == sizeof(Quad));
  const auto lambda = multiplier.view();
  const RowPair* const pairs = colours.pairs().data();
  const Real* const x = reinterpret_cast<const Real*>(w.fluid.p.data.data());
  Real* const v = reinterpret_cast<Real*>(w.fluid.v.data.data());
  const Real perM = 1 / rows.mass, sigma = rows.sigma, omega = rows.omega;
  const Bounds<Real> bounds = rows.bounds();
  colours.forEach([=](const typename Colours<D>::Row& row) {
    const RowPair *const first = pairs + row.first, *const last = first + row.length;
    const std::int64_t at = 4 * std::int64_t(row.i);
    const Quad xi = Quad::load(x + at);
    Quad sum[4] = {Real(0), Real(0), Real(0), Real(0)};  // four, so that an addition need not wait for the one before
    for (const RowPair* p = first; p < last; p += 4)
      for (int k = 0; k < 4; ++k) sum[k] += (Quad(p[k].f) * (xi - Quad::load(x + p[k].at))) * Quad::load(v + p[k].at);
    const Quad all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    const auto [own, perD] = row.G;
    const Real before = lambda[row.i];
    Real r = sigma * before - row.c;
    for (int k = 0; k < D; ++k) r += own[k] * v[at + k] + all[k];
    const Real next = relaxed(before, r, perD, bounds, omega);
    const Real kick = perM * (next - before);
    if (kick == 0) return;  // at its bound
    lambda[row.i] = next;
    for (const RowPair* p = first; p < last; p += 4)
      for (int k = 0; k < 4; ++k)
        (Quad::load(v + p[k].at) + Quad(kick * p[k].f) * (xi - Quad::load(x + p[k].at))).store(v + p[k].at);
    for (int k = 0; k < D; ++k) v[at + k] += kick * own[k];
  });
}

/// The geometric-stiffness rows of the coloured rows' particles, and a sweep over them in the same order.
template <int D, class K>
void buildStars(StepContext<D>& c, K W, const Stiffness<D>& stiffness, const Colours<D>& colours, const std::vector<char>& apart,
                Stars<D>& stars) {
  const PairOwner<char> owner{{apart.data()}, c.world.fluid.firstPeriodicGhost(), nullptr};
  stars.build(c, W, stiffness, colours.rows().data(), int(colours.rows().size()), owner);
}
template <int D>
void sweepStars(World<D>& w, const Colours<D>& colours, Stars<D>& stars, Stiffness<D>& stiffness) {
  const Star<D>* const star = stars.rows.data();
  const typename Colours<D>::Row* const first = colours.rows().data();
  StarPair<D>* const pairs = stars.pairs.data();
  Record<D>* const v = w.fluid.v.data.data();
  HeldByWalls<D>* const walls = stiffness.walls.data();
  const Real perM = stiffness.perM;
  colours.forEach([=](const typename Colours<D>::Row& row) { solveStar(star[&row - first], pairs, v, walls, perM); });
}

}  // namespace brim::inline BRIM_FLAVOUR
#endif
