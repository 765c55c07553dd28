// Viscosity of the fluid, by the step's size explicit or implicit: docs/methods/viscosity.md.
//
//   (1 + dt/m K) v = v*,   K of sph/viscous_form.h
//
// by conjugate gradients without a matrix, with blocks of D x D as preconditioner, from the change that the last step made. One
// implicit step only takes energy away, whatever the viscosity and the step are.
#pragma once
#include "sph/strain.h"
#include "sph/viscous_boundary.h"
#include "step/solver_state.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
class FluidViscosity {
 public:
  explicit FluidViscosity(const Scene& scene) : solves_(solvesForFriction(scene)), boundary_(scene) {}

  /// The change of velocity that the last step made, if any step will be solved for.
  void declareState(SolverState<D>& s) {
    if (solves_) change_ = &s.records("viscous_change");
  }
  /// What is left for an explicit sum of the fluid's viscosity and an artificial one, both [m^2/s]: viscosity that the fluid has
  /// anyway takes the place of the artificial.
  double explicitly(double nu, double artificial) const { return solves_ ? std::max(0.0, artificial - nu) : nu + artificial; }

  /// The last stage of a step: XSPH and viscosity, and the densities at these positions. `artificial` is one more viscosity
  /// [m^2/s].
  template <class K, class... Curl>
  void act(StepContext<D>& c, K W, double xsph, double artificial = 0, Curl&... curl) {
    const double nu = c.world.nu;
    if (solves_ && xsph > 0) xsph = std::max(0.0, xsph - xsphOf(c, W, nu));
    viscosity(c, W, explicitly(nu, artificial), xsph, curl...);
    if (solves_) solve(c);
  }
  /// The same with the friction of sph/strain.h in the place of XSPH; alphaC [m/s] is alpha c.
  template <class K>
  void actOnJumps(StepContext<D>& c, K W, double alphaC) {
    viscosityOfJumps(c, W, explicitly(c.world.nu, 0), jumpSpeed(c.world, alphaC));
    if (solves_) solve(c);
  }
  /// alpha c [m/s] less what the fluid's own viscosity does: alpha c h/(2 (D + 2)) is a viscosity.
  double jumpSpeed(const World<D>& w, double alphaC) const {
    return solves_ ? std::max(0.0, alphaC - 2 * (D + 2) * w.nu / w.support) : alphaC;
  }
  /// The implicit part alone; does nothing where an explicit sum will do.
  void solve(StepContext<D>&);
  std::size_t bytes() const { return boundary_.bytes(); }

 private:
  bool solves_;
  ViscousBoundary<D> boundary_;
  typename SolverState<D>::template Field<Record<D>>* change_ = nullptr;
};

}  // namespace brim::inline BRIM_FLAVOUR
