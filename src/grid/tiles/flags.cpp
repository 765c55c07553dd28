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

/// Distances from the surface, and the bits of the cells in the liquid.
template <int D>
struct FindFluid {
  const Real *rho, *fraction;
  const std::uint64_t* solid;
  Real* distance;
  std::uint64_t* fluid;
  BRIM_DEVICE_FN void operator()(int t) const {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells, word = std::size_t(t) * Flags<D>::words;
#if BRIM_CUDA
    const int c = ownCell();
    const Real d = surfaceDistance(rho[first + c], fraction[first + c]);
    distance[first + c] = d;
    giveBits(fluid + word, d < 0 && !Bits<D>::test(solid + word, c));
#else
    for (int c = 0; c < Tiles<D>::cells; ++c) distance[first + c] = surfaceDistance(rho[first + c], fraction[first + c]);
    for (int s = 0; s < Flags<D>::words; ++s) {
      std::uint64_t bits = 0;
      for (int c = 0; c < 64; ++c) bits |= std::uint64_t(distance[first + 64 * s + c] < 0) << c;
      fluid[word + s] = bits & ~solid[word + s];
    }
#endif
  }
};

/// Cells that are mostly solid hold too few particles for a distance of their own: theirs is the mean over the cells around that
/// are mostly free, weighted by how much. Only the latter are read and only the former written.
template <int D>
struct FindFluidBesideSolids {
  TileView<D> tiles;
  View<const std::uint8_t> touches;
  const Real* fraction;
  const std::uint64_t* solid;
  Real* distance;
  std::uint64_t* fluid;
  BRIM_DEVICE_FN void operator()(int at) const {
    constexpr int cells = Tiles<D>::cells, words = Bits<D>::words;
    const int t = at / words, s = at % words;
    if (!touches[t]) return;
    const Vec<D, int> place = tiles.place(t);
    std::uint64_t bits = fluid[at];
    for (int b = 0; b < 64; ++b) {
      const int c = 64 * s + b, own = t * cells + c;
      if ((solid[at] >> b & 1) || fraction[own] <= Real(0.5)) continue;
      Real sum = 0, weight = 0;
      for (int n = 0; n < power(3, D); ++n) {
        Vec<D, int> cell;
        for (int k = 0, way = n; k < D; ++k, way /= 3) cell[k] = 8 * place[k] + (c >> 3 * k & 7) + way % 3 - 1;
        const int other = tiles.index(cell);
        if (fraction[other] <= Real(0.5)) sum += (1 - fraction[other]) * distance[other], weight += 1 - fraction[other];
      }
      if (!(weight > 0)) continue;
      distance[own] = sum / weight;
      bits = (bits & ~(std::uint64_t(1) << b)) | std::uint64_t(sum < 0) << b;
    }
    fluid[at] = bits;
  }
};

/// The cells whose faces are all shut.
template <int D>
struct AllShut {
  TileView<D> tiles;
  const std::uint64_t* shut[D];
  std::uint64_t* solid;
  BRIM_DEVICE_FN void operator()(int at) const {
    const int t = at / Bits<D>::words, s = at % Bits<D>::words;
    std::uint64_t all = ~std::uint64_t(0);
    for (int k = 0; k < D; ++k) all &= shut[k][at] & BitView<D>(tiles, shut[k]).above(t, s, k);
    solid[at] = all;
  }
};

template <int D>
struct FaceBits {
  BitView<D> isFluid, isHeld, isFlying, isSolid;
  int tiles;
  const std::uint64_t* shut[D];  // null: a face is shut where a cell beside it is solid
  std::uint64_t *known[D], *beside[D], *wall[D];
  BRIM_DEVICE_FN void operator()(int at) const {
    const int t = at / Flags<D>::words, s = at % Flags<D>::words;
    for (int k = 0; k < D; ++k) {
      if (t == tiles) {
        known[k][at] = beside[k][at] = wall[k][at] = 0;
        continue;
      }
      const std::uint64_t fluid = isFluid.at(t, s), fluidBelow = isFluid.below(t, s, k);
      const std::uint64_t held = isHeld.at(t, s), heldBelow = isHeld.below(t, s, k);
      const std::uint64_t closed =
          shut[k] ? (fluid | held | fluidBelow | heldBelow) & shut[k][at]
                  : ((fluid | held) & isSolid.below(t, s, k)) | ((fluidBelow | heldBelow) & isSolid.at(t, s));
      const std::uint64_t all = fluid | fluidBelow | isFlying.at(t, s) | isFlying.below(t, s, k) | closed;
      wall[k][at] = closed;
      known[k][at] = all;
      beside[k][at] = (held | heldBelow) & ~all;
    }
  }
};

}  // namespace

template <int D>
void Flags<D>::fit(const Tiles<D>& tiles) {
  const int n = (tiles.count() + 1) * words;
  for (Array<std::uint64_t>* bits : {&fluid, &air, &held, &flying, &penetrated}) bits->resize(n);
  fill(held, 0, n, std::uint64_t(0));
  for (int k = 0; k < D; ++k) known[k].resize(n), beside[k].resize(n), wall[k].resize(n);
  tiles.fit(state, std::uint8_t(airCell));
}

template <int D>
void Flags<D>::finish(const Tiles<D>& tiles, const SolidCells<D>& solids, const Array<Real>& rho) {
  const int n = tiles.count();
  tiles.fit(distance, Real(1));
  fill(fluid, n * words, (n + 1) * words, std::uint64_t(0));
  const FindFluid<D> find{rho.data(), solids.fraction().data(), solids.solid().data(), distance.data(), fluid.data()};
#if BRIM_CUDA
  eachCellOfTiles<D>(n, find);
#else
  eachTile<D>(n, find);
#endif
  if (solids.cut())
    forEach(n * words, FindFluidBesideSolids<D>{tiles.view(), solids.touches().read(), solids.fraction().data(),
                                                solids.solid().data(), distance.data(), fluid.data()});
  const auto h = held.view(), a = air.view(), b = penetrated.view(), y = flying.view();
  const auto f = fluid.read(), solid = solids.solid().read();
  std::uint8_t* const bytes = state.data();
  forEach((n + 1) * words, [=] BRIM_KERNEL(int at) {
    const std::uint64_t s = solid[at], free = f[at];
    b[at] = h[at] & s;
    h[at] &= ~s;
    a[at] = ~(free | s);
    auto* const to = reinterpret_cast<std::uint64_t*>(bytes + std::size_t(at) * 64);
    for (int line = 0; line < 8; ++line) to[line] = bytesOf(free >> 8 * line) | bytesOf(s >> 8 * line) << 1;
  });
  const BitView<D> isFluid(tiles.view(), fluid), isHeld(tiles.view(), held), isFlying(tiles.view(), flying),
      isSolid(tiles.view(), solids.solid());
  forEach((n + 1) * words, [=] BRIM_KERNEL(int at) {
    y[at] = at < n * words && h[at] ? h[at] & ~isFluid.around(at / words, at % words) : std::uint64_t(0);
  });
  FaceBits<D> faces{isFluid, isHeld, isFlying, isSolid, n, {}, {}, {}, {}};
  for (int k = 0; k < D; ++k) faces.shut[k] = solids.cut() ? solids.shut(k).data() : nullptr;
  for (int k = 0; k < D; ++k)
    faces.known[k] = known[k].data(), faces.beside[k] = beside[k].data(), faces.wall[k] = wall[k].data();
  forEach((n + 1) * words, faces);
}

template <int D>
std::size_t Flags<D>::bytes() const {
  return (5 + 3 * D) * fluid.bytes() + state.bytes() + distance.bytes();
}

template <int D>
void SolidCells<D>::findSolid(const Tiles<D>& tiles) {
  AllShut<D> body{tiles.view(), {}, solid_.data()};
  for (int k = 0; k < D; ++k) body.shut[k] = shut_[k].data();
  forEach(tiles.count() * Bits<D>::words, body);
}
template void SolidCells<2>::findSolid(const Tiles<2>&);
template void SolidCells<3>::findSolid(const Tiles<3>&);

template struct Flags<2>;
template struct Flags<3>;

}  // namespace brim::inline BRIM_FLAVOUR
