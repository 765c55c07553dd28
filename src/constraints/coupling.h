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
#include "constraints/contact.h"
#include "constraints/implicit.h"
#include "constraints/project.h"
#include "math/kernels.h"
#include "sph/viscosity.h"

namespace brim::inline BRIM_FLAVOUR {

/// Of each particle i: {x_i, a_i / (|grad C_i|^2 + a_i^2)}, a_i over the samples that answer.
template <int D, class K>
void fluidCompliance(World<D>& w, K W, Real least, Array<Sample<D>>& to) {
  to.resize(w.fluid.room());
  const auto p = w.fluid.p.read(), s = w.solids.p(), sv = w.solids.v();
  const auto out = to.view();
  const NeighbourView nb = w.nb();
  const Real V = Real(w.mass / w.rho0), v0 = Real(1 / w.rho0);
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const auto [xi, mi] = p[i];
    Reals S = 0, all = 0;
    Vec<D, Reals> gradI = {};
    for (auto a : nb.solid[i]) {
      const auto [xa, ma] = s[a];
      const auto [va, answers] = sv[a];
      const auto g = (v0 * ma) * W.grad(xi - xa);
      gradI += g;
      all += select(answers > Reals(0), sqrt(dot(g, g)), Reals(0));
    }
    for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto g = Reals(V) * W.grad(xi - xj);
      gradI += g;
      S += dot(g, g);
    }
    out[i] = {xi, all / (S + dot(gradI, gradI) + all * all + least)};
  });
  w.fluid.padWith(to, Particles<D>::ghostSample());
}

/// kappa of each answering sample, in the impulse records of w.touch: {-, kappa dt^2/m}.
template <int D, class K>
void fluidStiffness(World<D>& w, K W, const Array<Sample<D>>& compliance) {
  const auto s = w.touch.p(), c = compliance.read();
  const auto to = w.touch.impulse.view();
  const NeighbourView nb = w.touch.nb();
  const Real v0 = Real(1 / w.rho0);
  forEach(w.touch.size(), [=] BRIM_KERNEL(Index k) {
    const auto [xk, mk] = s[k];
    Reals sum = 0;
    for (auto i : nb.fluid[k]) {
      const auto [xi, all] = c[i];
      const auto g = (v0 * mk) * W.grad(xi - xk);
      sum += all * sqrt(dot(g, g));
    }
    to[k] = {Vec<D, Reals>{}, sum};
  });
}

/// v_i += 1/dt sum_k |g_ik| e_k a_i / (|grad C_i|^2 + a_i^2): the other end of kappa_k e_k, with w.solids at the places where
/// kappa was found and e_k as their velocities.
template <int D, class K>
void returnStiffness(World<D>& w, K W, const Array<Sample<D>>& compliance, double dt) {
  const auto s = w.solids.p(), e = w.solids.v(), c = compliance.read();
  const auto v = w.fluid.v.view();
  const NeighbourView nb = w.nb();
  const Real v0 = Real(1 / w.rho0), perDt = Real(1 / dt);
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const Sample<D, Reals> at = c[i], vi = v[i];
    Vec<D, Reals> sum = {};
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      const auto [ek, answers] = e[k];
      const auto g = (v0 * mk) * W.grad(at.x - xk);
      sum += select(answers > Reals(0), sqrt(dot(g, g)), Reals(0)) * ek;
    }
    v[i] = {vi.x + (Reals(perDt) * at.a) * sum, vi.a};
  });
}

/// sum_i t_i g_ik of each answering sample for the records {x_i, t_i}: the other end of what moved the particles.
template <int D, class K>
void reactionOf(World<D>& w, K W, View<const Sample<D>> records) {
  const auto s = w.touch.p();
  const auto to = w.touch.impulse.view();
  const NeighbourView nb = w.touch.nb();
  const Real v0 = Real(1 / w.rho0);
  forEach(w.touch.size(), [=] BRIM_KERNEL(Index k) {
    const auto [xk, mk] = s[k];
    Vec<D, Reals> sum = {};
    for (auto i : nb.fluid[k]) {
      const auto [xi, t] = records[i];
      sum += t * W.grad(xi - xk);
    }
    to[k] = {(v0 * mk) * sum, Reals(0)};
  });
}

/// w.touch.impulse changes the velocities of the nodes.
template <int D>
void giveImpulses(World<D>& w) {
  const auto J = w.touch.perCarried(w.solids).read();
  const auto row = w.soft.row.read();
  const auto v = w.soft.v.view();
  const Incidence of = w.soft.incidence();
  const int first = w.soft.rows;
  forEach(w.soft.nodes, [=] BRIM_KERNEL(int a) {
    Vec<D> sum{};
    for (int k = of.begin[a]; k < of.begin[a + 1]; ++k) {
      const int r = of.entry[k] / 4;
      if (r >= first) sum += row[r].part[of.entry[k] % 4] * J[r - first].x;
    }
    v[a].x += v[a].a * sum;
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

template <int D>
class Coupling {
 public:
  /// Nodes to where they would go alone. Before the fluid's search.
  void begin(World<D>& w, double dt) {
    dt_ = dt;
    contact_.begin(w);
    step_.begin(w.soft, dt, w.gravity(w.time));
    w.carrySoft(true);
  }
  /// kappa, at the places of the search.
  template <class K>
  void prepare(World<D>& w, K W, Real least) {
    fluidCompliance(w, W, least, compliance_);
    fluidStiffness(w, W, compliance_);
    const auto from = w.touch.perCarried(w.solids).read();
    const auto kappa = step_.kappa.view();
    const Real scale = Real(w.mass / (dt_ * dt_));
    forEach(w.soft.samples, [=] BRIM_KERNEL(int k) { kappa[k] = scale * from[k].a; });
    w.soft.samplesAt(found_, increment_);
  }
  /// A last iteration of the nodes, after which particles and nodes have lost and gained the same.
  template <class K>
  void settle(World<D>& w, K W) {
    solve(w, 1e-4, 200);
    const auto row = View<const SoftRow>{w.soft.row.data() + w.soft.rows};
    const auto e = step_.increment().read();
    const auto to = increment_.view();
    forEach(w.soft.samples, [=] BRIM_KERNEL(int k) {
      Vec<D> sum{};
      for (int n = 0; n < 4; ++n) sum += row[k].part[n] * e[row[k].node[n]];
      to[k].x = sum;
    });
    w.solids.carry(found_, increment_);
    returnStiffness(w, W, compliance_, dt_);
    w.carrySoft();
  }
  /// The records {x_i, t_i} moved particles by t_i grad C_i: the samples' part, and an iteration of the nodes.
  template <class K>
  void iterate(World<D>& w, K W, View<const Sample<D>> records) {
    reactionOf(w, W, records);
    const auto from = w.touch.perCarried(w.solids).read();
    const auto force = step_.force.view();
    const Real scale = Real(w.mass / (dt_ * dt_));
    forEach(w.soft.samples, [=] BRIM_KERNEL(int k) { force[k] += scale * from[k].x; });
    solve(w, 0.1, 20);
  }
  /// The records {sum_i (p_i,k - x_k), n_k} of w.touch.impulse, as constraints of this weight [N/m]: the nodes' rows of PF Eq. 5.
  void pull(World<D>& w, double weight) {
    const auto from = w.touch.perCarried(w.solids).read();
    const auto force = step_.force.view();
    const auto kappa = step_.kappa.view();
    const Real each = Real(weight);
    forEach(w.soft.samples, [=] BRIM_KERNEL(int k) {
      force[k] = each * from[k].x;
      kappa[k] = each * from[k].a;
    });
    solve(w, 1e-5, 1000);
  }
  /// A local and a global step of the nodes, with force and kappa as they are.
  int solve(World<D>& w, double tolerance, int most) {
    step_.project(w.soft);
    const int taken = step_.solve(w.soft, tolerance, most);
    w.carrySoft();
    w.touch.follow(w.solids);
    return taken;
  }
  /// Particles that have passed a sheet are put back, and the nodes feel it for the rest of the step.
  void hold(World<D>& w) {
    if (contact_.hold(w, dt_) == 0) return;
    const auto load = step_.load.view();
    const auto J = contact_.impulse.read();
    const Real perDt = Real(1 / dt_);
    forEach(w.soft.nodes, [=] BRIM_KERNEL(int a) { load[a] += perDt * J[a]; });
  }
  /// Velocities; whoever passes a sheet still is put back.
  void end(World<D>& w) {
    step_.finish(w.soft);
    collideNodes(w);
    if (contact_.hold(w, dt_) > 0) kickNodes(w, contact_.impulse, 0);
    w.carrySoft();
    w.touch.follow(w.solids);
  }
  /// The friction that viscosity(), called right after this, takes from the samples.
  template <class K>
  void drag(World<D>& w, K W, double nu) {
    dragOnSamples(w, W, dt_, nu);
    giveImpulses(w);
  }
  std::size_t bytes() const { return compliance_.bytes() + step_.bytes(); }

 private:
  double dt_ = 0;
  ImplicitStep<D> step_;
  SkinContact<D> contact_;
  Array<Sample<D>> compliance_;
  Array<Sample<D>> found_, increment_;  // samples where kappa was found, and how far they went last
};

/// The same for position-based dynamics: samples answer with their inverse mass, which the fluid's rows reckon with, and the
/// constraints are swept over after each of the fluid's iterations.
template <int D>
class PositionCoupling {
 public:
  void begin(World<D>& w, double dt) {
    dt_ = dt;
    contact_.begin(w);
    step_.begin(w.soft, dt, w.gravity(w.time));
    w.carrySoft(true);
  }
  /// The records {x_i, lambda_i} moved particles by lambda_i/m_i grad C_i.
  template <class K>
  void iterate(World<D>& w, K W, View<const Sample<D>> records, int sweeps) {
    reactionOf(w, W, records);
    const auto J = w.touch.impulse.view();
    const Real perDt = Real(-1 / dt_);
    forEach(w.touch.size(), [=] BRIM_KERNEL(int k) { J[k].x = perDt * J[k].x; });
    step_.push(w.soft, w.touch.perCarried(w.solids));
    for (int k = 0; k < sweeps; ++k) step_.sweep(w.soft);
    w.carrySoft();
    w.touch.follow(w.solids);
  }
  void hold(World<D>& w) {
    if (contact_.hold(w, dt_) > 0) kickNodes(w, contact_.impulse, dt_);
  }
  void end(World<D>& w) {
    collideNodes(w);
    hold(w);
    w.carrySoft();
    w.touch.follow(w.solids);
  }
  template <class K>
  void drag(World<D>& w, K W, double nu) {
    dragOnSamples(w, W, dt_, nu);
    giveImpulses(w);
  }

 private:
  double dt_ = 0;
  PositionStep<D> step_;
  SkinContact<D> contact_;
};

}  // namespace brim::inline BRIM_FLAVOUR
