// The same constraints in position-based dynamics: nodes are moved until every C is what its weight allows.
#pragma once
#include "deformables/deformables.h"

namespace brim::inline BRIM_FLAVOUR {

/// Extended position-based dynamics (Macklin et al. 2016): C = |D x - p| with the compliance 1/w, so that converged sweeps end
/// where the implicit step of the same potentials does. Gauss-Seidel by colours: the same bits for any number of threads.
template <int D>
class PositionStep {
 public:
  /// x = s; multipliers start from zero.
  void begin(Deformables<D>&, double dt, const Vec<D>& g);
  /// One sweep over all constraints.
  void sweep(Deformables<D>&);
  /// Impulses [N s] on the samples move their nodes.
  void push(Deformables<D>&, const Array<Record<D>>& impulse);

 private:
  double dt_ = 1;
  Array<Real> lambda_;  // [J] per constraint, over dt^2
};

/// C and lambda's share of each row: p - D x, and |p - D x|.
template <int D>
struct Violation {
  Real C;
  Vec<D> way[3];
};
template <int D>
BRIM_FN Violation<D> violation(const SoftConstraint<D>& c, View<const SoftRow> row, View<const Record<D>> x) {
  Vec<D> q[3], p[3];
  Violation<D> v{};
  Real size = 0;
  for (int r = 0; r < c.rows; ++r) q[r] = rowOf<D>(row[c.first + r], x);
  projectRows(c, q, p);
  for (int r = 0; r < c.rows; ++r) {
    v.way[r] = q[r] - p[r];
    size += dot(v.way[r], v.way[r]);
  }
  v.C = sqrt(size);
  return v;
}
/// grad_k C for the k-th node of the constraint.
template <int D>
BRIM_FN Vec<D> gradient(const SoftConstraint<D>& c, View<const SoftRow> row, const Violation<D>& v, int k) {
  Vec<D> g{};
  for (int r = 0; r < c.rows; ++r) g += (row[c.first + r].part[k] / v.C) * v.way[r];
  return g;
}

}  // namespace brim::inline BRIM_FLAVOUR
