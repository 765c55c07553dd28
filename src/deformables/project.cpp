#include "deformables/project.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void PositionStep<D>::begin(Deformables<D>& b, double dt, const Vec<D>& g) {
  dt_ = dt;
  lambda_.resize(b.constraints);
  fill(lambda_, 0, b.constraints, Real(0));
  const auto x = b.x.view(), v = b.v.view();
  const Vec<D> dv = Real(dt) * g;
  const Real h = Real(dt);
  forEach(b.nodes, [=] BRIM_KERNEL(int a) {
    v[a].x += dv;
    x[a].x += h * v[a].x;
  });
}

// lambda += (C - lambda/(w dt^2)) / (grad C M^-1 grad C + 1/(w dt^2)),  x_k -= grad_k C / m_k times its change; v with x, as the
// difference of two positions loses three digits in float. Lambda stays >= 0: C is a distance.
template <int D>
void PositionStep<D>::sweep(Deformables<D>& b) {
  const auto row = b.row.read();
  const auto constraint = b.constraint.read();
  const auto x = b.x.view(), v = b.v.view();
  const auto now = b.x.read();
  const auto order = b.order.read();
  const auto lambda = lambda_.view();
  const Real perDt2 = Real(1 / (dt_ * dt_)), perDt = Real(1 / dt_);
  for (std::size_t k = 0; k + 1 < b.colour.size(); ++k) {
    const int first = b.colour[k];
    forEach(b.colour[k + 1] - first, [=] BRIM_KERNEL(int i) {
      const int at = order[first + i];
      const SoftConstraint<D> c = constraint[at];
      const Violation<D> d = violation(c, row, now);
      if (!(d.C > Real(1e-12))) return;
      const SoftRow& nodes = row[c.first];
      const Real soft = perDt2 / c.w;
      Real S = soft;
      Vec<D> g[4];
      for (int n = 0; n < 4; ++n) {
        g[n] = gradient(c, row, d, n);
        S += v[nodes.node[n]].a * dot(g[n], g[n]);
      }
      const Real change = max((d.C - soft * lambda[at]) / S, -lambda[at]);
      lambda[at] += change;
      for (int n = 0; n < 4; ++n) {
        const Vec<D> dx = (-change * v[nodes.node[n]].a) * g[n];
        x[nodes.node[n]].x += dx;
        v[nodes.node[n]].x += perDt * dx;
      }
    });
  }
}

template <int D>
void PositionStep<D>::push(Deformables<D>& b, const Array<Record<D>>& impulse) {
  const auto row = b.row.read();
  const auto x = b.x.view(), v = b.v.view();
  const auto J = impulse.read();
  const Incidence of = b.incidence();
  const int first = b.rows;
  const Real h = Real(dt_);
  forEach(b.nodes, [=] BRIM_KERNEL(int a) {
    Vec<D> sum{};
    for (int k = of.begin[a]; k < of.begin[a + 1]; ++k) {
      const int r = of.entry[k] / 4;
      if (r >= first) sum += row[r].part[of.entry[k] % 4] * J[r - first].x;
    }
    v[a].x += v[a].a * sum;
    x[a].x += (h * v[a].a) * sum;
  });
}

template class PositionStep<2>;
template class PositionStep<3>;

}  // namespace brim::inline BRIM_FLAVOUR
