// Geometric stiffness: what pressures make of a change of the rows within a step.
//
// Rows are those of the step's start, so the pressures between particles act as springs that are explicit in time. Between i and
// j
//   k = (p_i + p_j) V^2 W''+,   and a mode of s = dt^2 k/m is stable for s < 4 alone: p dt^2 of about a quarter of rho0 d^2.
// A row along each pair makes them implicit (Tournier et al. 2015; Andrews, Teichmann & Kry 2017):
//   u.(v_i - v_j) + mu/(beta dt^2 k) = (1 - eta) u.(v_i - v_j)_old,   u = (x_i - x_j)/|x_i - x_j|
// The impulse mu u is central and pairwise: linear and angular momentum are kept. A mode follows
//   (1 + beta s) z^2 - (2 + (2 - eta) beta s - s) z + 1 + (1 - eta) beta s = 0,   stable for beta >= (1 - 4/s)/(2 (2 - eta)),
// so nothing is done where s is small. s is taken as dt^2/m sum k over the pairs of a particle, a mean over directions, so the
// code has twice that beta, and 2 for 4. With eta = 1 the rows are a viscosity of beta dt k; with eta = 0 they add inertia to the
// distance of a pair and take no energy (Newmark's mean acceleration, beta = 1/4 - 1/s).
#pragma once
#include "math/svd.h"
#include "solvers/constraint/body_blocks.h"
#include "solvers/constraint/local_flow.h"

namespace brim::inline BRIM_FLAVOUR {

/// W''+ at |r|^2 = r2   [1/m^(D+2)]
template <int D, class R>
BRIM_FN R curvature(const Cubic<D>& W, R r2) {
  const R q = rootOf(max(r2, R(Real(1e-12) * W.h * W.h))).root * R(1 / W.h);
  return R(12 * W.weight / (W.h * W.h)) * max(upToOne(R(1) - q) - R(2) * upToOne(R(1) - R(2) * q), R(0));
}
template <int D, class R>
BRIM_FN R curvature(const Quintic<D>& W, R r2) {
  const R s = rootOf(max(r2, R(Real(1e-12) * W.h * W.h))).root * R(3 / W.h);
  const R a = max(R(3) - s, R(0)), b = max(R(2) - s, R(0)), c = max(R(1) - s, R(0));
  return R(180 * W.weight / (W.h * W.h)) * max(a * a * a - R(6) * (b * b * b) + R(15) * (c * c * c), R(0));
}
template <int D, class R>
BRIM_FN R curvature(const Wendland<D>& W, R r2) {
  const R q = rootOf(max(r2, R(Real(1e-12) * W.h * W.h))).root * R(1 / W.h), s = upToOne(R(1) - q);
  return R(20 * W.weight / (W.h * W.h)) * (s * s) * max(R(4) * q - R(1), R(0));
}
template <int D, class R>
BRIM_FN R curvature(const Slepian<D>& W, R r2) {
  const R q2 = r2 * R(1 / (W.h * W.h)), z = upToOne(R(1) - q2);
  return R(2 * W.weight / (W.h * W.h)) * max(W.bare(r2).k + R(2) * q2 * W.bend(z), R(0));
}
template <int D, class R>
BRIM_FN R curvature(const Poly6<D>& W, R r2) {
  const R q2 = r2 * R(1 / (W.h * W.h));
  return R(6 * W.weight / (W.h * W.h)) * upToOne(R(1) - q2) * max(R(5) * q2 - R(1), R(0));
}

/// What walls that do not react have of a particle: all their rows in one, as a vector impulse L = Q - A v_i.
template <int D>
struct HeldByWalls {
  Square<D> A;  // [kg]
  Vec<D> Q, L;  // [N s]
};

/// beta dt^2 times the second derivatives of what the samples of a surface cost a particle, without those that are negative: a
/// flat wall holds along its normal alone. (Radial rows to single samples would hold along the wall too, as a brake.)
template <int D>
struct SurfaceStiffness {
  Square<D> A;   // [kg]
  Vec<D> drift;  // A times the velocity of the surface [N s]
  bool any;
};

/// The part of a symmetric matrix that has no negative eigenvalues.
template <int D>
BRIM_DEVICE_FN Square<D> positivePart(const Square<D>& of) {
  double a[D][D], v[D][D];
  for (int k = 0; k < D; ++k)
    for (int m = 0; m < D; ++m) a[k][m] = double(of.e[D * k + m]);
  eigenvectors(a, v);
  Square<D> to = {};
  for (int q = 0; q < D; ++q) {
    Vec<D> along;
    for (int k = 0; k < D; ++k) along[k] = Real(v[k][q]);
    if (a[q][q] > 0) to.add(Real(a[q][q]), along);
  }
  return to;
}

/// The same of a rigid body. A sample's row is along x_i - x_k, where the body's spin about x_i does not count: the rows of all
/// samples are one with the body's velocity u at x_i, L = Q - A (v_i - u), and the reaction acts at x_i too.
template <int D>
struct HeldByBody {
  Square<D, double> A, N;  // [kg]; (1 + A (1/m + Y))^-1, Y the mobility of the body at x_i
  Vec<D, double> Q, L;     // [N s]
  double r[3];             // [m] from the centre of mass to x_i
  bool any;

  /// u, of a body with velocity v and spin w.
  BRIM_DEVICE_FN Vec<D, double> velocity(const double* v, const double* w) const {
    Vec<D, double> u;
    for (int k = 0; k < D; ++k) u[k] = v[k] + w[(k + 1) % 3] * r[(k + 2) % 3] - w[(k + 2) % 3] * r[(k + 1) % 3];
    return u;
  }
  /// A, from the samples of the body around particle i.
  template <class Samples>
  BRIM_DEVICE_FN void gather(const Samples& samples, int i, int body) {
    L = {};
    const SurfaceStiffness<D> of = samples.of(i, body);
    any = of.any;
    for (int k = 0; k < D * D; ++k) A.e[k] = of.A.e[k];
  }
  /// Q, of the velocities at the step's start.
  BRIM_DEVICE_FN void begin(const Vec<D>& vi, const Vec<D, double>& u, double eta) {
    Vec<D, double> v;
    for (int k = 0; k < D; ++k) v[k] = (1 - eta) * (double(vi[k]) - u[k]);
    Q = A * v;
  }
  /// N, of a body and a particle.
  BRIM_DEVICE_FN void solveFor(double perM, double perMass, const double* perInertia) {
    Square<D, double> one;
    Square<D, double> mobility;
    for (int a = 0; a < D; ++a) {
      BodyBlock of{0};
      double unit[3] = {0, 0, 0};
      unit[a] = 1;
      of.add(r, unit);
      for (int b = 0; b < D; ++b) {
        BodyBlock other{0};
        double second[3] = {0, 0, 0};
        second[b] = 1;
        other.add(r, second);
        double turn[3];
        for (int k = 0; k < 3; ++k) turn[k] = dot3(perInertia + 3 * k, other.arm);
        mobility.e[D * a + b] = (a == b ? perM + perMass : 0) + dot3(of.arm, turn);
      }
    }
    for (int a = 0; a < D; ++a)
      for (int b = 0; b < D; ++b) {
        double sum = a == b ? 1 : 0;
        for (int k = 0; k < D; ++k) sum += A.e[D * a + k] * mobility.e[D * k + b];
        one.e[D * a + b] = sum;
      }
    N = one.inverse();
  }
  /// The impulse that solves the row alone.
  BRIM_DEVICE_FN Vec<D, double> change(const Vec<D>& vi, const Vec<D, double>& u) const {
    Vec<D, double> v;
    for (int k = 0; k < D; ++k) v[k] = double(vi[k]) - u[k];
    const Vec<D, double> d = N * (A * v + L - Q);
    return -1.0 * d;
  }
};

template <int D>
struct Stiffness {
  // Of the step.
  Real eta;           // part of the relative velocities that rows take away
  Real critical = 2;  // s above which there are rows
  Real dt2, v, perM;  // [s^2], [m^D], [1/kg]
  bool any = false;   // s is above `critical` somewhere
  Array<Real> s;      // of each particle: dt^2/m sum k
  Array<HeldByWalls<D>> walls;
  LocalFlow<D> flow;  // at the step's start

  /// beta: the part of the stiffness that is implicit.
  BRIM_FN static Real part(Real s, Real critical, Real eta) { return s > critical ? (1 - critical / s) / (2 - eta) : Real(0); }
  std::size_t bytes() const { return s.bytes() + walls.bytes() + flow.bytes(); }
};

/// s of all particles at the last step's pressures.
template <int D, class K>
void measureStiffness(StepContext<D>& c, K W, const DensityRows<D>& rows, double eta, Stiffness<D>& to) {
  World<D>& w = c.world;
  const int n = w.fluid.size();
  to.eta = Real(eta), to.dt2 = Real(c.dt * c.dt), to.v = rows.v0 * rows.mass, to.perM = 1 / rows.mass;
  to.s.resize(w.fluid.capacity());
  c.refresh(w.fluid.pressure.data);
  const auto p = w.fluid.p.read(), sample = w.solids.p();
  const auto P = w.fluid.pressure.read(), phi = rows.phi.read();
  const auto s = to.s.view();
  const NeighbourView nb = c.nb();
  const Real scale = to.dt2 * to.v * to.perM, v = to.v, v0 = rows.v0;
  const bool samples = rows.samples;
  const WallPart walls = rows.walls;
  forEach(n, [=] BRIM_KERNEL(Index i) {
    const auto [x, m] = p[i];
    const Reals mine = max(Reals(P[i]), Reals(0));
    Reals sum = 0, wall = 0;
    for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto r = x - xj;
      sum += (mine + max(Reals(P[j]), Reals(0))) * curvature(W, dot(r, r));
    }
    if (samples)
      for (auto k : nb.solid[i]) {
        const auto [xk, mk] = sample[k];
        const auto r = x - xk;
        wall += mk * curvature(W, dot(r, r));
      }
    s[i] = Reals(scale) * (Reals(v) * sum + Reals(v0) * mine * walls.slope(Reals(phi[i])) * wall);
  });
  w.fluid.padWith(to.s, Real(0));
  to.any = maxOf(n, [=] BRIM_KERNEL(int i) { return s[i]; }) > to.critical;
  if (to.any) to.flow.measure(c, W);
}

/// A of the samples for which of(owner) holds, and of what bends f(phi) of walls: for one particle.
template <int D, class K>
struct SampleStiffness {
  K W;
  View<const Record<D>> p, s, sv;
  View<const int> owner;
  View<const Real> phi, P, stiff;
  Lists solid;
  WallPart walls;
  Real v0, v, dt2, critical, eta;
  int padding, firstFree;

  SampleStiffness(const StepContext<D>& c, K W, const DensityRows<D>& rows, const Stiffness<D>& of)
      : W(W),
        p(c.world.fluid.p.read()),
        s(c.world.solids.p()),
        sv(c.world.solids.v()),
        owner(c.world.solids.owner()),
        phi(rows.phi.read()),
        P(c.world.fluid.pressure.read()),
        stiff(of.s.read()),
        solid(c.nb().solid),
        walls(rows.walls),
        v0(rows.v0),
        v(of.v),
        dt2(of.dt2),
        critical(of.critical),
        eta(of.eta),
        padding(c.world.solids.padding()),
        firstFree(c.world.solids.firstFree()) {}

  /// Of the samples of `body`, or of what does not react (-1), for particle i.
  BRIM_DEVICE_FN SurfaceStiffness<D> of(int i, int body) const {
    SurfaceStiffness<D> to = {};
    const Real pressed = P[i] > 0 ? P[i] : 0;
    const Real times = Stiffness<D>::part(stiff[i], critical, eta) * dt2 * v * pressed;
    if (!(times > 0)) return to;
    const Real slope = walls.slope(phi[i]), bend = walls.bend(phi[i]);
    Vec<D> gradient = {}, mean = {}, driven = {};
    Square<D> sum = {};
    Real count = 0;
    eachNeighbour(solid, i, padding, [&](int k) {
      if (body < 0 ? owner[k] >= firstFree : owner[k] != firstFree + body) return;
      const Vec<D> r = p[i].x - s[k].x, u = sv[k].x;
      const Real r2 = dot(r, r), weight = times * slope * v0 * s[k].a;
      if (!(r2 > 0)) return;
      const auto g = W.grad(r);
      gradient += ((v0 * s[k].a) * g).vec();
      mean += u;
      count += 1;
      // W'' along r and W'/r across it
      const Real across = weight * g.g, along = (weight * curvature(W, r2) - across) / r2;
      sum.add(along, r);
      for (int a = 0; a < D; ++a) sum.e[D * a + a] += across;
      driven += (along * dot(r, u)) * r + across * u;
    });
    if (!(count > 0)) return to;
    mean = (1 / count) * mean;
    if (bend > 0) {
      sum.add(times * bend, gradient);
      driven += (times * bend * dot(gradient, mean)) * gradient;
    }
    to.A = positivePart(sum);
    // What the cut takes away moves with the mean.
    to.drift = driven - sum * mean + to.A * mean;
    for (int k = 0; k < D; ++k) to.any = to.any || to.A.e[D * k + k] > 0;
    return to;
  }
};

/// Rows of all particles with walls that do not react, by samples.
template <int D, class K>
void holdByWalls(StepContext<D>& c, K W, const DensityRows<D>& rows, Stiffness<D>& to) {
  World<D>& w = c.world;
  to.walls.resize(w.fluid.capacity());
  const SampleStiffness<D, K> samples(c, W, rows, to);
  const auto held = to.walls.view();
  const auto v = w.fluid.v.read();
  const Real eta = to.eta;
  const bool any = rows.samples;
  forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) {
    HeldByWalls<D> h = {};
    if (any) {
      const SurfaceStiffness<D> wall = samples.of(i, -1);
      h.A = wall.A;
      h.Q = eta * wall.drift + (1 - eta) * (wall.A * v[i].x);
    }
    held[i] = h;
  });
}

/// The same for walls by the field: along its gradient.
template <int D>
void holdByField(World<D>& w, const WallField& field, const DensityRows<D>& rows, Stiffness<D>& to) {
  to.walls.resize(w.fluid.capacity());
  const FieldAround<D> around(w, field);
  const auto held = to.walls.view();
  const auto p = w.fluid.p.read(), v = w.fluid.v.read();
  const auto P = w.fluid.pressure.read(), phi = rows.phi.read();
  const auto s = to.s.view();
  const Real eta = to.eta, critical = to.critical, volume = to.v, dt2 = to.dt2, perM = to.perM, far = Real(w.support / 50);
  const WallPart walls = rows.walls;
  forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) {
    HeldByWalls<D> h = {};
    Vec<D> here = {}, there = {};
    Real drift = 0;
    if (P[i] > 0 && phi[i] > 0)
      around.at(p[i].x, [&](const Vec<D>& g, const Vec<D>& velocity, int shape) {
        if (shape >= around.surfaces.firstFree) return;
        here += g;
        drift += dot(g, velocity);
      });
    const Real g2 = dot(here, here);
    if (g2 > 0) {
      const Vec<D> u = (1 / sqrt(g2)) * here;
      around.at(p[i].x + far * u, [&](const Vec<D>& g, const Vec<D>&, int shape) {
        if (shape < around.surfaces.firstFree) there += g;
      });
      const Real second = dot(u, there - here) / far;
      const Real stiff = dt2 * volume * P[i] * (walls.slope(phi[i]) * (second > 0 ? second : 0) + walls.bend(phi[i]) * g2);
      s[i] += perM * stiff;
      const Real weight = Stiffness<D>::part(s[i], critical, eta) * stiff;
      h.A.add(weight, u);
      h.Q = weight * (eta * drift / sqrt(g2) + (1 - eta) * dot(u, v[i].x)) * u;
    }
    held[i] = h;
  });
}

}  // namespace brim::inline BRIM_FLAVOUR
