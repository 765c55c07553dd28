// The nodes' part of Projective Dynamics: local projections, and one matrix-free global solve.
#pragma once
#include "deformables/deformables.h"

namespace brim::inline BRIM_FLAVOUR {

/// A step of dt is the minimum over the nodes of  M/(2 dt^2) |x - s|^2 + sum w/2 |D x - p|^2  and of what the samples add:
/// sample k, at B_k x, is pulled by force_k and resists being moved on by kappa_k.  The increment e of an iteration solves
///
///   (M/dt^2 + sum w D^T D + sum kappa B^T B) e = M/dt^2 (s - x) + sum w D^T (p - D x) + sum B^T force + load,
///
/// by conjugate gradients with the diagonal as preconditioner. Fluid has rows of its own in the same system (PF Eq. 5), but none
/// that couple it with nodes: a density constraint selects particles and samples, S^T S of which is diagonal over particles and
/// B^T B over nodes. So particles are divided (solvers/projective.cpp) and nodes solved for, and together that is the whole.
template <int D>
class ImplicitStep {
 public:
  Array<Vec<D>> force;  // [N] on each sample
  Array<Real> kappa;    // [N/m] of each sample
  Array<Vec<D>> load;   // [N] on each node

  /// x = s = x + dt (v + dt g); v keeps (s - x)/dt.
  void begin(Deformables<D>&, double dt, const Vec<D>& g);
  /// p of all constraints at the present x.
  void project(const Deformables<D>&);
  /// Solves for the increment and moves the nodes; stops when the residual has fallen to `tolerance` of what it was. Returns
  /// the iterations taken.
  int solve(Deformables<D>&, double tolerance, int most);
  /// v = (x - x_old)/dt, from the increments.
  void finish(Deformables<D>&);
  const Array<Vec<D>>& displacement() const { return u_; }  // [m] x - s
  const Array<Vec<D>>& increment() const { return e_; }     // [m] of the last solve
  /// M/dt^2 |u|^2 + sum w |D x - p|^2, halved: the objective of PF Eq. 4 over nodes and their constraints [J].
  double objective(const Deformables<D>&) const;
  std::size_t bytes() const { return 5 * u_.bytes() + target_.bytes() + 2 * pull_.bytes(); }

 private:
  double dt_ = 1;
  Array<Vec<D>> u_, e_, r_, q_, way_;  // [m] x - s; of the conjugate gradients
  Array<Real> diagonal_, weights_;     // per node; per row: w or kappa
  Array<double> sums_;                 // of the conjugate gradients
  int last_ = 0;                       // iterations of the last solve
  Array<Vec<D>> target_, pull_;        // per row: p, and w (p - D x) or w D e
};

}  // namespace brim::inline BRIM_FLAVOUR
