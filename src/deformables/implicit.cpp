#include "deformables/implicit.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

// Sums of the conjugate gradients where kernels read them, so that a device need not wait for the host: the size of the residual,
// in turn in two places, the curvature along the way, the size at the start, and the iterations taken.
struct CgView {
  enum { size, next, along, start, taken, count };
  View<const double> sums;
  int now;           // where the present size is
  double tolerance;  // squared
  BRIM_DEVICE_FN bool ended() const { return !(sums[now] > tolerance * sums[start] && sums[now] > 0); }
  // Iterations past the end change nothing.
  BRIM_DEVICE_FN bool still() const { return ended() || !(sums[along] > 0); }
};

// Per row: w D e, or kappa B e of the samples' rows.
template <int D>
void pullOfRows(const Deformables<D>& b, View<const Vec<D>> e, View<const Real> w, View<Vec<D>> pull, CgView cg) {
  const auto row = b.row.read();
  forEach(b.rows + b.samples, [=] BRIM_KERNEL(int r) {
    if (cg.ended()) return;
    const SoftRow& one = row[r];
    const Vec<D> at = e[one.node[0]];
    Vec<D> q = one.whole * at;
    for (int k = 1; k < 4; ++k) q += one.part[k] * (e[one.node[k]] - at);
    pull[r] = w[r] * q;
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
  weights_.resize(b.rows + b.samples);
  const auto w = weights_.view();
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
  sums_.resize(CgView::count);
  const auto sums = sums_.view();
  const auto add = [] BRIM_KERNEL(double& s, double t) { s += t; };
  reduceTo(
      sums_, CgView::size, n, 0.0, [=] BRIM_KERNEL(int a) { return double(dot(r[a], r[a]) / diagonal[a]); }, add);
  forEach(1, [=] BRIM_KERNEL(int) {
    sums[CgView::start] = sums[CgView::size];
    sums[CgView::along] = 1;
    sums[CgView::taken] = 0;
  });
  double seen[CgView::count] = {};
  // A device is not asked whether it is done before as many iterations as it took last time: that would mean to wait.
  for (int it = 0;; ++it) {
    const CgView cg{sums_.read(), it % 2 ? int(CgView::next) : int(CgView::size), tolerance * tolerance};
    const int then = CgView::next - cg.now;
    if (!onDevice || it >= last_ || it == most) {
      copyOut(sums_, seen, CgView::count);
      const double left = seen[cg.now];
      if (it == most || !(left > cg.tolerance * seen[CgView::start] && left > 0 && seen[CgView::along] > 0)) break;
    }
    pullOfRows<D>(b, way_.read(), weights_.read(), pull, cg);
    // Apart from its sum: a reduction has few threads, and this is a node's long work.
    forEach(n, [=] BRIM_KERNEL(int a) {
      if (!cg.ended()) q[a] = gatherRows<D>(of, row, pulled, a) + (x[a].a * perDt2) * way[a];
    });
    reduceTo(
        sums_, CgView::along, n, 0.0,
        [=] BRIM_KERNEL(int a) {
          double s = 0;
          for (int k = 0; k < D; ++k) s += double(way[a][k]) * double(q[a][k]);
          return s;
        },
        add);
    reduceTo(
        sums_, then, n, 0.0,
        [=] BRIM_KERNEL(int a) {
          if (!cg.still()) {
            const Real alpha = Real(cg.sums[cg.now] / cg.sums[CgView::along]);
            e[a] += alpha * way[a];
            r[a] -= alpha * q[a];
            if (a == 0) sums[CgView::taken] += 1;
          }
          return double(dot(r[a], r[a]) / diagonal[a]);
        },
        add);
    forEach(n, [=] BRIM_KERNEL(int a) {
      if (cg.still()) return;
      way[a] = (1 / diagonal[a]) * r[a] + Real(cg.sums[then] / cg.sums[cg.now]) * way[a];
    });
  }
  last_ = int(seen[CgView::taken]);
  forEach(n, [=] BRIM_KERNEL(int a) {
    u[a] += e[a];
    x[a].x += e[a];
  });
  return last_;
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
