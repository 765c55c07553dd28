// Smoothing kernels with support h, normalised in 2D and 3D, without branches: each is a polynomial in (1 - q)+ or
// (1 - q^2)+ with q = |r|/h, so a sample out of reach adds an exact zero.
//   W(r)        the weight                                     [1/m^D]
//   W.grad(r)   its gradient by r = x_i - x_j; zero at r = 0   [1/m^(D+1)]
//   W.bare(r2)  {w, k} at |r|^2 = r2, such that W(r) = weight w and W.grad(r) = slope k r: a sum over many neighbours
//               adds w and k, and multiplies the sum by the constants once; k is never positive, so it also serves as a weight
//               (W.weight [1/m^D], W.slope in the kernel's own unit)
#pragma once
#include <string>

#include "math/vec.h"

namespace brim::inline BRIM_FLAVOUR {

constexpr double pi = 3.14159265358979323846;

template <class R>
struct Bare {
  R w, k;
};

/// W(r) and W.grad(r) of a kernel, from its constants `weight` and `slope` and the function bare() of `Shape`.
template <int D, class Shape>
struct Smoothing {
  Real h, weight, slope;
  Smoothing(double support, double sigma, double steepness)
      : h(Real(support)), weight(Real(sigma)), slope(Real(sigma * steepness)) {}
  template <class R>
  BRIM_FN R operator()(const Vec<D, R>& r) const {
    return R(weight) * shape().bare(dot(r, r)).w;
  }
  template <class R>
  BRIM_FN Radial<D, R> grad(const Vec<D, R>& r) const {
    return {R(slope) * shape().bare(dot(r, r)).k, r};
  }

 protected:
  /// |r| and 1/|r|, with |r| of at least a millionth of h, so that every lane stays finite at r = 0.
  template <class R>
  BRIM_FN Root<R> length(R r2) const {
    return rootOf(max(r2, R(Real(1e-12) * h * h)));
  }

 private:
  BRIM_FN const Shape& shape() const { return static_cast<const Shape&>(*this); }
};

/// Monaghan 1992: W = sigma (2 (1 - q)+^3 - (1 - 2q)+^3).
template <int D>
struct Cubic : Smoothing<D, Cubic<D>> {
  explicit Cubic(double h) : Smoothing<D, Cubic>(h, D == 2 ? 40 / (7 * pi * h * h) : 8 / (pi * h * h * h), 6 / h) {}
  template <class R>
  BRIM_FN Bare<R> bare(R r2) const {
    const auto [l, perL] = this->length(r2);
    const R s = upToOne(R(1) - l * R(1 / this->h)), t = upToOne(R(1) - l * R(2 / this->h)), s2 = s * s, t2 = t * t;
    return {R(2) * (s2 * s) - t2 * t, (t2 - s2) * perL};
  }
};

/// Quintic spline, Morris 1996: W = sigma ((3 - s)+^5 - 6 (2 - s)+^5 + 15 (1 - s)+^5), s = 3 q. With support 3 d its sum over a
/// lattice changes by 0.04 % at most however the lattice is strained at constant volume; the cubic's, with 2 d, by 1 %.
template <int D>
struct Quintic : Smoothing<D, Quintic<D>> {
  explicit Quintic(double h) : Smoothing<D, Quintic>(h, D == 2 ? 63 / (478 * pi * h * h) : 27 / (120 * pi * h * h * h), 15 / h) {}
  template <class R>
  BRIM_FN Bare<R> bare(R r2) const {
    const auto [l, perL] = this->length(r2);
    const R s = l * R(3 / this->h), a = max(R(3) - s, R(0)), b = max(R(2) - s, R(0)), c = max(R(1) - s, R(0));
    const R a2 = a * a, b2 = b * b, c2 = c * c, a4 = a2 * a2, b4 = b2 * b2, c4 = c2 * c2;
    return {a4 * a - R(6) * (b4 * b) + R(15) * (c4 * c), (R(6) * b4 - a4 - R(15) * c4) * perL};
  }
};

/// Wendland C2: W = sigma (1 - q)+^4 (1 + 4q).
template <int D>
struct Wendland : Smoothing<D, Wendland<D>> {
  explicit Wendland(double h) : Smoothing<D, Wendland>(h, D == 2 ? 7 / (pi * h * h) : 21 / (2 * pi * h * h * h), 20 / (h * h)) {}
  template <class R>
  BRIM_FN Bare<R> bare(R r2) const {
    const R q = this->length(r2).root * R(1 / this->h), s = upToOne(R(1) - q), s2 = s * s;
    return {s2 * s2 * (R(1) + R(4) * q), R(0) - s2 * s};
  }
};

/// W = sigma z^2 (c_0 + ... + c_5 z^5), z = (1 - q^2)+: of all such kernels that whose Fourier transform has the least power
/// beyond 0.9 of the wave number 2 pi/d of a lattice, in 2D and 3D together, for a support of 2.2 d (Slepian 1964 asks for the
/// function in a ball with the least power outside another; Lewitt 1990 has such "blobs" for sums over lattices). A sum over
/// neighbours sees an arrangement through that part of the transform alone: this one changes by 0.1 % with strain at constant
/// volume, the cubic's by 0.9 % in 2D and 0.35 % in 3D. Tables: docs/methods/kernels.md.
template <int D>
struct Slepian : Smoothing<D, Slepian<D>> {
  static constexpr double c0 = 0.0238, c1 = 0.1177, c2 = -0.2941, c3 = 1.5211, c4 = -1.4625, c5 = 1.0941;
  explicit Slepian(double h) : Smoothing<D, Slepian>(h, 1 / (integral() * (D == 2 ? h * h : h * h * h)), 2 / (h * h)) {}
  template <class R>
  BRIM_FN Bare<R> bare(R r2) const {
    const R z = upToOne(R(1) - r2 * R(1 / (this->h * this->h)));
    return {z * z * sum(z, c0, c1, c2, c3, c4, c5), R(0) - z * sum(z, 2 * c0, 3 * c1, 4 * c2, 5 * c3, 6 * c4, 7 * c5)};
  }
  /// The second derivative of z^2 (c_0 + ...) by z.
  template <class R>
  BRIM_FN static R bend(R z) {
    return sum(z, 2 * c0, 6 * c1, 12 * c2, 20 * c3, 30 * c4, 42 * c5);
  }

 private:
  template <class R>
  BRIM_FN static R sum(R z, double a, double b, double c, double d, double e, double f) {
    return R(Real(a)) + z * (R(Real(b)) + z * (R(Real(c)) + z * (R(Real(d)) + z * (R(Real(e)) + z * R(Real(f))))));
  }
  /// Of W/sigma over the unit ball: z^n has pi/(n + 1) in 2D; in 3D 4 pi/3 for n = 0, and n/(n + 3/2) of the one before it.
  static double integral() {
    const double c[6] = {c0, c1, c2, c3, c4, c5};
    double sum = 0, power = 4 * pi / 3;
    for (int n = 1; n < 8; ++n) {
      power *= n / (n + 1.5);
      if (n > 1) sum += c[n - 2] * (D == 2 ? pi / (n + 1) : power);
    }
    return sum;
  }
};

/// Poly6 of Müller et al. 2003: W = sigma (1 - q^2)+^3.
template <int D>
struct Poly6 : Smoothing<D, Poly6<D>> {
  explicit Poly6(double h) : Smoothing<D, Poly6>(h, D == 2 ? 4 / (pi * h * h) : 315 / (64 * pi * h * h * h), 6 / (h * h)) {}
  template <class R>
  BRIM_FN Bare<R> bare(R r2) const {
    const R s = upToOne(R(1) - r2 * R(1 / (this->h * this->h))), s2 = s * s;
    return {s2 * s, R(0) - s2};
  }
};

/// Spiky of Desbrun and Gascuel 1996 and Müller et al. 2003: W = sigma (1 - q)+^3. Its gradient does not vanish at small
/// distances. Departs from the slides of Macklin and Müller 2013, which print the gradient with its sign flipped; see
/// docs/errata.md.
template <int D>
struct Spiky : Smoothing<D, Spiky<D>> {
  explicit Spiky(double h) : Smoothing<D, Spiky>(h, D == 2 ? 10 / (pi * h * h) : 15 / (pi * h * h * h), 3 / h) {}
  template <class R>
  BRIM_FN Bare<R> bare(R r2) const {
    const auto [l, perL] = this->length(r2);
    const R s = upToOne(R(1) - l * R(1 / this->h)), s2 = s * s;
    return {s2 * s, R(0) - s2 * perL};
  }
};

/// Densities from one kernel and gradients from another, as Macklin and Müller 2013 do with poly6 and spiky.
template <int D, class Weight, class Gradient>
struct Mixed : Smoothing<D, Mixed<D, Weight, Gradient>> {
  Weight w;
  Gradient g;
  explicit Mixed(double h) : Smoothing<D, Mixed>(h, 1, 1), w(h), g(h) { this->weight = w.weight, this->slope = g.slope; }
  template <class R>
  BRIM_FN Bare<R> bare(R r2) const {
    return {w.bare(r2).w, g.bare(r2).k};
  }
};
template <int D>
using Poly6Spiky = Mixed<D, Poly6<D>, Spiky<D>>;

/// Calls body(W) with the kernel of this name and support.
template <int D, class F>
void withKernel(const std::string& name, double support, F body) {
  if (name == "wendland")
    body(Wendland<D>(support));
  else if (name == "quintic")
    body(Quintic<D>(support));
  else if (name == "slepian")
    body(Slepian<D>(support));
  else if (name == "poly6")
    body(Poly6Spiky<D>(support));
  else
    body(Cubic<D>(support));
}

}  // namespace brim::inline BRIM_FLAVOUR
