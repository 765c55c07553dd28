#include "grid/tension/tension.h"

#include "math/kernels.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

/// The jump of the pressure on faces between liquid and air, with the curvature where the surface cuts the way between the
/// centres.
template <int D>
struct AddJumps {
  TileView<D> tiles;
  BitView<D> isFluid, isSolid;
  const Real *distance, *curvature;
  Real factor;  // [m/s] dt sigma/(rho dx^2)
  Real *u[D], *change[D];
  BRIM_DEVICE_FN void operator()(int t) const {
    for (int k = 0; k < D; ++k)
      eachSlice<D>([&](int s) {
        const std::uint64_t in = isFluid.at(t, s), below = isFluid.below(t, s, k);
        const std::uint64_t faces = (in ^ below) & ~(isSolid.at(t, s) | isSolid.below(t, s, k));
        eachBit(faces, s, [&](int c) {
          const int at = t * Tiles<D>::cells + c, low = lowerCell(tiles, t, c, k);
          const bool above = in >> (c & 63) & 1;  // the liquid is in the upper cell
          const int liquid = above ? at : low, air = above ? low : at;
          const Real perPart = perTheta(distance[at], distance[low]), theta = 1 / perPart;
          const Real kappa = curvature[liquid] + theta * (curvature[air] - curvature[liquid]);
          const Real gain = (above ? Real(1) : Real(-1)) * factor * kappa * perPart;
          u[k][at] += gain;
          change[k][at] += gain;
        });
      });
  }
};

}  // namespace

template <int D>
double GridTension<D>::limit(double rho, double cell) const {
  return std::sqrt(rho * cell * cell * cell / (4 * pi * sigma_));
}

template <int D>
void GridTension<D>::act(GridState<D>& s, double rho, double dt) {
  const Tiles<D>& tiles = s.tiles;
  surface_.find(s);
  AddJumps<D> jumps{tiles.view(),
                    {tiles.view(), s.flags.fluid},
                    {tiles.view(), s.solids.solid()},
                    s.flags.distance.data(),
                    surface_.curvature().data(),
                    Real(dt * sigma_ / (rho * s.geometry.cell * s.geometry.cell)),
                    {},
                    {}};
  for (int k = 0; k < D; ++k) jumps.u[k] = s.faces.u[k].data(), jumps.change[k] = s.faces.change[k].data();
  eachTile<D>(tiles.count(), jumps);
}

template class GridTension<2>;
template class GridTension<3>;

}  // namespace brim::inline BRIM_FLAVOUR
