// Convergence control of conjugate gradients: step lengths and the decision to stop, from the sums and maxima of an iteration. It
// runs where these are found: on a GPU the device goes on by itself, and the host asks seldom.
#pragma once
#include "grid/tiles/lines.h"

namespace brim::inline BRIM_FLAVOUR {

/// The numbers of an iteration, where kernels are.
struct SolveScalars {
  double alpha, beta;    // of x += alpha p, p = z + beta p
  double rz;             // r z of the last direction
  double r, x;           // magnitudes of residual and solution
  double before, least;  // residual before this round and the least of it
  int fresh;             // the next direction is the first of a round
  int done, iterations;
};

/// To be run when the numbers per tile are there. Once the solve is done, alpha is 0: iterations past the end change nothing, and
/// the result does not depend on when the host asked.
struct ConvergenceControl {
  enum Kind {
    nothing,
    direction,  // r z: beta
    stride,     // p q: alpha
    first,      // the residual was found from scratch: before the first round,
    again,      // or after one
    iteration   // magnitudes after an iteration
  } kind = nothing;
  struct Limits {
    double tolerance, rounding;  // of the residual; of A x over x
    int iterations;
  } limits{};
  SolveScalars* s = nullptr;
  const double *part = nullptr, *mostX = nullptr;
  int tiles = 0;
  double less = 0;  // what the means of enclosed components took from r z
  double more = 0;  // what rigid bodies add to p q

  BRIM_DEVICE_FN void operator()() const {
    if (kind == nothing) return;
    if (kind == direction || kind == stride) {
      const double sum = totalOf(part, tiles);
      if (isFirstThread()) kind == direction ? setDirection(sum - less) : setStride(sum + more);
    } else {
      const Two most = largestOf(part, mostX, tiles);
      if (isFirstThread()) judge(most.a, most.b);
    }
  }

 private:
  BRIM_DEVICE_FN void setDirection(double rz) const {
    if (!(rz > 0)) s->done = 1;
    s->beta = s->fresh || s->done ? 0 : rz / s->rz;
    s->rz = rz;
    s->fresh = 0;
  }
  BRIM_DEVICE_FN void setStride(double pq) const {
    if (!(pq > 0)) s->done = 1;
    s->alpha = s->done ? 0 : s->rz / pq;
  }
  BRIM_DEVICE_FN void judge(double r, double x) const {
    if (s->done ? kind == iteration : kind == again) return;
    const double rounding = limits.rounding * x;
    s->r = r, s->x = x;
    if (kind == iteration) {
      ++s->iterations;
      s->least = r < s->least ? r : s->least;
      s->done = !(r > limits.tolerance && r > rounding / 4) || s->iterations >= limits.iterations ||
                r > 10 * s->least;  // then rounding has the upper hand
    } else {
      // Another round if the last one helped.
      s->done =
          !(r > limits.tolerance && r > rounding) || s->iterations >= limits.iterations || (kind == again && r > s->before / 2);
      s->before = s->least = r;
      s->fresh = 1;
    }
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
