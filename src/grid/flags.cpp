#include "grid/flags.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void Flags<D>::fit(const Tiles<D>& tiles) {
  const std::size_t n = std::size_t(tiles.count() + 1) * words;
  fluid.resize(n), air.resize(n);
  std::fill_n(fluid.data(), n, std::uint64_t(0));
  for (int k = 0; k < D; ++k) known[k].resize(n), wall[k].resize(n);
  tiles.fit(state, std::uint8_t(airCell));
}

template <int D>
void Flags<D>::finish(const Tiles<D>& tiles, const SolidCells<D>& solids) {
  const TileView<D> view = tiles.view();
  const std::uint64_t* const solid = solids.solid().data();
  const int n = tiles.count();
  buried.assign(n + 1, 0);
  forEachTile(n + 1, [&](int t) {
    for (int s = 0; s < words; ++s) {
      const std::size_t at = std::size_t(t) * words + s;
      if (fluid[at] & solid[at]) buried[t] = 1;
      fluid[at] &= ~solid[at];
      air[at] = ~(fluid[at] | solid[at]);
      std::uint8_t* const to = state.data() + at * 64;
      if (fluid[at] == 0 && solid[at] == 0)
        std::fill_n(to, 64, std::uint8_t(airCell));
      else
        for (int c = 0; c < 64; ++c) to[c] = fluid[at] >> c & 1 ? fluidCell : solid[at] >> c & 1 ? solidCell : airCell;
      for (int k = 0; k < D && t == n; ++k) known[k][at] = wall[k][at] = 0;
    }
  });
  const BitView<D> f(view, fluid), w(view, solids.solid());
  forEachTile(n, [&](int t) {
    for (int s = 0; s < words; ++s)
      for (int k = 0; k < D; ++k) {
        const std::size_t at = std::size_t(t) * words + s;
        const std::uint64_t here = f.at(t, s), there = f.below(t, s, k);
        known[k][at] = here | there;
        wall[k][at] = (here & w.below(t, s, k)) | (there & w.at(t, s));
      }
  });
}

template <int D>
std::size_t Flags<D>::bytes() const {
  return (2 + 2 * D) * fluid.bytes() + state.bytes();
}

template struct Flags<2>;
template struct Flags<3>;

}  // namespace brim::inline BRIM_FLAVOUR
