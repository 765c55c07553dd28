// The kernels of the V-cycle.
//
// Coarse cells are 2^D fine ones and take part if any of those does. Their operator is that of piecewise constant corrections
// (the sum of the fine links between two coarse cells), halved, since constants overestimate the slope between cells twofold; so
// thin sheets, drops and bubbles keep their weight on every level, which states per coarse cell (air beats fluid) lose. Constant
// corrections leave steps between coarse cells, and a strong smoother pays: two Chebyshev steps before and after. 7 to 12
// iterations of conjugate gradients for six digits; the same with trilinear corrections and damped Jacobi took 10 to 27, with air
// beats fluid 11 to 40, and all grew faster with size.
#pragma once
#include "grid/pressure/links.h"

namespace brim::inline BRIM_FLAVOUR {

// Chebyshev steps z += omega (r - A z)/diag against the part [0.4, 2] of the spectrum of A/diag, which coarse cells cannot see:
// 1/omega are the zeros of the polynomial, 1.2 -+ 0.8 cos(pi/4).
constexpr float omega1 = 1.5764984f, omega2 = 0.5663529f;

/// Two steps from z = 0, as one polynomial:  z = (o1 + o2) t - o1 o2 A t/diag,  t = r/diag. `sum` is over the neighbours of w
/// t_n.
template <class T>
BRIM_DEVICE_FN T chebyshevFromZero(T t, T inverse, T sum) {
  return T(omega1 + omega2 - omega1 * omega2) * t + T(omega1 * omega2) * inverse * sum;
}
/// One step  x + omega (r - A x)/diag,  `sum` over the neighbours of w x_n.
template <class T>
BRIM_DEVICE_FN T chebyshevStep(float omega, T x, T inverse, T r, T sum) {
  return T(1 - omega) * x + T(omega) * inverse * (r + sum);
}
/// r - A z,  `sum` over the neighbours of w z_n.
template <class T>
BRIM_DEVICE_FN T residualOf(T r, T diag, T z, T sum) {
  return r - diag * z + sum;
}
/// Of a residual on the next level: 2^(2 - D), because a coarse face has 2^(D - 1) fine ones and weights stay near 1.
template <int D>
constexpr float restriction = D == 3 ? 0.5f : 1.0f;

/// Two Chebyshev steps from z = 0.
template <int D, bool unit>
struct SmoothFromZero {
  LevelView<D> l;
  BRIM_DEVICE_FN void operator()(int t) const {
    const Links<D, unit> links(l, t);
    const auto x = around(l, l.t, t);
    float* const z = l.z + std::size_t(t) * Tiles<D>::cells;
    eachLine(l.lines[t], [&](int n) { store(z + firstOf(n), chebyshevFromZero(x.line(n), links.inverse(n), links.sum(x, n))); });
  }
};

/// The residual r - A z, summed into the right-hand side of the next level.
template <int D, bool unit>
struct RestrictResidual {
  LevelView<D> l, next;
  BRIM_DEVICE_FN void operator()(int t) const {
    const Links<D, unit> links(l, t);
    const auto z = around(l, l.z, t);
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const float* const r = l.r + first;
    Gathered<D> sum;
    eachLine(l.lines[t], [&](int n) {
      const Cells<float> rest = residualOf(load(r + firstOf(n)), links.diag(n), z.line(n), links.sum(z, n));
      sum.add(n, select(links.inverse(n) > Cells<float>(0.0f), rest, Cells<float>(0.0f)));
    });
    float *const rc = next.r + l.coarse[t], *const tc = next.t + l.coarse[t];
    const float* const ic = next.inverse + l.coarse[t];
    sum.eachPair(1, [&](int m, auto value) {
      value *= restriction<D>;
      storePair<D>(rc, m, value);
      storePair<D>(tc, m, loadPair<D>(ic, m) * value);
    });
  }
};

/// z += the coarse cell's correction.
template <int D>
struct Correct {
  LevelView<D> l, next;
  BRIM_DEVICE_FN void operator()(int t) const {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const float *const inverse = l.inverse + first, *const part = next.z + l.coarse[t];
    float* const z = l.z + first;
    eachLine(l.lines[t], [&](int n) {
      store(z + firstOf(n), load(z + firstOf(n)) + select(load(inverse + firstOf(n)) > Cells<float>(0.0f), loadCoarse<D>(part, n),
                                                          Cells<float>(0.0f)));
    });
  }
};

/// One Chebyshev step from x to `to`, and per tile the product of r and `to` if asked for.
template <int D, bool unit>
struct Smooth {
  LevelView<D> l;
  const float* from;
  float* to;
  float omega;
  double* dot;
  BRIM_DEVICE_FN void operator()(int t) const {
    const Links<D, unit> links(l, t);
    const auto x = around(l, from, t);
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const float* const r = l.r + first;
    float* const out = to + first;
    Cells<float> product = 0;
    eachLine(l.lines[t], [&](int n) {
      const Cells<float> rn = load(r + firstOf(n));
      const Cells<float> value = chebyshevStep(omega, x.line(n), links.inverse(n), rn, links.sum(x, n));
      store(out + firstOf(n), value);
      product += rn * value;
    });
    if (dot) giveSum(dot[t], product);
  }
};

#if BRIM_CUDA
/// z of a level with the next one's correction.
template <int D, bool unit>
struct CorrectedField {
  LevelView<D> l;
  const float* next;

  __device__ Quad operator()(int t, int n) const {
    const int at = t * power(8, D) + firstOf(n);
    const Quad own = load(l.z + at);
    if (t >= l.tiles) return own;
    const Quad known = load((unit ? l.diag : l.inverse) + at);
    return own + select(known > Quad(0), loadCoarse<D>(next + l.coarse[t], n), Quad(0));
  }
  __device__ float cell(int t, int c) const {
    const int at = t * power(8, D) + c;
    return l.z[at] + (((unit ? l.diag : l.inverse)[at] > 0) ? next[l.coarse[t] + coarseOf(c)] : 0.0f);
  }
};
/// Correct and Smooth in one.
template <int D, bool unit>
struct SmoothCorrected {
  LevelView<D> l, next;
  float* to;
  float omega;
  __device__ void operator()(int t) const {
    const Links<D, unit> links(l, t);
    const AroundField<D, CorrectedField<D, unit>> x({l, next.z}, t, l.beside + 2 * D * t);
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    eachLine(l.lines[t], [&](int n) {
      const std::size_t at = first + firstOf(n);
      store(to + at, chebyshevStep(omega, x.line(n), links.inverse(n), load(l.r + at), links.sum(x, n)));
    });
  }
};
#endif

}  // namespace brim::inline BRIM_FLAVOUR
