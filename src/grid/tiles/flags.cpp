// Cell states and face bits from the bits of cells with particles and of solid cells.
#include "grid/tiles/flags.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

/// The byte of each of eight cells, 1 where its bit is set.
BRIM_FN std::uint64_t bytesOf(std::uint64_t bits) {
  const std::uint64_t spread = (bits & 255) * 0x0101010101010101ull & 0x8040201008040201ull;
  return ((spread + 0x7f7f7f7f7f7f7f7full) | spread) >> 7 & 0x0101010101010101ull;
}
static_assert(fluidCell == 1 && solidCell == 2 && airCell == 0);

template <int D>
struct FaceBits {
  BitView<D> isFluid, isSolid;
  int tiles;
  std::uint64_t *known[D], *wall[D];
  BRIM_DEVICE_FN void operator()(int at) const {
    const int t = at / Flags<D>::words, s = at % Flags<D>::words;
    for (int k = 0; k < D; ++k) {
      if (t == tiles) {
        known[k][at] = wall[k][at] = 0;
        continue;
      }
      const std::uint64_t here = isFluid.at(t, s), there = isFluid.below(t, s, k);
      known[k][at] = here | there;
      wall[k][at] = (here & isSolid.below(t, s, k)) | (there & isSolid.at(t, s));
    }
  }
};

}  // namespace

template <int D>
void Flags<D>::fit(const Tiles<D>& tiles) {
  const int n = (tiles.count() + 1) * words;
  fluid.resize(n), air.resize(n), penetrated.resize(n);
  fill(fluid, 0, n, std::uint64_t(0));
  for (int k = 0; k < D; ++k) known[k].resize(n), wall[k].resize(n);
  tiles.fit(state, std::uint8_t(airCell));
}

template <int D>
void Flags<D>::finish(const Tiles<D>& tiles, const SolidCells<D>& solids) {
  const int n = tiles.count();
  const auto f = fluid.view(), a = air.view(), b = penetrated.view();
  const auto solid = solids.solid().read();
  std::uint8_t* const bytes = state.data();
  forEach((n + 1) * words, [=] BRIM_KERNEL(int at) {
    const std::uint64_t s = solid[at], free = f[at] & ~s;
    b[at] = f[at] & s;
    f[at] = free;
    a[at] = ~(free | s);
    auto* const to = reinterpret_cast<std::uint64_t*>(bytes + std::size_t(at) * 64);
    for (int line = 0; line < 8; ++line) to[line] = bytesOf(free >> 8 * line) | bytesOf(s >> 8 * line) << 1;
  });
  const BitView<D> isFluid(tiles.view(), fluid), isSolid(tiles.view(), solids.solid());
  FaceBits<D> faces{isFluid, isSolid, n, {}, {}};
  for (int k = 0; k < D; ++k) faces.known[k] = known[k].data(), faces.wall[k] = wall[k].data();
  forEach((n + 1) * words, faces);
}

template <int D>
std::size_t Flags<D>::bytes() const {
  return (3 + 2 * D) * fluid.bytes() + state.bytes();
}

template struct Flags<2>;
template struct Flags<3>;

}  // namespace brim::inline BRIM_FLAVOUR
