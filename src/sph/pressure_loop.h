// The iteration that pressure solvers share: how often, with how much momentum, and when it ends.
#pragma once
#include <algorithm>
#include <cmath>

#include "step/context.h"

namespace brim::inline BRIM_FLAVOUR {

/// Mean of max(C_i, 0).
template <int D>
double meanCompression(const World<D>& w, const Array<Real>& C) {
  const auto c = C.read();
  return sumAll(w, [=] BRIM_KERNEL(int i) { return max(c[i], Real(0)); }) / std::max(1, particlesOf(w));
}

/// What a solve starts from: the part `kept` of the smaller of the last two steps' pressures, so that an impact does not push
/// twice.
template <int D>
void startFromLast(const World<D>& w, Real kept, Array<Real>& pressure, Array<Real>& before) {
  const auto P = pressure.view(), last = before.view();
  forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) {
    const Real start = kept * min(P[i], last[i]);
    last[i] = P[i];
    P[i] = start;
  });
}

struct LoopControl {
  int most;          // iterations
  int least;         // iterations before the error is asked for
  double tolerance;  // mean error at which the loop ends; 0: never
};

/// Nesterov's sequence: t+ = (1 + sqrt(1 + 4 t^2))/2, beta = (t - 1)/t+. iterate(n, beta) is iteration n = 1, 2, ..., with no
/// momentum in the last one. coarse() follows the second (or the only) one: a coarse level acts on what the first iteration left,
/// so that it does not take a local error for a smooth one. Returns the number of iterations.
template <class Iterate, class Coarse, class Error>
int acceleratedLoop(const LoopControl o, Iterate iterate, Coarse coarse, Error meanError) {
  double t = 1;
  for (int n = 1;; ++n) {
    const bool last = n >= o.most;
    const double next = (1 + std::sqrt(1 + 4 * t * t)) / 2;
    iterate(n, last ? 0.0 : (t - 1) / next);
    t = next;
    if (n == std::min(2, o.most)) coarse();
    if (last || (o.tolerance > 0 && n >= o.least && meanError() <= o.tolerance)) return n;
  }
}

}  // namespace brim::inline BRIM_FLAVOUR
