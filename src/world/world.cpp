#include "world/world.h"

#include <algorithm>
#include <cmath>

#include "scene/declare.h"
#include "scene/tank.h"
#include "world/boundary.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
World<D>::World(Setup made) : solids(made), soft(made) {
  const auto kept = std::make_shared<Setup>(std::move(made));
  setup = own_ = kept;
  const Scene& scene = kept->scene;
  spacing = scene.resolution.spacing;
  support = supportOf(scene) * spacing;
  kernel = kernelName(scene);
  rho0 = scene.fluid.density;
  nu = scene.fluid.viscosity / rho0;
  mass = rho0 * std::pow(spacing, D);
  origin = scene.domain.min;
  clearance = 0.1 * spacing;
  for (int k = 0; k < D; ++k) {
    extent[k] = Real(scene.domain.max[k] - scene.domain.min[k]);
    periodic[k] = scene.domain.boundary[k] == "periodic";
    walled[k] = scene.domain.boundary[k] == "walls";
  }
  const int n = int(kept->position.size());
  std::vector<Record<D>> p(n), v(n);
  std::vector<int> id(n);
  forEachOnHost(n, [&](int i) {
    for (int k = 0; k < D; ++k) {
      p[i].x[k] = Real(kept->position[i][k] - origin[k]);
      v[i].x[k] = Real(kept->velocity[i][k]);
    }
    p[i].a = Real(mass);
    v[i].a = Real(rho0);
    id[i] = i;
  });
  fluid.grow(n);
  copyIn(fluid.p.data, p.data(), n);
  copyIn(fluid.v.data, v.data(), n);
  copyIn(fluid.id.data, id.data(), n);
  fluid.pad();
  nextId = n;
  gauges.make(scene);
  if (!scene.bodies.empty()) {
    bodies = std::make_unique<BodySystem>(scene, kept->solids);
    placeBodies(*this);
  }
  findFilledSolids(*this);
  emitters.resize(scene.fluid.emitters.size());
  // Only needed so far, and large.
  std::vector<Vector>().swap(kept->position);
  std::vector<Vector>().swap(kept->velocity);
  std::vector<int>().swap(kept->block);
  kept->walls = WallSamples();
  kept->deformables = {};
  if (soft.any()) {
    solids.addCarried(soft.samples);
    placeBoundary(*this, solids.time());
  }
}

template <int D>
static Vec<D> vecOf(const Vector& a) {
  Vec<D> r;
  for (int k = 0; k < D; ++k) r[k] = Real(a[k]);
  return r;
}

template <int D>
Vec<D> World<D>::gravity(double t) const {
  return vecOf<D>(gravityAt(scene(), t));
}

template <int D>
Vector World<D>::gravityVector(double t) const {
  return gravityAt(scene(), t);
}

template <int D>
Vec<D> World<D>::apparentGravity(double t, double dt) const {
  return vecOf<D>(apparentGravityAt(scene(), t, dt));
}

template <int D>
bool World<D>::hasPeriodic() const {
  return std::any_of(periodic.e, periodic.e + D, [](bool b) { return b; });
}

template <int D>
std::size_t World<D>::bytes() {
  return fluid.bytes() + solids.bytes();
}

template struct World<2>;
template struct World<3>;

}  // namespace brim::inline BRIM_FLAVOUR
