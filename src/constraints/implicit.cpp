#include "constraints/implicit.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

// Per row: w D e, or kappa B e of the samples' rows.
template <int D>
void pullOfRows(const Deformables<D>& b, View<const Vec<D>> e, View<const Real> kappa, View<Vec<D>> pull) {
  const auto row = b.row.read();
  const auto constraint = b.constraint.read();
  forEach(b.constraints, [=] BRIM_KERNEL(int c) {
    for (int r = constraint[c].first; r < constraint[c].first + constraint[c].rows; ++r) {
      const Vec<D> at = e[row[r].node[0]];
      Vec<D> q = row[r].whole * at;
      for (int k = 1; k < 4; ++k) q += row[r].part[k] * (e[row[r].node[k]] - at);
      pull[r] = constraint[c].w * q;
    }
  });
  const int first = b.rows;
  forEach(b.samples, [=] BRIM_KERNEL(int s) {
    const int r = first + s;
    const Vec<D> at = e[row[r].node[0]];
    Vec<D> q = at;
    for (int k = 1; k < 4; ++k) q += row[r].part[k] * (e[row[r].node[k]] - at);
    pull[r] = kappa[s] * q;
  });
}

// What its rows do to a node.
template <int D>
BRIM_FN Vec<D> gatherRows(const Incidence& of, View<const SoftRow> row, View<const Vec<D>> pull, int a) {
  Vec<D> sum{};
  for (int k = of.begin[a]; k < of.begin[a + 1]; ++k) {
    const int r = of.entry[k] / 4, slot = of.entry[k] % 4;
    sum += row[r].part[slot] * pull[r];
  }
  return sum;
}

template <int D>
double product(int n, View<const Vec<D>> a, View<const Vec<D>> b) {
  return sumOf(n, [=] BRIM_KERNEL(int i) {
    double s = 0;
    for (int k = 0; k < D; ++k) s += double(a[i][k]) * double(b[i][k]);
    return s;
  });
}

// r A_diagonal^-1 r
template <int D>
double preconditioned(int n, View<const Vec<D>> r, View<const Real> diagonal) {
  return sumOf(n, [=] BRIM_KERNEL(int a) { return dot(r[a], r[a]) / diagonal[a]; });
}

}  // namespace

template <int D>
void ImplicitStep<D>::begin(Deformables<D>& b, double dt, const Vec<D>& g) {
  dt_ = dt;
  for (Array<Vec<D>>* a : {&u_, &e_, &r_, &q_, &way_}) a->resize(b.nodes);
  diagonal_.resize(b.nodes);
  target_.resize(b.rows);
  pull_.resize(b.rows + b.samples);
  force.resize(b.samples);
  kappa.resize(b.samples);
  load.resize(b.nodes);
  fill(load, 0, b.nodes, Vec<D>{});
  fill(force, 0, b.samples, Vec<D>{});
  fill(kappa, 0, b.samples, Real(0));
  const auto x = b.x.view(), v = b.v.view();
  const auto u = u_.view();
  const Vec<D> dv = Real(dt) * g;
  const Real h = Real(dt);
  forEach(b.nodes, [=] BRIM_KERNEL(int a) {
    v[a].x += dv;
    x[a].x += h * v[a].x;
    u[a] = {};
  });
}

template <int D>
void ImplicitStep<D>::project(const Deformables<D>& b) {
  const auto row = b.row.read();
  const auto constraint = b.constraint.read();
  const auto x = b.x.read();
  const auto target = target_.view(), pull = pull_.view();
  forEach(b.constraints, [=] BRIM_KERNEL(int i) {
    const SoftConstraint<D> c = constraint[i];
    Vec<D> q[3], p[3];
    for (int r = 0; r < c.rows; ++r) q[r] = rowOf<D>(row[c.first + r], x);
    projectRows(c, q, p);
    for (int r = 0; r < c.rows; ++r) {
      target[c.first + r] = p[r];
      pull[c.first + r] = c.w * (p[r] - q[r]);
    }
  });
}

template <int D>
int ImplicitStep<D>::solve(Deformables<D>& b, double tolerance, int most) {
  const int n = b.nodes, first = b.rows;
  const Real perDt2 = Real(1 / (dt_ * dt_));
  const auto row = b.row.read();
  const auto constraint = b.constraint.read();
  const auto x = b.x.view();
  const auto u = u_.view(), e = e_.view(), r = r_.view(), q = q_.view(), way = way_.view(), pull = pull_.view();
  const auto diagonal = diagonal_.view();
  const auto pulled = pull_.read();
  const auto f = force.read(), more = load.read();
  const auto kap = kappa.read();
  const Incidence of = b.incidence();

  // The weights of the rows, once: pull still holds w (p - D x).
  Array<Real> weights;
  weights.resize(b.rows + b.samples);
  const auto w = weights.view();
  forEach(b.constraints, [=] BRIM_KERNEL(int c) {
    for (int k = 0; k < constraint[c].rows; ++k) w[constraint[c].first + k] = constraint[c].w;
  });
  forEach(b.samples, [=] BRIM_KERNEL(int s) {
    w[first + s] = kap[s];
    pull[first + s] = f[s];
  });
  forEach(n, [=] BRIM_KERNEL(int a) {
    Real sum = x[a].a * perDt2;
    for (int k = of.begin[a]; k < of.begin[a + 1]; ++k) {
      const Real part = row[of.entry[k] / 4].part[of.entry[k] % 4];
      sum += w[of.entry[k] / 4] * part * part;
    }
    diagonal[a] = sum;
    r[a] = gatherRows<D>(of, row, pulled, a) + more[a] - (x[a].a * perDt2) * u[a];
    e[a] = {};
    way[a] = (1 / sum) * r[a];
  });
  double size = preconditioned<D>(n, r_.read(), diagonal_.read());
  const double start = size;
  int it = 0;
  for (; it < most && size > tolerance * tolerance * start && size > 0; ++it) {
    pullOfRows<D>(b, way_.read(), kap, pull);
    forEach(n, [=] BRIM_KERNEL(int a) { q[a] = gatherRows<D>(of, row, pulled, a) + (x[a].a * perDt2) * way[a]; });
    const double along = product<D>(n, way_.read(), q_.read());
    if (!(along > 0)) break;
    const Real alpha = Real(size / along);
    forEach(n, [=] BRIM_KERNEL(int a) {
      e[a] += alpha * way[a];
      r[a] -= alpha * q[a];
    });
    const double next = preconditioned<D>(n, r_.read(), diagonal_.read());
    const Real beta = Real(next / size);
    size = next;
    forEach(n, [=] BRIM_KERNEL(int a) { way[a] = (1 / diagonal[a]) * r[a] + beta * way[a]; });
  }
  forEach(n, [=] BRIM_KERNEL(int a) {
    u[a] += e[a];
    x[a].x += e[a];
  });
  return it;
}

template <int D>
void ImplicitStep<D>::finish(Deformables<D>& b) {
  const auto v = b.v.view();
  const auto u = u_.read();
  const Real perDt = Real(1 / dt_);
  forEach(b.nodes, [=] BRIM_KERNEL(int a) { v[a].x += perDt * u[a]; });
}

template <int D>
double ImplicitStep<D>::objective(const Deformables<D>& b) const {
  const auto x = b.x.read();
  const auto u = u_.read(), target = target_.read();
  const auto row = b.row.read();
  const auto constraint = b.constraint.read();
  const double inertia = sumOf(b.nodes, [=] BRIM_KERNEL(int a) { return double(x[a].a) * double(dot(u[a], u[a])); });
  const double elastic = sumOf(b.constraints, [=] BRIM_KERNEL(int i) {
    const SoftConstraint<D> c = constraint[i];
    double sum = 0;
    for (int r = c.first; r < c.first + c.rows; ++r) {
      const Vec<D> way = rowOf<D>(row[r], x) - target[r];
      sum += double(c.w) * double(dot(way, way));
    }
    return sum;
  });
  return (inertia / (dt_ * dt_) + elastic) / 2;
}

template class ImplicitStep<2>;
template class ImplicitStep<3>;

}  // namespace brim::inline BRIM_FLAVOUR
