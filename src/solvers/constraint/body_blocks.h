// The blocks of rigid bodies in the row of a particle: one visitor for bodies of samples and one for bodies by the wall field.
#pragma once
#include "bodies/block.h"
#include "solvers/constraint/surfaces.h"

namespace brim::inline BRIM_FLAVOUR {

/// Calls f(j) for the neighbours j of i in list order; i itself is one of its fluid neighbours.
template <class F>
BRIM_DEVICE_FN void eachNeighbour(const Lists& lists, int i, int padding, F f) {
#if BRIM_CUDA
  for (const int j : lists[i])
    if (j != padding) f(j);
#else
  const Lists::Slice s = lists.slice[unsigned(i) / lanes];
  const int* p = s.first + unsigned(i) % lanes;
  for (int m = 0; m < s.length && p[long(m) * lanes] != padding; ++m) f(p[long(m) * lanes]);
#endif
}

/// Adds -g at the lever r [m] from the centre of mass to a block: what pushes the particle pushes the body back.
template <int D>
BRIM_DEVICE_FN void addReaction(BodyBlock& block, const double* r, const Vec<D>& g) {
  double force[3] = {0, 0, 0};
  for (int k = 0; k < D; ++k) force[k] = -double(g[k]);
  block.add(r, force);
}

/// Bodies that are samples.
template <int D, class K>
struct SampledBodies {
  K W;
  View<const Record<D>> p, s;
  View<const int> owner;
  View<const Real> phi;
  Lists solid;
  WallPart walls;
  Real v0;
  int padding, firstFree;

  SampledBodies(const StepContext<D>& c, K W, const DensityRows<D>& rows)
      : W(W),
        p(c.world.fluid.p.read()),
        s(c.world.solids.p()),
        owner(c.world.solids.owner()),
        phi(rows.phi.read()),
        solid(c.nb().solid),
        walls(rows.walls),
        v0(rows.v0),
        padding(c.world.solids.padding()),
        firstFree(c.world.solids.firstFree()) {}

  /// Calls f(body, point [m] of the body, g: what it adds to the gradient of row i) for every sample of a body.
  template <class F>
  BRIM_DEVICE_FN void each(int i, F f) const {
    const Real slope = walls.slope(phi[i]);
    eachNeighbour(solid, i, padding, [&](int k) {
      if (owner[k] < firstFree) return;
      f(owner[k] - firstFree, s[k].x, (slope * v0 * s[k].a * W.grad(p[i].x - s[k].x)).vec());
    });
  }
};

/// Bodies by the distance from their surfaces.
template <int D>
struct FieldBodies {
  FieldAround<D> around;
  View<const Record<D>> p;
  View<const Real> phi;
  WallPart walls;

  FieldBodies(const World<D>& w, const WallField& field, const DensityRows<D>& rows)
      : around(w, field), p(w.fluid.p.read()), phi(rows.phi.read()), walls(rows.walls) {}

  /// Calls f(body, point [m] of the body, g, velocity of the body there) for every surface of a body.
  template <class F>
  BRIM_DEVICE_FN void each(int i, F f) const {
    const Real slope = walls.slope(phi[i]);
    around.at(p[i].x, [&](const Vec<D>& gradient, const Vec<D>& velocity, int shape) {
      if (shape < around.surfaces.firstFree) return;
      const Vec<D> g = slope * gradient;
      f(shape - around.surfaces.firstFree, p[i].x, g, velocity);
    });
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
