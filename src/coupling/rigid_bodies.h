// Rigid bodies in solvers that move all particles at once in every iteration (PBF, Projective Fluids): bodies go along.
//
// A step begins with the bodies' own, by gravity, joints and contacts. Then every iteration moves them by what its corrections
// take from their samples. For that a body's mass is split over the samples that feel fluid: each gives way as if it had an equal
// part of the mass, so that all of them together move the body by no more than one would.
#pragma once
#include "coupling/boundary.h"
#include "scene/vector.h"
#include "sph/wall_extrapolation.h"

namespace brim::inline BRIM_FLAVOUR {

/// Of each sample of a body, in c.reaction.impulse: {x, mass of the fluid in its list}.
template <int D>
void massAround(StepContext<D>& c) {
  const auto s = c.reaction.p(), p = c.world.fluid.p.read();
  const auto out = c.reaction.impulse.view();
  const NeighbourView nb = c.reaction.nb();
  forEach(c.reaction.size(), [=] BRIM_KERNEL(Index k) {
    const auto [xk, mk] = s[k];
    Reals m = 0;
    for (auto i : nb.fluid[k]) {
      const auto [xi, mi] = p[i];
      m += mi;
    }
    out[k] = {xk, m};
  });
}

template <int D>
class RigidCoupling {
 public:
  /// Sums over the samples of a body that feel fluid.
  struct Active {
    double count, first[D], second;  // of 1, x [m], x^2 [m^2], from the domain's corner
  };

  void begin(StepContext<D>& c) { moveBodies(c.world, c.dt); }

  template <class K>
  void share(StepContext<D>& c, K) {
    if (c.world.bodies) share(c);
  }
  /// How many samples share each body.
  void share(StepContext<D>& c) {
    World<D>& w = c.world;
    const int bodies = w.bodies->size();
    massAround(c);
    const auto member = w.solids.members().read();
    const auto around = c.reaction.impulse.read();
    const std::vector<Active> sums = reduceEach(
        w.solids.firstMembers(), Active{},
        [=] BRIM_KERNEL(int m) {
          const auto [x, mass] = around[member[m]];
          Active one{};
          if (!(mass > 0)) return one;
          one.count = 1;
          for (int a = 0; a < D; ++a) one.first[a] = x[a], one.second += double(x[a]) * double(x[a]);
          return one;
        },
        [] BRIM_KERNEL(Active & s, const Active& t) {
          s.count += t.count;
          s.second += t.second;
          for (int a = 0; a < D; ++a) s.first[a] += t.first[a];
        });
    mobility_.assign(bodies, 0);
    for (int b = 0; b < bodies; ++b) {
      const BodyState& s = w.bodies->body(b);
      double reach = sums[b].second;  // sum of r^2, r from the centre of mass
      for (int a = 0; a < D; ++a) {
        const double c = s.x[a] - w.origin[a];
        reach += c * (sums[b].count * c - 2 * sums[b].first[a]);
      }
      const Matrix& I = s.perInertiaHere;
      // (r x n)^2 I^-1, with r^2 as a mean over the samples and n in any direction.
      mobility_[b] = sums[b].count * s.perMass + std::max(0.0, reach) * (D == 2 ? I[8] / 2 : 2 * (I[0] + I[4] + I[8]) / 9);
    }
    placeBodies(w, mobility_);
  }

  /// Each sample gets -scale a_i rho0 V_k / rho0 grad W_ik [N s].
  template <class K>
  void react(StepContext<D>& c, K W, View<const Record<D>> records, double scale) {
    if (!c.world.bodies) return;
    reactionTo(c, W, records, Real(-scale / c.world.rho0));
    take(c);
  }
  template <class K>
  void end(StepContext<D>&, K) {}

  /// Before the iterations: what walls and bodies carry of the pressure's gradient along them.
  template <class K>
  void extrapolate(StepContext<D>& c, K W) {
    extrapolatePressure(c, W, true);
    take(c);
  }

 private:
  // The bodies move by the impulses of their samples, and the samples with them.
  void take(StepContext<D>& c) {
    using namespace vectors;
    World<D>& w = c.world;
    const std::vector<Wrench> sums = c.reaction.perBody(w.solids);
    for (int b = 0; b < w.bodies->size(); ++b) {
      const Vector impulse = sums[b].force;
      w.bodies->nudge(b, impulse, sums[b].torque - vectors::cross(w.bodies->body(b).x - w.origin, impulse), c.dt);
    }
    placeBodies(w, mobility_);
    c.reaction.follow(w.solids);
  }

  std::vector<double> mobility_;  // [1/kg] of a sample of each body
};

}  // namespace brim::inline BRIM_FLAVOUR
