#include "grid/project.h"

#include "grid/rows.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

/// 1 in the lanes whose bit is set, 0 in the others.
struct Lanes {
  alignas(64) Real of[256][8];
  Lanes() {
    for (int m = 0; m < 256; ++m)
      for (int x = 0; x < 8; ++x) of[m][x] = Real(m >> x & 1);
  }
};
const Lanes lanesOf;
BRIM_FN Row<Real> maskOf(std::uint64_t bits) { return load(lanesOf.of[bits & 255]); }

/// A field around tile t.
template <int D>
BRIM_FN Around<D, Real> around(const Array<Real>& field, const TileView<D>& tiles, int t) {
  int beside[2 * D];
  for (int k = 0; k < D; ++k)
    beside[2 * k] = tiles.around(t)[BitView<D>::middle - power(3, k)],
               beside[2 * k + 1] = tiles.around(t)[BitView<D>::middle + power(3, k)];
  return {field.data(), t, beside};
}

}  // namespace

template <int D>
void force(const World<D>& w, const Frame<D>& frame, const Tiles<D>& tiles, const SolidCells<D>& solids, const Flags<D>& flags,
           const Vec<D>& dv, Faces<D>& faces) {
  constexpr int words = Bits<D>::words, cells = Tiles<D>::cells;
  forEachTile(tiles.count(), [&](int t) {
    const Vec<D, int> place = tiles.place(t);
    for (int k = 0; k < D; ++k) {
      Real *const u = faces.u[k].data() + std::size_t(t) * cells, *const change = faces.change[k].data() + std::size_t(t) * cells;
      for (int s = 0; s < words; ++s) {
        const std::uint64_t known = flags.known[k][std::size_t(t) * words + s];
        for (int y = 0; y < 8; ++y) {
          const Row<Real> is = maskOf(known >> 8 * y), gain = is * Row<Real>(dv[k]);
          const int at = 64 * s + 8 * y;
          store(u + at, is * load(u + at) + gain);
          store(change + at, gain);
        }
        eachBit(flags.wall[k][std::size_t(t) * words + s], s, [&](int c) {
          const Real v = solids.moving() ? solids.velocity(w, frame.inMetres(faceMiddle<D>(place, c, k)), k) : Real(0);
          change[c] += v - u[c];
          u[c] = v;
        });
      }
    }
  });
}

template <int D>
void divergence(const Frame<D>& frame, const Tiles<D>& tiles, const Flags<D>& flags, const Faces<D>& faces, Array<Real>& rhs) {
  constexpr int words = Bits<D>::words, cells = Tiles<D>::cells;
  tiles.fit(rhs, Real(0));
  const TileView<D> view = tiles.view();
  const Row<Real> perCell = frame.perCell;
  forEachTile(tiles.count(), [&](int t) {
    Real* const to = rhs.data() + std::size_t(t) * cells;
    for (int s = 0; s < words; ++s) {
      const bool any = flags.fluid[std::size_t(t) * words + s] != 0;
      for (int r = 8 * s; r < 8 * s + 8; ++r) {
        Row<Real> sum = Real(0);
        for (int k = 0; k < D && any; ++k) {
          const Around<D, Real> u = around(faces.u[k], view, t);
          sum += u.row(r) - u.above(r, k);
        }
        store(to + 8 * r, perCell * sum);
      }
    }
  });
}

template <int D>
void subtractGradient(const Tiles<D>& tiles, const Flags<D>& flags, const Array<Real>& phi, double step, bool withChange,
                      Faces<D>& faces) {
  constexpr int words = Bits<D>::words, cells = Tiles<D>::cells;
  const TileView<D> view = tiles.view();
  const Row<Real> factor = Real(step);
  forEachTile(tiles.count(), [&](int t) {
    const Around<D, Real> p = around(phi, view, t);
    for (int k = 0; k < D; ++k) {
      Real *const u = faces.u[k].data() + std::size_t(t) * cells, *const change = faces.change[k].data() + std::size_t(t) * cells;
      for (int s = 0; s < words; ++s) {
        const std::size_t at = std::size_t(t) * words + s;
        const std::uint64_t free = flags.known[k][at] & ~flags.wall[k][at];
        for (int y = 0; y < 8; ++y) {
          if (!(free >> 8 * y & 255)) continue;
          const int r = 8 * s + y;
          const Row<Real> gradient = maskOf(free >> 8 * y) * factor * (p.row(r) - p.below(r, k));
          store(u + 8 * r, load(u + 8 * r) - gradient);
          if (withChange) store(change + 8 * r, load(change + 8 * r) - gradient);
        }
      }
    }
  });
}

#define BRIM_PROJECT(D)                                                                                            \
  template void force<D>(const World<D>&, const Frame<D>&, const Tiles<D>&, const SolidCells<D>&, const Flags<D>&, \
                         const Vec<D>&, Faces<D>&);                                                                \
  template void divergence<D>(const Frame<D>&, const Tiles<D>&, const Flags<D>&, const Faces<D>&, Array<Real>&);   \
  template void subtractGradient<D>(const Tiles<D>&, const Flags<D>&, const Array<Real>&, double, bool, Faces<D>&);
BRIM_PROJECT(2)
BRIM_PROJECT(3)

}  // namespace brim::inline BRIM_FLAVOUR
