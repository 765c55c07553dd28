#include "step/forcing.h"

#include "scene/tank.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

template <int D>
struct Linear {
  Vec<D> row[D];
  BRIM_DEVICE_FN Vec<D> operator*(const Vec<D>& x) const {
    Vec<D> y;
    for (int k = 0; k < D; ++k) y[k] = dot(row[k], x);
    return y;
  }
};
template <int D>
Linear<D> linearOf(const Matrix& m) {
  Linear<D> t;
  for (int k = 0; k < D; ++k)
    for (int j = 0; j < D; ++j) t.row[k][j] = Real(m[3 * k + j]);
  return t;
}

}  // namespace

// Half of the change by place, the turn by the Coriolis force, the other half (Boris 1970): the Coriolis force does no work,
// also in steps that are long against the tank's turning.
template <int D>
void turnWithTank(StepContext<D>& c) {
  World<D>& w = c.world;
  const TurningTank tank = turningTank(w.scene(), c.start, c.dt);
  const double angle = vectors::length(tank.omega);
  const Linear<D> back = linearOf<D>(turn(vectors::unit(tank.omega), -2 * angle * c.dt)), spread = linearOf<D>(tank.spread);
  const Real half = Real(c.dt / 2);
  Vec<D> centre;
  for (int k = 0; k < D; ++k) centre[k] = Real(tank.centre[k] - w.origin[k]);
  const auto p = w.fluid.p.read();
  const auto v = w.fluid.v.view();
  forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) {
    const Vec<D> push = half * (spread * (p[i].x - centre));
    v[i].x = back * (v[i].x + push) + push;
  });
  if (w.bodies) w.bodies->turnWithTank(tank, c.dt);
}

// v' = -rate s^2 v with s from 0 to 1 across the layer.
template <int D>
void absorb(StepContext<D>& c, const Absorber& a) {
  World<D>& w = c.world;
  Vec<D> from, along;
  double thickness2 = 0;
  for (int k = 0; k < D; ++k) thickness2 += (a.to[k] - a.from[k]) * (a.to[k] - a.from[k]);
  for (int k = 0; k < D; ++k) from[k] = Real(a.from[k] - w.origin[k]), along[k] = Real((a.to[k] - a.from[k]) / thickness2);
  const Real decay = Real(a.rate * c.dt);
  const auto p = w.fluid.p.read();
  const auto v = w.fluid.v.view();
  forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) {
    const Real s = min(max(dot(p[i].x - from, along), Real(0)), Real(1));
    v[i].x = std::exp(-decay * s * s) * v[i].x;
  });
}

template <int D>
void applyForcing(StepContext<D>& c) {
  const Scene& s = c.world.scene();
  if (s.tank.moves()) turnWithTank(c);
  for (const Absorber& a : s.fluid.absorbers) absorb(c, a);
  if ((s.tank.moves() || !s.fluid.absorbers.empty()) && c.listsMatch()) c.refresh(c.world.fluid.v.data);
}

#define BRIM_INSTANTIATE(D)                    \
  template void applyForcing(StepContext<D>&); \
  template void turnWithTank(StepContext<D>&); \
  template void absorb(StepContext<D>&, const Absorber&);
BRIM_INSTANTIATE(2)
BRIM_INSTANTIATE(3)
#undef BRIM_INSTANTIATE

}  // namespace brim::inline BRIM_FLAVOUR
