// Surfaces that nothing passes, and fluid that starts inside a solid.
#pragma once
#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

/// What a free body stops, and pays for.
template <int D>
struct BodyHit {
  int particle, body;
  Vec<D> x, impulse;  // [m], [N s] on the body
};

template <int D>
class Collision {
 public:
  static constexpr double unbounded = 1e30;  // [m]

  /// Keeps particles out of solids and walls after they moved for dt [s]: a particle nearer than the clearance is moved out as
  /// far as it came in, and loses its approach. Free bodies get the impulse.
  void collide(World<D>&, double dt);
  /// The same once a step: fluid that filled a solid from the start also comes out, slowly.
  void collideAndRelease(World<D>&, double dt);
  /// The same for fluid whose velocities do not tell how it moved: all the way out, but particles more than `deepest` [m] inside
  /// are left where they are. Free bodies do not feel it.
  void pushOut(World<D>&, double deepest = unbounded);

  // Steps of the above; public because nvcc wants kernels there.
  void keepOut(World<D>&, double dt, double exit, double deepest, bool paid);
  std::vector<char> filledSolids(const World<D>&) const;

 private:
  void payHits(World<D>&);
  void bringSamplesIn(World<D>&, double dt);

  Array<BodyHit<D>> hits_;  // those of the last keepOut, in no order
  Array<int> hitCount_;
  Array<Real> depth_;  // [m] of each particle in the solid `within_`, as the last keepOut left it
  Array<int> within_;
};

}  // namespace brim::inline BRIM_FLAVOUR
