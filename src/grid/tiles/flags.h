// What the cells of the grid hold, as bits: fluid, solid, or air; and what follows for their faces.
#pragma once
#include "grid/tiles/bins.h"
#include "grid/tiles/cell_state.h"
#include "grid/tiles/lines.h"
#include "grid/tiles/solid_cells.h"
#include "grid/tiles/surface.h"

namespace brim::inline BRIM_FLAVOUR {

/// The words of one slice of a tile and of what lies around it.
template <int D>
class BitView {
 public:
  static constexpr int words = Bits<D>::words, middle = (TileView<D>::ways - 1) / 2;
  static constexpr std::uint64_t firstColumn = 0x0101010101010101ull;

  BitView(const TileView<D>& tiles, const Array<std::uint64_t>& bits) : tiles_(tiles), bits_(bits.data()) {}
  BRIM_DEVICE_FN BitView(const TileView<D>& tiles, const std::uint64_t* bits) : tiles_(tiles), bits_(bits) {}

  BRIM_DEVICE_FN std::uint64_t at(int t, int s) const { return bits_[std::size_t(t) * words + s]; }
  /// Bit c of the result: the cell one below c along axis k.
  BRIM_DEVICE_FN std::uint64_t below(int t, int s, int k) const {
    const int next = tiles_.around(t)[middle - power(3, k)];
    if (k == 0) return (at(t, s) << 1 & ~firstColumn) | (at(next, s) >> 7 & firstColumn);
    if (k == 1) return at(t, s) << 8 | at(next, s) >> 56;
    return s > 0 ? at(t, s - 1) : at(next, words - 1);
  }
  /// Bit c of the result: the cell one above c along axis k.
  BRIM_DEVICE_FN std::uint64_t above(int t, int s, int k) const {
    const int next = tiles_.around(t)[middle + power(3, k)];
    if (k == 0) return (at(t, s) >> 1 & ~(firstColumn << 7)) | (at(next, s) << 7 & (firstColumn << 7));
    if (k == 1) return at(t, s) >> 8 | at(next, s) << 56;
    return s + 1 < words ? at(t, s + 1) : at(next, 0);
  }
  /// Bit c of the result: any of the cells one step along an axis from c.
  BRIM_DEVICE_FN std::uint64_t beside(int t, int s) const {
    std::uint64_t any = 0;
    for (int k = 0; k < D; ++k) any |= below(t, s, k) | above(t, s, k);
    return any;
  }
  /// Bit c of the result: any of the 3^D cells around c, or c itself.
  BRIM_DEVICE_FN std::uint64_t around(int t, int s) const {
    std::uint64_t any = 0;
    for (int z = D == 3 ? -1 : 0; z <= (D == 3 ? 1 : 0); ++z) {
      int slice = s + z, way = middle;
      if (slice < 0) slice = words - 1, way -= 9;
      if (slice == words) slice = 0, way += 9;
      const int* const next = tiles_.around(t) + way;
      const auto wide = [&](int line) {
        const std::uint64_t w = at(next[line], slice), left = at(next[line - 1], slice), right = at(next[line + 1], slice);
        return w | (w << 1 & ~firstColumn) | (left >> 7 & firstColumn) | (w >> 1 & ~(firstColumn << 7)) |
               (right << 7 & (firstColumn << 7));
      };
      const std::uint64_t own = wide(0);
      any |= own | own << 8 | own >> 8 | wide(-3) >> 56 | wide(3) << 56;
    }
    return any;
  }

 private:
  TileView<D> tiles_;
  const std::uint64_t* bits_;
};

/// Cell states of one set of tiles. A cell is fluid if its centre is in the liquid and in no solid; particles beyond fly freely,
/// or follow the liquid that they are next to.
template <int D>
struct Flags {
  static constexpr int words = Bits<D>::words;
  Array<std::uint64_t> fluid, air;  // per tile and slice
  Array<std::uint64_t> held;        // cells with particles that are not solid
  Array<std::uint64_t> flying;      // those of them that no fluid cell is around
  Array<std::uint64_t> penetrated;  // solid cells with particles
  Array<std::uint64_t> known[D];    // faces (the lower ones of the cells) that a fluid or flying cell has, and `wall`
  Array<std::uint64_t> beside[D];   // other faces of cells with particles
  Array<std::uint64_t> wall[D];     // faces between a cell with liquid and a solid one
  Array<Real> distance;             // [cells] of a cell's centre from the surface, negative in the liquid
  Array<std::uint8_t> state;        // per cell, as the pressure solver reads it

  /// Resizes all for these tiles; `held` is then to be filled for tiles that hold particles.
  void fit(const Tiles<D>&);
  /// All others, from `held` (cells with particles), the densities over rho0 and the solids.
  void finish(const Tiles<D>&, const SolidCells<D>&, const Array<Real>& rho);
  std::size_t bytes() const;
};

/// Where the cell next to cell c of tile t is, one step down (or up) along axis k.
template <int D>
BRIM_FN int lowerCell(const TileView<D>& tiles, int t, int c, int k) {
  const int stride = 1 << 3 * k;
  if (c >> 3 * k & 7) return t * Tiles<D>::cells + c - stride;
  return tiles.around(t)[BitView<D>::middle - power(3, k)] * Tiles<D>::cells + c + 7 * stride;
}
template <int D>
BRIM_FN int upperCell(const TileView<D>& tiles, int t, int c, int k) {
  const int stride = 1 << 3 * k;
  if ((c >> 3 * k & 7) < 7) return t * Tiles<D>::cells + c + stride;
  return tiles.around(t)[BitView<D>::middle + power(3, k)] * Tiles<D>::cells + c - 7 * stride;
}

/// The middle of the lower face along k of cell c in the tile at `place`, in cells.
template <int D>
BRIM_FN Vec<D> faceMiddle(const Vec<D, int>& place, int c, int k) {
  Vec<D> q;
  for (int a = 0; a < D; ++a) q[a] = Real(8 * place[a] + (c >> 3 * a & 7)) + (a == k ? Real(0) : Real(0.5));
  return q;
}

}  // namespace brim::inline BRIM_FLAVOUR
