#include "world/world.h"

#include <algorithm>
#include <cmath>

#include "scene/keyframes.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {
template <int D>
struct Box {
  Vec<D> low, high;
};
}  // namespace

template <int D>
World<D>::World(Setup made) : solids(made), soft(made) {
  const auto kept = std::make_shared<Setup>(std::move(made));
  setup_ = kept;
  Setup& setup = *kept;
  const Scene& scene = setup.scene;
  spacing = scene.resolution.spacing;
  support = scene.resolution.support * spacing;
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
  const int n = int(setup.position.size());
  std::vector<Sample<D>> p(n), v(n);
  std::vector<int> id(n);
  for (int i = 0; i < n; ++i) {
    const Vector& velocity = scene.fluid.blocks[setup.block[i]].velocity;
    for (int k = 0; k < D; ++k) {
      p[i].x[k] = Real(setup.position[i][k] - origin[k]);
      v[i].x[k] = Real(velocity[k]);
    }
    p[i].a = Real(mass);
    v[i].a = Real(rho0);
    id[i] = i;
  }
  fluid.grow(n);
  copyIn(fluid.p.data, p.data(), n);
  copyIn(fluid.v.data, v.data(), n);
  copyIn(fluid.id.data, id.data(), n);
  fluid.pad();
  nextId = n;
  gauges.make(scene);
  if (!scene.bodies.empty()) {
    bodies = std::make_unique<BodySystem>(scene, setup.solids);
    placeBodies();
  }
  findFilled();
  layers.resize(scene.fluid.emitters.size());
  counts.resize(scene.fluid.emitters.size());
  // Only needed so far, and large.
  std::vector<Vector>().swap(setup.position);
  std::vector<int>().swap(setup.block);
  setup.walls = WallSamples();
  setup.deformables = {};
  if (soft.any()) {
    solids.addCarried(soft.samples);
    carrySoft(true);
  }
}

template <int D>
void World<D>::carrySoft(bool all) {
  soft.samplesAt(carriedP_, carriedV_);
  solids.carry(carriedP_, carriedV_);
  if (all) solids.moveTo(solids.time());
}

template <int D>
Vector World<D>::gravityVector(double t) const {
  const Scene& s = scene();
  Vector g = s.gravity_keys.empty() ? s.gravity : valueAt(s.gravity_keys, t);
  if (D == 2) g[2] = 0;
  return g;
}

template <int D>
Vec<D> World<D>::gravity(double t) const {
  const Vector g = gravityVector(t);
  Vec<D> r;
  for (int k = 0; k < D; ++k) r[k] = Real(g[k]);
  return r;
}

template <int D>
bool World<D>::hasPeriodic() const {
  return std::any_of(periodic.e, periodic.e + D, [](bool b) { return b; });
}

// The box of all particles; a run with particles farther off, or at no place at all, ends as diverged.
template <int D>
static Box<D> boxOf(int n, View<const Sample<D>> p, Real reach) {
  Box<D> box;
  for (int k = 0; k < D; ++k) box.low[k] = Real(1e30), box.high[k] = Real(-1e30);
  return reduce(
      n, box,
      [=] BRIM_KERNEL(int i) {
        const Vec<D> x = p[i].x;
        bool lost = false;
        for (int k = 0; k < D; ++k) lost = lost || !(x[k] > -reach && x[k] < reach);
        return lost ? box : Box<D>{x, x};
      },
      [] BRIM_KERNEL(Box<D> & a, const Box<D>& b) {
        for (int k = 0; k < D; ++k) a.low[k] = min(a.low[k], b.low[k]), a.high[k] = max(a.high[k], b.high[k]);
      });
}

template <int D>
static void wrapInto(int n, View<Sample<D>> p, const Vec<D> size, const Vec<D, bool> wrap) {
  forEach(n, [=] BRIM_KERNEL(int i) {
    for (int k = 0; k < D; ++k)
      if (wrap[k]) p[i].x[k] -= size[k] * std::floor(p[i].x[k] / size[k]);
  });
}

template <int D>
void World<D>::sortFluid() {
  const int n = fluid.size();
  if (hasPeriodic()) wrapInto(n, fluid.p.view(), extent, periodic);
  double low[D], high[D];
  bool shut = onDevice;  // the domain holds all of it: a device need not look where it is, and nobody waits for that
  for (int k = 0; k < D; ++k) {
    low[k] = 0, high[k] = extent[k];
    shut = shut && (walled[k] || periodic[k]);
  }
  const auto cover = [&](double room) {
    for (int k = 0; k < D; ++k)
      if (periodic[k]) low[k] -= support, high[k] += support;
    window_.cover(low, high, support, room);
  };
  if (shut) cover(6.0 * n + 100000);
  if (!shut || !window_.dense) {
    const Box<D> box = boxOf(n, fluid.p.read(), Real(Window<D>::reach * support));
    for (int k = 0; k < D; ++k) {
      low[k] = box.low[k] <= box.high[k] ? box.low[k] : 0;
      high[k] = box.low[k] <= box.high[k] ? box.high[k] : 0;
    }
    cover(8.0 * n + 100000);
  }
  table_.sort(n, fluid.p.read(), window_);
  fluid.reorder(table_.order(), n);
  if (hasPeriodic()) {
    images_.make(fluid, extent, periodic, Real(support));
    images_.sort(fluid, window_);
    images_.refresh(fluid, fluid.p.data);
    images_.copy(fluid, fluid.v.data);
    fluid.pad();
  }
  solids.sort(window_);
}

template <int D>
typename Neighbours<D>::Around World<D>::around() const {
  return {{&table_, fluid.p.read(), fluid.size(), 0},
          {&images_.table(), View<const Sample<D>>{fluid.p.data.data() + fluid.firstImage()}, fluid.images(), fluid.firstImage()},
          {&solids.table(), solids.p(), solids.size(), 0},
          fluid.ghost(),
          solids.ghost()};
}

template <int D>
void World<D>::search() {
  sortFluid();
  neighbours_.build(Real(support), window_, fluid.p.read(), fluid.size(), around());
  touch.find(Real(support), window_, solids, around());
}

#if BRIM_CUDA
template <int D>
void World<D>::searchAhead() {
  sortFluid();
  neighbours_.start(Real(support), window_, fluid.p.read(), fluid.size(), around());
  touch.find(Real(support), window_, solids, around());
}

template <int D>
bool World<D>::listsHold() {
  if (neighbours_.areComplete()) return true;
  neighbours_.build(Real(support), window_, fluid.p.read(), fluid.size(), around());
  return false;
}
#else
template <int D>
void World<D>::searchAhead() {
  search();
}

template <int D>
bool World<D>::listsHold() {
  return true;
}
#endif

template <int D>
std::size_t World<D>::bytes() {
  return fluid.bytes() + solids.bytes() + touch.bytes() + table_.bytes() + neighbours_.bytes();
}

template class World<2>;
template class World<3>;

}  // namespace brim::inline BRIM_FLAVOUR
