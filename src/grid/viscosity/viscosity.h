// Viscosity of a liquid on the grid's faces, implicit: the variational form of Batty & Bridson 2008.
//
//   u = argmin  sum_f V_f |u_f - u*_f|^2/2 + dt nu sum_s V_s |D_s|^2
//
// over the faces f and the strain rates D_s where these live: normal ones at the centres of cells, shear at their edges. V are
// the parts of their control volumes that are liquid. The natural condition of the form is a surface without traction; rigid
// motions cost nothing. Beside walls the shear is that of a linear profile with the wall's velocity at Navier's slip length
// behind them.
//
// With the pressure, u is that of Stokes' problem, (V + dt nu K) u + V grad p = V u*, div u = 0. Its Schur complement is solved
// by rounds of p += (V lap^-1 + 2 nu dt/D) div u (Cahouet & Chabert 1988): div u is at most sqrt(D) |D|, so that none overshoots.
#pragma once
#include "brim/scene.h"
#include "grid/tiles/state.h"
#include "grid/viscosity/walls.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
struct ViscousFields;

template <int D>
class GridViscosity {
 public:
  static constexpr int pairs = D * (D - 1) / 2;  // of axes

  explicit GridViscosity(const Scene&);
  /// Whether there is anything to solve for.
  bool acts() const { return acts_; }
  /// Whether the pressure follows in more rounds than one: below, what one leaves is of the order of a step's error.
  bool follows() const { return a_ > Real(0.25); }
  /// Friction of `nu` [m^2/s] in `dt` [s] on the velocities of faces, to which forces have been applied; with `pressure` less the
  /// gradient of s.phi.
  void begin(GridState<D>& s, const Solids<D>& solids, double nu, double dt, bool pressure);
  /// s.faces.u becomes what friction leaves. Returns iterations.
  int solve(GridState<D>& s);
  /// s.phi, which takes the divergence s.rhs of that away, becomes this round's change of the pressure, and acts.
  void correct(GridState<D>& s);
  /// s.faces.u becomes what was there, with what friction changed; the pressure is left to be subtracted.
  void finish(GridState<D>& s);
  std::size_t bytes() const;

  // Steps of these; public because nvcc wants kernels there.
  void findWalls(GridState<D>&, const WallView<D>&);
  void findUnknowns(GridState<D>&);
  void findVolumes(GridState<D>&, const WallView<D>&, double nu, double dt);
  ViscousFields<D> fields(GridState<D>&);

 private:
  bool acts_;
  Real wallSlip_;
  Array<SurfaceSlip<D>> surface_;
  Real a_ = 0;  // nu dt/dx^2

  Array<std::uint64_t> solid_;       // cells with their centres in solids: between these and the others friction sees the wall
  Array<std::uint64_t> wall_[D];     // faces beside these, and those that are shut
  Array<std::uint64_t> unknown_[D];  // faces to solve for
  Array<std::uint8_t> wet_;          // per tile: such faces are in it or beside it
  Array<Real> before_[D];            // [m/s] velocities before
  Array<Real> start_[D];             // [m/s] the first guess; later the change that friction makes
  Array<Real> volume_[D];            // V_f
  Array<Real> mass_[D];              // the same, and what walls add to the diagonal
  Array<Real> inverse_[D];           // of the diagonal; 0 where nothing is unknown
  Array<Real> r_[D], p_[D], q_[D];   // residual, direction, A p
  Array<Real> cell_, edge_[pairs];   // V_s of normal strain, of shear
  Array<Real> normal_[D], shear_[pairs];
  Array<double> part_[4];  // per tile: parts of sums
  bool first_ = true;      // the next solve is the first of a step
};

/// The pair of axes k and l, as a number.
template <int D>
BRIM_FN constexpr int pairOf(int k, int l) {
  return D == 2 ? 0 : k + l - 1;
}

}  // namespace brim::inline BRIM_FLAVOUR
