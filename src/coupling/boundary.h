// The one interface between a fluid solver that works by positions and boundaries that give way: rigid bodies (rigid_bodies.h),
// cloth and soft bodies (deformables.h).
//
// A boundary is samples: places and velocities (world.solids), what they add to densities (rho0 V), what they add to the
// diagonals of density rows (their mobility), and how impulses go back to their owner.
#pragma once
#include "step/context.h"

namespace brim::inline BRIM_FLAVOUR {

/// In the order of a step:
///   begin     before the search: the boundary's own step without the fluid, and its samples where that leads
///   share     after the search: the mobility of its samples
///   react     after an iteration that moved particle i by a_i grad C_i, records {x_i, a_i}: the impulses -scale a_i grad_k C_i
///   [N s] of
///             its samples move the boundary, and the samples follow it
///   end       after the iterations: velocities, friction, whatever passed the boundary
template <class B, int D, class K>
concept BoundaryCoupling = requires(B b, StepContext<D>& c, K W, View<const Record<D>> records, double scale) {
  b.begin(c);
  b.share(c, W);
  b.react(c, W, records, scale);
  b.end(c, W);
};

/// factor rho0 V_k sum_i a_i grad W_ik of each sample k that gives way, for records {x_i, a_i}: the other end of what moved the
/// particles. Into c.reaction.impulse.
template <int D, class K>
void reactionTo(StepContext<D>& c, K W, View<const Record<D>> records, Real factor) {
  const auto s = c.reaction.p();
  const auto out = c.reaction.impulse.view();
  const NeighbourView nb = c.reaction.nb();
  forEach(c.reaction.size(), [=] BRIM_KERNEL(Index k) {
    const auto [xk, mk] = s[k];
    Vec<D, Reals> sum = {};
    for (auto i : nb.fluid[k]) {
      const auto [xi, ai] = records[i];
      sum += ai * W.grad(xi - xk);
    }
    out[k] = {(factor * mk) * sum, Reals(0)};
  });
}

}  // namespace brim::inline BRIM_FLAVOUR
