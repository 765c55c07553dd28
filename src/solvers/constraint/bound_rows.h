// Rows of the fluid that touch bodies, and contacts of particles with planes: few, and solved one after the other.
#pragma once
#include <optional>

#include "solvers/constraint/surfaces.h"
#if BRIM_CUDA
#include "solvers/constraint/cuda/bound_rows.h"
#else

namespace brim::inline BRIM_FLAVOUR {

template <int D>
Vector widened(const Vec<D>& a) {
  Vector r = {0, 0, 0};
  for (int k = 0; k < D; ++k) r[k] = a[k];
  return r;
}

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
  std::vector<BoundRow<D> > rows;
  std::vector<ParticleContact<D> > contacts;
  std::vector<Pair> pairs;
  std::vector<BodyPart> parts;

  std::vector<char> apart;  // per particle: its row is here and not in the colours

  /// Rows that leave the colours: those that feel bodies, by samples or the field (null: none), or see periodic images.
  template <class K>
  void gather(const World<D>& w, K W, DensityRows<D>& density, const WallField* field) {
    rows.clear(), contacts.clear(), pairs.clear(), parts.clear();
    const int n = w.fluid.size(), firstFree = w.solids.firstFree();
    apart.assign(n, 0);
    const auto p = w.fluid.p.read(), s = w.solids.p();
    const auto owner = w.solids.owner();
    std::optional<FieldAround<D> > around;
    if (field) around.emplace(w, *field);
    for (int i = 0; i < n; ++i) {
      const std::size_t from = parts.size();
      const Real slope = density.walls.slope(density.phi[i]);
      if (w.bodies && density.samples && density.answers[i] > 0) {
        eachFluidNeighbour(w.nb().solid, i, w.solids.ghost(), [&](int k) {
          if (owner[k] < firstFree) return;
          const Vec<D> g = (slope * density.v0 * s[k].a * W.grad(p[i].x - s[k].x)).vec();
          addTo(w, partOf(from, owner[k] - firstFree), s[k].x, g);
        });
      } else if (w.bodies && field) {
        around->at(p[i].x, [&](const Vec<D>& gradient, const Vec<D>& velocity, int shape) {
          if (shape < firstFree) return;
          const Vec<D> g = slope * gradient;
          addTo(w, partOf(from, shape - firstFree), p[i].x, g);
          density.c[i] -= density.xi * dot(g, velocity);  // their share of xi G v_old
        });
      }
      bool here = parts.size() > from;
      if (w.hasPeriodic() && !here)
        eachFluidNeighbour(w.nb().fluid, i, w.fluid.ghost(), [&](int j) { here = here || j >= w.fluid.firstImage(); });
      apart[i] = here;
      if (here) add(w, W, density, i, from);
    }
  }

  /// Contacts of particles with all surfaces (Eq. 26-29).
  void gatherContacts(const World<D>& w, const Spook& spook) {
    const auto p = w.fluid.p.read();
    const Surfaces<D> surfaces(w);
    const int firstFree = w.solids.firstFree();
    const Real half = Real(w.support / 2);
    for (int i = 0; i < w.fluid.size(); ++i)
      surfaces.each(p[i].x, 2 * half, [&](Real distance, const Vec<D>& normal, const Vec<D>& velocity, int shape) {
        ParticleContact<D> c;
        c.i = i, c.n = normal;
        c.part.body = shape < firstFree ? -1 : shape - firstFree;
        double d = 1 / w.mass;
        c.c = spook.oneSided(double(distance) - half);
        if (c.part.body >= 0) {
          addTo(w, c.part, p[i].x, normal);
          d += inverseMass(*w.bodies, c.part);
        } else {
          c.c += double(dot(normal, velocity));
        }
        c.perD = 1 / d;
        contacts.push_back(c);
      });
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

  /// The same of all rows, into density.r.
  void residuals(const World<D>& w, DensityRows<D>& density, const Array<Real>& lambda) const {
    for (const BoundRow<D>& row : rows) density.r[row.i] = Real(residual(w, density, lambda[row.i], row));
  }
  /// What `times` these multipliers do to the bodies.
  void pushBodies(World<D>& w, const Array<Real>& multiplier, double times) const {
    for (const BoundRow<D>& row : rows)
      for (std::size_t k = row.parts; k < row.partsEnd; ++k) push(*w.bodies, parts[k], times * multiplier[row.i]);
  }

  /// r of a contact at present.
  static double residual(const World<D>& w, const ParticleContact<D>& c) {
    return double(dot(c.n, w.fluid.v.read()[c.i].x)) + (c.part.body >= 0 ? rateOf(*w.bodies, c.part) : 0) - c.c;
  }
  /// The sum of r^2/D over the contacts [J], of those at their bound only what they may still change.
  double contactEnergy(const World<D>& w) const {
    double sum = 0;
    for (const ParticleContact<D>& c : contacts) {
      const double change = std::max(c.lambda - c.perD * residual(w, c), 0.0) - c.lambda;
      sum += change * change / c.perD;
    }
    return sum;
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
      const double next = std::max(c.lambda - c.perD * residual(w, c), 0.0), change = next - c.lambda;
      v[c.i].x += Real(change * perM) * c.n;
      if (c.part.body >= 0) push(*w.bodies, c.part, change);
      c.lambda = next;
    }
  }

 private:
  BodyPart& partOf(std::size_t from, int body) {
    for (std::size_t k = from; k < parts.size(); ++k)
      if (parts[k].body == body) return parts[k];
    parts.push_back({body});
    return parts.back();
  }
  /// G of the body: -g at that point.
  static void addTo(const World<D>& w, BodyPart& part, const Vec<D>& at, const Vec<D>& g) {
    using namespace vectors;
    const Vector force = -widened(g);
    part.linear = part.linear + force;
    part.arm = part.arm + vectors::cross(widened(at) + w.origin - w.bodies->body(part.body).x, force);
  }

  /// Row i with the parts of bodies appended to `parts` since `firstPart`.
  template <class K>
  void add(const World<D>& w, K W, DensityRows<D>& density, int i, std::size_t firstPart) {
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
    density.G[i].a = Real(row.perD);
    rows.push_back(row);
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
#endif
