// The linear part of the flow around each particle: what the damping of geometric-stiffness rows leaves alone.
//
//   L_i = sum_j W_ij (v_j - v_i)(x_j - x_i)^T [sum_j W_ij (x_j - x_i)(x_j - x_i)^T]^-1
//
// the least-squares fit of v_j - v_i = L (x_j - x_i). Pairs whose relative velocity is that of a linear flow, a shear or a spin,
// are not damped: a damping of whole relative velocities is a viscosity of about eta beta s d^2/dt, 0.04 m^2/s for water 0.5 m
// deep at 1/120 s, and a slit of nine spacings then lets through half of what it should.
#pragma once
#include "step/context.h"

namespace brim::inline BRIM_FLAVOUR {

/// A D x D matrix, row-major.
template <int D, class R = Real>
struct Square {
  R e[D * D];
  BRIM_FN void add(R s, const Vec<D, R>& a) { add(s, a, a); }
  BRIM_FN void add(R s, const Vec<D, R>& a, const Vec<D, R>& b) {
    for (int k = 0; k < D; ++k)
      for (int m = 0; m < D; ++m) e[D * k + m] += s * a[k] * b[m];
  }
  BRIM_FN friend Vec<D, R> operator*(const Square& a, const Vec<D, R>& x) {
    Vec<D, R> y = {};
    for (int k = 0; k < D; ++k)
      for (int m = 0; m < D; ++m) y[k] += a.e[D * k + m] * x[m];
    return y;
  }
  BRIM_FN Square inverse() const {
    Square r;
    if constexpr (D == 2) {
      const R per = R(1) / (e[0] * e[3] - e[1] * e[2]);
      r.e[0] = per * e[3], r.e[1] = -per * e[1], r.e[2] = -per * e[2], r.e[3] = per * e[0];
    } else {
      R minor[9];
      for (int k = 0; k < 3; ++k)
        for (int m = 0; m < 3; ++m) {
          const int a = (k + 1) % 3, b = (k + 2) % 3, c = (m + 1) % 3, d = (m + 2) % 3;
          minor[3 * k + m] = e[3 * a + c] * e[3 * b + d] - e[3 * a + d] * e[3 * b + c];
        }
      const R per = R(1) / (e[0] * minor[0] + e[1] * minor[1] + e[2] * minor[2]);
      for (int k = 0; k < 3; ++k)
        for (int m = 0; m < 3; ++m) r.e[3 * k + m] = per * minor[3 * m + k];
    }
    return r;
  }
};

template <int D>
struct LocalFlow {
  Array<Record<D>> row[D];  // [1/s] of L_i

  struct View {
    brim::View<const Record<D>> row[D];
    /// L_i r
    BRIM_FN Vec<D> operator()(int i, const Vec<D>& r) const {
      Vec<D> u;
      for (int a = 0; a < D; ++a) u[a] = dot(row[a][i].x, r);
      return u;
    }
  };
  View read() const {
    View v;
    for (int a = 0; a < D; ++a) v.row[a] = row[a].read();
    return v;
  }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const Array<Record<D>>& r : row) sum += r.bytes();
    return sum;
  }

  template <class K>
  void measure(StepContext<D>& c, K W) {
    World<D>& w = c.world;
    for (Array<Record<D>>& r : row) r.resize(w.fluid.capacity());
    const auto p = w.fluid.p.read(), v = w.fluid.v.read();
    brim::View<Record<D>> to[D];
    for (int a = 0; a < D; ++a) to[a] = row[a].view();
    const NeighbourView nb = c.nb();
    // Few neighbours, or none, have no gradient along some direction: a little of the identity makes it 0 there.
    const Real alone = Real(1e-6 * std::pow(w.support, 2 - D)), few = Real(1e-3);
    forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
      const auto [xi, mi] = p[i];
      const auto [vi, rhoI] = v[i];
      Square<D, Reals> moment = {}, rate = {};
      for (auto j : nb.fluid[i]) {
        const auto [xj, mj] = p[j];
        const auto [vj, rhoJ] = v[j];
        const auto r = xj - xi;
        const Reals weight = W(r);
        Vec<D, Reals> x;
        for (int a = 0; a < D; ++a) x[a] = r[a];
        moment.add(weight, x);
        rate.add(weight, vj - vi, x);
      }
      Reals trace = Reals(alone);
      for (int a = 0; a < D; ++a) trace += Reals(few) * moment.e[D * a + a];
      for (int a = 0; a < D; ++a) moment.e[D * a + a] += trace;
      const Square<D, Reals> per = moment.inverse();
      for (int a = 0; a < D; ++a) {
        Vec<D, Reals> along;
        for (int b = 0; b < D; ++b) along[b] = rate.e[D * a + b];
        to[a][i] = {per * along, Reals(0)};
      }
    });
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
