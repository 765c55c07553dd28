// Rows of the fluid that touch bodies, and contacts of particles with planes: few, and solved one after the other.
#pragma once
#include "sph/density_rows.h"

namespace brim::inline BRIM_FLAVOUR {

/// What a row has of one body: [linear, arm] of G over its velocities.
struct BodyPart {
  int body;
  Vector linear = {0, 0, 0}, arm = {0, 0, 0};
};

/// A density row whose particle feels bodies, or periodic images. The same row as in density_rows.h, kept as numbers.
template <int D>
struct BoundRow {
  int i;
  std::size_t pairs, pairsEnd, parts, partsEnd;  // in BoundRows
  double perD;
};

/// n . (v_i - v_wall) >= c: a particle no nearer than half a support to a surface (Eq. 26-29).
template <int D>
struct ParticleContact {
  int i;
  Vec<D> n;
  double c, perD, lambda = 0;
  BodyPart part;  // body -1: a wall
};

template <int D>
class BoundRows {
 public:
  struct Pair {
    int j;
    Vec<D> g;  // m/rho0 grad W
  };
  std::vector<BoundRow<D>> rows;
  std::vector<ParticleContact<D>> contacts;
  std::vector<Pair> pairs;
  std::vector<BodyPart> parts;

  void clear() { rows.clear(), contacts.clear(), pairs.clear(), parts.clear(); }

  /// Row i with the parts of bodies appended to `parts` since `firstPart`.
  template <class K>
  void add(const World<D>& w, K W, const DensityRows<D>& density, int i, std::size_t firstPart) {
    const auto p = w.fluid.p.read();
    const int ghost = w.fluid.ghost(), firstImage = w.fluid.firstImage();
    BoundRow<D> row{i, pairs.size(), 0, firstPart, parts.size(), 0};
    const double m = density.mass;
    double d = density.sigma + double(dot(density.G[i].x, density.G[i].x)) / m;
    eachFluidNeighbour(w.nb().fluid, i, ghost, [&](int j) {
      const Vec<D> g = (Real(density.v0 * density.mass) * W.grad(p[i].x - p[j].x)).vec();
      d += double(dot(g, g)) / m;
      pairs.push_back({j < firstImage ? j : w.images().source()[j - firstImage], g});
    });
    for (std::size_t k = row.parts; k < row.partsEnd; ++k) d += inverseMass(*w.bodies, parts[k]);
    row.pairsEnd = pairs.size();
    row.perD = d > 1e-30 ? 1 / d : 0;
    rows.push_back(row);
  }

  /// G M^-1 G^T of one body.
  static double inverseMass(const BodySystem& bodies, const BodyPart& part) {
    using namespace vectors;
    const BodyState& b = bodies.body(part.body);
    return b.perMass * dot(part.linear, part.linear) + dot(part.arm, b.perInertiaHere * part.arm);
  }
  static double rateOf(const BodySystem& bodies, const BodyPart& part) {
    using namespace vectors;
    const BodyVelocity& u = bodies.velocity(part.body);
    return dot(part.linear, u.v) + dot(part.arm, u.w);
  }
  static void push(BodySystem& bodies, const BodyPart& part, double lambda) {
    using namespace vectors;
    bodies.pushNow(part.body, lambda * part.linear, lambda * part.arm);
  }

  double residual(const World<D>& w, const DensityRows<D>& density, double lambda, const BoundRow<D>& row) const {
    const auto v = w.fluid.v.read();
    double r = double(dot(density.G[row.i].x, v[row.i].x)) + density.sigma * lambda - density.c[row.i];
    for (std::size_t k = row.pairs; k < row.pairsEnd; ++k) r -= double(dot(pairs[k].g, v[pairs[k].j].x));
    for (std::size_t k = row.parts; k < row.partsEnd; ++k) r += rateOf(*w.bodies, parts[k]);
    return r;
  }

  /// One Gauss-Seidel pass, rows in the order of the sort, then contacts.
  void sweep(World<D>& w, const DensityRows<D>& density, Array<Real>& lambda) {
    const auto v = w.fluid.v.view();
    const double perM = 1 / double(density.mass);
    for (const BoundRow<D>& row : rows) {
      const double last = lambda[row.i];
      double next = last - density.omega * row.perD * residual(w, density, last, row);
      if (!density.equality) next = std::min(next, 0.0);
      const double change = next - last;
      const Real kick = Real(change * perM);
      for (std::size_t k = row.pairs; k < row.pairsEnd; ++k) v[pairs[k].j].x -= kick * pairs[k].g;
      v[row.i].x += kick * density.G[row.i].x;
      for (std::size_t k = row.parts; k < row.partsEnd; ++k) push(*w.bodies, parts[k], change);
      lambda[row.i] = Real(next);
    }
    for (ParticleContact<D>& c : contacts) {
      const double r = double(dot(c.n, v[c.i].x)) + (c.part.body >= 0 ? rateOf(*w.bodies, c.part) : 0) - c.c;
      const double next = std::max(c.lambda - c.perD * r, 0.0), change = next - c.lambda;
      v[c.i].x += Real(change * perM) * c.n;
      if (c.part.body >= 0) push(*w.bodies, c.part, change);
      c.lambda = next;
    }
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
