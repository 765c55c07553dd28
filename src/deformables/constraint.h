// What holds sheets and soft bodies together, in the form of Projective Dynamics (PF Eq. 3):
//
//   w/2 |D x - p|^2,   p the point nearest to D x that meets the constraint.
//
// D is one to three rows, each a sum of up to four nodes with scalar factors. As p is a nearest point, C = |D x - p| is also a
// constraint of position-based dynamics, with the gradient D^T (D x - p)/C: one description serves both solvers.
//
//   pin      D x = x_a                              p: where it is held
//   length   D x = (x_a - x_b)/l                    p: of a length within [low, high]
//   bend     D x = sum of cotangents times x        p: of its length at rest (Bergou et al. 2006; zero for a flat sheet)
//   strain   D x = F, the deformation gradient      p: singular values within [low, high]
//   volume   the same                               p: det = 1
// A strain with low = high = 1 is the distance to the nearest rotation.
#pragma once
#include "exec/exec.h"
#include "math/svd.h"

namespace brim::inline BRIM_FLAVOUR {

enum class SoftKind : int { pin, length, bend, strain, volume };

/// One row of D. Unused nodes repeat the first with part 0.
struct SoftRow {
  int node[4];
  Real part[4];
  Real whole;  // sum of the parts: 1 for places, 0 for differences
};

template <int D>
struct SoftConstraint {
  SoftKind kind;
  int first, rows;  // its rows
  Real w;           // [N/m] for rows in metres, [N m] for rows without unit
  Real low, high;   // what |D x| (length, bend) or the singular values of F (strain) may be
  Vec<D> target;    // pin [m]
};

/// Singular values with product 1 that are nearest to sigma: Newton on the product, as in Alg. 1 of PF.
template <int R>
BRIM_FN void unitProduct(const double (&sigma)[R], double (&s)[R]) {
  // delta = lambda grad at the nearest point; the fixed point of projecting the start onto the tangent plane is that.
  double delta[R] = {};
  for (int it = 0; it < 20; ++it) {
    double product = 1, grad[R], size = 0, along = 0;
    for (int k = 0; k < R; ++k) s[k] = sigma[k] + delta[k], product *= s[k];
    for (int k = 0; k < R; ++k) {
      grad[k] = 1;
      for (int l = 0; l < R; ++l) grad[k] *= l == k ? 1 : s[l];
      size += grad[k] * grad[k];
      along += grad[k] * delta[k];
    }
    const double factor = (along - (product - 1)) / (size > 1e-12 ? size : 1e-12);
    for (int k = 0; k < R; ++k) delta[k] = factor * grad[k];
  }
  for (int k = 0; k < R; ++k) s[k] = sigma[k] + delta[k];
}

template <int D, int R>
BRIM_FN void projectStrain(const SoftConstraint<D>& c, const Vec<D>* q, Vec<D>* p) {
  const Svd<D, R> f(q);
  double s[R];
  for (int k = 0; k < R; ++k) {
    s[k] = f.sigma[k] < double(c.low) ? double(c.low) : f.sigma[k];
    s[k] = s[k] > double(c.high) ? double(c.high) : s[k];
  }
  if (c.kind == SoftKind::volume) unitProduct<R>(f.sigma, s);
  for (int k = 0; k < R; ++k) p[k] = f.column(s, k);
}

/// p[.] for q[.] = D x.
template <int D>
BRIM_FN void projectRows(const SoftConstraint<D>& c, const Vec<D>* q, Vec<D>* p) {
  if (c.kind == SoftKind::pin) {
    p[0] = c.target;
  } else if (c.kind == SoftKind::length || c.kind == SoftKind::bend) {
    const Real length = sqrt(dot(q[0], q[0])), meant = min(max(length, c.low), c.high);
    Vec<D> any{};
    any[0] = meant;
    p[0] = length > Real(1e-20) ? (meant / length) * q[0] : any;
  } else if (c.rows == 2) {
    projectStrain<D, 2>(c, q, p);
  } else {
    projectStrain<D, D == 3 ? 3 : 2>(c, q, p);
  }
}

/// D x of one row, by differences to its first node: small lengths far from the corner keep their digits.
template <int D>
BRIM_FN Vec<D> rowOf(const SoftRow& r, View<const Record<D>> x) {
  const Vec<D> at = x[r.node[0]].x;
  Vec<D> q = r.whole * at;
  for (int k = 1; k < 4; ++k) q += r.part[k] * (x[r.node[k]].x - at);
  return q;
}

}  // namespace brim::inline BRIM_FLAVOUR
