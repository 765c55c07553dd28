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

/// Faces of which less is open are shut: they would only make the system stiff.
constexpr Real leastOpen = Real(0.02);

/// The part of an edge outside of solids, from the signed distances of its ends.
BRIM_FN Real openPart(Real a, Real b) {
  if (a > 0 && b > 0) return 1;
  if (!(a > 0) && !(b > 0)) return 0;
  return max(a, b) / (max(a, b) - min(a, b));
}
/// The part of a square outside of solids, from the signed distances of its corners: exact for planes.
BRIM_FN Real openPart(Real d00, Real d10, Real d01, Real d11) {
  if (d00 > 0 && d10 > 0 && d01 > 0 && d11 > 0) return 1;
  if (!(d00 > 0) && !(d10 > 0) && !(d01 > 0) && !(d11 > 0)) return 0;
  const Real middle = (d00 + d10 + d01 + d11) / 4, x = std::abs(d10 + d11 - d00 - d01) / 2,
             y = std::abs(d01 + d11 - d00 - d10) / 2;
  const Real a = max(x, y), b = min(x, y);  // by how much the distance changes across the square
  const auto part = [](Real r) { return max(Real(0), min(Real(1), r)); };
  if (!(a > 0)) return Real(0.5);
  if (b < Real(0.01) * a) return part(Real(0.5) + middle / a);
  // The sum of two uniform numbers of widths a and b exceeds -middle.
  const auto square = [](Real r) { return r > 0 ? r * r : Real(0); };
  const Real s = (a + b) / 2, t = (a - b) / 2;
  return part((square(middle + s) - square(middle + t) - square(middle - t) + square(middle - s)) / (2 * a * b));
}

/// What a face has of solids: the part that is open, and the part that moving solids cover.
struct SolidFace {
  Real open, pushed;
};
/// From the parts that the solids at rest and the moving ones leave open.
BRIM_FN SolidFace faceOf(Real resting, Real moving) {
  SolidFace f{resting + moving - 1, 1 - moving};
  if (f.open < leastOpen) f.open = 0, f.pushed = moving < 1 ? resting : Real(0);
  f.open = Real(float(f.open));  // as the links of the pressure equation have it
  return f;
}

/// What a cell has of the walls: the fraction of the tent kernel around its centre, and whether the centre is outside.
struct SolidCell {
  Real fraction;
  bool solid;
};
/// Of the fractions of two solids: what one leaves free the other may fill.
BRIM_FN Real unite(Real a, Real b) { return 1 - (1 - a) * (1 - b); }
/// Of the parts of a face that two solids leave open: they cover different parts of it.
BRIM_FN Real bothOpen(Real a, Real b) { return max(Real(0), a + b - 1); }

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
  /// The part of the lower face along k of cell c between the walls of the domain.
  BRIM_FN Real wallFace(const Vec<D, int>& place, int c, int k) const {
    Real open = 1;
    for (int a = 0; a < D; ++a) {
      if (!geometry.walled[a]) continue;
      const Real x = Real(8 * place[a] + (c >> 3 * a & 7)), low = geometry.shift[a], high = Real(geometry.size[a]) - low;
      open *= a == k ? Real(x > low && x < high ? 1 : 0) : max(Real(0), min(x + 1, high) - max(x, low));
    }
    return open;
  }
  /// Whether the walls of the domain cut any cell.
  bool cutByWalls() const {
    bool cut = false;
    for (int k = 0; k < D; ++k) cut = cut || (geometry.walled[k] && geometry.shift[k] > 0);
    return cut;
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
  /// The part of the lower face along k of cell c outside of solids, from the signed distances [m] of the tile's half kernels'
  /// centres, which are the corners of cells and the middles between them. A surface within a thousandth of a cell counts as in
  /// the face.
  BRIM_FN Real bodyFace(const Real* distance, int c, int k) const {
    const Real eps = Real(1e-3) * geometry.cell;
    int first = 0, step[2] = {0, 0}, axes = 0;
    for (int a = 0, stride = 1; a < D; ++a, stride *= side) {
      first += 2 * (c >> 3 * a & 7) * stride;
      if (a != k) step[axes++] = stride;
    }
    const auto at = [&](int x, int y) { return distance[first + x * step[0] + y * step[1]] - eps; };
    if (D == 2) return (openPart(at(0, 0), at(1, 0)) + openPart(at(1, 0), at(2, 0))) / 2;
    Real sum = 0;
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 2; ++x) sum += openPart(at(x, y), at(x + 1, y), at(x, y + 1), at(x + 1, y + 1));
    return sum / 4;
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
