// The pressure equation on tiles: conjugate gradients with a multigrid preconditioner (McAdams et al. 2010), without a matrix.
#pragma once
#include "grid/pressure/bodies.h"
#include "grid/pressure/components.h"
#include "grid/pressure/convergence.h"
#include "grid/tiles/cell_state.h"

namespace brim::inline BRIM_FLAVOUR {

struct PoissonReport {
  int iterations;   // of conjugate gradients
  double residual;  // max norm, in the units of rhs, of the solution as returned
};

/// Fields of the open part of each cell's lower face along each axis; without any, faces are open or shut as the cells say.
template <int D>
struct OpenFaces {
  const Array<Real>* of[D] = {};
  bool any() const { return of[0] != nullptr; }
};

/// Solves, for each fluid cell c, in units of cells,
///   sum over the neighbours n of c that are not solid of a (p_c - p_n) = rhs_c,   p_n = 0 in air,
/// where a is the open part of the face between them, 1 unless given (cut cells: Batty et al. 2007; Ng, Min & Gibou 2009); or,
/// where distances from the surface are given, p_c/theta in the place of p_c - p_n for a neighbour in air (surface.h). Fluid that
/// no air touches has no such p unless rhs sums to zero there: the mean of rhs is taken out of each such enclosed component, and
/// its p has zero mean. A fluid cell walled in by itself gets p = 0.
template <int D>
class Poisson {
 public:
  /// What the cells are: a field of CellState over `tiles`, background included; their distances from the surface [cells]; and
  /// the open part of each cell's lower faces, one field for each axis: 0 between a fluid cell and a solid one.
  void prepare(const Tiles<D>& tiles, const Array<std::uint8_t>& state, const Array<Real>* distance = nullptr,
               const OpenFaces<D>& open = {});
  /// Rigid bodies that give way, until the next prepare: found with the same tiles and states. The preconditioner does not know
  /// them: conjugate gradients take about one iteration more for each way that a body can move.
  void join(const BodyTerms<D>& bodies) { bodies_ = bodies.any() ? &bodies : nullptr; }
  /// p: a field over the tiles of the last prepare, whose first guess counts if `warm`; on return it is 0 where no fluid is.
  /// rhs may hold anything there. Stops when the largest residual is at most `tolerance`, or cannot be made smaller.
  PoissonReport solve(const Array<Real>& rhs, Array<Real>& p, double tolerance, int iterations, bool warm = false);
  /// q = A p, and z = M r with the preconditioner: fields over the tiles of the last prepare.
  void apply(const Array<Real>& p, Array<Real>& q);
  void precondition(const Array<Real>& r, Array<Real>& z);
  /// Sets the bits of the cells of enclosed components, of the tiles of the last prepare.
  void markEnclosed(Array<std::uint64_t>& bits) const { enclosed_.mark(source_, bits); }
  int unknowns() const { return grid_.finest().unknowns(); }
  std::size_t bytes() const;

 private:
  void findWet(const Array<std::uint8_t>& state);
  void findStates(const Tiles<D>&, const Array<std::uint8_t>& state, const Array<Real>* distance, const OpenFaces<D>&);
  void take(const Array<Real>& from, Array<Real>& to);
  template <class T>
  void give(const Array<T>& from, Array<Real>& to);
  /// b and the first x and p.
  void start(const Array<Real>& rhs, const Array<Real>& p, bool warm);
  ConvergenceControl control(ConvergenceControl::Kind kind, const Array<double>& parts);
  /// r = b - A x, from scratch, and r/diag for the preconditioner; then convergence control reads the magnitudes.
  void findResidual(ConvergenceControl::Kind);
  /// x += alpha p, r -= alpha A p; then convergence control reads the magnitudes.
  void advance();
  /// p = z + beta p and q = A p; then convergence control reads p q.
  void turn();
  void iterate();
  /// What bodies add to q = A p, and then convergence control.
  void addBodies(const Array<Real>& p, ConvergenceControl then);
  /// q = A p; then convergence control reads p q.
  void multiply(const Array<Real>& p, ConvergenceControl::Kind);

  Multigrid<D> grid_;
  EnclosedComponents<D> enclosed_;
  const BodyTerms<D>* bodies_ = nullptr;
  bool unit_ = true;                    // no open faces were given
  int tiles_ = 0;                       // of the caller's fields
  Array<int> wet_;                      // per tile of the caller: how many before it hold fluid
  Array<int> source_;                   // per tile of the finest level: the caller's tile that it is
  Array<Real> b_, x_, p_, q_;           // right-hand side, solution, direction, A p
  Array<Real> turned_;                  // GPU: the next direction
  Array<Real> r_;                       // residual, in double precision: in single the finest level has it
  Array<double> part_, mostR_, mostX_;  // per tile: of p q, of the magnitudes of residual and solution
  Array<SolveScalars> scalars_;
  ConvergenceControl::Limits limits_{};
  int last_[2] = {0, 0};  // GPU: iterations of the last solves, of two equations that take turns
};

}  // namespace brim::inline BRIM_FLAVOUR
