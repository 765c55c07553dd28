// Rigid bodies in solvers that move all particles at once in every iteration (PBF, Projective Fluids): bodies go along.
//
// A step begins with the bodies' own, by gravity, joints and contacts. Then every iteration moves them by what its corrections
// take from their samples. For that a body's mass is split over the samples that feel fluid: each answers as if it had an equal
// part of the mass, so that all of them together move the body by no more than one would.
#pragma once
#include "sph/wall_pressure.h"

namespace brim::inline BRIM_FLAVOUR {

/// Of each answering sample, in the impulse records of w.touch: {x, mass of the fluid in its list}.
template <int D>
void massAround(World<D>& w) {
  const auto s = w.touch.p(), p = w.fluid.p.read();
  const auto out = w.touch.impulse.view();
  const NeighbourView nb = w.touch.nb();
  forEach(w.touch.size(), [=] BRIM_KERNEL(Index k) {
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
class Answer {
 public:
  /// Sums over the samples of a body that feel fluid.
  struct Active {
    double count, first[D], second;  // of 1, x [m], x^2 [m^2], from the domain's corner
  };

  /// The bodies' own step of dt [s].
  void begin(World<D>& w, double dt) {
    if (!w.bodies) return;
    w.moveBodies(dt);
    dt_ = dt;
  }

  /// After a search: how many samples share each body.
  void share(World<D>& w) {
    if (!w.bodies) return;
    const int bodies = w.bodies->size();
    massAround(w);
    const auto member = w.solids.members().read();
    const auto around = w.touch.impulse.read();
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
    inverse_.assign(bodies, 0);
    for (int b = 0; b < bodies; ++b) {
      const BodyState& s = w.bodies->body(b);
      double reach = sums[b].second;  // sum of r^2, r from the centre of mass
      for (int a = 0; a < D; ++a) {
        const double c = s.x[a] - w.origin[a];
        reach += c * (sums[b].count * c - 2 * sums[b].first[a]);
      }
      const Matrix& I = s.perInertiaHere;
      // (r x n)^2 I^-1, with r^2 as a mean over the samples and n in any direction.
      inverse_[b] = sums[b].count * s.perMass + std::max(0.0, reach) * (D == 2 ? I[8] / 2 : 2 * (I[0] + I[4] + I[8]) / 9);
    }
    place(w);
  }

  /// q = {x_i, a_i}: an iteration moves particle i by a_i times what sample k adds to the gradient of its density, so k gets
  /// -scale a_i rho0 V_k / rho0 grad W_ik [N s].
  template <class K>
  void push(World<D>& w, K W, View<const Sample<D>> q, double scale) {
    if (!w.bodies) return;
    const auto s = w.touch.p();
    const auto out = w.touch.impulse.view();
    const NeighbourView nb = w.touch.nb();
    const Real factor = Real(-scale / w.rho0);
    forEach(w.touch.size(), [=] BRIM_KERNEL(Index k) {
      const auto [xk, mk] = s[k];
      Vec<D, Reals> f = {};
      for (auto i : nb.fluid[k]) {
        const auto [xi, ai] = q[i];
        f += ai * W.grad(xi - xk);
      }
      out[k] = {(factor * mk) * f, Reals(0)};
    });
    take(w);
  }

  /// Before the iterations: what walls and bodies carry of the pressure's gradient along them.
  template <class K>
  void lean(World<D>& w, K W) {
    leanOnWalls(w, W, dt_, true);
    take(w);
  }

 private:
  // The bodies move by the impulses of their samples, and the samples with them.
  void take(World<D>& w) {
    using namespace vectors;
    const std::vector<Wrench> sums = w.touch.perBody(w.solids);
    for (int b = 0; b < w.bodies->size(); ++b) {
      const Vector impulse = sums[b].force;
      w.bodies->nudge(b, impulse, sums[b].torque - vectors::cross(w.bodies->body(b).x - w.origin, impulse), dt_);
    }
    place(w);
    w.touch.follow(w.solids);
  }

  void place(World<D>& w) { w.placeBodies(inverse_); }

  double dt_ = 0;                // [s]
  std::vector<double> inverse_;  // [1/kg] of a sample of each body
};

}  // namespace brim::inline BRIM_FLAVOUR
