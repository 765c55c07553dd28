// The volume fractions of solids in cells: the formulas, for the CPU's and the GPU's SolidCells.
#pragma once
#include "grid/tiles/geometry.h"
#include "world/solids.h"

namespace brim::inline BRIM_FLAVOUR {

/// Signed distance [m] of x from a body.
template <int D>
BRIM_FN Real distanceTo(const PlacedSolid<D>& body, const Vec<D>& x) {
  Real at[3] = {}, y[3];
  for (int k = 0; k < D; ++k) at[k] = x[k];
  body.pose.toBody(at, y);
  return body.shape.distance(y);
}
/// Whether x [m] is more than `margin` [m] outside the box around a body.
template <int D>
BRIM_FN bool isBeyondBox(const PlacedSolid<D>& body, const Vec<D>& x, Real margin) {
  bool beyond = false;
  for (int k = 0; k < D; ++k) beyond = beyond || x[k] + margin < body.low[k] || x[k] - margin > body.high[k];
  return beyond;
}

/// Integral of the tent kernel 1 - |s| from below up to t.
BRIM_FN double tentIntegral(double t) {
  return t <= -1 ? 0 : t < 0 ? (1 + t) * (1 + t) / 2 : t < 1 ? 1 - (1 - t) * (1 - t) / 2 : 1;
}
/// Per cell from -8 on: the fraction of its tent kernel that lies between the walls of axis k.
template <int D>
std::vector<Real> freeFractions(const GridGeometry<D>& geometry, int k) {
  std::vector<Real> free(geometry.size[k] + 16, Real(1));
  const double low = geometry.shift[k], high = geometry.size[k] - low;
  for (int c = -8; c < geometry.size[k] + 8 && geometry.walled[k]; ++c)
    free[c + 8] = Real(tentIntegral(high - (c + 0.5)) - tentIntegral(low - (c + 0.5)));
  return free;
}

/// What a cell has of solids: the fraction of the tent kernel around its centre, and whether the centre is in one.
struct SolidCell {
  Real fraction;
  bool solid;
};
/// Of two solids: what one leaves free the other may fill.
BRIM_FN SolidCell unite(const SolidCell& a, const SolidCell& b) {
  return {1 - (1 - a.fraction) * (1 - b.fraction), a.solid || b.solid};
}

/// The cells of the tile at `place`.
template <int D>
struct SolidFractions {
  GridGeometry<D> geometry;
  const Real* free[D];  // freeFractions() of each axis

  /// Whether the domain's walls come near the tile.
  BRIM_FN bool atWalls(const Vec<D, int>& place) const {
    bool any = false;
    for (int k = 0; k < D; ++k) any = any || (geometry.walled[k] && (place[k] <= 0 || 8 * place[k] + 9 > geometry.size[k]));
    return any;
  }
  /// The walls of the domain in cell c: exact, since tent kernels and boxes are products over the axes.
  BRIM_FN SolidCell wallCell(const Vec<D, int>& place, int c) const {
    bool outside = false;
    Real others = 1;  // the free fraction along all axes but the last
    for (int k = 0; k < D; ++k) {
      const int x = 8 * place[k] + (c >> 3 * k & 7);
      outside = outside || (geometry.walled[k] && (x < 0 || x >= geometry.size[k]));
      if (k < D - 1) others *= freeFraction(k, x);
    }
    const Real last = freeFraction(D - 1, 8 * place[D - 1] + (c >> 3 * (D - 1) & 7));
    return {1 - others * last, outside};
  }
  /// Of cell x along axis k; all cells beyond the table are as its ends.
  BRIM_FN Real freeFraction(int k, int x) const {
    const int n = geometry.size[k] + 16, at = x + 8;
    return free[k][at < 0 ? 0 : at >= n ? n - 1 : at];
  }

  /// Whether a body comes near the tile.
  BRIM_FN bool isNear(const PlacedSolid<D>& body, const Vec<D, int>& place) const {
    Vec<D> middle;
    for (int k = 0; k < D; ++k) middle[k] = Real(8 * place[k] + 4);
    middle = geometry.inMetres(middle);
    const Real reach = Real(5.5) * std::sqrt(Real(D)) * geometry.cell;  // from the middle to any point that matters
    return !isBeyondBox(body, middle, reach) && distanceTo(body, middle) < reach;
  }
  // Bodies: a tent kernel is the sum of tent kernels half as wide, weighted 1 2 1, and a plane at the signed distance of a half
  // kernel's centre covers a known fraction of it. Exact for surfaces along the axes.
  static constexpr int side = 17, halves = power(side, D);  // half kernels along an axis, and in a tile
  /// The centre [m] of half kernel h.
  BRIM_FN Vec<D> halfCentre(const Vec<D, int>& place, int h) const {
    Vec<D> q;
    for (int k = 0; k < D; ++k, h /= side) q[k] = Real(8 * place[k]) + Real(h % side) / 2;
    return geometry.inMetres(q);
  }
  /// The fraction of a half kernel that is solid, by the signed distance [m] of its centre.
  BRIM_FN Real halfFraction(Real distance) const { return Real(tentIntegral(-2 * double(distance * geometry.perCell))); }
  /// The centre [m] of cell c.
  BRIM_FN Vec<D> cellCentre(const Vec<D, int>& place, int c) const {
    Vec<D> q;
    for (int k = 0; k < D; ++k) q[k] = Real(8 * place[k] + (c >> 3 * k & 7)) + Real(0.5);
    return geometry.inMetres(q);
  }
  /// The fraction of cell c's tent kernel, from those of all half kernels of the tile.
  BRIM_FN Real cellFraction(const Real* half, int c) const {
    const Real weight[3] = {Real(0.25), Real(0.5), Real(0.25)};
    int first = 0;
    for (int k = 0, stride = 1; k < D; ++k, stride *= side) first += 2 * (c >> 3 * k & 7) * stride;
    Real sum = 0;
    for (int z = 0; z < (D == 3 ? 3 : 1); ++z)
      for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 3; ++x)
          sum += (D == 3 ? weight[z] : Real(1)) * weight[y] * weight[x] * half[first + (z * side + y) * side + x];
    return sum;
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
