#include "world/boundary.h"

#include "scene/tank.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void placeBodies(World<D>& w, const std::vector<double>& mobility) {
  std::vector<typename Solids<D>::FreeBody> places;
  for (int b = 0; b < w.bodies->size(); ++b) places.push_back({w.bodies->pose(b), mobility.empty() ? 0 : mobility[b]});
  w.solids.setFree(places);
}

template <int D>
void markBodies(World<D>& w) {
  if (w.bodies) placeBodies(w, std::vector<double>(w.bodies->size(), belongsToBody));
}

template <int D>
void moveBodies(World<D>& w, double dt) {
  if (!w.bodies) return;
  w.bodies->step(w.time, dt, apparentGravityAt(w.scene(), w.time, dt), w.solids.posesAt(w.time));
  placeBodies(w);
}

template <int D>
void placeDeformables(World<D>& w) {
  w.soft.samplesAt(w.solids.carriedPlaces(), w.solids.carriedVelocities());
  w.solids.placeCarried();
}

template <int D>
void placeBoundary(World<D>& w, double t) {
  if (w.soft.any()) placeDeformables(w);
  w.solids.moveTo(t);
}

// Fluid and samples in one place would have twice the density at rest, and whatever solves for that throws both apart. So a solid
// that is full of fluid when the run starts has no samples: its surface alone holds the fluid off, while what is inside leaves.
template <int D>
void findFilledSolids(World<D>& w) {
  std::vector<double> fraction = w.solids.volumeFraction();
  const Setup& s = *w.setup;
  for (std::size_t b = 0; b < fraction.size(); ++b)
    for (std::size_t i = 0; i < s.position.size() && fraction[b] > 0; ++i)
      if (s.scene.fluid.blocks[s.block[i]].in_solids && s.solids[b].distance(s.position[i]) < -w.spacing / 2) fraction[b] = 0;
  w.solids.setVolumeFraction(fraction);
}

#define BRIM_INSTANTIATE(D)                                         \
  template void placeBodies(World<D>&, const std::vector<double>&); \
  template void markBodies(World<D>&);                              \
  template void moveBodies(World<D>&, double);                      \
  template void placeDeformables(World<D>&);                        \
  template void placeBoundary(World<D>&, double);                   \
  template void findFilledSolids(World<D>&);
BRIM_INSTANTIATE(2)
BRIM_INSTANTIATE(3)
#undef BRIM_INSTANTIATE

}  // namespace brim::inline BRIM_FLAVOUR
