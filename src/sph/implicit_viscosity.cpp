#include "sph/implicit_viscosity.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

constexpr double tolerance = 3e-3;  // of the change that viscosity makes, in the root mean square
constexpr double rounding = 2e-7;   // of the velocities: what float can tell
constexpr int most = 400;           // iterations
constexpr int patience = 60;  // iterations after which the fluid's residual will do: a body far lighter than what drags at it

struct Norms {
  double rz, rr, change, v;
};

template <int D>
struct Vectors {  // {., -} of each particle
  typename Scratch<D>::Records start, r, z, q, Aq;
  explicit Vectors(StepContext<D>& c)
      : start(c.scratch.records(c.world.fluid.capacity(), "v before viscosity")),
        r(c.scratch.records(c.world.fluid.capacity(), "residual of viscosity")),
        z(c.scratch.records(c.world.fluid.capacity(), "preconditioned residual")),
        q(c.scratch.records(c.world.fluid.capacity(), "direction of viscosity")),
        Aq(c.scratch.records(c.world.fluid.capacity(), "its image")) {
    c.world.fluid.padWith(*q, Record<D>{});
  }
};

// v = v* + scale change.
template <int D>
void guess(StepContext<D>& c, Vectors<D>& a, const Array<Record<D>>& change, double scale) {
  const auto v = c.world.fluid.v.view(), start = a.start.view();
  const auto d = change.read();
  const Real s = Real(scale);
  forEach(c.world.fluid.size(), [=] BRIM_KERNEL(int i) {
    start[i] = v[i];
    v[i].x += s * d[i].x;
  });
  c.refresh(c.world.fluid.v.data);
}

// r = v* - (A v).
template <int D>
void residual(StepContext<D>& c, Vectors<D>& a) {
  const auto r = a.r.view();
  const auto start = a.start.read(), Av = a.Aq.read();
  forEach(c.world.fluid.size(), [=] BRIM_KERNEL(int i) { r[i] = {start[i].x - Av[i].x, 0}; });
}

// z = r/B and what tells how far it is.
template <int D>
Norms precondition(StepContext<D>& c, Vectors<D>& a, const Matrices<D>& blocks) {
  const auto r = a.r.read(), start = a.start.read(), v = c.world.fluid.v.read();
  const auto z = a.z.view();
  const auto B = blocks.read();
  forEach(c.world.fluid.size(), [=] BRIM_KERNEL(int i) {
    Record<D> to{};
    for (int k = 0; k < D; ++k) to.x[k] = dot(B.row[k][i].x, r[i].x);
    z[i] = to;
  });
  const auto y = a.z.read();
  return reduceAll(
      c.world, Norms{},
      [=] BRIM_KERNEL(int i) {
        const Vec<D> d = v[i].x - start[i].x;
        return Norms{double(dot(r[i].x, y[i].x)), double(dot(r[i].x, r[i].x)), double(dot(d, d)), double(dot(v[i].x, v[i].x))};
      },
      [] BRIM_KERNEL(Norms & s, const Norms& t) { s.rz += t.rz, s.rr += t.rr, s.change += t.change, s.v += t.v; });
}

// q = z + beta q.
template <int D>
void search(StepContext<D>& c, Vectors<D>& a, double beta) {
  const auto q = a.q.view();
  const auto z = a.z.read();
  const Real b = Real(beta);
  const bool first = beta == 0;
  forEach(c.world.fluid.size(), [=] BRIM_KERNEL(int i) { q[i].x = first ? z[i].x : z[i].x + b * q[i].x; });
  c.refresh(*a.q);
}

// v += alpha q, r -= alpha A q.
template <int D>
void advance(StepContext<D>& c, Vectors<D>& a, double alpha) {
  const auto v = c.world.fluid.v.view(), r = a.r.view();
  const auto q = a.q.read(), Aq = a.Aq.read();
  const Real s = Real(alpha);
  forEach(c.world.fluid.size(), [=] BRIM_KERNEL(int i) {
    v[i].x += s * q[i].x;
    r[i].x -= s * Aq[i].x;
  });
}

// v += r: the velocity that the forces at v give, so that what pairs exchange is the same for both to rounding.
template <int D>
void complete(StepContext<D>& c, const Vectors<D>& a) {
  const auto v = c.world.fluid.v.view();
  const auto r = a.r.read();
  forEach(c.world.fluid.size(), [=] BRIM_KERNEL(int i) { v[i].x += r[i].x; });
}

template <int D, class K>
void solveWith(StepContext<D>& c, K W, ViscousBoundary<D>& boundary, Array<Record<D>>& change) {
  World<D>& w = c.world;
  const int n = w.fluid.size();
  const ViscousSum<D> sum(c, W);
  boundary.begin(c);
  Matrices<D> inverses(c, "A^-1 of viscosity"), stress(c, "stress of viscosity"), blocks(c, "diagonal of viscosity");
  Vectors<D> a(c);
  gradientMatrices(c, W, sum, boundary.surface(), inverses);
  viscousBlocks(c, W, sum, boundary.surface(), inverses, blocks);
  guess(c, a, change, w.dt > 0 ? c.dt / w.dt : 0);
  const auto apply = [&](const SurfaceRead<D>& surface, const Array<Record<D>>& v) {
    viscousStress(c, W, sum, surface, inverses, v, stress);
    viscousProduct(c, W, sum, surface, stress, v, *a.Aq);
    if (c.reaction.size() > 0 && boundary.any()) viscousImpulses(c, W, sum, surface, stress, v);
  };
  apply(boundary.surface(), w.fluid.v.data);
  residual(c, a);
  const bool drags = c.reaction.size() > 0 && boundary.any();
  if (drags) boundary.start(c);
  double last = 0;
  bool converged = false;
  for (int k = 0; k < most; ++k) {
    const Norms now = precondition(c, a, blocks);
    const double others = drags ? boundary.precondition() : 0, rz = w.mass * now.rz + others;
    const double enough = std::max(tolerance * tolerance * now.change, rounding * rounding * now.v);
    converged = w.mass * now.rr + others <= w.mass * enough;
    if (!(rz > 0) || converged || (k >= patience && now.rr <= enough)) break;
    search(c, a, k == 0 ? 0 : rz / last);
    if (drags) boundary.search(c, k == 0 ? 0 : rz / last);
    last = rz;
    apply(boundary.change(), *a.q);
    const auto q = a.q.read(), Aq = a.Aq.read();
    const double curvature =
        w.mass * sumAll(w, [=] BRIM_KERNEL(int i) { return dot(q[i].x, Aq[i].x); }) + (drags ? boundary.curvature(c) : 0);
    if (!(curvature > 0)) break;
    advance(c, a, rz / curvature);
    if (drags) boundary.advance(rz / curvature);
  }
  if (drags && boundary.anyHeld()) {
    c.refresh(w.fluid.v.data);
    apply(boundary.surface(), w.fluid.v.data);
  }
  if (drags) boundary.finish(c, converged);
  if (converged) complete(c, a);
  c.refresh(w.fluid.v.data);
  const auto v = w.fluid.v.read(), start = a.start.read();
  const auto to = change.view();
  forEach(n, [=] BRIM_KERNEL(int i) { to[i] = {v[i].x - start[i].x, 0}; });
}

}  // namespace

template <int D>
void FluidViscosity<D>::solve(StepContext<D>& c) {
  if (!solves_ || c.world.fluid.size() == 0) return;
  BRIM_ASSERT(change_, "declareState comes before the first step");
  c.withKernel([&](auto W) { solveWith(c, W, boundary_, change_->data); });
}

template class FluidViscosity<2>;
template class FluidViscosity<3>;

}  // namespace brim::inline BRIM_FLAVOUR
