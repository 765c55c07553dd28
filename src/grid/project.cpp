#include "grid/project.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

/// The numbers of the tiles beside t.
template <int D>
struct Beside {
  int of[2 * D];
  BRIM_DEVICE_FN Beside(const TileView<D>& tiles, int t) {
    for (int k = 0; k < D; ++k) {
      of[2 * k] = tiles.around(t)[BitView<D>::middle - power(3, k)];
      of[2 * k + 1] = tiles.around(t)[BitView<D>::middle + power(3, k)];
    }
  }
};

template <int D>
struct Force {
  TileView<D> tiles;
  Frame<D> frame;
  SolidView<D> solids;
  const std::uint64_t *known[D], *wall[D];
  Vec<D> dv;
  Real *u[D], *change[D];
  BRIM_DEVICE_FN void operator()(int t) const {
    constexpr int words = Bits<D>::words, cells = Tiles<D>::cells;
    for (int k = 0; k < D; ++k) {
      Real *const ut = u[k] + std::size_t(t) * cells, *const ct = change[k] + std::size_t(t) * cells;
      eachSlice<D>([&](int s) {
        const std::uint64_t has = known[k][std::size_t(t) * words + s];
        eachRowOf(s, [&](int n) {
          const Cells<Real> is = maskOf(has, n), gain = is * Cells<Real>(dv[k]);
          const int at = firstOf(n);
          store(ut + at, is * load(ut + at) + gain);
          store(ct + at, gain);
        });
        eachBit(wall[k][std::size_t(t) * words + s], s, [&](int c) {
          const Real v = solids.moving() ? solids.velocity(frame.inMetres(faceMiddle<D>(tiles.place(t), c, k)), k) : Real(0);
          ct[c] += v - ut[c];
          ut[c] = v;
        });
      });
    }
  }
};

template <int D>
struct Divergence {
  TileView<D> tiles;
  Real perCell;
  const std::uint64_t* fluid;
  const Real* u[D];
  Real* rhs;
  BRIM_DEVICE_FN void operator()(int t) const {
    constexpr int words = Bits<D>::words, cells = Tiles<D>::cells;
    const Beside<D> beside(tiles, t);
    Real* const to = rhs + std::size_t(t) * cells;
    eachSlice<D>([&](int s) {
      const bool any = fluid[std::size_t(t) * words + s] != 0;
      eachRowOf(s, [&](int n) {
        Cells<Real> sum = Real(0);
        for (int k = 0; k < D && any; ++k) {
          const Around<D, Real> uk(u[k], t, beside.of);
          sum += uk.row(n) - uk.above(n, k);
        }
        store(to + firstOf(n), Cells<Real>(perCell) * sum);
      });
    });
  }
};

template <int D>
struct Subtract {
  TileView<D> tiles;
  const std::uint64_t *known[D], *wall[D];
  const Real* phi;
  Real factor;
  bool withChange, fromZero;
  Real *u[D], *change[D];
  BRIM_DEVICE_FN void operator()(int t) const {
    constexpr int words = Bits<D>::words, cells = Tiles<D>::cells;
    const Beside<D> beside(tiles, t);
    const Around<D, Real> p(phi, t, beside.of);
    for (int k = 0; k < D; ++k) {
      Real *const ut = u[k] + std::size_t(t) * cells, *const ct = change[k] + std::size_t(t) * cells;
      eachSlice<D>([&](int s) {
        const std::size_t word = std::size_t(t) * words + s;
        const std::uint64_t free = known[k][word] & ~wall[k][word];
        eachRowOf(s, [&](int n) {
          const int at = firstOf(n);
          if (!anyOf(free, n)) {
            if (fromZero) store(ut + at, Cells<Real>(Real(0)));
            return;
          }
          const Cells<Real> gradient = maskOf(free, n) * Cells<Real>(factor) * (p.row(n) - p.below(n, k));
          store(ut + at, fromZero ? -gradient : load(ut + at) - gradient);
          if (withChange) store(ct + at, load(ct + at) - gradient);
        });
      });
    }
  }
};

}  // namespace

template <int D>
void force(const World<D>& w, const Frame<D>& frame, const Tiles<D>& tiles, const SolidCells<D>& solids, const Flags<D>& flags,
           const Vec<D>& dv, Faces<D>& faces) {
  Force<D> body{tiles.view(), frame, solids.view(w), {}, {}, dv, {}, {}};
  for (int k = 0; k < D; ++k) {
    body.known[k] = flags.known[k].data(), body.wall[k] = flags.wall[k].data();
    body.u[k] = faces.u[k].data(), body.change[k] = faces.change[k].data();
  }
  eachTile<D>(tiles.count(), body);
}

template <int D>
void divergence(const Frame<D>& frame, const Tiles<D>& tiles, const Flags<D>& flags, const Faces<D>& faces, Array<Real>& rhs) {
  tiles.fit(rhs, Real(0));
  Divergence<D> body{tiles.view(), frame.perCell, flags.fluid.data(), {}, rhs.data()};
  for (int k = 0; k < D; ++k) body.u[k] = faces.u[k].data();
  eachTile<D>(tiles.count(), body);
}

template <int D>
void subtractGradient(const Tiles<D>& tiles, const Flags<D>& flags, const Array<Real>& phi, double step, bool withChange,
                      Faces<D>& faces, bool fromZero) {
  Subtract<D> body{tiles.view(), {}, {}, phi.data(), Real(step), withChange, fromZero, {}, {}};
  for (int k = 0; k < D; ++k) {
    body.known[k] = flags.known[k].data(), body.wall[k] = flags.wall[k].data();
    body.u[k] = faces.u[k].data(), body.change[k] = faces.change[k].data();
  }
  eachTile<D>(tiles.count(), body);
}

#define BRIM_PROJECT(D)                                                                                            \
  template void force<D>(const World<D>&, const Frame<D>&, const Tiles<D>&, const SolidCells<D>&, const Flags<D>&, \
                         const Vec<D>&, Faces<D>&);                                                                \
  template void divergence<D>(const Frame<D>&, const Tiles<D>&, const Flags<D>&, const Faces<D>&, Array<Real>&);   \
  template void subtractGradient<D>(const Tiles<D>&, const Flags<D>&, const Array<Real>&, double, bool, Faces<D>&, bool);
BRIM_PROJECT(2)
BRIM_PROJECT(3)

}  // namespace brim::inline BRIM_FLAVOUR
