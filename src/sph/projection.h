// The local step of Projective Fluids: every density constraint moves a copy of its own neighbourhood until C_i = 0.
//
// Newton steps p <- p - tau grad C with tau = C/|grad C|^2 (PF Alg. 1, Eq. 9-11) change the copy of i by -tau G and that of a
// member l by tau g(r), where r = p_i - p_l, g(r) = V grad W(r) and G = grad_i C, the sum of g over fluid and walls. Only r
// enters the next step, and it becomes r - tau (G + g(r)). So a constraint keeps {tau, G} of its steps and nothing per member:
// the way of a member is followed again from r = x_i - x_l wherever it is asked for. That is 16 bytes a step and particle in
// place of 12 bytes a step and pair, and each particle can gather its copies from its neighbours without atomics.
#pragma once
#include "math/kernels.h"
#include "step/context.h"

namespace brim::inline BRIM_FLAVOUR {

/// Newton steps that one projection may take at most.
constexpr int mostNewtonSteps = 12;

/// True if a number of any lane is above zero.
template <class R>
BRIM_FN bool anyAboveZero(const R& a) {
  if constexpr (lanes == 1) {
    return a > Real(0);
  } else {
#if defined(__AVX__) && !BRIM_CUDA
    if constexpr (lanes == 8) return _mm256_movemask_ps(_mm256_cmp_ps((__m256)a.v, _mm256_setzero_ps(), _CMP_GT_OQ)) != 0;
    if constexpr (lanes == 4 && sizeof(Real) == 8)
      return _mm256_movemask_pd(_mm256_cmp_pd((__m256d)a.v, _mm256_setzero_pd(), _CMP_GT_OQ)) != 0;
#endif
    bool any = false;
    for (int k = 0; k < lanes; ++k) any |= a[k] > Real(0);
    return any;
  }
}

/// What the constraints tell their members, one record a step: {x, tau_0}, {G_0, tau_1}, {G_1, tau_2}, ...
/// The sign of tau says whether another step follows: positive if so, else negative; 0 for a constraint that is met.
template <int D>
struct Path {
  View<Record<D>> step[mostNewtonSteps];
};

/// The projections of all constraints.
template <int D>
class Projections {
 public:
  Array<Record<D>> own;  // {way of i's own copy [m], sum of tau [m^2]}
  Array<Real> error;     // C_i before
  Array<Real> steps;     // Newton steps taken

  Path<D> path(int room) {
    Path<D> q;
    for (int k = 0; k < mostNewtonSteps; ++k) {
      record_[k].resize(room);
      q.step[k] = record_[k].view();
    }
    own.resize(room);
    error.resize(room);
    steps.resize(room);
    return q;
  }
  /// Gives padding and periodic ghosts what lists expect of them.
  void finish(StepContext<D>& c, int taken) {
    c.world.fluid.padWith(record_[0], Particles<D>::paddingRecord());
    c.refresh(record_[0], Holds::positions);
    for (int k = 1; k < taken; ++k) c.refresh(record_[k]);
  }
  std::size_t bytes() const {
    std::size_t b = own.bytes() + error.bytes() + steps.bytes();
    for (const auto& r : record_) b += r.bytes();
    return b;
  }

 private:
  Array<Record<D>> record_[mostNewtonSteps];
};

/// How far projections are taken.
struct NewtonControl {
  Real v0, V, m;        // [m^3/kg] 1/rho0; [m^D] m/rho0; [kg]
  Real eps;             // C that counts as met
  Real reach;           // [m] the longest step: past a support the linearised C says nothing
  int most;             // steps at most
  bool twoWay = false;  // samples with a mobility are members that move, as particles are
};

/// r after k steps of its constraint. i itself, at r = 0, stays where it is.
template <int D, class K>
BRIM_FN Vec<D, Reals> follow(Vec<D, Reals> r, K W, Reals V, const Vec<D, Reals>* G, const Reals* tau, int k) {
  for (int l = 0; l < k; ++l) {
    const Reals t = select(dot(r, r) > Reals(0), tau[l], Reals(0));
    Vec<D, Reals> way = G[l];
    way += V * W.grad(r);
    r -= t * way;
  }
  return r;
}

/// Projects all constraints at the present positions. A step from C leaves about C^2, so one from C^2 < eps is the last.
template <int D, class K>
void projectDensities(StepContext<D>& c, K W, const NewtonControl o, Projections<D>& to) {
  World<D>& w = c.world;
  const Path<D> path = to.path(w.fluid.capacity());
  const auto p = w.fluid.p.read(), s = w.solids.p(), sv = w.solids.v();
  const auto own = to.own.view();
  const auto error = to.error.view(), steps = to.steps.view();
  const NeighbourView nb = c.nb();
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const auto [xi, mi] = p[i];
    Vec<D, Reals> G[mostNewtonSteps], way = {};
    Reals tau[mostNewtonSteps], total = 0, taken = 0, open = 1;
    int k = 0;
    for (; k < o.most; ++k) {
      Reals rho = 0, S = 0;
      Vec<D, Reals> gradI = {};
      for (auto j : nb.fluid[i]) {
        const auto [xj, mj] = p[j];
        const auto r = follow(xi - xj, W, Reals(o.V), G, tau, k);
        const auto g = Reals(o.V) * W.grad(r);
        rho += W(r);
        gradI += g;
        S += dot(g, g);
      }
      rho *= o.m;
      if (!o.twoWay)
        for (auto a : nb.solid[i]) {
          const auto [xa, ma] = s[a];
          const auto r = xi + way - xa;
          rho += ma * W(r);
          gradI += (o.v0 * ma) * W.grad(r);
        }
      else
        for (auto a : nb.solid[i]) {
          const auto [xa, ma] = s[a];
          const auto [va, mobility] = sv[a];
          const Reals moves = select(mobility > Reals(0), o.v0 * ma, Reals(0));
          const auto r = follow(xi - xa, W, moves, G, tau, k);
          const auto g = (o.v0 * ma) * W.grad(r), own = moves * W.grad(r);
          rho += ma * W(r);
          gradI += g;
          S += dot(own, own);
        }
      const Reals c = o.v0 * rho - Reals(1), all = S + dot(gradI, gradI);
      if (k == 0) error[i] = c;
      // |grad C| = 0: a minimum is found already (line 5).
      open = select(c > Reals(o.eps), open, Reals(0));
      open = select(all > Reals(Real(1e-20) / (o.reach * o.reach)), open, Reals(0));
      if (!anyAboveZero(open)) break;
      const Reals size = max(all, Reals(Real(1e-20) / (o.reach * o.reach)));
      tau[k] = select(open > Reals(0), min(c / size, o.reach / sqrt(size)), Reals(0));
      G[k] = gradI;
      way -= tau[k] * gradI;
      total += tau[k];
      taken += open;
      open = select(c * c > Reals(o.eps), open, Reals(0));
    }
    for (int l = 0; l < k; ++l) {
      const Reals next = l + 1 < k ? tau[l + 1] : Reals(0), sign = select(next > Reals(0), Reals(1), Reals(-1));
      path.step[l][i] = {l == 0 ? xi : G[l > 0 ? l - 1 : 0], sign * tau[l]};
    }
    if (k == 0) path.step[0][i] = {xi, Reals(0)};
    own[i] = {way, total};
    steps[i] = taken;
  });
  to.finish(c, int(maxOf(w.fluid.size(), [=] BRIM_KERNEL(int i) { return steps[i]; })));
}

/// The sum over all constraints i that hold l of what they moved their copy of l by: sum_i (p_i,l - x_l).
template <int D, class K, class L>
BRIM_DEVICE_FN Vec<D, Reals> copiesOf(const Path<D>& path, L holders, const Vec<D, Reals>& xl, K W, Reals V) {
  Vec<D, Reals> sum = {};
  for (auto i : holders) {
    const auto [xi, first] = path.step[0][i];
    auto r = xi - xl;
    Reals tau = select(dot(r, r) > Reals(0), first, Reals(0));
    for (int k = 1;; ++k) {
      const auto g = V * W.grad(r);
      const Reals size = max(tau, -tau);
      sum += size * g;
      if (!anyAboveZero(tau)) break;
      const auto [G, next] = path.step[k][i];
      Vec<D, Reals> way = G;
      way += g;
      for (int e = 0; e < D; ++e) r[e] -= select(tau > Reals(0), size * way[e], Reals(0));
      tau = select(tau > Reals(0), next, Reals(0));
    }
  }
  return sum;
}

}  // namespace brim::inline BRIM_FLAVOUR
