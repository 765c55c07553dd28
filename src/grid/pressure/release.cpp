#include "grid/pressure/release.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

/// Bits of the cells that let go.
template <int D>
struct FindReleased {
  TileView<D> tiles;
  const std::uint64_t *fluid, *wall[D], *enclosed;
  const Real* phi;
  Real tension;
  std::uint64_t* released;
  BRIM_DEVICE_FN void operator()(int at) const {
    const int t = at / Bits<D>::words, s = at % Bits<D>::words;
    std::uint64_t beside = 0, found = 0;
    if (t < tiles.count && fluid[at])
      for (int k = 0; k < D; ++k) beside |= wall[k][at] | BitView<D>(tiles, wall[k]).above(t, s, k);
    beside &= fluid[at] & ~enclosed[at];
    for (int c = 0; c < 64 && beside >> c; ++c)
      if ((beside >> c & 1) && phi[std::size_t(at) * 64 + c] < -tension) found |= std::uint64_t(1) << c;
    released[at] = found;
  }
};

/// The cells become air; their faces to walls move away from these, if at all.
template <int D>
struct Release {
  TileView<D> tiles;
  const std::uint64_t *released, *wall[D];
  Vec<D> dv;
  std::uint8_t* state;
  Real *distance, *phi, *u[D], *change[D];
  BRIM_DEVICE_FN void operator()(int t) const {
    eachSlice<D>([&](int s) {
      eachBit(released[std::size_t(t) * Bits<D>::words + s], s, [&](int c) {
        const int at = t * Tiles<D>::cells + c;
        state[at] = airCell, distance[at] = 0, phi[at] = 0;
        for (int k = 0; k < D; ++k) {
          open(at, k, Real(1));
          open(upperCell(tiles, t, c, k), k, Real(-1));
        }
      });
    });
  }
  /// Face `at` of axis k; `away` is the direction from the wall to the cell.
  BRIM_DEVICE_FN void open(int at, int k, Real away) const {
    if (!(wall[k][std::size_t(at) >> 6] >> (at & 63) & 1)) return;
    const Real before = u[k][at] + dv[k] - change[k][at];
    if (!((before - u[k][at]) * away > 0)) return;
    u[k][at] = before, change[k][at] = dv[k];
  }
};

}  // namespace

template <int D>
int releaseWalls(GridState<D>& s, const Poisson<D>& poisson, const Vec<D>& dv, double tension) {
  const int n = (s.tiles.count() + 1) * Bits<D>::words;
  s.released.resize(n), s.enclosed.resize(n);
  fill(s.enclosed, 0, n, std::uint64_t(0));
  poisson.markEnclosed(s.enclosed);
  FindReleased<D> find{s.tiles.view(), s.flags.fluid.data(), {}, s.enclosed.data(), s.phi.data(),
                       Real(tension),  s.released.data()};
  for (int k = 0; k < D; ++k) find.wall[k] = s.flags.wall[k].data();
  forEach(n, find);
  const auto bits = s.released.read();
  const int count = int(sumOf(n, [=] BRIM_KERNEL(int at) {
    int ones = 0;
    for (std::uint64_t b = bits[at]; b; b &= b - 1) ++ones;
    return ones;
  }));
  if (count == 0) return 0;
  Release<D> body{s.tiles.view(), s.released.data(), {}, dv, s.flags.state.data(), s.flags.distance.data(), s.phi.data(), {}, {}};
  for (int k = 0; k < D; ++k)
    body.wall[k] = s.flags.wall[k].data(), body.u[k] = s.faces.u[k].data(), body.change[k] = s.faces.change[k].data();
  eachTile<D>(s.tiles.count(), body);
  const auto fluid = s.flags.fluid.view();
  forEach(n, [=] BRIM_KERNEL(int at) { fluid[at] &= ~bits[at]; });
  return count;
}

template int releaseWalls<2>(GridState<2>&, const Poisson<2>&, const Vec<2>&, double);
template int releaseWalls<3>(GridState<3>&, const Poisson<3>&, const Vec<3>&, double);

}  // namespace brim::inline BRIM_FLAVOUR
