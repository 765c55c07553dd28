// What samples alone may let through: no particle passes a sheet or enters a soft body, and no node a solid.
#pragma once
#include "coupling/skin.h"
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

  // Steps of hold(); public because nvcc wants kernels there.
  bool bin(World<D>&);               // triangles into cells; false if the nodes are nowhere
  int findHits(World<D>&);           // who is held back, and to where
  void share(World<D>&, double dt);  // of each node: its contacts
  void exchange(World<D>&);          // one impulse for each contact

 private:
  SkinView<D> view(const World<D>&) const;

  Array<Vec<D, int>> triangles_;
  Array<Vec<D>> before_, now_;  // [m] nodes
  Vec<D> low_{};                // [m] of the cells that triangles are sorted into
  Vec<D, int> size_{};
  Real side_ = 1;  // [m]
  Array<int> start_, list_, next_;
  Array<SkinHit<D>> hits_;  // of each particle; said only for those of held_
  Array<int> held_, heldCount_;
  int holding_ = 0;
  Array<int> nodeStart_, entry_;  // of each node: 4 particle + corner of its contacts, ascending
  Array<Real> share_;             // of each node: sum of its parts in contacts
  Array<Vec<D>> u_, push_;        // [m/s] of each node; [N s] on each particle
};

}  // namespace brim::inline BRIM_FLAVOUR
