// What the loops of the coarse level's system do at one unknown.
#pragma once
#include "sph/coarse_system.h"

namespace brim::inline BRIM_FLAVOUR {

/// Other threads may be changing it. In a block's memory it is read atomically, so that compute-sanitizer sees no race.
BRIM_DEVICE_FN int parentOf(View<int> parent, int i) {
#if BRIM_CUDA
  if (__isShared(&parent[i])) return atomicOr(&parent[i], 0);
#endif
  return readShared(parent[i]);
}
BRIM_DEVICE_FN int rootOf(View<int> parent, int i) {
  for (int next = parentOf(parent, i); next != i; i = next, next = parentOf(parent, i)) {
    const int beyond = parentOf(parent, next);
    if (beyond != next) swapIf(parent[i], next, beyond);  // for the next thread
  }
  return i;
}

// Roots are hooked under smaller ones only, so each body's is its smallest unknown, whichever thread came first.
BRIM_DEVICE_FN void unite(View<int> parent, int a, int b) {
  a = rootOf(parent, a), b = rootOf(parent, b);
  while (a != b) {
    const int low = a < b ? a : b, high = a < b ? b : a;
    const int found = swapIf(parent[high], high, low);
    if (found == high) return;
    a = rootOf(parent, found), b = low;
  }
}

/// Bodies of fluid: unknowns that are linked. All begin, then all join, and so on.
template <int D>
struct BodySearch {
  Links link;
  View<int> parent, holds, breathes;  // a tree for each body; at its root: whether a wall holds it, whether it touches air
  View<int> held;                     // as in CoarseSystem

  // Rows along the first axis are trees from the beginning.
  BRIM_DEVICE_FN void begin(int i) const {
    parent[i] = startOf(i);
    holds[i] = breathes[i] = 0;
  }
  // Two cells of a row whose neighbours are in one row, too, join only once.
  BRIM_DEVICE_FN void join(int i) const {
    for (int k = 0; k < D; ++k) {
      const int above = link(i, 2 * k + 1).to;
      if (above < 0) continue;
      const int before = startOf(i), beyond = startOf(above);
      const bool known = k == 0 ? beyond == i : before != i && beyond != above && link(before, 2 * k + 1).to == beyond;
      if (!known) unite(parent, i, above);
    }
  }
  BRIM_DEVICE_FN void mark(int i) const {
    bool wall = false, air = false;
    for (int l = 0; l < 2 * D; ++l) {
      const Link beyond = link(i, l);
      wall = wall || beyond.perDrop == 0;
      air = air || (beyond.to < 0 && beyond.weight != 0);
    }
    if (wall) swapIf(holds[rootOf(parent, i)], 0, 1);
    if (air) swapIf(breathes[rootOf(parent, i)], 0, 1);
  }
  BRIM_DEVICE_FN int close(int i) const {
    const int root = rootOf(parent, i);
    return held[i] = holds[root] ? 2 - breathes[root] : 0;
  }

 private:
  BRIM_DEVICE_FN int startOf(int i) const {
    const int below = link(i, 0).to;
    return below >= 0 && below < i ? below : i;
  }
};

BRIM_DEVICE_FN Pair ratio(const Pair& a, const Pair& b) {
  return {b.now > 0 ? a.now / b.now : 0, b.before > 0 ? a.before / b.before : 0};
}
BRIM_FN bool isSolved(const Pair& left, const Pair& first) {
  return left.now <= 1e-3 * first.now && left.before <= 1e-3 * first.before;
}
struct AddPair {
  BRIM_DEVICE_FN void operator()(Pair& s, const Pair& t) const { s.now += t.now, s.before += t.before; }
};

/// Jacobi-preconditioned conjugate gradients, for both right-hand sides at once.
template <int D, class L = Links>
struct Gradients {
  L link;
  View<const double> filled;
  double softness;
  View<double> diagonal, inverse;  // inverse: of the diagonal with the softness
  View<Pair> r, x, p, q;

  /// The first residual is the right-hand side. r z
  BRIM_DEVICE_FN Pair begin(int i) const {
    diagonal[i] += softness * filled[i];
    const double d = inverse[i] = 1 / diagonal[i];
    x[i] = p[i] = {};
    return {r[i].now * r[i].now * d, r[i].before * r[i].before * d};
  }
  /// p = z + beta p
  BRIM_DEVICE_FN void turn(int i, const Pair& beta) const {
    const double d = inverse[i];
    p[i] = {r[i].now * d + beta.now * p[i].now, r[i].before * d + beta.before * p[i].before};
  }
  /// q = A p; p q
  BRIM_DEVICE_FN Pair image(int i) const {
    Pair s = {diagonal[i] * p[i].now, diagonal[i] * p[i].before};
    for (int k = 0; k < 2 * D; ++k) {
      const auto l = link(i, k);
      if (l.to >= 0) s.now -= l.weight * p[l.to].now, s.before -= l.weight * p[l.to].before;
    }
    q[i] = s;
    return {p[i].now * s.now, p[i].before * s.before};
  }
  /// x += alpha p, r -= alpha q; r z
  BRIM_DEVICE_FN Pair go(int i, const Pair& alpha) const {
    const double d = inverse[i];
    x[i] = {x[i].now + alpha.now * p[i].now, x[i].before + alpha.before * p[i].before};
    const Pair left = {r[i].now - alpha.now * q[i].now, r[i].before - alpha.before * q[i].before};
    r[i] = left;
    return {left.now * left.now * d, left.before * left.before * d};
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
