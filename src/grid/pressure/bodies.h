// Rigid bodies in the pressure equation (Batty, Bertails & Bridson 2007, Sec. 4): strong coupling in both directions.
//
// A body of velocity V (and spin) pushes J_c V/dx out of fluid cell c through the part of the cell's faces that it covers, and
// the pressure pushes it by the transpose of that, I = rho0 dx^(D+1) sum_c J_c phi_c. With V = V* + M^-1 I the equation becomes
//
//   sum_n a (phi_c - phi_n) + rho0 dx^D J_c M^-1 sum_b J_b phi_b = rhs of V*,
//
// symmetric and positive, of rank 3 (2D) or 6 a body more than without. J is kept for the cells beside bodies alone.
#pragma once
#include "grid/tiles/state.h"
#include "step/reaction.h"

namespace brim::inline BRIM_FLAVOUR {

/// J of one body in one cell: of its velocity, and of its spin about the centre of mass [m].
struct BodyInCell {
  int cell;  // element of the caller's fields
  int body;
  double j[6];
  Real toSurface[3];  // [cells] from the cell's centre to the nearest point of the body
};
/// Of a body: force and torque, or velocity and spin.
struct SixNumbers {
  double of[6];
};

template <int D>
class BodyTerms {
 public:
  /// The fluid cells beside the bodies as they are placed, with cell states and solids of this state.
  void find(const GridState<D>&, const World<D>&);
  void clear() { count_ = 0; }
  bool any() const { return count_ > 0; }

  /// I [N s] and its moment [N m s] about each body's centre of mass, from phi and its slopes in the state. The pressure that
  /// pushes is that on the body's surface, linear within a cell: with that of the centres a box would be lifted by a whole
  /// number of cells. This part of it, of half a cell at most, is not in the equation.
  std::vector<SixNumbers> impulses(const GridState<D>&) const;
  /// q += rho0 dx^D J M^-1 J^T p; returns the product of that and p. p and q hold tile t of the caller as tile number[t], and
  /// only cells with diag > 0 are unknowns.
  double add(const Array<Real>& p, Array<Real>& q, const Array<int>& number, const Array<float>& diag) const;
  std::size_t bytes() const { return cells_.bytes() + start_.bytes() + member_.bytes() + first_.bytes(); }

 private:
  int count_ = 0;
  double perCell_ = 0, perMass_ = 0;  // rho0 dx^(D + 1) [kg m] and rho0 dx^D [kg]
  std::vector<double> perMassOf_;     // [1/kg] of each body, and the inverse of its inertia [1/(kg m^2)]
  std::vector<Matrix> perInertiaOf_;
  Array<BodyInCell> cells_;  // in the order of the cells
  Array<int> start_;         // per word of cells: the first in cells_
  Array<int> member_;        // numbers in cells_, body by body
  Array<int> first_;         // of each body in member_, and one more for the end
  Array<double> centre_;     // [m] of mass, three numbers a body, from the domain's corner
  mutable Array<SixNumbers> change_;
};

}  // namespace brim::inline BRIM_FLAVOUR
