// Vectors of D numbers, for one particle (Real) or for the particles of all lanes (Reals).
#pragma once
#include "math/numbers.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D, class R = Real>
struct Vec {
  R e[D];
  BRIM_FN R& operator[](int k) { return e[k]; }
  BRIM_FN const R& operator[](int k) const { return e[k]; }
  BRIM_FN Vec& operator+=(const Vec& b) {
    for (int k = 0; k < D; ++k) e[k] += b.e[k];
    return *this;
  }
  BRIM_FN Vec& operator-=(const Vec& b) {
    for (int k = 0; k < D; ++k) e[k] -= b.e[k];
    return *this;
  }
  BRIM_FN friend Vec operator+(Vec a, const Vec& b) { return a += b; }
  BRIM_FN friend Vec operator-(Vec a, const Vec& b) { return a -= b; }
  BRIM_FN friend Vec operator*(R s, Vec a) {
    for (int k = 0; k < D; ++k) a.e[k] *= s;
    return a;
  }
  BRIM_FN friend R dot(const Vec& a, const Vec& b) {
    R s = a.e[0] * b.e[0];
    for (int k = 1; k < D; ++k) s += a.e[k] * b.e[k];
    return s;
  }
};

template <class R>
BRIM_FN Vec<3, R> cross(const Vec<3, R>& a, const Vec<3, R>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// A vector and one number beside it, so that a neighbour is read in one 16-byte load. The names below say what a record holds;
/// the type is the same, so that buffers can be exchanged.
template <int D, class R = Real>
struct alignas(sizeof(R) == sizeof(Real) ? 4 * sizeof(R) : sizeof(R)) Record {
  Vec<D, R> x;
  R a;
};
template <int D>
using PositionMass = Record<D>;  // {x, m} of a particle or a node, {x, rho0 V} of a sample   [m], [kg]
template <int D>
using VelocityDensity = Record<D>;  // {v, rho} of a particle   [m/s], [kg/m^3]
template <int D>
using VelocityMobility = Record<D>;  // {v, 1/m} of a sample or a node   [m/s], [1/kg]
template <int D>
using PositionMultiplier = Record<D>;  // {x, lambda}: what a correction of positions reads of a neighbour
template <int D>
using PositionPressure = Record<D>;  // {x, p}, or {x, p/rho^2}

/// g r: a vector along r, kept as its two factors. A kernel's gradient is such a vector. Scaling it costs one product, and its
/// square reuses |r|^2: the formulas stay those of the papers and cost no more than hand-factored ones.
template <int D, class R>
struct Radial {
  R g;
  Vec<D, R> r;
  BRIM_FN friend Radial operator*(R s, const Radial& a) { return {s * a.g, a.r}; }
  BRIM_FN friend R dot(const Radial& a, const Radial& b) { return a.g * b.g * dot(a.r, b.r); }
  BRIM_FN friend R dot(const Vec<D, R>& a, const Radial& b) { return b.g * dot(a, b.r); }
  BRIM_FN friend Vec<D, R>& operator+=(Vec<D, R>& s, const Radial& a) {
    for (int k = 0; k < D; ++k) s.e[k] += a.g * a.r.e[k];
    return s;
  }
  BRIM_FN Vec<D, R> vec() const {
    Vec<D, R> s = r;
    for (int k = 0; k < D; ++k) s.e[k] *= g;
    return s;
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
