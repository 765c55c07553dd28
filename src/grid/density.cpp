#include "grid/density.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

template <int D>
struct DensityError {
  BitView<D> air;
  const std::uint64_t* fluid;
  const Real* rho;
  Real* rhs;
  Real low, high, perDt;
  BRIM_DEVICE_FN void operator()(int t) const {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    eachSlice<D>([&](int s) {
      // The kernel reaches the cells around by corners too: where any of them is air, the density is too low.
      const std::uint64_t is = fluid[std::size_t(t) * Bits<D>::words + s], surface = is ? air.around(t, s) : 0;
      eachRowOf(s, [&](int n) {
        const std::size_t at = first + firstOf(n);
        const Cells<Real> zero(Real(0)), one(Real(1));
        const Cells<Real> least = select(maskOf(surface, n) > zero, one, Cells<Real>(low));
        const Cells<Real> error = max(min(load(rho + at), Cells<Real>(high)), least) - one;
        store(rhs + at, select(maskOf(is, n) > zero, Cells<Real>(perDt) * error, zero));
      });
    });
  }
};

template <int D>
struct WaysOut {
  TileView<D> tiles;
  BitView<D> bits;
  const std::uint64_t *buried, *fluid;
  const Vec<D>* way;
  BRIM_DEVICE_FN static bool is(const std::uint64_t* words, int cell) { return words[std::size_t(cell) >> 6] >> (cell & 63) & 1; }
};

template <int D>
struct PushIntoFluid {
  WaysOut<D> out;
  Real perWay;
  Real* rhs;
  BRIM_DEVICE_FN void operator()(int t) const {
    eachSlice<D>([&](int s) {
      const std::uint64_t pushed = out.fluid[std::size_t(t) * Bits<D>::words + s] & out.bits.beside(t, s);
      eachBit(pushed, s, [&](int c) {
        Real sum = 0;
        for (int k = 0; k < D; ++k) {
          const int lower = lowerCell(out.tiles, t, c, k), upper = upperCell(out.tiles, t, c, k);
          if (out.is(out.buried, lower)) sum += max(out.way[lower][k], Real(0));
          if (out.is(out.buried, upper)) sum += max(-out.way[upper][k], Real(0));
        }
        rhs[t * Tiles<D>::cells + c] += perWay * sum;
      });
    });
  }
};

/// Only towards the fluid: a face that the way out leads away from would draw the fluid on its other side into the solid.
template <int D>
struct SetWaysOut {
  WaysOut<D> out;
  Real* field[D];
  std::uint64_t* bits[D];
  BRIM_DEVICE_FN void operator()(int t) const {
    for (int k = 0; k < D; ++k) set(t, k, field[k], bits[k]);
  }
  BRIM_DEVICE_FN void set(int t, int k, Real* u, std::uint64_t* known) const {
    eachSlice<D>([&](int s) {
      eachBit(out.bits.at(t, s) | out.bits.below(t, s, k), s, [&](int c) {
        const int own = t * Tiles<D>::cells + c, lower = lowerCell(out.tiles, t, c, k);
        bool any = false;
        Real value = u[own];
        if (out.is(out.buried, lower)) {
          const Real w = out.way[lower][k];
          if (w > 0 || !out.is(out.fluid, own)) any = true, value = std::abs(w) >= std::abs(value) ? w : value;
        }
        if (out.is(out.buried, own)) {
          const Real w = out.way[own][k];
          if (w < 0 || !out.is(out.fluid, lower)) any = true, value = std::abs(w) >= std::abs(value) ? w : value;
        }
        u[own] = value;
        if (any) setBits(reinterpret_cast<std::uint32_t*>(known)[own >> 5], 1u << (own & 31));
      });
    });
  }
};

}  // namespace

double filledOf(const Array<int>& filled) {
  const auto f = filled.read();
  return sumOf(int(filled.size()), [=] BRIM_KERNEL(int t) { return f[t]; });
}

template <int D>
void densityError(const Tiles<D>& tiles, const Flags<D>& flags, const Array<Real>& rho, double dt, double clamp,
                  Array<Real>& rhs) {
  tiles.fit(rhs, Real(0));
  eachTile<D>(tiles.count(), DensityError<D>{BitView<D>(tiles.view(), flags.air), flags.fluid.data(), rho.data(), rhs.data(),
                                             Real(1 - clamp), Real(1 + clamp), Real(1 / dt)});
}

template <int D>
static WaysOut<D> waysOut(const Tiles<D>& tiles, const Flags<D>& flags, const Array<Vec<D>>& way) {
  return {tiles.view(), BitView<D>(tiles.view(), flags.buried), flags.buried.data(), flags.fluid.data(), way.data()};
}

template <int D>
void pushIntoFluid(const Frame<D>& frame, const Tiles<D>& tiles, const Flags<D>& flags, const Array<Vec<D>>& way, double dt,
                   Array<Real>& rhs) {
  eachTile<D>(tiles.count(), PushIntoFluid<D>{waysOut(tiles, flags, way), Real(frame.perCell / dt), rhs.data()});
}

template <int D>
void setWaysOut(const Tiles<D>& tiles, Flags<D>& flags, const Array<Vec<D>>& way, Faces<D>& faces) {
  SetWaysOut<D> body{waysOut(tiles, flags, way), {}, {}};
  for (int k = 0; k < D; ++k) body.field[k] = faces.u[k].data(), body.bits[k] = flags.known[k].data();
  eachTile<D>(tiles.count(), body);
}

#define BRIM_DENSITY(D)                                                                                                          \
  template void densityError<D>(const Tiles<D>&, const Flags<D>&, const Array<Real>&, double, double, Array<Real>&);             \
  template void pushIntoFluid<D>(const Frame<D>&, const Tiles<D>&, const Flags<D>&, const Array<Vec<D>>&, double, Array<Real>&); \
  template void setWaysOut<D>(const Tiles<D>&, Flags<D>&, const Array<Vec<D>>&, Faces<D>&);
BRIM_DENSITY(2)
BRIM_DENSITY(3)

}  // namespace brim::inline BRIM_FLAVOUR
