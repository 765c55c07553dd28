// The cells of the coarse level: which hold fluid, what they touch, and what lies between them.
#pragma once
#include "sph/coarse.h"

namespace brim::inline BRIM_FLAVOUR {

// rho/rho0 - 1 of particles at a surface, where the sum over neighbours says nothing about volume.
constexpr Real farBelow = Real(-0.05);

// What a cell is that holds no unknown. Below `wall`: solid b is wall - 1 - b.
constexpr int air = -1, rim = -2, wall = -3;

// Solids between the middles of two cells.
template <int D>
struct Obstacles {
  View<const PlacedSolid<D>> body;
  int bodies;
  double spacing;  // [m]
  static constexpr int none = -1;

  /// The first solid that comes near the cell around x, or `bodies`.
  BRIM_DEVICE_FN int near(const Real x[3], double reach) const {
    for (int b = 0; b < bodies; ++b) {
      bool close = true;
      for (int k = 0; k < D; ++k) close = close && x[k] > body[b].low[k] - reach && x[k] < body[b].high[k] + reach;
      Real y[3];
      body[b].pose.toBody(x, y);
      if (close && body[b].shape.distance(y) < Real(reach)) return b;
    }
    return bodies;
  }
  /// A solid on the way along axis k from x to `end`, or `none`. Looks once a spacing, for what particles cannot pass.
  BRIM_DEVICE_FN int between(Real x[3], int k, double end, int first) const {
    const double start = x[k];
    const int steps = int((end > start ? end - start : start - end) / spacing) + 1;
    for (int m = 0; m <= steps; ++m) {
      x[k] = Real(start + (end - start) * m / steps);
      for (int b = first; b < bodies; ++b) {
        Real y[3];
        body[b].pose.toBody(x, y);
        if (body[b].shape.distance(y) < Real(0.25 * spacing)) return b;
      }
    }
    return none;
  }
};

// Cells with their fluid, and how they touch.
template <int D>
struct WetCells {
  CoarseCells<D> grid;
  View<const int> count, state;
  View<const Record<D>> middle;  // of the fluid, per unknown [m]
  Obstacles<D> obstacles;

  View<const Real> amount;

  BRIM_DEVICE_FN double fill(std::int64_t c) const { return amount[int(c)] < grid.full ? amount[int(c)] / grid.full : 1; }
  /// The same of what of the cell lies inside the domain.
  BRIM_DEVICE_FN double inner(std::int64_t c) const {
    double room = grid.full;
    for (int k = 0; k < D; ++k) room *= extent(c, k);
    return amount[int(c)] < room ? amount[int(c)] / room : 1;
  }
  BRIM_FN int all() const { return int(grid.size[0] * grid.size[1] * grid.size[2]); }
  BRIM_FN std::int64_t stride(int k) const { return k == 0 ? 1 : k == 1 ? grid.size[0] : grid.size[0] * grid.size[1]; }
  /// The cell beyond the lower or the upper face along axis k.
  BRIM_DEVICE_FN std::int64_t next(std::int64_t c, int k, bool up) const {
    const Seam& seam = grid.seam[k];
    if (seam.there && grid.placeOf(c).at[k] == (up ? seam.last : seam.first))
      return c + (up ? seam.first - seam.last : seam.last - seam.first) * stride(k);
    return up ? c + stride(k) : c - stride(k);
  }
  /// What it is.
  BRIM_DEVICE_FN int beyond(std::int64_t c, int k, bool up) const {
    const std::int64_t at = grid.placeOf(c).at[k];
    if (up ? at + 1 >= grid.size[k] : at == 0) return air;
    return state[int(next(c, k, up))];
  }
  /// How much of a cell's extent along axis k there is.
  BRIM_DEVICE_FN double extent(std::int64_t c, int k) const {
    if (grid.seam[k].there) return grid.placeOf(c).at[k] == grid.seam[k].last ? grid.seam[k].part : 1;
    const double left = grid.end[k] - double(grid.placeOf(c).at[k]);
    return left > 1 ? 1 : left > 0.1 ? left : 0.1;
  }
  /// How much of it is wet: all of it unless there is air on one side; then the cell behind tells how much of the section is
  /// wet, and the fill how far it reaches.
  BRIM_DEVICE_FN double wetPart(std::int64_t c, int k) const {
    const int below = beyond(c, k, false), above = beyond(c, k, true);
    const double whole = extent(c, k);
    if (below != air && above != air) return whole;
    const double behind = below >= 0 ? section(next(c, k, false), k) : above >= 0 ? section(next(c, k, true), k) : fill(c);
    const double part = fill(c) / (behind > 1e-6 ? behind : 1e-6);
    return part < 0.3 ? 0.3 : part > whole ? whole : part;
  }
  /// How much of a cell's section across axis k is wet, where all of its extent is.
  BRIM_DEVICE_FN double section(std::int64_t c, int k) const { return fill(c) / extent(c, k); }
  /// A rim holds no unknown: its middle is dry, and it lies between air and a cell whose middle is wet. The pressure is zero
  /// where the surface is, on the way between middles: the ghost fluid method (Gibou et al. 2002). Links along a tilted surface
  /// then compare pressures at one height. With unknowns in the middle of what is wet, and so half as high as the surface, they
  /// had half of the pressure's slope, and water ran along every tilted surface.
  BRIM_DEVICE_FN bool isRim(std::int64_t c, int k, bool up) const {
    const std::int64_t at = grid.placeOf(c).at[k], behind = up ? at - 1 : at + 1;
    if (inner(c) >= 0.5 || behind < 0 || behind >= grid.size[k]) return false;
    if (up ? at + 1 < grid.size[k] : at > 0) {
      const int over = int(next(c, k, up));
      if (count[over] || state[over] <= wall) return false;
    }
    return inner(next(c, k, !up)) >= 0.5;
  }
  /// [cells] from the middle of an unknown's cell to the surface along axis k, if that is less than a cell and a half away.
  BRIM_DEVICE_FN double depth(std::int64_t c, int k, bool up) const {
    const int is = beyond(c, k, up);
    if (is == air) return wetPart(c, k) - extent(c, k) / 2;
    return is == rim ? extent(c, k) / 2 + inner(next(c, k, up)) : 1.5;
  }
  /// [cells] from the middle of c to the surface on the way to the middle of the rim beyond its face.
  BRIM_DEVICE_FN double toRim(std::int64_t c, int k, bool up) const {
    const std::int64_t there = next(c, k, up);
    if (isRim(there, k, up)) return extent(c, k) / 2 + inner(there);
    for (int m = 0; m < D; ++m)
      for (int over = 0; over < 2; ++over)
        if (m != k && isRim(there, m, over)) {
          const double wet = depth(c, m, over);
          return wet / (wet + 0.5 - inner(there));
        }
    return 1;
  }
  /// [cells] from the unknown of c to the surface beyond its face.
  BRIM_DEVICE_FN double toSurface(std::int64_t c, int k, bool up, int is, double part) const {
    constexpr double least = 0.03;
    const double way = is == rim ? toRim(c, k, up) : inner(c) >= 0.5 ? part - extent(c, k) / 2 : part / 2;
    return way > least ? way : least;
  }
  BRIM_DEVICE_FN double centre(std::int64_t c, int k) const {
    return grid.low[k] + (double(grid.placeOf(c).at[k]) + 0.5) * grid.side;
  }
  /// [m/s] of what closes that face, along axis k.
  BRIM_DEVICE_FN double wallSpeed(std::int64_t c, int k, bool up, int is) const {
    if (is >= wall) return 0;
    Real x[3] = {}, v[3];
    for (int m = 0; m < D; ++m) x[m] = Real(centre(c, m));
    x[k] += Real((up ? 0.5 : -0.5) * grid.side);
    obstacles.body[wall - 1 - is].pose.velocityAt(x, v);
    return v[k];
  }
  /// The part of the section between two cells that no solid closes, by rays a spacing apart from the middle of the fluid in one
  /// to that in the other; and a solid that closes the rest.
  struct Opening {
    double part;
    int closedBy;
  };
  BRIM_DEVICE_FN Opening opening(std::int64_t c, std::int64_t there, int k, bool up, int first) const {
    constexpr int across = 4, rays = D == 2 ? across : across * across;
    const std::int64_t low = up ? c : there, high = up ? there : c;
    const auto at = [&](std::int64_t cell) {
      return state[int(cell)] >= 0 ? double(middle[state[int(cell)]].x[k]) : centre(cell, k);
    };
    const double start = at(low), end = at(high);
    Opening o = {0, Obstacles<D>::none};
    for (int ray = 0; ray < rays; ++ray) {
      Real x[3] = {};
      for (int m = 0, rest = ray; m < D; ++m) {
        if (m == k) continue;
        x[m] = Real(centre(low, m) + ((rest % across + 0.5) / across - 0.5) * grid.side);
        rest /= across;
      }
      x[k] = Real(start);
      const int hit = obstacles.between(x, k, end, first);
      if (hit == Obstacles<D>::none)
        o.part += 1.0 / rays;
      else
        o.closedBy = hit;
    }
    return o;
  }
};

/// Whether fluid below a ceiling is enclosed by fluid and walls, so that nothing but fluid can enter its cell: the link of that
/// ceiling, or -1. (Beside walls a surface may pass between two cells.)
template <int D>
BRIM_DEVICE_FN int ceilingOf(const Links& link, int i, const Vec<D>& gravity) {
  int ceiling = -1;
  bool open = false;
  for (int k = 0; k < 2 * D; ++k) {
    const Link l = link(i, k);
    if (l.perDrop == 0 && (k % 2 ? gravity[k / 2] < 0 : gravity[k / 2] > 0)) ceiling = k;
    open = open || (l.to < 0 && l.weight != 0);
  }
  return open ? -1 : ceiling;
}

template <int D>
void countParticles(const CoarseCells<D> grid, int cells, View<int> count);
/// A cell with no room for a particle belongs to the wall. Nothing lies beyond a seam: no air either.
template <int D>
void findStates(const CoarseCells<D> grid, int cells, const World<D>& w, View<const int> count, View<int> state,
                View<int> number);
/// Which cells are rims.
template <int D>
void findRims(const WetCells<D> wet, int cells, View<int> state, View<int> number) {
  forEach(cells, [=] BRIM_KERNEL(int c) {
    if (!wet.count[c]) return;
    bool is = false;
    for (int k = 0; k < D; ++k) is = is || wet.isRim(c, k, false) || wet.isRim(c, k, true);
    if (is) state[c] = rim, number[c] = 0;
  });
}

/// Mean positions of the particles of each cell.
template <int D>
void findMiddles(const CoarseCells<D> grid, int n, View<const int> where, View<const Record<D>> p, View<Record<D>> middle);
/// Sets the links, their sums and how full each cell is.
template <int D>
void connect(const WetCells<D> cells, int n, View<const int> where, View<Link> link, View<double> diagonal, View<double> filled);
/// Whether a jet leaves through an opening of at most two cells, sideways or down. Its contraction begins at the edge of the
/// opening, where cells that the edge cuts have one pressure each, and what pushes too much there the fine level cannot take
/// back, as it only pushes: a tank emptied 16 to 35 % too slowly.
template <int D>
bool anyJet(const WetCells<D> cells, int n, View<const int> where, const Links link, const Vec<D> gravity);

/// Fluid far below rho0 is at a surface. Where walls and fluid enclose it there is a void below the ceiling, as there is no air:
/// what flows in fills it, and its pressure is zero. It lies within the cell, so the link to it is that of a wall with a weight.
/// A surface right across a cell has a density error of about -0.35 in each particle of its layer. -0.02 is a void already: with
/// -0.17 gaps of half a spacing stayed open below ceilings.
template <int D>
void findVoids(const CoarseCells<D> grid, int n, View<const int> where, View<const Record<D>> v, double rho0,
               const Vec<D> gravity, View<Link> link, View<double> diagonal);

}  // namespace brim::inline BRIM_FLAVOUR
