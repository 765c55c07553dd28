#include "step/reaction.h"

#include "scene/vector.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void BoundaryReaction<D>::find(Real support, const Window<D>& window, const Solids<D>& solids,
                               const typename Neighbours<D>::Around& around) {
  n_ = int(solids.reacting().size());
  if (n_ == 0) return;
  follow(solids);
  typename Neighbours<D>::Around fluidOnly = around;
  fluidOnly.solid.n = 0;
  fluidOnly.tank = {nullptr};  // what reacts is in scenes of one tank
  neighbours_.build(support, window, p_.read(), n_, fluidOnly);
}

template <int D>
void BoundaryReaction<D>::follow(const Solids<D>& solids) {
  for (Array<Record<D>>* a : {&p_, &v_, &impulse}) a->resize(wholeSlices(n_));
  const auto p = p_.view(), v = v_.view(), j = impulse.view();
  const auto fromP = solids.p(), fromV = solids.v();
  const auto at = solids.reacting().read();
  const int n = n_;
  forEach(wholeSlices(n_), [=] BRIM_KERNEL(int k) {
    p[k] = k < n ? fromP[at[k]] : Particles<D>::paddingRecord();
    v[k] = k < n ? fromV[at[k]] : Record<D>{};
    if (k >= n) j[k] = {};
  });
}

namespace {
struct Moments {  // a Wrench for kernels
  double force[3], torque[3];
};
}  // namespace

template <int D>
std::vector<Wrench> BoundaryReaction<D>::perBody(const Solids<D>& solids) const {
  const auto member = solids.members().read();
  const auto p = p_.read(), j = impulse.read();
  const std::vector<Moments> sums = reduceEach(
      solids.firstMembers(), Moments{},
      [=] BRIM_KERNEL(int m) {
        const int k = member[m];
        double x[3] = {}, f[3] = {};
        for (int d = 0; d < D; ++d) x[d] = p[k].x[d], f[d] = j[k].x[d];
        Moments one;
        for (int d = 0; d < 3; ++d) {
          const int a = (d + 1) % 3, b = (d + 2) % 3;
          one.force[d] = f[d];
          one.torque[d] = x[a] * f[b] - x[b] * f[a];
        }
        return one;
      },
      [] BRIM_KERNEL(Moments & s, const Moments& t) {
        for (int d = 0; d < 3; ++d) s.force[d] += t.force[d], s.torque[d] += t.torque[d];
      });
  std::vector<Wrench> all(sums.size());
  for (std::size_t b = 0; b < sums.size(); ++b)
    for (int d = 0; d < 3; ++d) all[b].force[d] = sums[b].force[d], all[b].torque[d] = sums[b].torque[d];
  return all;
}

template <int D>
const Array<Record<D>>& BoundaryReaction<D>::perCarried(const Solids<D>& solids) {
  carried_.resize(solids.carried());
  const auto to = carried_.view();
  const auto from = impulse.read();
  const auto at = solids.reacting().read(), owner = solids.owner();
  forEach(n_, [=] BRIM_KERNEL(int k) {
    const int of = owner[at[k]];
    if (of < -1) to[-2 - of] = from[k];
  });
  return carried_;
}

// Torques of the samples are about the domain's corner; those of bodies about their centres of mass.
template <int D>
void BoundaryReaction<D>::becomeForce(World<D>& w, double scale) const {
  using namespace vectors;
  if (!w.bodies) return;
  const std::vector<Wrench> sums = perBody(w.solids);
  for (int b = 0; b < w.bodies->size(); ++b) {
    const Vector force = scale * sums[b].force;
    w.bodies->setForce(b, force, scale * sums[b].torque - vectors::cross(w.bodies->body(b).x - w.origin, force));
  }
}

template class BoundaryReaction<2>;
template class BoundaryReaction<3>;

}  // namespace brim::inline BRIM_FLAVOUR
