// The other end of what boundaries do to the fluid: samples of rigid bodies, cloth and soft bodies with the fluid around each.
// Whatever took an impulse from a sample gives it back here, by a gather.
#pragma once
#include <array>

#include "world/neighbours.h"
#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

/// Sums of what acted on one body.
struct Wrench {
  std::array<double, 3> force = {0, 0, 0};   // of impulses: [N s]
  std::array<double, 3> torque = {0, 0, 0};  // [N m s] about the domain's corner; in 2D the third alone
};

/// A solver whose kernel adds f_ik to particle i for sample k writes, once for all k of bodies and sheets,
///   forEach(reaction.size(), [=](Index k) { ... for (auto i : nb.fluid[k]) sum -= f_ik ...; impulse[k] = {sum, 0}; });
/// where every f_ik is computed from the same numbers as for the particle, so that momentum is kept to rounding.
template <int D>
class BoundaryReaction {
 public:
  /// Samples and lists as the search found them.
  void find(Real support, const Window<D>&, const Solids<D>&, const typename Neighbours<D>::Around&);
  /// Takes the samples' present places, after they moved within a step.
  void follow(const Solids<D>&);

  int size() const { return n_; }
  View<const Record<D>> p() const { return p_.read(); }    // {x, rho0 V}  [m], [kg]
  View<const Record<D>> v() const { return v_.read(); }    // {v, mobility}  [m/s], [1/kg]
  NeighbourView nb() const { return neighbours_.view(); }  // only nb.fluid
  Array<Record<D>> impulse;                                // {impulse, -} [N s] on each; whoever fills it owns its meaning

  /// Sum of `impulse` over the samples of each free body, in the order they were made in.
  std::vector<Wrench> perBody(const Solids<D>&) const;
  /// `impulse` of each carried sample, in the order of who carries them; 0 for those without one.
  const Array<Record<D>>& perCarried(const Solids<D>&);
  /// Sum of `impulse` times `scale`: the bodies' force from the next step on, about their centres of mass.
  void becomeForce(World<D>&, double scale) const;
  std::size_t bytes() const { return p_.bytes() + v_.bytes() + impulse.bytes() + carried_.bytes() + neighbours_.bytes(); }

 private:
  int n_ = 0;
  Array<Record<D>> p_, v_, carried_;
  Neighbours<D> neighbours_;
};

}  // namespace brim::inline BRIM_FLAVOUR
