// Extrapolation of face values, tile by tile.
#include "grid/transfer/extrapolate.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

/// One layer: first which faces get a value, then these. Known faces are only read and unknown ones only written, so the order of
/// the tiles does not matter.
template <int D>
struct GrowKnown {
  TileView<D> view;
  const std::uint64_t* known[D];
  std::uint64_t* next[D];
  BRIM_DEVICE_FN void operator()(int at) const {
    const int t = at / Bits<D>::words, s = at % Bits<D>::words;
    BRIM_UNROLL
    for (int k = 0; k < D; ++k) {
      std::uint64_t here = known[k][at];
      if (t == view.count)
        here = 0;
      else if (here != ~std::uint64_t(0))
        here |= BitView<D>(view, known[k]).beside(t, s);
      next[k][at] = here;
    }
  }
};
template <int D, bool withChange>
struct ExtrapolateLayer {
  TileView<D> view;
  struct Component {
    const std::uint64_t *known, *next, *beside;
    Real *u, *change;
  } component[D];

  GrowKnown<D> bits;  // on a GPU done before, in a launch of its own

  BRIM_DEVICE_FN void operator()(int t) const {
    eachSlice<D>([&](int s) {
      const int at = t * Bits<D>::words + s;
      if (!onDevice) bits(at);
      std::uint64_t fresh[D];
      BRIM_UNROLL
      for (int k = 0; k < D; ++k) fresh[k] = component[k].next[at] & ~component[k].known[at];
      BRIM_UNROLL
      for (int k = 0; k < D; ++k) eachBit(fresh[k], s, [&](int c) { extrapolateFace(component[k], t, c); });
    });
  }
  BRIM_DEVICE_FN void extrapolateFace(const Component& one, int t, int c) const {
    const auto [known, grown, beside, u, change] = one;
    Real sum = 0, difference = 0, count = 0;
    for (int a = 0; a < D; ++a)
      for (int up = 0; up < 2; ++up) {
        const int next = up ? upperCell(view, t, c, a) : lowerCell(view, t, c, a);
        if (!(known[std::size_t(next) >> 6] >> (next & 63) & 1)) continue;
        sum += u[next], count += 1;
        if (withChange) difference += change[next];
      }
    const int at = t * Tiles<D>::cells + c;
    if (withChange) change[at] = difference / count;
    // Particles have given this face a velocity: it changes as those of the liquid beside it.
    if (withChange && (beside[std::size_t(at) >> 6] >> (at & 63) & 1))
      u[at] += difference / count;
    else
      u[at] = sum / count;
  }
};

}  // namespace

template <int D, bool withChange>
static void extrapolateLayer(const Tiles<D>& tiles, Faces<D>& faces, Array<std::uint64_t> (&known)[D],
                             Array<std::uint64_t> (&next)[D], const Array<std::uint64_t> (&beside)[D]) {
  GrowKnown<D> bits{tiles.view(), {}, {}};
  ExtrapolateLayer<D, withChange> body{tiles.view(), {}, {}};
  for (int k = 0; k < D; ++k) {
    bits.known[k] = known[k].data(), bits.next[k] = next[k].data();
    body.component[k] = {known[k].data(), next[k].data(), beside[k].data(), faces.u[k].data(), faces.change[k].data()};
  }
  body.bits = bits;
  if (onDevice) forEach((tiles.count() + 1) * Bits<D>::words, bits);
  eachTile<D>(tiles.count() + 1, body);
}

template <int D>
void extrapolate(GridState<D>& s, int layers, bool withChange) {
  auto &known = s.flags.known, &next = s.spare;
  for (int k = 0; k < D; ++k) next[k].resize(known[k].size());
  for (int layer = 0; layer < layers; ++layer) {
    if (withChange)
      extrapolateLayer<D, true>(s.tiles, s.faces, known, next, s.flags.beside);
    else
      extrapolateLayer<D, false>(s.tiles, s.faces, known, next, s.flags.beside);
    for (int k = 0; k < D; ++k) known[k].swap(next[k]);
  }
}

template void extrapolate<2>(GridState<2>&, int, bool);
template void extrapolate<3>(GridState<3>&, int, bool);

}  // namespace brim::inline BRIM_FLAVOUR
