#include "grid/extrapolate.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void extrapolate(const Tiles<D>& tiles, int layers, bool withChange, Faces<D>& faces, Array<std::uint64_t> (&known)[D],
                 Array<std::uint64_t>& spare) {
  constexpr int words = Bits<D>::words, cells = Tiles<D>::cells;
  const TileView<D> view = tiles.view();
  spare.resize(known[0].size());
  for (int k = 0; k < D; ++k) {
    Real *const u = faces.u[k].data(), *const change = faces.change[k].data();
    for (int layer = 0; layer < layers; ++layer) {
      const BitView<D> bits(view, known[k]);
      const auto isKnown = [&](int cell) { return known[k][std::size_t(cell) >> 6] >> (cell & 63) & 1; };
      // Known faces are only read and unknown ones only written, so the order of the tiles does not matter.
      forEachTile(tiles.count(), [&](int t) {
        for (int s = 0; s < words; ++s) {
          const std::size_t at = std::size_t(t) * words + s;
          const std::uint64_t here = known[k][at];
          const std::uint64_t fresh = here == ~std::uint64_t(0) ? 0 : ~here & bits.beside(t, s);
          spare[at] = here | fresh;
          eachBit(fresh, s, [&](int c) {
            Real sum = 0, difference = 0, count = 0;
            for (int a = 0; a < D; ++a)
              for (const int next : {lowerCell(view, t, c, a), upperCell(view, t, c, a)})
                if (isKnown(next)) sum += u[next], difference += withChange ? change[next] : Real(0), count += 1;
            u[t * cells + c] = sum / count;
            if (withChange) change[t * cells + c] = difference / count;
          });
        }
      });
      for (int s = 0; s < words; ++s) spare[std::size_t(tiles.count()) * words + s] = 0;
      known[k].swap(spare);
    }
  }
}

template void extrapolate<2>(const Tiles<2>&, int, bool, Faces<2>&, Array<std::uint64_t> (&)[2], Array<std::uint64_t>&);
template void extrapolate<3>(const Tiles<3>&, int, bool, Faces<3>&, Array<std::uint64_t> (&)[3], Array<std::uint64_t>&);

}  // namespace brim::inline BRIM_FLAVOUR
