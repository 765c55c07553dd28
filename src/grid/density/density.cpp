// Right-hand sides and face values of the density projection, tile by tile.
#include "grid/density/density.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

template <int D>
struct DensityError {
  BitView<D> air, released;
  TileView<D> tiles, velocityTiles;
  bool withReleased;
  const std::uint64_t* fluid;
  const Real* rho;
  Real* rhs;
  Real low, high, perDt;
  BRIM_DEVICE_FN std::uint64_t releasedAround(int t, int s) const {
    if (!withReleased) return 0;
    const int there = velocityTiles.at(tiles.place(t));
    return there == velocityTiles.count ? 0 : released.around(there, s);
  }
  BRIM_DEVICE_FN void operator()(int t) const {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    eachSlice<D>([&](int s) {
      // The tent kernel reaches all 3^D - 1 cells around: where any of them is air, the density is too low.
      const std::uint64_t is = fluid[std::size_t(t) * Bits<D>::words + s],
                          surface = is ? air.around(t, s) | releasedAround(t, s) : 0;
      eachLineOf(s, [&](int n) {
        const std::size_t at = first + firstOf(n);
        const Cells<Real> zero(Real(0)), one(Real(1));
        const Cells<Real> least = select(maskOf(surface, n) > zero, one, Cells<Real>(low));
        const Cells<Real> error = max(min(load(rho + at), Cells<Real>(high)), least) - one;
        store(rhs + at, select(maskOf(is, n) > zero, Cells<Real>(perDt) * error, zero));
      });
    });
  }
};

/// Push-out displacements of solid cells with particles.
template <int D>
struct PushOut {
  TileView<D> tiles;
  BitView<D> bits;
  const std::uint64_t *penetrated, *fluid;
  const Vec<D>* displacement;
  BRIM_DEVICE_FN static bool is(const std::uint64_t* words, int cell) { return words[std::size_t(cell) >> 6] >> (cell & 63) & 1; }
};

template <int D>
struct AddPushOut {
  PushOut<D> out;
  Real perMetre;  // 1/(dx dt)
  Real* rhs;
  BRIM_DEVICE_FN void operator()(int t) const {
    eachSlice<D>([&](int s) {
      const std::uint64_t pushed = out.fluid[std::size_t(t) * Bits<D>::words + s] & out.bits.beside(t, s);
      eachBit(pushed, s, [&](int c) {
        Real sum = 0;
        for (int k = 0; k < D; ++k) {
          const int lower = lowerCell(out.tiles, t, c, k), upper = upperCell(out.tiles, t, c, k);
          if (out.is(out.penetrated, lower)) sum += max(out.displacement[lower][k], Real(0));
          if (out.is(out.penetrated, upper)) sum += max(-out.displacement[upper][k], Real(0));
        }
        rhs[t * Tiles<D>::cells + c] += perMetre * sum;
      });
    });
  }
};

/// Only towards the fluid: a face that the push-out leads away from would draw the fluid on its other side into the solid.
template <int D>
struct SetPushOut {
  PushOut<D> out;
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
        if (out.is(out.penetrated, lower)) {
          const Real w = out.displacement[lower][k];
          if (w > 0 || !out.is(out.fluid, own)) any = true, value = std::abs(w) >= std::abs(value) ? w : value;
        }
        if (out.is(out.penetrated, own)) {
          const Real w = out.displacement[own][k];
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
void densityError(const GridState<D>& s, double dt, double clamp, Array<Real>& rhs, bool withReleased) {
  s.tiles.fit(rhs, Real(0));
  eachTile<D>(s.tiles.count(),
              DensityError<D>{BitView<D>(s.tiles.view(), s.flags.air), BitView<D>(s.velocityTiles.view(), s.released),
                              s.tiles.view(), s.velocityTiles.view(), withReleased, s.flags.fluid.data(), s.rho.data(),
                              rhs.data(), Real(1 - clamp), Real(1 + clamp), Real(1 / dt)});
}

template <int D>
static PushOut<D> pushOutOf(const GridState<D>& s) {
  return {s.tiles.view(), BitView<D>(s.tiles.view(), s.flags.penetrated), s.flags.penetrated.data(), s.flags.fluid.data(),
          s.pushOut.data()};
}

template <int D>
void addPushOut(GridState<D>& s, double dt) {
  eachTile<D>(s.tiles.count(), AddPushOut<D>{pushOutOf(s), Real(s.geometry.perCell / dt), s.rhs.data()});
}

template <int D>
void setPushOut(GridState<D>& s) {
  SetPushOut<D> body{pushOutOf(s), {}, {}};
  for (int k = 0; k < D; ++k) body.field[k] = s.faces.u[k].data(), body.bits[k] = s.flags.known[k].data();
  eachTile<D>(s.tiles.count(), body);
}

template void densityError<2>(const GridState<2>&, double, double, Array<Real>&, bool);
template void densityError<3>(const GridState<3>&, double, double, Array<Real>&, bool);
template void addPushOut<2>(GridState<2>&, double);
template void addPushOut<3>(GridState<3>&, double);
template void setPushOut<2>(GridState<2>&);
template void setPushOut<3>(GridState<3>&);

}  // namespace brim::inline BRIM_FLAVOUR
