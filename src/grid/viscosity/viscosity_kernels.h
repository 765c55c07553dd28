// The kernels of the viscosity solve: which faces are unknown, their control volumes and walls, and conjugate gradients.
#pragma once
#include "grid/viscosity/viscosity.h"

namespace brim::inline BRIM_FLAVOUR {

/// The element of a field at cell c of tile t and `step` cells further along axis k, `more` along axis l.
template <int D>
BRIM_DEVICE_FN int cellBeside(const TileView<D>& tiles, int t, int c, int k, int step, int l, int more) {
  int way = BitView<D>::middle, within = 0;
  for (int a = 0; a < D; ++a) {
    int x = (c >> 3 * a & 7) + (a == k ? step : 0) + (a == l ? more : 0);
    way += x < 0 ? -power(3, a) : x > 7 ? power(3, a) : 0;
    within |= (x & 7) << 3 * a;
  }
  return tiles.around(t)[way] * Tiles<D>::cells + within;
}
BRIM_DEVICE_FN bool testBit(const std::uint64_t* bits, int at) { return bits[std::size_t(at) >> 6] >> (at & 63) & 1; }

/// The part of a cube around a place at this distance [cells] from the surface that is liquid.
BRIM_FN Real liquidPart(Real distance) { return max(Real(0), min(Real(1), Real(0.5) - distance)); }
/// The least V_f of an unknown between cells of air: less would only make the system stiff. Where liquid is, V_f is the
/// pressure's theta times the open part of the face: then V grad is the transpose of div, and the rounds of the pressure
/// converge.
constexpr Real leastPart = Real(0.05);

/// Cells with their centres in solids, as far as the tent kernel around them tells.
template <int D>
struct FindSolidCentres {
  const std::uint64_t* shut;
  const Real* fraction;
  int tiles;
  std::uint64_t* solid;
  BRIM_DEVICE_FN void operator()(int at) const {
    std::uint64_t bits = shut[at];
    for (int b = 0; at < tiles * Bits<D>::words && b < 64; ++b)
      bits |= std::uint64_t(fraction[std::size_t(at) * 64 + b] > Real(0.5)) << b;
    solid[at] = bits;
  }
};
/// Faces beside such cells are walls to friction, though water flows through what is open of them. Those of surfaces that hold
/// have the velocity of the surface.
template <int D>
struct FindViscousWalls {
  TileView<D> tiles;
  GridGeometry<D> geometry;
  WallView<D> walls;
  const std::uint64_t *solid, *shut[D], *known[D];
  std::uint64_t* wall[D];
  Real* u[D];
  BRIM_DEVICE_FN void operator()(int at) const {
    const int t = at / Bits<D>::words, s = at % Bits<D>::words;
    for (int k = 0; k < D; ++k) {
      wall[k][at] = shut[k][at];
      if (t == tiles.count) continue;
      const std::uint64_t more = known[k][at] & ~shut[k][at] & (solid[at] | BitView<D>(tiles, solid).below(t, s, k));
      wall[k][at] |= more;
      for (int b = 0; more != 0 && b < 64; ++b) {
        if (!(more >> b & 1)) continue;
        const Vec<D> x = geometry.inMetres(faceMiddle<D>(tiles.place(t), 64 * s + b, k));
        const int body = walls.nearest(x).body;
        if (walls.slipOf(body) >= 0) u[k][std::size_t(at) * 64 + b] = walls.velocity(body, x, k);
      }
    }
  }
};

/// Faces to solve for: those of liquid cells, and those that particles beside the liquid gave a velocity.
template <int D>
struct FindUnknowns {
  TileView<D> tiles;
  const std::uint64_t *known[D], *beside[D], *wall[D];
  std::uint64_t* unknown[D];
  BRIM_DEVICE_FN void operator()(int at) const {
    const int t = at / Bits<D>::words, s = at % Bits<D>::words;
    for (int k = 0; k < D; ++k) {
      if (t == tiles.count) {
        unknown[k][at] = 0;
        continue;
      }
      const std::uint64_t more = beside[k][at] ? beside[k][at] & BitView<D>(tiles, known[k]).beside(t, s) : 0;
      unknown[k][at] = (known[k][at] | more) & ~wall[k][at];
    }
  }
};
template <int D>
struct FindWetTiles {
  TileView<D> tiles;
  const std::uint64_t* unknown[D];
  std::uint8_t* wet;
  BRIM_DEVICE_FN void operator()(int t) const {
    std::uint64_t any = 0;
    for (int way = 0; way < TileView<D>::ways; ++way)
      for (int s = 0; s < Bits<D>::words; ++s)
        for (int k = 0; k < D; ++k) any |= unknown[k][std::size_t(tiles.around(t)[way]) * Bits<D>::words + s];
    wet[t] = any != 0;
  }
};

/// What the neighbours along axes of a face that particles gave a velocity have in common: the mean of their changes, as
/// extrapolation (grid/transfer) takes it.
template <int D>
struct FacesBeside {
  TileView<D> tiles;
  const std::uint64_t* known;
  template <class F>
  BRIM_DEVICE_FN Real mean(int t, int c, F of) const {
    Real sum = 0, count = 0;
    for (int a = 0; a < D; ++a)
      for (int up = 0; up < 2; ++up) {
        const int n = up ? upperCell(tiles, t, c, a) : lowerCell(tiles, t, c, a);
        if (testBit(known, n)) sum += of(n), count += 1;
      }
    return sum / max(count, Real(1));
  }
};
/// Such faces follow what forces and pressure did to the liquid beside them: extrapolation will do this to them later.
template <int D>
struct Follow {
  TileView<D> tiles;
  const std::uint64_t *unknown[D], *known[D];
  const Real *before[D], *change[D];
  Real* u[D];
  BRIM_DEVICE_FN void operator()(int t) const {
    for (int k = 0; k < D; ++k)
      eachSlice<D>([&](int s) {
        const std::size_t word = std::size_t(t) * Bits<D>::words + s;
        eachBit(unknown[k][word] & ~known[k][word], s, [&](int c) {
          const FacesBeside<D> beside{tiles, known[k]};
          u[k][std::size_t(t) * Tiles<D>::cells + c] +=
              beside.mean(t, c, [&](int n) { return change[k][n] + u[k][n] - before[k][n]; });
        });
      });
  }
};

/// V_s of the strain rates of a cell and of its lower edges, and per face V_f, friction at walls and the right-hand side's share
/// of both. An edge in the corner of a solid has the part of it that is liquid; one in the plane of a wall belongs to the wall.
template <int D>
struct FindVolumes {
  TileView<D> tiles;
  GridGeometry<D> geometry;
  WallView<D> walls;
  const std::uint8_t* wet;
  const std::uint64_t *solid, *unknown[D], *wall[D];
  const Real *distance, *u[D];
  const Real* open[D];  // parts of faces outside of solids; null where no solid cuts a cell
  Real a;
  bool moving;
  Real *cell, *edge[GridViscosity<D>::pairs], *volumes[D], *mass[D], *start[D], *rhs[D];

  BRIM_DEVICE_FN bool defined(int k, int at) const { return testBit(unknown[k], at) || testBit(wall[k], at); }
  BRIM_DEVICE_FN void operator()(int at) const {
    const int t = at / Tiles<D>::cells, c = at % Tiles<D>::cells;
    if (!wet[t]) return;
    findCell(at, t, c);
    for (int k = 0; k < D; ++k) {
      for (int l = k + 1; l < D; ++l) edge[pairOf<D>(k, l)][at] = edgeVolume(at, t, c, k, l);
      findFace(at, t, c, k);
    }
  }
  BRIM_DEVICE_FN void findCell(int at, int t, int c) const {
    bool all = !testBit(solid, at);
    for (int k = 0; k < D; ++k) all = all && defined(k, at) && defined(k, upperCell(tiles, t, c, k));
    cell[at] = all ? liquidPart(distance[at]) : Real(0);
  }
  BRIM_DEVICE_FN Real edgeVolume(int at, int t, int c, int k, int l) const {
    const int below[2] = {lowerCell(tiles, t, c, k), lowerCell(tiles, t, c, l)};
    if (!(defined(k, at) && defined(k, below[1]) && defined(l, at) && defined(l, below[0]))) return 0;
    const int around[4] = {at, below[0], below[1], cellBeside(tiles, t, c, k, -1, l, -1)};
    Real sum = 0, open = 0;
    int inSolid = 0;
    for (int m = 0; m < 4; ++m)
      if (testBit(solid, around[m]))
        inSolid = m;
      else
        sum += distance[around[m]], open += 1;
    if (open < 3) return 0;
    Real part = liquidPart(sum / open);
    if (open < 4) {
      Vec<D> q;
      for (int b = 0; b < D; ++b) q[b] = Real(8 * tiles.place(t)[b] + (c >> 3 * b & 7)) + Real(0.5);
      if (inSolid & 1) q[k] -= 1;
      if (inSolid & 2) q[l] -= 1;
      const Real slip = walls.slipOf(walls.nearest(geometry.inMetres(q)).body);
      part *= slip < 0 ? Real(0) : Real(0.75) / (1 + slip * geometry.perCell);
    }
    return part;
  }
  BRIM_DEVICE_FN void findFace(int at, int t, int c, int k) const {
    volumes[k][at] = mass[k][at] = rhs[k][at] = 0;
    start[k][at] = u[k][at];
    if (!testBit(unknown[k], at)) return;
    const int below = lowerCell(tiles, t, c, k);
    const Real low = min(distance[at], distance[below]), part = max(liquidPart((distance[at] + distance[below]) / 2), leastPart);
    const Real volume =
        (low < 0 ? 1 / perTheta(distance[at], distance[below]) : part) * (open[k] ? max(open[k][at], leastOpen) : Real(1));
    Real friction = 0, drag = 0;
    for (int l = 0; l < D; ++l)
      for (int side = -1; side < 2 && l != k; side += 2)
        if (testBit(solid, cellBeside(tiles, t, c, k, 0, l, side)) && testBit(solid, cellBeside(tiles, t, c, k, -1, l, side)))
          atWall(t, c, k, l, side, volume, friction, drag);
    volumes[k][at] = volume;
    mass[k][at] = volume + friction;
    rhs[k][at] = volume * u[k][at] + drag;
  }
  /// A wall across axis l on this side of the face: the traction nu (u_w - u)/(theta + slip), theta dx from the face to the wall,
  /// and what of the shear the wall's own motion gives, so that liquid turns with a turning solid.
  BRIM_DEVICE_FN void atWall(int t, int c, int k, int l, int side, Real part, Real& friction, Real& drag) const {
    const Vec<D> here = geometry.inMetres(faceMiddle<D>(tiles.place(t), c, k));
    Vec<D> behind = here, on = here;
    behind[l] += Real(side) * geometry.cell;
    const auto far = walls.nearest(behind);
    const Real near = walls.nearest(here).distance;
    const Real theta = max(Real(0.1), min(Real(1), near / max(near - far.distance, Real(0.01) * geometry.cell)));
    const Real slip = walls.slipOf(far.body);
    if (slip < 0) return;
    on[l] += Real(side) * theta * geometry.cell;
    const Real f = a * part / (theta + slip * geometry.perCell);
    friction += f;
    drag += f * walls.velocity(far.body, on, k);
    if (!moving) return;
    const int low = side < 0 ? t * Tiles<D>::cells + c : upperCell(tiles, t, c, l);
    const int lowBelow = side < 0 ? lowerCell(tiles, t, c, k) : cellBeside(tiles, t, c, k, -1, l, 1);
    if (testBit(wall[l], low) && testBit(wall[l], lowBelow)) drag += Real(side) * a * part * (u[l][low] - u[l][lowBelow]);
  }
};

/// What the sweeps of conjugate gradients read and write.
template <int D>
struct ViscousFields {
  const int* beside;
  const std::uint8_t* wet;
  const std::uint64_t* unknown[D];
  Real a;
  const Real *cell, *edge[GridViscosity<D>::pairs], *mass[D];
  Real *normal[D], *shear[GridViscosity<D>::pairs];
  Real *x[D], *start[D], *inverse[D], *r[D], *p[D], *q[D];

  BRIM_DEVICE_FN Around<D, Real> around(const Real* field, int t) const { return {field, t, beside + 2 * D * t}; }
  /// body(k, n, at) for the lines of tile t with unknown faces of axis k.
  template <class F>
  BRIM_DEVICE_FN void eachUnknownLine(int t, F body) const {
    for (int k = 0; k < D; ++k)
      eachSlice<D>([&](int s) {
        const std::uint64_t bits = unknown[k][std::size_t(t) * Bits<D>::words + s];
        eachLineOf(s, [&](int n) {
          if (anyOf(bits, n)) body(k, n, std::size_t(t) * Tiles<D>::cells + firstOf(n), maskOf(bits, n));
        });
      });
  }
};

/// Stress over rho times dt/dx, of the velocities v: 2 a V D_kk at centres, 2 a V D_kl at edges.
template <int D>
struct FindStress {
  ViscousFields<D> f;
  const Real* v[D];
  BRIM_DEVICE_FN void operator()(int t) const {
    if (!f.wet[t]) return;
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const Cells<Real> a(f.a), twice(2 * f.a);
    Around<D, Real> u[D];
    for (int k = 0; k < D; ++k) u[k] = f.around(v[k], t);
    eachSlice<D>([&](int s) {
      eachLineOf(s, [&](int n) {
        const std::size_t at = first + firstOf(n);
        const Cells<Real> volume = twice * load(f.cell + at);
        for (int k = 0; k < D; ++k) {
          store(f.normal[k] + at, volume * (u[k].above(n, k) - u[k].line(n)));
          for (int l = k + 1; l < D; ++l)
            store(f.shear[pairOf<D>(k, l)] + at, a * load(f.edge[pairOf<D>(k, l)] + at) *
                                                     ((u[k].line(n) - u[k].below(n, l)) + (u[l].line(n) - u[l].below(n, k))));
        }
      });
    });
  }
};
/// Component k of A v on line n, from the stress of v.
template <int D>
BRIM_DEVICE_FN Cells<Real> viscousProduct(const ViscousFields<D>& f, int t, int k, int n, std::size_t at, Cells<Real> v) {
  const Around<D, Real> normal = f.around(f.normal[k], t);
  Cells<Real> q = load(f.mass[k] + at) * v + (normal.below(n, k) - normal.line(n));
  for (int l = 0; l < D; ++l)
    if (l != k) {
      const Around<D, Real> shear = f.around(f.shear[k < l ? pairOf<D>(k, l) : pairOf<D>(l, k)], t);
      q += shear.line(n) - shear.above(n, l);
    }
  return q;
}

/// r = b - A x, from b in r, and the inverse of the diagonal.
template <int D>
struct FirstResidual {
  ViscousFields<D> f;
  BRIM_DEVICE_FN void operator()(int t) const {
    if (!f.wet[t]) return;
    const Around<D, Real> volume = f.around(f.cell, t);
    f.eachUnknownLine(t, [&](int k, int n, std::size_t at, Cells<Real> mask) {
      const Cells<Real> own = load(f.x[k] + at);
      store(f.r[k] + at, mask * (load(f.r[k] + at) - viscousProduct(f, t, k, n, at, own)));
      Cells<Real> diag = Cells<Real>(Real(2)) * (volume.line(n) + volume.below(n, k));
      for (int l = 0; l < D; ++l)
        if (l != k) {
          const Around<D, Real> edge = f.around(f.edge[k < l ? pairOf<D>(k, l) : pairOf<D>(l, k)], t);
          diag += edge.line(n) + edge.above(n, l);
        }
      const Cells<Real> all = load(f.mass[k] + at) + Cells<Real>(f.a) * diag;
      store(f.inverse[k] + at, mask / max(all, Cells<Real>(Real(1e-20))));
    });
  }
};
/// x += alpha p, r -= alpha q, and what tells how far it is: r r/diag, r r, the square of the change, and of x.
template <int D>
struct AdvanceViscous {
  ViscousFields<D> f;
  Real alpha;
  double* part[4];
  BRIM_DEVICE_FN void operator()(int t) const {
    Cells<Real> sum[4] = {Real(0), Real(0), Real(0), Real(0)};
    const Cells<Real> by(alpha);
    if (f.wet[t])
      f.eachUnknownLine(t, [&](int k, int, std::size_t at, Cells<Real> mask) {
        const Cells<Real> x = load(f.x[k] + at) + by * load(f.p[k] + at);
        const Cells<Real> r = load(f.r[k] + at) - by * load(f.q[k] + at), change = mask * (x - load(f.start[k] + at));
        store(f.x[k] + at, x);
        store(f.r[k] + at, r);
        sum[0] += r * r * load(f.inverse[k] + at);
        sum[1] += r * r;
        sum[2] += change * change;
        sum[3] += mask * x * x;
      });
    for (int m = 0; m < 4; ++m) giveSum(part[m][t], sum[m]);
  }
};
/// p = r/diag + beta p.
template <int D>
struct TurnViscous {
  ViscousFields<D> f;
  Real beta;
  BRIM_DEVICE_FN void operator()(int t) const {
    if (!f.wet[t]) return;
    const Cells<Real> b(beta);
    f.eachUnknownLine(t, [&](int k, int, std::size_t at, Cells<Real>) {
      store(f.p[k] + at, load(f.inverse[k] + at) * load(f.r[k] + at) + b * load(f.p[k] + at));
    });
  }
};
/// q = A p from the stress of p, and p q.
template <int D>
struct MultiplyViscous {
  ViscousFields<D> f;
  double* part;
  BRIM_DEVICE_FN void operator()(int t) const {
    Cells<Real> product(Real(0));
    if (f.wet[t])
      f.eachUnknownLine(t, [&](int k, int n, std::size_t at, Cells<Real> mask) {
        const Cells<Real> p = load(f.p[k] + at), q = mask * viscousProduct(f, t, k, n, at, p);
        store(f.q[k] + at, q);
        product += p * q;
      });
    giveSum(part[t], product);
  }
};

/// phi of a round: what takes the divergence away, and what the viscous stress of that divergence was.
template <int D>
struct AddViscousPressure {
  const std::uint64_t* fluid;
  const Real *rhs, *cell;
  Real factor;  // 2 a/D
  Real* phi;
  BRIM_DEVICE_FN void operator()(int at) const {
    if (testBit(fluid, at)) phi[at] += factor * cell[at] * rhs[at];
  }
};
/// The change `by` of the velocities that friction acts on, in the residual and in the velocities that it is measured from. There
/// is no pressure on the faces of air: they have their neighbours' change later, by extrapolation.
template <int D>
struct CorrectStart {
  TileView<D> tiles;
  const std::uint64_t *unknown[D], *known[D];
  const Real *by[D], *volume[D];
  Real *r[D], *start[D];
  BRIM_DEVICE_FN void operator()(int t) const {
    for (int k = 0; k < D; ++k)
      eachSlice<D>([&](int s) {
        const std::size_t word = std::size_t(t) * Bits<D>::words + s;
        eachBit(unknown[k][word], s, [&](int c) {
          const std::size_t at = std::size_t(t) * Tiles<D>::cells + c;
          const FacesBeside<D> beside{tiles, known[k]};
          const bool own = testBit(known[k], int(at));
          if (own) r[k][at] += volume[k][at] * by[k][at];
          start[k][at] += own ? by[k][at] : beside.mean(t, c, [&](int n) { return by[k][n]; });
        });
      });
  }
};

/// What friction changed, in the place of the first guess.
template <int D>
struct FindChange {
  ViscousFields<D> f;
  BRIM_DEVICE_FN void operator()(int t) const {
    for (int k = 0; k < D; ++k)
      eachSlice<D>([&](int s) {
        const std::uint64_t bits = f.unknown[k][std::size_t(t) * Bits<D>::words + s];
        eachLineOf(s, [&](int n) {
          const std::size_t at = std::size_t(t) * Tiles<D>::cells + firstOf(n);
          store(f.start[k] + at,
                anyOf(bits, n) ? maskOf(bits, n) * (load(f.x[k] + at) - load(f.start[k] + at)) : Cells<Real>(Real(0)));
        });
      });
  }
};
/// Velocities as they were before, and that change. Faces beside the liquid will have their neighbours' by extrapolation.
template <int D>
struct ApplyChange {
  TileView<D> tiles;
  const std::uint64_t *unknown[D], *known[D];
  const Real *before[D], *by[D];
  Real *u[D], *change[D];
  BRIM_DEVICE_FN void operator()(int t) const {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    for (int k = 0; k < D; ++k)
      eachSlice<D>([&](int s) {
        const std::size_t word = std::size_t(t) * Bits<D>::words + s;
        eachLineOf(s, [&](int n) {
          const std::size_t at = first + firstOf(n);
          const Cells<Real> more = load(by[k] + at);
          store(u[k] + at, load(before[k] + at) + more);
          store(change[k] + at, load(change[k] + at) + maskOf(known[k][word], n) * more);
        });
        eachBit(unknown[k][word] & ~known[k][word], s, [&](int c) {
          const FacesBeside<D> beside{tiles, known[k]};
          u[k][first + c] -= beside.mean(t, c, [&](int n) { return by[k][n]; });
        });
      });
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
