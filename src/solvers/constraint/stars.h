// Geometric-stiffness rows, a particle's at a time: the rows of the pairs that a particle owns share it alone, so they are solved
// together by one D x D matrix.
//
//   e = u sqrt(w),  w = K/(1 + K/m),  K = beta dt^2 k
//   (1 + 1/m (sum e e^T + A)) v_i+ = v_i + 1/m (sum e (e.v_j - b mu + t) + Q - L),      b = 1 - e.e/m
//   dmu = -e.(v_i+ - v_j) - b mu + t,   v_i += e dmu/m,   v_j -= e dmu/m,               t = e.u_ij
#pragma once
#include "solvers/constraint/stiffness.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
struct StarPair {
  Vec<D> e;  // [kg^1/2]
  int j;
  Real mu, t;  // [kg^1/2 m/s]
};

template <int D>
struct Star {
  int i, first, last;  // its particle; its pairs
  int walled;          // walls have rows of it
  Square<D> per;       // the inverse of the matrix
};

/// Who owns the pair of i and j: of two rows in colours that of the particle that comes first, of two rows apart too; of one in
/// colours and one apart the one in colours, which may write both.
template <class Mark>
struct PairOwner {
  View<const Mark> apart;  // null: none is
  int firstPeriodicGhost;
  const int* source;  // of periodic ghosts
  /// The particle whose velocity the pair has: j, or the one that j is an image of.
  BRIM_DEVICE_FN int particleOf(int j) const { return j < firstPeriodicGhost ? j : source[j - firstPeriodicGhost]; }
  BRIM_DEVICE_FN bool operator()(int i, int j) const {
    const bool ours = apart.data && apart[i], theirs = apart.data && apart[j];
    return ours == theirs ? i < j : theirs;
  }
};

template <int D>
struct Stars {
  int size = 0;
  Array<Star<D>> rows;
  Array<StarPair<D>> pairs;

  // A pair is a spring near its place alone. Rows that go on with faster relative velocities than that, where a jet lands, have
  // the densities against them, and what 15 iterations leave of the quarrel threw single particles at 29 m/s from one of 6 m/s.
  static constexpr double farthest = 0.25;  // [spacings] that a pair's distance changes in a step by its row

  /// Star k is that of particle of[k].i, for k below n.
  template <class K, class Mark, class Row>
  void build(StepContext<D>& c, K W, const Stiffness<D>& stiffness, const Row* of, int n, const PairOwner<Mark> owner) {
    World<D>& w = c.world;
    size = n;
    if (n == 0) return;
    rows.resize(n), count_.resize(std::size_t(n) + 1);
    const auto p = w.fluid.p.read(), v = w.fluid.v.read();
    const auto P = w.fluid.pressure.read(), s = stiffness.s.read();
    const auto held = stiffness.walls.read();
    const auto flow = stiffness.flow.read();
    const auto count = count_.view();
    const Lists lists = c.nb().fluid;
    const int padding = w.fluid.padding();
    const Real critical = stiffness.critical, eta = stiffness.eta, volume = stiffness.v, dt2 = stiffness.dt2,
               perM = stiffness.perM;
    const Real h2 = Real(w.support * w.support), far = Real(farthest * w.spacing / c.dt);
    forEach(n + 1, [=] BRIM_KERNEL(int k) {
      int pairs = 0;
      if (k < n) {
        const int i = of[k].i;
        eachNeighbour(lists, i, padding, [&](int q) {
          const int j = owner.particleOf(q);
          const Vec<D> r = p[i].x - p[q].x;
          pairs += owner(i, j) && max(s[i], s[j]) > critical && dot(r, r) < h2;
        });
      }
      count[k] = pairs;
    });
    scan(count_, n + 1);
    pairs.resize(std::max(1, elementOf(count_, n)));
    const auto star = rows.view();
    const auto pair = pairs.view();
    forEach(n, [=] BRIM_KERNEL(int k) {
      const int i = of[k].i;
      Star<D> to = {i, count[k], count[k], 0, held[i].A};
      Real wall = 0;
      for (int a = 0; a < D; ++a) wall += to.per.e[D * a + a];
      to.walled = wall > 0;
      const Real mine = P[i] > 0 ? P[i] : 0;
      eachNeighbour(lists, i, padding, [&](int q) {
        const int j = owner.particleOf(q);
        if (!owner(i, j)) return;
        const Real stiffest = max(s[i], s[j]);
        const Vec<D> r = p[i].x - p[q].x;
        const Real r2 = dot(r, r);
        if (!(stiffest > critical) || !(r2 < h2)) return;
        const Real whole = dt2 * volume * volume * (mine + (P[j] > 0 ? P[j] : 0)) * curvature(W, r2);
        const Real implicit = Stiffness<D>::part(stiffest, critical, eta) * whole;
        if (!(perM * implicit > Real(1e-3))) return;
        const Vec<D> e = sqrt(implicit / ((1 + perM * implicit) * r2)) * r;
        to.per.add(1, e);
        const Vec<D> linear = Real(0.5) * (flow(i, r) + flow(j, r));
        const Real most = far * sqrt(dot(e, e));
        const Real t = dot(e, (1 - eta) * (v[i].x - v[j].x) + eta * linear);
        pair[to.last++] = {e, j, 0, max(min(t, most), -most)};
      });
      for (int a = 0; a < D * D; ++a) to.per.e[a] *= perM;
      for (int a = 0; a < D; ++a) to.per.e[D * a + a] += 1;
      to.per = to.per.inverse();
      star[k] = to;
    });
  }
  std::size_t bytes() const { return rows.bytes() + pairs.bytes() + count_.bytes(); }

 private:
  Array<int> count_;
};

#if !BRIM_CUDA
/// Solves the rows of one.
template <int D>
inline void solveStar(const Star<D>& star, StarPair<D>* pairs, Record<D>* v, HeldByWalls<D>* walls, Real perM) {
  if (star.first == star.last && !star.walled) return;
  const int i = star.i;
  Vec<D> sum = {}, given = {};
  if (star.walled) sum = walls[i].Q - walls[i].L;
  for (int k = star.first; k < star.last; ++k) {
    const StarPair<D>& p = pairs[k];
    sum += (dot(p.e, v[p.j].x) - (1 - perM * dot(p.e, p.e)) * p.mu + p.t) * p.e;
  }
  const Vec<D> next = star.per * (v[i].x + perM * sum);
  for (int k = star.first; k < star.last; ++k) {
    StarPair<D>& p = pairs[k];
    const Real change = dot(p.e, v[p.j].x - next) - (1 - perM * dot(p.e, p.e)) * p.mu + p.t;
    p.mu += change;
    v[p.j].x -= (perM * change) * p.e;
    given += change * p.e;
  }
  if (star.walled) {
    const Vec<D> L = walls[i].Q - walls[i].A * next;
    given += L - walls[i].L;
    walls[i].L = L;
  }
  v[i].x += perM * given;
}
#endif

}  // namespace brim::inline BRIM_FLAVOUR
