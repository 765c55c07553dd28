// What samples alone may let through: no particle passes a sheet or enters a soft body, and no node a solid.
#pragma once
#include <vector>

#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

/// Keeps nodes out of solids and walls, as World::collide does particles.
template <int D>
void collideNodes(World<D>&);

/// A step's passages through the skin of sheets and soft bodies. The side on which a particle starts a step is the side on which
/// it ends: its path and that of each triangle near it are followed over the step. A particle that would pass, or that stands
/// nearer than the clearance, is put back to the clearance on its side, and the approach is taken out of the velocities of
/// particle and triangle by one impulse between them, so that momentum is kept to rounding.
template <int D>
class SkinContact {
 public:
  /// Remembers where everything is; before the step moves it.
  void begin(World<D>&);
  /// Holds back who has passed so far; returns how many. Particles are moved at once; what acts on the nodes is left in
  /// `impulse`. Nodes move as they have since the step began.
  int hold(World<D>&, double dt);
  Array<Vec<D>> impulse;  // [N s] on each node

 private:
  struct Hit {
    int triangle = -1;
    Real part[3];   // of its corners
    Vec<D> normal;  // towards the particle's side
  };
  void bin(World<D>&);
  Hit turnBack(const World<D>&, const Vec<D>& from, Vec<D>& to) const;

  std::vector<Vec<D>> before_, now_;  // nodes
  Vec<D> low_;                        // [m] of the cells that triangles are sorted into
  int size_[D] = {};
  Real side_ = 1;  // [m]
  std::vector<int> start_, list_;
};

}  // namespace brim::inline BRIM_FLAVOUR
