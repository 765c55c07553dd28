// Rigid bodies and the samples through which the fluid feels them.
#include "scene/vector.h"
#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

using namespace vectors;

template <int D>
void World<D>::placeBodies(const std::vector<double>& inverseMass) {
  std::vector<typename Solids<D>::FreeBody> places;
  for (int b = 0; b < bodies->size(); ++b) places.push_back({bodies->pose(b), inverseMass.empty() ? 0 : inverseMass[b]});
  solids.setFree(places);
}

template <int D>
void World<D>::moveBodies(double dt) {
  if (!bodies) return;
  bodies->step(time, dt, gravityVector(time), solids.posesAt(time));
  placeBodies();
}

// Torques of the samples are about the domain's corner; those of bodies about their centres of mass.
template <int D>
void World<D>::forceFromTouch(double scale) {
  if (!bodies) return;
  const std::vector<Wrench> sums = touch.perBody(solids);
  for (int b = 0; b < bodies->size(); ++b) {
    const Vector force = scale * sums[b].force;
    bodies->setForce(b, force, scale * sums[b].torque - vectors::cross(bodies->body(b).x - origin, force));
  }
}

template void World<2>::placeBodies(const std::vector<double>&);
template void World<3>::placeBodies(const std::vector<double>&);
template void World<2>::moveBodies(double);
template void World<3>::moveBodies(double);
template void World<2>::forceFromTouch(double);
template void World<3>::forceFromTouch(double);

}  // namespace brim::inline BRIM_FLAVOUR
