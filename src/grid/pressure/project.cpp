// Forces, divergences and pressure gradients on faces, tile by tile.
#include "grid/pressure/project.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

/// The numbers of the tiles beside t.
template <int D>
struct Beside {
  int of[2 * D];
  BRIM_DEVICE_FN Beside(const TileView<D>& tiles, int t) {
    for (int k = 0; k < D; ++k) {
      of[2 * k] = tiles.around(t)[BitView<D>::middle - power(3, k)];
      of[2 * k + 1] = tiles.around(t)[BitView<D>::middle + power(3, k)];
    }
  }
};

/// The velocity of the solid on a shut face.
template <int D>
BRIM_DEVICE_FN Real solidVelocity(const SolidView<D>& solids, const GridGeometry<D>& geometry, const Vec<D, int>& place, int t,
                                  int c, int k) {
  if (!solids.moving() || !(solids.pushed[k][std::size_t(t) * Tiles<D>::cells + c] > 0)) return 0;
  return solids.velocity(geometry.inMetres(faceMiddle<D>(place, c, k)), k);
}

template <int D>
struct Force {
  TileView<D> tiles;
  GridGeometry<D> geometry;
  SolidView<D> solids;
  const std::uint64_t *known[D], *beside[D], *wall[D];
  Vec<D> dv;
  Real *u[D], *change[D];
  BRIM_DEVICE_FN void operator()(int t) const {
    constexpr int words = Bits<D>::words, cells = Tiles<D>::cells;
    for (int k = 0; k < D; ++k) {
      Real *const ut = u[k] + std::size_t(t) * cells, *const ct = change[k] + std::size_t(t) * cells;
      eachSlice<D>([&](int s) {
        const std::uint64_t has = known[k][std::size_t(t) * words + s], more = beside[k][std::size_t(t) * words + s];
        eachLineOf(s, [&](int n) {
          const Cells<Real> gain = maskOf(has, n) * Cells<Real>(dv[k]);
          const int at = firstOf(n);
          store(ut + at, maskOf(has | more, n) * load(ut + at) + gain);
          store(ct + at, gain);
        });
        eachBit(wall[k][std::size_t(t) * words + s], s, [&](int c) {
          const Real v = solidVelocity(solids, geometry, tiles.place(t), t, c, k);
          ct[c] += v - ut[c];
          ut[c] = v;
        });
      });
    }
  }
};

/// The velocities of solids on shut faces, but not where the liquid has let go.
template <int D>
struct SetWalls {
  TileView<D> tiles;
  GridGeometry<D> geometry;
  SolidView<D> solids;
  const std::uint64_t *wall[D], *released;  // released: null where nothing is
  Real *u[D], *change[D];
  BRIM_DEVICE_FN bool isReleased(int cell) const { return released && (released[cell >> 6] >> (cell & 63) & 1); }
  BRIM_DEVICE_FN void operator()(int t) const {
    if (!solids.touches[t]) return;
    eachSlice<D>([&](int s) {
      for (int k = 0; k < D; ++k)
        eachBit(wall[k][std::size_t(t) * Bits<D>::words + s], s, [&](int c) {
          const int at = t * Tiles<D>::cells + c;
          if (isReleased(at) || isReleased(lowerCell(tiles, t, c, k))) return;
          const Real v = solidVelocity(solids, geometry, tiles.place(t), t, c, k);
          change[k][at] += v - u[k][at];
          u[k][at] = v;
        });
    });
  }
};

/// -div u; of a u where solids cut faces, with a the open part of a face.
template <int D, bool cut>
struct Divergence {
  TileView<D> tiles;
  Real perCell;
  const std::uint64_t* fluid;
  const Real *u[D], *open[D];  // open: null without cuts
  Real* rhs;
  BRIM_DEVICE_FN void operator()(int t) const {
    constexpr int words = Bits<D>::words, cells = Tiles<D>::cells;
    const Beside<D> beside(tiles, t);
    Real* const to = rhs + std::size_t(t) * cells;
    eachSlice<D>([&](int s) {
      const bool any = fluid[std::size_t(t) * words + s] != 0;
      eachLineOf(s, [&](int n) {
        Cells<Real> sum = Real(0);
        for (int k = 0; k < D && any; ++k) {
          const Around<D, Real> uk(u[k], t, beside.of);
          if constexpr (cut) {
            const Around<D, Real> a(open[k], t, beside.of);
            sum += a.line(n) * uk.line(n) - a.above(n, k) * uk.above(n, k);
          } else {
            sum += uk.line(n) - uk.above(n, k);
          }
        }
        store(to + firstOf(n), Cells<Real>(perCell) * sum);
      });
    });
  }
};

/// What moving solids push into fluid cells: their velocity through the part of the faces that they cover.
template <int D>
struct AddPushed {
  TileView<D> tiles;
  GridGeometry<D> geometry;
  SolidView<D> solids;
  const std::uint64_t* fluid;
  Real* rhs;
  BRIM_DEVICE_FN void operator()(int t) const {
    if (!solids.touches[t]) return;
    const Vec<D, int> place = tiles.place(t);
    eachSlice<D>([&](int s) {
      eachBit(fluid[std::size_t(t) * Bits<D>::words + s], s, [&](int c) {
        const int own = t * Tiles<D>::cells + c;
        Real sum = 0;
        for (int k = 0; k < D; ++k) {
          Vec<D> middle = faceMiddle<D>(place, c, k);
          if (const Real part = solids.pushed[k][own]; part > 0) sum += part * solids.velocity(geometry.inMetres(middle), k);
          middle[k] += 1;
          if (const Real part = solids.pushed[k][upperCell(tiles, t, c, k)]; part > 0)
            sum -= part * solids.velocity(geometry.inMetres(middle), k);
        }
        rhs[own] += geometry.perCell * sum;
      });
    });
  }
};

template <int D>
struct Subtract {
  TileView<D> tiles;
  const std::uint64_t *known[D], *wall[D];
  const Real *phi, *distance;
  Real factor;
  bool withChange, fromZero;
  Real *u[D], *change[D];
  BRIM_DEVICE_FN void operator()(int t) const {
    constexpr int words = Bits<D>::words, cells = Tiles<D>::cells;
    const Beside<D> beside(tiles, t);
    const Around<D, Real> p(phi, t, beside.of), surface(distance, t, beside.of);
    for (int k = 0; k < D; ++k) {
      Real *const ut = u[k] + std::size_t(t) * cells, *const ct = change[k] + std::size_t(t) * cells;
      eachSlice<D>([&](int s) {
        const std::size_t word = std::size_t(t) * words + s;
        const std::uint64_t free = known[k][word] & ~wall[k][word];
        eachLineOf(s, [&](int n) {
          const int at = firstOf(n);
          if (!anyOf(free, n)) {
            if (fromZero) store(ut + at, Cells<Real>(Real(0)));
            return;
          }
          const Cells<Real> gradient = maskOf(free, n) * Cells<Real>(factor) * perTheta(surface.line(n), surface.below(n, k)) *
                                       (p.line(n) - p.below(n, k));
          store(ut + at, fromZero ? -gradient : load(ut + at) - gradient);
          if (withChange) store(ct + at, load(ct + at) - gradient);
        });
      });
    }
  }
};

template <int D>
struct Slopes {
  TileView<D> tiles;
  const std::uint64_t *fluid, *known[D], *wall[D];
  const Real *phi, *distance;
  Real* slope[D];
  BRIM_DEVICE_FN void operator()(int t) const {
    constexpr int words = Bits<D>::words, cells = Tiles<D>::cells;
    const Beside<D> beside(tiles, t);
    const Around<D, Real> p(phi, t, beside.of), surface(distance, t, beside.of);
    for (int k = 0; k < D; ++k) {
      Real* const to = slope[k] + std::size_t(t) * cells;
      const BitView<D> open(tiles, known[k]), closed(tiles, wall[k]);
      eachSlice<D>([&](int s) {
        const std::uint64_t is = fluid[std::size_t(t) * words + s];
        const std::uint64_t low = is & open.at(t, s) & ~closed.at(t, s);
        const std::uint64_t high = is & open.above(t, s, k) & ~closed.above(t, s, k);
        eachLineOf(s, [&](int n) {
          if (!anyOf(is, n)) return store(to + firstOf(n), Cells<Real>(Real(0)));
          const Cells<Real> below = maskOf(low, n), above = maskOf(high, n), own = p.line(n), at = surface.line(n);
          const Cells<Real> sum = below * perTheta(at, surface.below(n, k)) * (own - p.below(n, k)) +
                                  above * perTheta(at, surface.above(n, k)) * (p.above(n, k) - own);
          store(to + firstOf(n), sum / max(below + above, Cells<Real>(Real(1))));
        });
      });
    }
  }
};

}  // namespace

template <int D>
void applyForce(GridState<D>& s, const Solids<D>& solids, const Vec<D>& dv) {
  Force<D> body{s.tiles.view(), s.geometry, s.solids.view(solids), {}, {}, {}, dv, {}, {}};
  for (int k = 0; k < D; ++k) {
    body.known[k] = s.flags.known[k].data(), body.wall[k] = s.flags.wall[k].data();
    body.beside[k] = s.flags.beside[k].data();
    body.u[k] = s.faces.u[k].data(), body.change[k] = s.faces.change[k].data();
  }
  eachTile<D>(s.tiles.count(), body);
}

template <int D>
void setWalls(GridState<D>& s, const Solids<D>& solids, bool released) {
  SetWalls<D> body{s.tiles.view(), s.geometry, s.solids.view(solids), {}, released ? s.released.data() : nullptr, {}, {}};
  for (int k = 0; k < D; ++k)
    body.wall[k] = s.flags.wall[k].data(), body.u[k] = s.faces.u[k].data(), body.change[k] = s.faces.change[k].data();
  eachTile<D>(s.tiles.count(), body);
}

template <int D>
void divergence(GridState<D>& s, const Solids<D>& solids) {
  s.tiles.fit(s.rhs, Real(0));
  const auto find = [&](auto body) {
    for (int k = 0; k < D; ++k) {
      body.u[k] = s.faces.u[k].data();
      if (s.solids.cut()) body.open[k] = s.solids.open(k).data();
    }
    eachTile<D>(s.tiles.count(), body);
  };
  const auto tiles = s.tiles.view();
  const std::uint64_t* const fluid = s.flags.fluid.data();
  if (s.solids.cut())
    find(Divergence<D, true>{tiles, s.geometry.perCell, fluid, {}, {}, s.rhs.data()});
  else
    find(Divergence<D, false>{tiles, s.geometry.perCell, fluid, {}, {}, s.rhs.data()});
  if (s.solids.cut() && s.solids.moving())
    eachTile<D>(s.tiles.count(), AddPushed<D>{tiles, s.geometry, s.solids.view(solids), fluid, s.rhs.data()});
}

template <int D>
void subtractGradient(GridState<D>& s, double step, bool withChange, bool fromZero) {
  Subtract<D> body{s.tiles.view(), {}, {}, s.phi.data(), s.flags.distance.data(), Real(step), withChange, fromZero, {}, {}};
  for (int k = 0; k < D; ++k) {
    body.known[k] = s.flags.known[k].data(), body.wall[k] = s.flags.wall[k].data();
    body.u[k] = s.faces.u[k].data(), body.change[k] = s.faces.change[k].data();
  }
  eachTile<D>(s.tiles.count(), body);
}

template <int D>
void findSlopes(GridState<D>& s) {
  Slopes<D> body{s.tiles.view(), s.flags.fluid.data(), {}, {}, s.phi.data(), s.flags.distance.data(), {}};
  for (int k = 0; k < D; ++k) {
    s.tiles.fit(s.slope[k], Real(0));
    body.known[k] = s.flags.known[k].data(), body.wall[k] = s.flags.wall[k].data(), body.slope[k] = s.slope[k].data();
  }
  eachTile<D>(s.tiles.count(), body);
}

template void applyForce<2>(GridState<2>&, const Solids<2>&, const Vec<2>&);
template void applyForce<3>(GridState<3>&, const Solids<3>&, const Vec<3>&);
template void setWalls<2>(GridState<2>&, const Solids<2>&, bool);
template void setWalls<3>(GridState<3>&, const Solids<3>&, bool);
template void divergence<2>(GridState<2>&, const Solids<2>&);
template void divergence<3>(GridState<3>&, const Solids<3>&);
template void findSlopes<2>(GridState<2>&);
template void findSlopes<3>(GridState<3>&);
template void subtractGradient<2>(GridState<2>&, double, bool, bool);
template void subtractGradient<3>(GridState<3>&, double, bool, bool);

}  // namespace brim::inline BRIM_FLAVOUR
