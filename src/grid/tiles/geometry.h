// Where the cells of a grid solver are, and where a particle is in its tile.
#pragma once
#include "grid/tiles/tiles.h"

namespace brim::inline BRIM_FLAVOUR {

/// Cells of 2 d in 3D and 3 d in 2D, so that a lattice at rest has 8 or 9 particles in each. The grid is centred on the domain
/// and covers it: where a side is no whole number of cells, the first and the last cell are cut by the walls, by less than half.
/// Periodic sides are whole tiles apart (the scene's check sees to that).
template <int D>
struct GridGeometry {
  static constexpr int perSide = D == 2 ? 3 : 2;  // particles along a cell's side
  static constexpr int full = power(perSide, D);  // N_init of Eq. 19
  double spacing;                                 // [m] of particles at rest
  Vec<D> extent;                                  // [m] of the domain
  Vec<D, bool> walled, periodic;                  // the domain's sides along an axis are walls, or one
  Real cell, perCell;                             // [m] side of a cell; [1/m]
  Vec<D> shift{};                                 // [cells] of the domain's corner from the grid's
  Vec<D, int> size{};                             // cells across the domain

  GridGeometry(double particleSpacing, const Vec<D>& domain, const Vec<D, bool>& walls, const Vec<D, bool>& wraps = {})
      : spacing(particleSpacing), extent(domain), walled(walls), periodic(wraps) {
    const double side = perSide * spacing;
    cell = Real(side), perCell = Real(1 / side);
    for (int k = 0; k < D; ++k) {
      const double cells = double(extent[k]) / side;
      size[k] = periodic[k] ? 8 * int(std::lround(cells / 8)) : int(std::ceil(cells - 1e-4));
      const double cut = (size[k] - cells) / 2;
      shift[k] = cut > 1e-4 ? Real(cut) : Real(0);
    }
  }
  /// x [m] from the domain's corner, in cells from the grid's.
  BRIM_FN Vec<D> inCells(const Vec<D>& x) const {
    Vec<D> q;
    for (int k = 0; k < D; ++k) q[k] = x[k] * perCell + shift[k];
    return q;
  }
  BRIM_FN Vec<D, int> cellOf(const Vec<D>& x) const {
    const Vec<D> q = inCells(x);
    Vec<D, int> c;
    for (int k = 0; k < D; ++k) c[k] = int(std::floor(q[k]));
    return c;
  }
  /// [m] from the domain's corner.
  BRIM_FN Vec<D> inMetres(const Vec<D>& q) const {
    Vec<D> x;
    for (int k = 0; k < D; ++k) x[k] = (q[k] - shift[k]) * cell;
    return x;
  }
  /// x moved to the first period along periodic axes. Within it also as a number of cells, which rounding may lift to the next.
  BRIM_FN Vec<D> wrapped(Vec<D> x) const {
    for (int k = 0; k < D; ++k) {
      if (!periodic[k] || (x[k] >= 0 && x[k] * perCell < Real(size[k]))) continue;
      x[k] -= extent[k] * std::floor(x[k] / extent[k]);
      if (x[k] * perCell >= Real(size[k])) x[k] = 0;
    }
    return x;
  }
  /// The domain's tiles and one more on every side that is not periodic.
  Places<D> places() const {
    Vec<D, int> first, last;
    for (int k = 0; k < D; ++k) first[k] = periodic[k] ? 0 : -8, last[k] = periodic[k] ? size[k] - 1 : size[k] + 7;
    Places<D> all = Places<D>::ofCells(first, last);
    all.wraps = periodic;
    return all;
  }
};

/// Where a particle is in its tile: cell and place within the cell, along each axis.
template <int D>
struct InTile {
  int c[D];   // 0 .. 7
  Real f[D];  // 0 .. 1
  BRIM_FN InTile(const Vec<D>& q, const Vec<D, int>& place) {
    for (int k = 0; k < D; ++k) {
      const Real r = q[k] - Real(8 * place[k]);
      const int i = int(r);
      c[k] = i < 0 ? 0 : i > 7 ? 7 : i;
      f[k] = r - Real(c[k]);
    }
  }
  BRIM_FN int within() const {
    int n = 0;
    for (int k = D - 1; k >= 0; --k) n = 8 * n + c[k];
    return n;
  }
};

/// A tile's cells and one cell around them, 10^D: what a particle in the tile may touch. Node (-1, -1, ...) is the first.
template <int D>
struct Padded {
  static constexpr int side = 10, nodes = power(10, D);
  BRIM_FN static constexpr int stride(int k) { return k == 0 ? 1 : k == 1 ? 10 : 100; }
};

/// The two nodes a particle lies between along one axis, as an offset into a padded block, and the weight of the upper one.
struct Between {
  int at;
  Real f;
};
/// Nodes on the lower faces of the cells.
template <int D>
BRIM_FN Between atFaces(const InTile<D>& x, int k) {
  return {(x.c[k] + 1) * Padded<D>::stride(k), x.f[k]};
}
/// Nodes at the centres of the cells.
template <int D>
BRIM_FN Between atCentres(const InTile<D>& x, int k) {
  const Real f = x.f[k] + Real(0.5);
  const int up = int(f);  // 0 or 1; a branch would be mispredicted for every other particle
  return {(x.c[k] + up) * Padded<D>::stride(k), f - Real(up)};
}

/// Cells as bits: one word of 8 x 8 cells, x fastest, for each slice of a tile.
template <int D>
struct Bits {
  static constexpr int words = power(8, D - 2);
  BRIM_FN static bool test(const std::uint64_t* w, int cell) { return w[cell >> 6] >> (cell & 63) & 1; }
};

/// body(node, cell, length) for each line that a padded block and the cells of a tile share; `way` is one of the 3^D tiles
/// around. Given: the block is that of the tile at `way`, which has something for the cells of this tile. Taken: the block is
/// this tile's, which takes something from the cells of the tile at `way`.
enum class Share { given, taken };
template <int D, class F>
BRIM_FN void eachSharedLine(Share share, int way, F body) {
  int node[3] = {0, 0, 0}, cell[3] = {0, 0, 0}, length[3] = {1, 1, 1};
  for (int k = 0; k < D; ++k, way /= 3) {
    const int o = share == Share::taken ? way % 3 : 2 - way % 3;  // where the cells lie from the block's tile: 0 below, 2 above
    node[k] = o == 0 ? 0 : o == 1 ? 1 : 9;
    cell[k] = o == 0 ? 7 : 0;
    length[k] = o == 1 ? 8 : 1;
  }
  for (int z = 0; z < length[2]; ++z)
    for (int y = 0; y < length[1]; ++y)
      body(((node[2] + z) * 10 + node[1] + y) * 10 + node[0], ((cell[2] + z) * 8 + cell[1] + y) * 8 + cell[0], length[0]);
}

}  // namespace brim::inline BRIM_FLAVOUR
