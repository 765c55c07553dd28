#include "grid/pressure/slip.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

/// Only open faces are read and only shut ones written, so the order does not matter.
template <int D>
struct Slide {
  TileView<D> tiles;
  GridGeometry<D> geometry;
  SolidView<D> solids;
  const std::uint64_t *known[D], *wall[D], *released;  // released: null where nothing is
  Real eps;                                            // [m] for normals
  Real *u[D], *change[D];

  BRIM_DEVICE_FN static bool is(const std::uint64_t* bits, int cell) { return bits[cell >> 6] >> (cell & 63) & 1; }
  BRIM_DEVICE_FN bool isReleased(int cell) const { return released && is(released, cell); }
  /// Adds the open face of axis k at this element to a mean.
  BRIM_DEVICE_FN void add(int element, int k, Real& sum, Real& count) const {
    if (is(known[k], element) && !is(wall[k], element)) sum += u[k][element], count += 1;
  }
  BRIM_DEVICE_FN int above(int element, int k) const {
    constexpr int cells = Tiles<D>::cells;
    const int t = element / cells;
    return t == tiles.count ? element : upperCell(tiles, t, element % cells, k);
  }
  BRIM_DEVICE_FN void face(int t, int c, int k) const {
    const int own = t * Tiles<D>::cells + c, below = lowerCell(tiles, t, c, k);
    if (isReleased(own) || isReleased(below)) return;
    const Vec<D> x = geometry.inMetres(faceMiddle<D>(tiles.place(t), c, k));
    Real least = geometry.cell;
    int nearest = -1;
    for (int b = 0; b < solids.bodies; ++b) {
      if (isBeyondBox(solids.body[b], x, geometry.cell)) continue;
      if (const Real d = distanceTo(solids.body[b], x); d < least) least = d, nearest = b;
    }
    if (nearest < 0) return;
    const PlacedSolid<D>& body = solids.body[nearest];
    Real at[3] = {}, y[3], n[3] = {}, normal[3], v[3];
    for (int a = 0; a < D; ++a) at[a] = x[a];
    body.pose.toBody(at, y);
    body.shape.normal(y, eps, n);
    body.pose.directionToWorld(n, normal);
    body.pose.velocityAt(at, v);
    Real into = 0, along = 0;
    for (int a = 0; a < D; ++a) {
      Real sum = 0, count = 0;
      if (a == k) {
        for (int b = 0; b < D; ++b) add(lowerCell(tiles, t, c, b), k, sum, count), add(upperCell(tiles, t, c, b), k, sum, count);
        if (count == 0) return;
        along = sum / count - v[k];
      } else {
        for (const int cell : {own, below}) add(cell, a, sum, count), add(above(cell, a), a, sum, count);
      }
      if (count > 0) into += normal[a] * (sum / count - v[a]);
    }
    // The face is `depth` cells behind the surface, and the open ones about a cell from it: between them, on the surface, nothing
    // flows through.
    const Real depth = max(Real(0), min(Real(0.5), -least * geometry.perCell));
    const Real value = v[k] + along - normal[k] * into / (1 - depth);
    change[k][own] += value - u[k][own];
    u[k][own] = value;
  }
  BRIM_DEVICE_FN void operator()(int t) const {
    if (!solids.touches[t]) return;
    eachSlice<D>([&](int s) {
      for (int k = 0; k < D; ++k) eachBit(wall[k][std::size_t(t) * Bits<D>::words + s], s, [&](int c) { face(t, c, k); });
    });
  }
};

}  // namespace

template <int D>
void slideAlongSolids(GridState<D>& s, const Solids<D>& solids, bool released) {
  if (solids.hostPlaced().empty()) return;
  Slide<D> body{s.tiles.view(),
                s.geometry,
                s.solids.view(solids),
                {},
                {},
                released ? s.released.data() : nullptr,
                Real(0.05 * s.geometry.spacing),
                {},
                {}};
  for (int k = 0; k < D; ++k) {
    body.known[k] = s.flags.known[k].data(), body.wall[k] = s.flags.wall[k].data();
    body.u[k] = s.faces.u[k].data(), body.change[k] = s.faces.change[k].data();
  }
  eachTile<D>(s.tiles.count(), body);
}

template void slideAlongSolids<2>(GridState<2>&, const Solids<2>&, bool);
template void slideAlongSolids<3>(GridState<3>&, const Solids<3>&, bool);

}  // namespace brim::inline BRIM_FLAVOUR
