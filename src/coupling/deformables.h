// Sheets and soft bodies in the iterations of a fluid solver that works by positions.
//
// The fluid's multipliers T and the nodes x_c have to meet at  fluid: C(x_f, x_c) = what T allows,  nodes: f(T) + elastic = M a.
// Solving each for the other's last value diverges: a light sheet gives way to a push by far more than the fluid's rows reckon
// with. Rows that reckon with its mobility (the sum of 1/m over their samples) would be a hundred times too slow where the sheet
// is taut. Brim lets the sheet do the reckoning instead: in each iteration its samples resist with the stiffness that the fluid
// shows them,
//
//   kappa_k = m/dt^2 sum_i |g_ik| a_i / (|grad C_i|^2 + a_i^2),     a_i = sum_k |g_ik|, g_ik = grad_k C_i, k samples,
//
// about the row sums of G^T diag(|grad C|^2)^-1 G; a_i^2 keeps a particle between samples that cancel from counting for many.
// kappa multiplies increments alone, so that what the iteration ends at is the same; what the last increment still meets, kappa_k
// e_k, is given to the particles it came from, so that momentum is kept however early the iteration stops. In the scalar case T
// += (c + g x - k T)/k, x += (f - g T - a x)/(a + kappa) with kappa = g^2/k ends in two steps, whatever the masses.
#pragma once
#include "coupling/boundary.h"
#include "coupling/skin_contact.h"
#include "deformables/implicit.h"
#include "deformables/project.h"
#include "math/kernels.h"

namespace brim::inline BRIM_FLAVOUR {

/// Of each particle i: {x_i, a_i / (|grad C_i|^2 + a_i^2)}, a_i over the samples that give way.
template <int D, class K>
void fluidCompliance(StepContext<D>& c, K W, Real least, Array<Record<D>>& to) {
  World<D>& w = c.world;
  to.resize(w.fluid.capacity());
  const auto p = w.fluid.p.read(), s = w.solids.p(), sv = w.solids.v();
  const auto out = to.view();
  const NeighbourView nb = c.nb();
  const Real V = Real(w.mass / w.rho0), v0 = Real(1 / w.rho0);
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const auto [xi, mi] = p[i];
    Reals S = 0, all = 0;
    Vec<D, Reals> gradI = {};
    for (auto a : nb.solid[i]) {
      const auto [xa, ma] = s[a];
      const auto [va, mobility] = sv[a];
      const auto g = (v0 * ma) * W.grad(xi - xa);
      gradI += g;
      all += select(mobility > Reals(0), sqrt(dot(g, g)), Reals(0));
    }
    for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto g = Reals(V) * W.grad(xi - xj);
      gradI += g;
      S += dot(g, g);
    }
    out[i] = {xi, all / (S + dot(gradI, gradI) + all * all + least)};
  });
  w.fluid.padWith(to, Particles<D>::paddingRecord());
}

/// kappa of each sample, in c.reaction.impulse: {-, kappa dt^2/m}.
template <int D, class K>
void fluidStiffness(StepContext<D>& c, K W, const Array<Record<D>>& compliance) {
  const auto s = c.reaction.p(), softness = compliance.read();
  const auto to = c.reaction.impulse.view();
  const NeighbourView nb = c.reaction.nb();
  const Real v0 = Real(1 / c.world.rho0);
  forEach(c.reaction.size(), [=] BRIM_KERNEL(Index k) {
    const auto [xk, mk] = s[k];
    Reals sum = 0;
    for (auto i : nb.fluid[k]) {
      const auto [xi, all] = softness[i];
      const auto g = (v0 * mk) * W.grad(xi - xk);
      sum += all * sqrt(dot(g, g));
    }
    to[k] = {Vec<D, Reals>{}, sum};
  });
}

/// v_i += 1/dt sum_k |g_ik| e_k a_i / (|grad C_i|^2 + a_i^2): the other end of kappa_k e_k, with w.solids at the places where
/// kappa was found and e_k as their velocities.
template <int D, class K>
void returnStiffness(StepContext<D>& c, K W, const Array<Record<D>>& compliance) {
  World<D>& w = c.world;
  const auto s = w.solids.p(), e = w.solids.v(), softness = compliance.read();
  const auto v = w.fluid.v.view();
  const NeighbourView nb = c.nb();
  const Real v0 = Real(1 / w.rho0), perDt = Real(1 / c.dt);
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const Record<D, Reals> at = softness[i], vi = v[i];
    Vec<D, Reals> sum = {};
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      const auto [ek, mobility] = e[k];
      const auto g = (v0 * mk) * W.grad(at.x - xk);
      sum += select(mobility > Reals(0), sqrt(dot(g, g)), Reals(0)) * ek;
    }
    v[i] = {vi.x + (Reals(perDt) * at.a) * sum, vi.a};
  });
}

/// Impulses on the nodes themselves; positions follow over dt.
template <int D>
void kickNodes(World<D>& w, const Array<Vec<D>>& impulse, double dt) {
  const auto x = w.soft.x.view(), v = w.soft.v.view();
  const auto J = impulse.read();
  const Real h = Real(dt);
  forEach(w.soft.nodes, [=] BRIM_KERNEL(int a) {
    const Vec<D> dv = v[a].a * J[a];
    v[a].x += dv;
    x[a].x += h * dv;
  });
}

/// Cloth and soft bodies in Projective Dynamics.
template <int D>
class ImplicitCoupling {
 public:
  Real least = 0;  // [1/m^2] bound on |grad C|^2, as in the solver's rows

  /// Nodes to where they would go alone.
  void begin(StepContext<D>& c) {
    World<D>& w = c.world;
    if (!w.soft.any()) return;
    contact_.begin(w);
    step_.begin(w.soft, c.dt, c.gravity);
    placeBoundary(w, w.solids.time());
  }
  /// kappa, at the places of the search.
  template <class K>
  void share(StepContext<D>& c, K W) {
    World<D>& w = c.world;
    if (!w.soft.any()) return;
    fluidCompliance(c, W, least, compliance_);
    fluidStiffness(c, W, compliance_);
    const auto from = c.reaction.perCarried(w.solids).read();
    const auto kappa = step_.kappa.view();
    const Real scale = Real(w.mass / (c.dt * c.dt));
    forEach(w.soft.samples, [=] BRIM_KERNEL(int k) { kappa[k] = scale * from[k].a; });
    w.soft.samplesAt(found_, increment_);
  }
  /// The samples' part of `scale` a_i grad C_i, and an iteration of the nodes. Particles that have passed a sheet are put back,
  /// and the nodes feel it for the rest of the step.
  template <class K>
  void react(StepContext<D>& c, K W, View<const Record<D>> records, double) {
    World<D>& w = c.world;
    if (!w.soft.any()) return;
    reactionTo(c, W, records, Real(1 / w.rho0));
    const auto from = c.reaction.perCarried(w.solids).read();
    const auto force = step_.force.view();
    const Real scale = Real(w.mass / (c.dt * c.dt));
    forEach(w.soft.samples, [=] BRIM_KERNEL(int k) { force[k] += scale * from[k].x; });
    solve(c, 0.1, 20);
    hold(c);
  }
  /// The records {sum_i (p_i,k - x_k), n_k} of c.reaction.impulse, as constraints of this weight [N/m]: the nodes' rows of PF
  /// Eq. 5.
  void pull(StepContext<D>& c, double weight) {
    const auto from = c.reaction.perCarried(c.world.solids).read();
    const auto force = step_.force.view();
    const auto kappa = step_.kappa.view();
    const Real each = Real(weight);
    forEach(c.world.soft.samples, [=] BRIM_KERNEL(int k) {
      force[k] = each * from[k].x;
      kappa[k] = each * from[k].a;
    });
    solve(c, 1e-5, 1000);
  }
  /// A last iteration of the nodes, after which particles and nodes have lost and gained the same.
  template <class K>
  void settle(StepContext<D>& c, K W) {
    World<D>& w = c.world;
    solve(c, 1e-4, 200);
    const auto row = View<const SoftRow>{w.soft.row.data() + w.soft.rows};
    const auto e = step_.increment().read();
    const auto to = increment_.view();
    forEach(w.soft.samples, [=] BRIM_KERNEL(int k) {
      Vec<D> sum{};
      for (int n = 0; n < 4; ++n) sum += row[k].part[n] * e[row[k].node[n]];
      to[k].x = sum;
    });
    w.solids.carry(found_, increment_);
    returnStiffness(c, W, compliance_);
    placeDeformables(w);
  }
  /// Velocities; whoever passes a sheet still is put back.
  template <class K>
  void end(StepContext<D>& c, K) {
    World<D>& w = c.world;
    if (!w.soft.any()) return;
    step_.finish(w.soft);
    collideNodes(w);
    if (contact_.hold(w, c.dt) > 0) kickNodes(w, contact_.impulse, 0);
    placeDeformables(w);
    c.reaction.follow(w.solids);
    c.stage("cloth");
  }

  /// A local and a global step of the nodes, with force and kappa as they are.
  int solve(StepContext<D>& c, double tolerance, int most) {
    World<D>& w = c.world;
    step_.project(w.soft);
    const int taken = step_.solve(w.soft, tolerance, most);
    placeDeformables(w);
    c.reaction.follow(w.solids);
    return taken;
  }
  void hold(StepContext<D>& c) {
    World<D>& w = c.world;
    if (contact_.hold(w, c.dt) == 0) return;
    const auto load = step_.load.view();
    const auto J = contact_.impulse.read();
    const Real perDt = Real(1 / c.dt);
    forEach(w.soft.nodes, [=] BRIM_KERNEL(int a) { load[a] += perDt * J[a]; });
  }
  std::size_t bytes() const { return compliance_.bytes() + step_.bytes(); }

 private:
  ImplicitStep<D> step_;
  SkinContact<D> contact_;
  Array<Record<D>> compliance_;
  Array<Record<D>> found_, increment_;  // samples where kappa was found, and how far they went last
};

/// Cloth and soft bodies in position-based dynamics: samples give way by their mobility, which the fluid's rows reckon with, and
/// the constraints are swept over after each of the fluid's iterations.
template <int D>
class PositionCoupling {
 public:
  int sweeps = 1;  // over the constraints after each of the fluid's iterations

  void begin(StepContext<D>& c) {
    World<D>& w = c.world;
    if (!w.soft.any()) return;
    contact_.begin(w);
    step_.begin(w.soft, c.dt, c.gravity);
    placeBoundary(w, w.solids.time());
  }
  template <class K>
  void share(StepContext<D>&, K) {}  // mobilities are those of the nodes
  template <class K>
  void react(StepContext<D>& c, K W, View<const Record<D>> records, double scale) {
    World<D>& w = c.world;
    if (!w.soft.any()) return;
    reactionTo(c, W, records, Real(1 / w.rho0));
    const auto J = c.reaction.impulse.view();
    const Real factor = Real(-scale);
    forEach(c.reaction.size(), [=] BRIM_KERNEL(int k) { J[k].x = factor * J[k].x; });
    step_.push(w.soft, c.reaction.perCarried(w.solids));
    for (int k = 0; k < sweeps; ++k) step_.sweep(w.soft);
    placeDeformables(w);
    c.reaction.follow(w.solids);
    hold(c);
  }
  template <class K>
  void end(StepContext<D>& c, K) {
    World<D>& w = c.world;
    if (!w.soft.any()) return;
    collideNodes(w);
    hold(c);
    placeDeformables(w);
    c.reaction.follow(w.solids);
    c.stage("cloth");
  }

  void hold(StepContext<D>& c) {
    if (contact_.hold(c.world, c.dt) > 0) kickNodes(c.world, contact_.impulse, c.dt);
  }

 private:
  PositionStep<D> step_;
  SkinContact<D> contact_;
};

}  // namespace brim::inline BRIM_FLAVOUR
