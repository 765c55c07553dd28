#include "grid/extrapolate.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

/// One layer. Known faces are only read and unknown ones only written, so the order of the tiles does not matter.
template <int D, bool withChange>
struct Spread {
  TileView<D> view;
  struct Component {
    const std::uint64_t* known;
    std::uint64_t* next;
    Real *u, *change;
  } component[D];

  BRIM_DEVICE_FN void operator()(int t) const {
    for (int k = 0; k < D; ++k) spread(t, component[k]);
  }
  BRIM_DEVICE_FN void spread(int t, const Component& one) const {
    const auto [known, next, u, change] = one;
    const BitView<D> bits(view, known);
    constexpr int words = Bits<D>::words, cells = Tiles<D>::cells;
    eachSlice<D>([&](int s) {
      const std::size_t at = std::size_t(t) * words + s;
      if (t == view.count) {
        giveWord(next[at], 0);
        return;
      }
      const std::uint64_t here = known[at];
      const std::uint64_t fresh = here == ~std::uint64_t(0) ? 0 : ~here & bits.beside(t, s);
      giveWord(next[at], here | fresh);
      eachBit(fresh, s, [&](int c) {
        Real sum = 0, difference = 0, count = 0;
        for (int a = 0; a < D; ++a)
          for (int up = 0; up < 2; ++up) {
            const int beside = up ? upperCell(view, t, c, a) : lowerCell(view, t, c, a);
            if (!(known[std::size_t(beside) >> 6] >> (beside & 63) & 1)) continue;
            sum += u[beside], count += 1;
            if (withChange) difference += change[beside];
          }
        u[t * cells + c] = sum / count;
        if (withChange) change[t * cells + c] = difference / count;
      });
    });
  }
};

}  // namespace

template <int D, bool withChange>
static void spreadLayer(const Tiles<D>& tiles, Faces<D>& faces, Array<std::uint64_t> (&known)[D],
                        Array<std::uint64_t> (&next)[D]) {
  Spread<D, withChange> body{tiles.view(), {}};
  for (int k = 0; k < D; ++k) body.component[k] = {known[k].data(), next[k].data(), faces.u[k].data(), faces.change[k].data()};
  eachTile<D>(tiles.count() + 1, body);
}

template <int D>
void extrapolate(const Tiles<D>& tiles, int layers, bool withChange, Faces<D>& faces, Array<std::uint64_t> (&known)[D],
                 Array<std::uint64_t> (&spare)[D]) {
  for (int k = 0; k < D; ++k) spare[k].resize(known[k].size());
  for (int layer = 0; layer < layers; ++layer) {
    if (withChange)
      spreadLayer<D, true>(tiles, faces, known, spare);
    else
      spreadLayer<D, false>(tiles, faces, known, spare);
    for (int k = 0; k < D; ++k) known[k].swap(spare[k]);
  }
}

template void extrapolate<2>(const Tiles<2>&, int, bool, Faces<2>&, Array<std::uint64_t> (&)[2], Array<std::uint64_t> (&)[2]);
template void extrapolate<3>(const Tiles<3>&, int, bool, Faces<3>&, Array<std::uint64_t> (&)[3], Array<std::uint64_t> (&)[3]);

}  // namespace brim::inline BRIM_FLAVOUR
