// The quadratic form of viscous dissipation and its gradient, sums over neighbours. docs/methods/viscosity.md derives them.
//
//   Phi = sum_i V (2 mu theta_i |D_i|^2 + mu b theta_i sum_j w_ij |u_ij - G_i r_ij|^2 + mu (D + 2) (1 - theta_i) sum_j w_ij
//   (u_ij.r^)^2) u_ij = v_j - v_i,  r_ij = x_j - x_i,  w_ij = -V_j (dW/dr)/r,  G_i = (sum_j w u r^T) A_i^-1,  A_i = sum_j w r
//   r^T,  D_i = sym G_i
//
// G is the gradient by moving least squares: exact for linear fields, however disordered the particles are, so a rigid motion
// costs nothing and angular momentum is kept. The second term damps what G does not see. The third is the central pair sum of
// Monaghan 2005 and Weiler et al. 2018, for particles whose neighbours do not fix a gradient (theta < 1: threads, spray).
// Forces are -1/2 dPhi/dv: symmetric, negative semidefinite.
#pragma once
#include "math/kernels.h"
#include "step/context.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D, class R = Real>
struct Mat {
  Vec<D, R> row[D];
};
template <int D, class R>
BRIM_FN Vec<D, R> operator*(const Mat<D, R>& a, const Vec<D, R>& x) {
  Vec<D, R> y;
  for (int k = 0; k < D; ++k) y[k] = dot(a.row[k], x);
  return y;
}
template <int D, class R>
BRIM_FN Mat<D, R> operator*(const Mat<D, R>& a, const Mat<D, R>& b) {
  Mat<D, R> c;
  for (int k = 0; k < D; ++k) {
    c.row[k] = a.row[k][0] * b.row[0];
    for (int l = 1; l < D; ++l) c.row[k] += a.row[k][l] * b.row[l];
  }
  return c;
}
/// m += a b^T.
template <int D, class R>
BRIM_FN void addOuter(Mat<D, R>& m, const Vec<D, R>& a, const Vec<D, R>& b) {
  for (int k = 0; k < D; ++k) m.row[k] += a[k] * b;
}
template <class R>
BRIM_FN R determinant(const Mat<2, R>& a) {
  return a.row[0][0] * a.row[1][1] - a.row[0][1] * a.row[1][0];
}
template <class R>
BRIM_FN R determinant(const Mat<3, R>& a) {
  return dot(a.row[0], cross(a.row[1], a.row[2]));
}
/// The inverse of a symmetric matrix times its determinant.
template <class R>
BRIM_FN Mat<2, R> adjugate(const Mat<2, R>& a) {
  return {{{a.row[1][1], -a.row[0][1]}, {-a.row[1][0], a.row[0][0]}}};
}
template <class R>
BRIM_FN Mat<3, R> adjugate(const Mat<3, R>& a) {
  return {{cross(a.row[1], a.row[2]), cross(a.row[2], a.row[0]), cross(a.row[0], a.row[1])}};
}
template <int D, class R>
BRIM_FN Mat<D, R> inverse(const Mat<D, R>& a) {
  Mat<D, R> b = adjugate(a);
  const R per = R(1) / determinant(a);
  for (int k = 0; k < D; ++k) b.row[k] = per * b.row[k];
  return b;
}

/// A matrix of each particle, in D columns of records; the first has one more number.
template <int D>
struct MatrixView {
  View<Record<D>> row[D];
};
template <int D>
struct MatrixRead {
  View<const Record<D>> row[D];
};
template <int D>
struct Matrices {
  std::vector<typename Scratch<D>::Records> row;
  Matrices(StepContext<D>& c, const char* owner) {
    for (int k = 0; k < D; ++k) row.push_back(c.scratch.records(c.world.fluid.capacity(), owner));
    pad(c);
  }
  void pad(StepContext<D>& c) {
    for (auto& r : row) c.world.fluid.padWith(*r, Record<D>{});
  }
  MatrixView<D> view() {
    MatrixView<D> v;
    for (int k = 0; k < D; ++k) v.row[k] = row[k].view();
    return v;
  }
  MatrixRead<D> read() const {
    MatrixRead<D> v;
    for (int k = 0; k < D; ++k) v.row[k] = row[k].read();
    return v;
  }
};
/// A matrix and the number beside it.
template <int D, class R>
struct Loaded {
  Mat<D, R> m;
  R a;
};
template <class R, int D, class I>
BRIM_DEVICE_FN Loaded<D, R> matrixAt(const MatrixRead<D>& m, I i) {
  Loaded<D, R> l;
  for (int k = 0; k < D; ++k) {
    const Record<D, R> r = m.row[k][i];
    l.m.row[k] = r.x;
    if (k == 0) l.a = r.a;
  }
  return l;
}

/// The samples' surface: {n, depth}, n the unit normal into the fluid (0: a sheet), depth [m] of the sample below it; and {v,
/// slip}, the velocity of the surface above the sample and its slip length [m], below 0 where fluid slides freely.
template <int D>
struct SurfaceRead {
  View<const Record<D>> place, motion;
};

/// Numbers of the sums.
template <int D>
struct ViscousSum {
  Real c0;       // [m^2] nu dt
  Real b;        // weight of what the gradient does not see: with 4/3 the errors of both in (k h)^2 cancel for a wave k
  Real soft;     // [m^2] keeps pairs at one place finite
  Real nearest;  // [m] distance to a wall at least
  Real perRho;   // [m^3/kg] 1/rho0
  Real scale;    // w of a pair of particles is scale k of the kernel; of a sample sampleScale (rho0 V) k
  Real sampleScale;
  Real perArea;  // [m] w of a particle and all samples, times this, is the area of wall that the particle has over its volume

  template <class K>
  ViscousSum(const StepContext<D>& c, K W)
      : c0(Real(c.world.nu * c.dt)),
        b(Real(4.0 / 3)),
        soft(Real(0.01 * c.world.support * c.world.support)),
        nearest(Real(0.3 * c.world.spacing)),
        perRho(Real(1 / c.world.rho0)),
        scale(Real(-W.slope * c.world.mass / c.world.rho0)),
        sampleScale(Real(-W.slope / c.world.rho0)),
        perArea(Real(1 / pairsPerArea(W, c.world.spacing, c.world.support))) {}

  /// [1/m] Sum of V w over the particles above and the samples below a square metre of wall, in a lattice.
  template <class K>
  static double pairsPerArea(K W, double d, double support) {
    const int most = int(std::ceil(support / d));
    double sum = 0;
    for (int across = 1; across <= most; ++across)  // layers apart: there are as many pairs of layers
      for (int x = -most; x <= most; ++x)
        for (int z = D == 3 ? -most : 0; z <= (D == 3 ? most : 0); ++z)
          sum += across * double(W.bare(Real(d * d * (across * across + x * x + z * z))).k);
    return -W.slope * sum * std::pow(d, D + 1);
  }
};

/// What a particle sees of a sample: the velocity that continues a linear profile, zero against the wall's at the slip length
/// behind the surface, u = S (v_wall - v_i). S = across n n^T + along (1 - n n^T). A wall along which fluid slides also rubs:
/// Navier's law takes mu/slip times the square of the speed there, and the gradients of the fluid know nothing of it.
template <int D>
struct SeenWall {
  Reals w, across, along, rub;  // rub: [-] over nu w
  Vec<D, Reals> n;
  BRIM_FN SeenWall(const ViscousSum<D>& sum, Reals weight, const Vec<D, Reals>& r, const Record<D, Reals>& place, Reals slip)
      : n(place.x) {
    const Reals apart = max(-dot(r, n) - place.a, Reals(sum.nearest));
    across = (apart + place.a) / apart;
    const Reals length = max(slip, Reals(0)), past = Reals(1) / (apart + length);
    along = (apart + place.a) * past;
    rub = Reals(sum.perArea) * length * past * past;
    w = select(slip < Reals(0), Reals(0), weight);
  }
  BRIM_FN Vec<D, Reals> operator()(const Vec<D, Reals>& u) const { return along * u + ((across - along) * dot(n, u)) * n; }
  BRIM_FN Vec<D, Reals> rubbed(const Vec<D, Reals>& u) const { return rub * (u - dot(n, u) * n); }
};

/// A_i^-1 with theta_i beside it. theta goes from 0 to 1 with the determinant of A against that of an isotropic matrix of its
/// trace: 0.9 at a plane surface, 0 on a line.
template <int D, class K>
void gradientMatrices(StepContext<D>& c, K W, const ViscousSum<D> sum, const SurfaceRead<D> surface, Matrices<D>& inverses) {
  World<D>& w = c.world;
  const auto p = w.fluid.p.read(), s = w.solids.p();
  const auto to = inverses.view();
  const NeighbourView nb = c.nb();
  forEachShared(w.fluid.size(), [=] BRIM_KERNEL(auto i) {
    const auto [xi, mi] = p[i];
    Mat<D, Reals> A{};
    BRIM_BY_FOUR for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto r = xj - xi;
      addOuter(A, (sum.scale * W.bare(dot(r, r)).k) * r, r);
    }
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      const auto [vk, slip] = surface.motion[k];
      const auto r = xk - xi;
      const Reals weight = select(slip < Reals(0), Reals(0), Reals(sum.sampleScale) * mk * W.bare(dot(r, r)).k);
      addOuter(A, weight * r, r);
    }
    for (int k = 0; k < D; ++k) A.row[k] = total(i, A.row[k]);
    if (!leads(i)) return;
    Reals mean = 0;
    for (int k = 0; k < D; ++k) mean += A.row[k][k] * Real(1.0 / D);
    Reals even = mean;
    for (int k = 1; k < D; ++k) even *= mean;
    const Reals shape = determinant(A) / max(even, Reals(Real(1e-20)));
    const Reals theta = max(min((shape - Reals(Real(0.02))) * Real(1 / 0.18), Reals(1)), Reals(0));
    for (int k = 0; k < D; ++k) A.row[k][k] += mean * Real(1e-4) + Real(1e-5);
    const Mat<D, Reals> inv = inverse(A);
    for (int k = 0; k < D; ++k) to.row[k][i] = {inv.row[k], theta};
  });
  if (!onDevice) inverses.pad(c);
}

/// The inverse of a block of the matrix of each particle, about: A_j is taken for A_i.
template <int D, class K>
void viscousBlocks(StepContext<D>& c, K W, const ViscousSum<D> sum, const SurfaceRead<D> surface, const Matrices<D>& inverses,
                   Matrices<D>& blocks) {
  World<D>& w = c.world;
  const auto p = w.fluid.p.read(), s = w.solids.p();
  const auto inv = inverses.read();
  const auto to = blocks.view();
  const NeighbourView nb = c.nb();
  const Real tiny = Real(1e-6 * w.spacing * w.spacing);
  forEachShared(w.fluid.size(), [=] BRIM_KERNEL(auto i) {
    const auto [xi, mi] = p[i];
    const auto [P, theta] = matrixAt<Reals>(inv, i);
    const Reals rest = Reals(1) - theta;
    Mat<D, Reals> B{};
    Vec<D, Reals> lever = {};  // sum of w r
    Reals even = 0;
    BRIM_BY_FOUR for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto r = xj - xi;
      const Reals r2 = dot(r, r), weight = sum.scale * W.bare(r2).k * (r2 / (r2 + tiny));
      const auto g = weight * (P * r);
      lever += weight * r;
      even += theta * (dot(g, g) + sum.b * (Reals(2) * weight - weight * dot(g, r)));
      addOuter(B, theta * g, g);
      addOuter(B, (Real(2 * (D + 2)) * rest * weight / (r2 + sum.soft)) * r, r);
    }
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      const auto [vk, slip] = surface.motion[k];
      const auto r = xk - xi;
      const Reals r2 = dot(r, r);
      const SeenWall<D> wall(sum, Reals(sum.sampleScale) * mk * W.bare(r2).k, r, surface.place[k], slip);
      const Reals most = max(wall.across, wall.along);
      lever += (wall.w * most) * r;
      even += wall.w * ((theta * sum.b + rest * Real(D + 2)) * most * most + wall.rub);
    }
    lever = total(i, lever), even = total(i, even);
    for (int k = 0; k < D; ++k) B.row[k] = total(i, B.row[k]);
    if (!leads(i)) return;
    const auto g = P * lever;
    addOuter(B, theta * g, g);
    even += theta * dot(g, g);
    for (int k = 0; k < D; ++k) {
      B.row[k] = Reals(sum.c0) * B.row[k];
      B.row[k][k] += Reals(1) + sum.c0 * even;
    }
    const Mat<D, Reals> per = inverse(B);
    for (int k = 0; k < D; ++k) to.row[k][i] = {per.row[k], Reals(0)};
  });
}

/// nu dt theta (2 D A^-1 - b G) of each particle: what the other end of its gradient feels.
template <int D, class K>
void viscousStress(StepContext<D>& c, K W, const ViscousSum<D> sum, const SurfaceRead<D> surface, const Matrices<D>& inverses,
                   const Array<Record<D>>& velocity, Matrices<D>& stress) {
  World<D>& w = c.world;
  const auto p = w.fluid.p.read(), s = w.solids.p(), q = velocity.read();
  const auto inv = inverses.read();
  const auto to = stress.view();
  const NeighbourView nb = c.nb();
  forEachShared(w.fluid.size(), [=] BRIM_KERNEL(auto i) {
    const auto [xi, mi] = p[i];
    const auto [qi, ai] = q[i];
    Mat<D, Reals> H{};
    BRIM_BY_FOUR for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto [qj, aj] = q[j];
      const auto r = xj - xi;
      addOuter(H, (sum.scale * W.bare(dot(r, r)).k) * (qj - qi), r);
    }
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      const auto [vk, slip] = surface.motion[k];
      const auto r = xk - xi;
      const SeenWall<D> wall(sum, Reals(sum.sampleScale) * mk * W.bare(dot(r, r)).k, r, surface.place[k], slip);
      addOuter(H, wall.w * wall(vk - qi), r);
    }
    for (int k = 0; k < D; ++k) H.row[k] = total(i, H.row[k]);
    if (!leads(i)) return;
    const auto [P, theta] = matrixAt<Reals>(inv, i);
    const Mat<D, Reals> G = H * P;
    Mat<D, Reals> twice;  // 2 D
    for (int k = 0; k < D; ++k)
      for (int l = 0; l < D; ++l) twice.row[k][l] = G.row[k][l] + G.row[l][k];
    const Mat<D, Reals> T = twice * P;
    const Reals factor = Reals(sum.c0) * theta;
    for (int k = 0; k < D; ++k) to.row[k][i] = {factor * (T.row[k] - Reals(sum.b) * G.row[k]), theta};
  });
  if (!onDevice) stress.pad(c);
  for (auto& r : stress.row) c.refresh(*r);
}

/// out = (1 + dt/m K) v, with what walls that move at their own velocity add.
template <int D, class K>
void viscousProduct(StepContext<D>& c, K W, const ViscousSum<D> sum, const SurfaceRead<D> surface, const Matrices<D>& stress,
                    const Array<Record<D>>& velocity, Array<Record<D>>& out) {
  World<D>& w = c.world;
  const auto p = w.fluid.p.read(), s = w.solids.p(), q = velocity.read();
  const auto stresses = stress.read();
  const auto to = out.view();
  const NeighbourView nb = c.nb();
  const Real even = sum.c0 * sum.b, central = sum.c0 * Real(D + 2);
  forEachShared(w.fluid.size(), [=] BRIM_KERNEL(auto i) {
    const auto [xi, mi] = p[i];
    const auto [qi, ai] = q[i];
    const auto [Pi, theta] = matrixAt<Reals>(stresses, i);
    Vec<D, Reals> f = {}, lever = {};
    BRIM_BY_FOUR for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto [qj, aj] = q[j];
      const auto [Pj, thetaJ] = matrixAt<Reals>(stresses, j);
      const auto r = xj - xi, u = qj - qi;
      const Reals r2 = dot(r, r), weight = sum.scale * W.bare(r2).k, both = theta + thetaJ;
      const auto wr = weight * r;
      lever += wr;
      f += Pj * wr;
      f += (even * both * weight) * u;
      f += (central * (Reals(2) - both) * dot(u, r) / (r2 + sum.soft)) * wr;
    }
    f += Pi * lever;
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      const auto [vk, slip] = surface.motion[k];
      const auto r = xk - xi;
      const Reals r2 = dot(r, r);
      const SeenWall<D> wall(sum, Reals(sum.sampleScale) * mk * W.bare(r2).k, r, surface.place[k], slip);
      const auto u = wall(vk - qi);
      f += wall.w * (wall(Pi * r + (even * theta) * u + (central * (Reals(1) - theta) * dot(u, r) / (r2 + sum.soft)) * r) +
                     sum.c0 * wall.rubbed(vk - qi));
    }
    f = total(i, f);
    if (!leads(i)) return;
    to[i] = {qi - f, Reals(0)};
  });
}

/// The other end of viscousProduct at the samples of bodies, cloth and soft bodies: c.reaction.impulse, {[N s], stiffness [kg]}.
/// The stiffness is about the diagonal of the matrix there.
template <int D, class K>
void viscousImpulses(StepContext<D>& c, K W, const ViscousSum<D> sum, const SurfaceRead<D> surface, const Matrices<D>& stress,
                     const Array<Record<D>>& velocity) {
  World<D>& w = c.world;
  const auto p = w.fluid.p.read(), s = w.solids.p(), q = velocity.read();
  const auto stresses = stress.read();
  const auto out = c.reaction.impulse.view();
  const auto at = w.solids.reacting().read();
  const NeighbourView nb = c.reaction.nb();
  const Real even = sum.c0 * sum.b, central = sum.c0 * Real(D + 2), mass = Real(w.mass);
  // The reaction's lists are in its own order of the samples; gather their records first.
  const int n = c.reaction.size();
  auto places = c.scratch.records(wholeSlices(n), "{n, depth} of reacting samples");
  auto motions = c.scratch.records(wholeSlices(n), "{v, slip} of reacting samples");
  auto where = c.scratch.records(wholeSlices(n), "{x, rho0 V} of reacting samples");
  {
    const auto a = places.view(), b = motions.view(), d = where.view();
    const SurfaceRead<D> from = surface;
    forEach(wholeSlices(n), [=] BRIM_KERNEL(int k) {
      a[k] = k < n ? from.place[at[k]] : Record<D>{};
      b[k] = k < n ? from.motion[at[k]] : Record<D>{};
      d[k] = k < n ? s[at[k]] : Particles<D>::paddingRecord();
    });
  }
  const auto place = places.read(), motion = motions.read(), sample = where.read();
  forEach(n, [=] BRIM_KERNEL(Index k) {
    const auto [xk, mk] = sample[k];
    const auto [vk, slip] = motion[k];
    const Record<D, Reals> here = place[k];
    Vec<D, Reals> f = {};
    Reals stiff = 0;
    for (auto i : nb.fluid[k]) {
      const auto [xi, mi] = p[i];
      const auto [qi, ai] = q[i];
      const auto [Pi, theta] = matrixAt<Reals>(stresses, i);
      const auto r = xk - xi;
      const Reals r2 = dot(r, r);
      const SeenWall<D> wall(sum, Reals(sum.sampleScale) * mk * W.bare(r2).k, r, here, slip);
      const auto u = wall(vk - qi);
      f += wall.w * (wall(Pi * r + (even * theta) * u + (central * (Reals(1) - theta) * dot(u, r) / (r2 + sum.soft)) * r) +
                     sum.c0 * wall.rubbed(vk - qi));
      const Reals most = max(wall.across, wall.along);
      stiff += wall.w * most * most;
    }
    out[k] = {Reals(-mass) * f, Reals(mass * central) * stiff};
  });
}

}  // namespace brim::inline BRIM_FLAVOUR
