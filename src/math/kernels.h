// Smoothing kernels with support h, normalised in 2D and 3D, without branches: each is a polynomial in (1 - q)+ or
// (1 - q^2)+ with q = |r|/h, so a sample out of reach adds an exact zero.
//   W(r)        the weight                                     [1/m^D]
//   W.grad(r)   its gradient by r = x_i - x_j; zero at r = 0   [1/m^(D+1)]
#pragma once
#include <string>

#include "math/vec.h"

namespace brim::inline BRIM_FLAVOUR {

constexpr double pi = 3.14159265358979323846;

namespace kernel_detail {
/// |r|, kept above a millionth of h so that every lane stays finite at r = 0.
template <int D, class R>
BRIM_FN R length(const Vec<D, R>& r, Real h) {
  return sqrt(max(dot(r, r), R(Real(1e-12) * h * h)));
}
}  // namespace kernel_detail

/// Monaghan 1992: W = sigma (2 (1 - q)+^3 - (1 - 2q)+^3).
template <int D>
struct Cubic {
  Real h, sigma;
  explicit Cubic(double support)
      : h(Real(support)), sigma(Real(D == 2 ? 40 / (7 * pi * support * support) : 8 / (pi * support * support * support))) {}
  template <class R>
  BRIM_FN R operator()(const Vec<D, R>& r) const {
    const R l = kernel_detail::length(r, h), s = max(R(1) - l * R(1 / h), R(0)), t = max(R(1) - l * R(2 / h), R(0));
    return R(sigma) * (R(2) * (s * s * s) - t * t * t);
  }
  template <class R>
  BRIM_FN Radial<D, R> grad(const Vec<D, R>& r) const {
    const R l = kernel_detail::length(r, h), s = max(R(1) - l * R(1 / h), R(0)), t = max(R(1) - l * R(2 / h), R(0));
    return {R(6 * sigma / h) * (t * t - s * s) / l, r};
  }
};

/// Wendland C2: W = sigma (1 - q)+^4 (1 + 4q).
template <int D>
struct Wendland {
  Real h, sigma;
  explicit Wendland(double support)
      : h(Real(support)), sigma(Real(D == 2 ? 7 / (pi * support * support) : 21 / (2 * pi * support * support * support))) {}
  template <class R>
  BRIM_FN R operator()(const Vec<D, R>& r) const {
    const R q = kernel_detail::length(r, h) * R(1 / h), s = max(R(1) - q, R(0)), s2 = s * s;
    return R(sigma) * (s2 * s2) * (R(1) + R(4) * q);
  }
  template <class R>
  BRIM_FN Radial<D, R> grad(const Vec<D, R>& r) const {
    const R s = max(R(1) - kernel_detail::length(r, h) * R(1 / h), R(0));
    return {R(-20 * sigma / (h * h)) * (s * s * s), r};
  }
};

/// Müller 2003, slides: W = sigma (1 - q^2)+^3.
template <int D>
struct Poly6 {
  Real h, sigma;
  explicit Poly6(double support)
      : h(Real(support)), sigma(Real(D == 2 ? 4 / (pi * support * support) : 315 / (64 * pi * support * support * support))) {}
  template <class R>
  BRIM_FN R operator()(const Vec<D, R>& r) const {
    const R s = max(R(1) - dot(r, r) * R(1 / (h * h)), R(0));
    return R(sigma) * (s * s * s);
  }
  template <class R>
  BRIM_FN Radial<D, R> grad(const Vec<D, R>& r) const {
    const R s = max(R(1) - dot(r, r) * R(1 / (h * h)), R(0));
    return {R(-6 * sigma / (h * h)) * (s * s), r};
  }
};

/// Desbrun 1996, Müller 2003: W = sigma (1 - q)+^3. Its gradient keeps pushing at small distances.
/// The slide prints the gradient with its sign flipped; see docs/errata.md.
template <int D>
struct Spiky {
  Real h, sigma;
  explicit Spiky(double support)
      : h(Real(support)), sigma(Real(D == 2 ? 10 / (pi * support * support) : 15 / (pi * support * support * support))) {}
  template <class R>
  BRIM_FN R operator()(const Vec<D, R>& r) const {
    const R s = max(R(1) - kernel_detail::length(r, h) * R(1 / h), R(0));
    return R(sigma) * (s * s * s);
  }
  template <class R>
  BRIM_FN Radial<D, R> grad(const Vec<D, R>& r) const {
    const R l = kernel_detail::length(r, h), s = max(R(1) - l * R(1 / h), R(0));
    return {R(-3 * sigma / h) * (s * s) / l, r};
  }
};

/// The slides' pair: densities from one kernel, gradients from another.
template <int D, template <int> class Weight, template <int> class Gradient>
struct Mixed {
  Weight<D> w;
  Gradient<D> g;
  explicit Mixed(double support) : w(support), g(support) {}
  template <class R>
  BRIM_FN R operator()(const Vec<D, R>& r) const {
    return w(r);
  }
  template <class R>
  BRIM_FN Radial<D, R> grad(const Vec<D, R>& r) const {
    return g.grad(r);
  }
};
template <int D>
using Poly6Spiky = Mixed<D, Poly6, Spiky>;

/// Calls body(W) with the kernel of this name and support.
template <int D, class F>
void withKernel(const std::string& name, double support, F body) {
  if (name == "wendland")
    body(Wendland<D>(support));
  else if (name == "poly6")
    body(Poly6Spiky<D>(support));
  else
    body(Cubic<D>(support));
}

}  // namespace brim::inline BRIM_FLAVOUR
