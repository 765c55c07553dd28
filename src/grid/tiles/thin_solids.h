// Plates thinner than a cell: the faces that they shut.
//
// A plate that lies between two faces cuts neither, and the liquid on both sides would have one pressure. It counts as in the
// faces that its middle is nearest to, along each axis by itself: on the line through the middle of a face from one centre beside
// it to the other, the signed distance of a plate falls to the middle of the plate and rises behind it. Each plate's middle is on
// one such line of those that it cuts, so that the faces make a closed staircase also where the plate leans.
#pragma once
#include "grid/tiles/solid_fractions.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
struct ThinSolids {
  const SolidFractions<D>& fractions;

  /// Whether a body is thinner than a cell. Polygons and meshes are taken as thick.
  BRIM_FN bool isThin(const PlacedSolid<D>& body) const {
    const Primitive<Real>& shape = body.shape;
    Real half = Real(1e30);
    if (shape.kind == Kind::box)
      for (int k = 0; k < D; ++k) half = min(half, shape.size[k]);
    if (shape.kind == Kind::sphere || shape.kind == Kind::capsule) half = shape.size[0];
    if (shape.kind == Kind::cylinder) half = min(shape.size[0], shape.size[1]);
    return !shape.insideOut && 2 * half < Real(0.999) * fractions.geometry.cell;
  }
  /// Whether a thin body may come between the centres beside the lower face along k of cell c, from the distances [m] of the
  /// tile's half kernels.
  BRIM_FN bool isNear(const Real* distance, int c, int k) const {
    int middle = 0;
    for (int a = 0, stride = 1; a < D; ++a, stride *= SolidFractions<D>::side)
      middle += (2 * (c >> 3 * a & 7) + (a != k)) * stride;
    return distance[middle] < Real(0.75) * fractions.geometry.cell;  // a centre is half a cell away, and one sample more
  }
  /// What a thin body leaves open of the lower face along k of cell c of the tile at `place`, if its middle belongs to this face;
  /// else 1.
  BRIM_FN Real open(const PlacedSolid<D>& body, const Vec<D, int>& place, int c, int k) const {
    Vec<D> q;
    for (int a = 0; a < D; ++a) q[a] = Real(8 * place[a] + (c >> 3 * a & 7)) + (a == k ? Real(0) : Real(0.5));
    const Valley own = valley(body, q, k, parts / 2);
    if (std::abs(own.place) > Real(0.501)) return 1;  // rounding shuts both faces rather than none
    // A plate that leans far from the face is a stair of it: all or nothing. Along a plate there is no middle.
    if (own.slope < Real(0.7)) return own.distance > 0 || own.slope < Real(0.02) ? Real(1) : Real(0);
    Real at[3][3];
    for (int y = 0; y < (D == 3 ? 3 : 1); ++y)
      for (int x = 0; x < 3; ++x) {
        Vec<D> corner = q;
        const int half[2] = {x, y};
        for (int a = 0, axes = 0; a < D; ++a)
          if (a != k) corner[a] += Real(half[axes++] - 1) / 2;
        at[y][x] = valley(body, corner, k, parts).distance - Real(1e-3) * fractions.geometry.cell;
      }
    if (D == 2) return (openPart(at[0][0], at[0][1]) + openPart(at[0][1], at[0][2])) / 2;
    Real sum = 0;
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 2; ++x) sum += openPart(at[y][x], at[y][x + 1], at[y + 1][x], at[y + 1][x + 1]);
    return sum / 4;
  }

 private:
  static constexpr int parts = 4;  // samples a cell
  struct Valley {
    Real place;     // [cells] of the least distance from q
    Real distance;  // [m] the least
    Real slope;     // of the distance beside it, 0 .. 1
  };
  /// The least distance on the way along k from `far` samples below q [cells] to as many above. Distances from a plate are
  /// straight on both sides of its middle.
  BRIM_FN Valley valley(const PlacedSolid<D>& body, const Vec<D>& q, int k, int far) const {
    const auto at = [&](int j) {
      Vec<D> x = q;
      x[k] += Real(j) / parts;
      return distanceTo(body, fractions.geometry.inMetres(x));
    };
    int least = -far;
    Real before = at(-far - 1), low = at(-far), below = before, above = low, last = low;
    for (int j = 1 - far; j <= far + 1; ++j) {
      const Real d = at(j);
      if (least == j - 1) above = d;
      if (j <= far && d < low) low = d, least = j, below = last, above = d;
      last = d;
    }
    const bool rises = below >= low && above >= low;
    const Real steeper = max(below, above) - low;  // between two samples
    return {(Real(least) + (steeper > 0 ? (below - above) / (2 * steeper) : Real(0))) / parts,
            rises ? low - std::abs(above - below) / 2 : low, steeper * parts / fractions.geometry.cell};
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
