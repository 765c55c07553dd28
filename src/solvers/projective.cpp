// Projective Fluids (Weiler, Koschier & Bender 2016): implicit Euler as the minimum of Eq. 4,
//
//   m/(2 dt^2) sum_l |x_l - s_l|^2  +  w/2 sum_i |S_i x - p_i|^2,    s = x + dt v + dt^2 g,    C_i(p_i) = rho_i/rho0 - 1 <= 0,
//
// found in turn for the copies p_i (the local step, sph/projection.h) and for x (the global step). With D = P = I the matrix
// of Eq. 5 is diagonal for fluid alone, m/dt^2 + w n_l with n_l the constraints that hold l, so the global step is a division:
//
//   u = x - s,   u_l += (sum_i (p_i,l - x_l) - mu u_l) / (mu + n_l),   mu = m / (w dt^2).                                 (G)
//
// acceleration = "none" is that, within `tolerance` and `iterations`. It is slow: a particle's ~30 copies are averaged, although
// the matrix sum_i n_i n_i^T of unit gradients, which decides how far x may move, has no eigenvalue above L = 2.8
// (sph/lattice.h). And as n_l differs from particle to particle at a surface, momentum is only conserved in the limit.
// acceleration = "multilevel" looks for the same minimum. There, mu u_l = sum_i (p_i,l - x_l): u is a sum of gradients,
// u_l = sum_i T_i g_i,l with T_i >= 0 and mu T_i = tau_i = C_i/|grad C_i|^2. It
//  - takes T_i, a pressure p_i = rho0 T_i/dt^2, as the unknown, and steps by (tau_i - mu T_i) / (1.15 L + mu): (G) with L in
//    the place of n_l. T_i may fall again, but never below zero, so what was pushed too far is taken back within the step;
//  - adds Nesterov's momentum to T;
//  - moves particles out of solids after every iteration, not only after the last: what a wall pushes back presses its
//    neighbours, a third of a percent of them by more than 0.1 % otherwise;
//  - in scenes with bodies, lets walls push with their image of the particle's pressure, as pbf does and for its reasons;
//  - finds the smooth part of the pressure on a coarse grid once a step (sph/coarse.h), as pbf does and for its reasons.
// One Newton step is the projection there: it leaves C^2, and every iteration starts it again from where the last ended.
#include "coupling/deformables.h"
#include "coupling/rigid_bodies.h"
#include "solvers/scales.h"
#include "solvers/solver.h"
#include "solvers/words.h"
#include "sph/coarse.h"
#include "sph/implicit_viscosity.h"
#include "sph/lattice.h"
#include "sph/predict.h"
#include "sph/pressure_loop.h"
#include "sph/projection.h"
#include "sph/second_order.h"
#include "sph/shown_pressure.h"

namespace brim::inline BRIM_FLAVOUR {

struct ProjectiveParameters {
  int iterations = 30;
  double tolerance = 1e-3;
  std::string acceleration = "multilevel";
  double stiffness = 0;
  double projection_tolerance = 1e-14;
  int newton_iterations = 10;
  double largest_correction = 0.1;
  std::string kernel = "cubic";
  double xsph = 0.05;
  std::string update = "second_order";

  void visit(ParameterVisitor& v) {
    v("iterations", iterations, {"", "Largest number of local/global iterations per step.", 1, 10000});
    v("tolerance", tolerance,
      {"",
       "Stop iterating when the mean of max(rho/rho0 - 1 - p/K, 0) is below this; 0: always do all iterations. p/K is the "
       "compression that the stiffness allows. With acceleration = none the default is 0.",
       0, 1});
    v("acceleration", acceleration,
      oneOf("multilevel: a coarse grid and Nesterov momentum; none: the iteration of Weiler, Koschier & Bender 2016.",
            {"multilevel", "none"}));
    v("stiffness", stiffness,
      {"N/m",
       "Stiffness w of the density constraints (Weiler, Koschier & Bender 2016, Eq. 3). 0: chosen so that the pressure of a fall "
       "through the domain compresses the fluid by 0.01 %.",
       0, 1e30});
    v("projection_tolerance", projection_tolerance,
      {"", "A local projection ends when C_i is below this. In single precision at least 4e-7. For acceleration = none.", 0, 1});
    v("newton_iterations", newton_iterations,
      {"", "Largest number of Newton steps per local projection. For acceleration = none.", 1, mostNewtonSteps});
    v("largest_correction", largest_correction,
      {"", "Largest compression rho/rho0 - 1 that one iteration corrects. For acceleration = multilevel.", 0, 1e6, true});
    v("kernel", kernel, oneOf("Smoothing kernel. With poly6 the gradients are those of the spiky kernel.", kernelWords));
    v("xsph", xsph,
      {"", "XSPH viscosity: fraction of the difference to the mean velocity of the neighbours that each step removes.", 0, 1});
    v("update", update,
      oneOf("How the coarse level's pressures change velocities. second_order: a step late, so that waves last; first_order: at "
            "once, "
            "v = (x - x_old)/dt of Weiler, Koschier & Bender 2016. For acceleration = multilevel.",
            {"second_order", "first_order"}));
  }
};

// u = x - s = 0 and n_l, the constraints that hold l: its list has it and all neighbours, as lists hold pairs both ways.
template <int D>
void startDisplacement(StepContext<D>& c, Array<Record<D>>& displacement) {
  World<D>& w = c.world;
  displacement.resize(w.fluid.capacity());
  const auto u = displacement.view();
  const auto p = w.fluid.p.read();
  const NeighbourView nb = c.nb();
  const Real perMass = Real(1 / w.mass);
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index l) {
    Reals n = 0;
    for (auto i : nb.fluid[l]) {
      const auto [xi, mi] = p[i];
      n += perMass * mi;  // 0 for padding
    }
    u[l] = {Vec<D, Reals>{}, max(n, Reals(1))};
  });
}

// The global step (G), and the part of T that its average leaves of the constraint's own tau: u = sum T g at all times, up to
// the differences of n within a neighbourhood.
template <int D, class K>
void averageCopies(StepContext<D>& c, K W, Real mu, Projections<D>& projections, Array<Record<D>>& displacement,
                   Array<Real>& multiplier) {
  World<D>& w = c.world;
  const Path<D> path = projections.path(w.fluid.capacity());
  const auto own = projections.own.read();
  const auto p = w.fluid.p.view(), u = displacement.view();
  const auto T = multiplier.view(), error = projections.error.view();
  const NeighbourView nb = c.nb();
  const Real V = Real(w.mass / w.rho0);
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index l) {
    const Record<D, Reals> at = path.step[0][l], pl = p[l], ul = u[l];
    const auto [way, tau] = own[l];
    const Vec<D, Reals> copies = way + copiesOf(path, nb.fluid[l], at.x, W, Reals(V));
    const Reals part = Reals(1) / (mu + ul.a), t = T[l];
    const Vec<D, Reals> dx = part * (copies - Reals(mu) * ul.x);
    p[l] = {at.x + dx, pl.a};
    u[l] = {ul.x + dx, ul.a};
    T[l] = t + part * (tau - mu * t);
    error[l] = error[l] * (tau - mu * t) / max(tau, Reals(Real(1e-30)));
  });
  c.refresh(w.fluid.p.data, Holds::positions);
}

// What the constraints moved their copies of each sample by, and how many hold it: {sum_i (p_i,k - x_k), n_k}.
template <int D, class K>
void copiesOfSamples(StepContext<D>& c, K W, Projections<D>& projections) {
  World<D>& w = c.world;
  const Path<D> path = projections.path(w.fluid.capacity());
  const auto s = c.reaction.p(), p = w.fluid.p.read();
  const auto to = c.reaction.impulse.view();
  const NeighbourView nb = c.reaction.nb();
  const Real v0 = Real(1 / w.rho0), perMass = Real(1 / w.mass);
  forEach(c.reaction.size(), [=] BRIM_KERNEL(Index k) {
    const auto [xk, mk] = s[k];
    Reals n = 0;
    for (auto i : nb.fluid[k]) {
      const auto [xi, mi] = p[i];
      n += perMass * mi;
    }
    to[k] = {copiesOf(path, nb.fluid[k], xk, W, v0 * mk), n};
  });
}

// A step on the multipliers of the accelerated method. P is the last step's T, Y what momentum made of it.
struct Ascent {
  Real v0, V, m;  // [m^3/kg] 1/rho0; [m^D] m/rho0; [kg]
  Real mu;
  Real perPascal;  // [m^2/Pa] dt^2/rho0: T of a pressure
  Real omega;      // 1 / (1.15 L + mu)
  Real beta;       // momentum
  Real most;       // C that one iteration may undo
  Real least;      // [1/m^2] bound on |grad C|^2, a part of the rest lattice's
  Real image;      // how often what samples add to a gradient counts: 2 with their image of the pressure
  bool twoWay;     // samples with a mobility move as well:
  bool members;    // as copies of their nodes, one each; else by their part of a body's mass
};

//   T+ = max(y + omega (C/|grad C|^2 - mu y), 0),   y+ = max(T+ + beta (T+ - T), 0);   the members move by (y+ - y) g.
template <int D, class K>
void ascend(StepContext<D>& c, K W, const Ascent o, Projections<D>& to, Array<Real>& last, Array<Real>& ahead,
            const Array<Real>& coarse) {
  World<D>& w = c.world;
  const Path<D> path = to.path(w.fluid.capacity());
  const auto p = w.fluid.p.read(), s = w.solids.p(), sv = w.solids.v();
  const auto own = to.own.view();
  const auto error = to.error.view(), T = last.view(), Y = ahead.view();
  const auto held = coarse.read();
  const NeighbourView nb = c.nb();
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const auto [xi, mi] = p[i];
    Reals rho = 0, S = 0;
    Vec<D, Reals> gradI = {};
    for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto g = Reals(o.V) * W.grad(xi - xj);
      rho += W(xi - xj);
      gradI += g;
      S += dot(g, g);
    }
    rho *= o.m;
    for (auto a : nb.solid[i]) {
      const auto [xa, ma] = s[a];
      rho += ma * W(xi - xa);
      gradI += (o.image * o.v0 * ma) * W.grad(xi - xa);
    }
    if (o.twoWay)
      for (auto a : nb.solid[i]) {
        const auto [xa, ma] = s[a];
        const auto [va, mobility] = sv[a];
        const auto g = (o.image * o.v0 * ma) * W.grad(xi - xa);
        const Reals part = o.members ? select(mobility > Reals(0), Reals(1), Reals(0)) : o.m * mobility;
        S += part * dot(g, g);
      }
    const Reals t = T[i], y = Y[i], size = S + dot(gradI, gradI) + o.least;
    // What of C neither T nor the coarse level's pressure accounts for: all of it where w is large.
    const Reals left = o.v0 * rho - Reals(1) - o.mu * (y + o.perPascal * held[i]) * size;
    // A lane that is padding sees W(0) of every entry of its list: it has no mass and no multiplier.
    const Reals next = select(mi > Reals(0), max(y + o.omega * min(left, Reals(o.most)) / size, Reals(0)), Reals(0));
    const Reals then = max(next + o.beta * (next - t), Reals(0));
    path.step[0][i] = {xi, then - y};
    own[i] = {(y - then) * gradI, then};
    T[i] = next;
    Y[i] = then;
    error[i] = left;
  });
  to.finish(c, 1);
}

// x_l += dx_l = sum_i (y+ - y)_i g_i,l and v_l += dx_l/dt.
template <int D, class K>
void moveMembers(StepContext<D>& c, K W, Projections<D>& projections) {
  World<D>& w = c.world;
  const Path<D> path = projections.path(w.fluid.capacity());
  const auto own = projections.own.read();
  const auto p = w.fluid.p.view(), v = w.fluid.v.view();
  const NeighbourView nb = c.nb();
  const Real V = Real(w.mass / w.rho0), perDt = Real(1 / c.dt);
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index l) {
    const Record<D, Reals> at = path.step[0][l], pl = p[l], vl = v[l], self = own[l];
    Vec<D, Reals> sum = {};
    for (auto i : nb.fluid[l]) {
      const auto [xi, t] = path.step[0][i];
      sum += t * W.grad(xi - at.x);
    }
    const Vec<D, Reals> dx = self.x + Reals(V) * sum;
    p[l] = {at.x + dx, pl.a};
    v[l] = {vl.x + Reals(perDt) * dx, vl.a};
  });
}

// v = (x - x_old)/dt = (s - x_old)/dt + u/dt: u is kept apart, as the difference of two positions loses three digits in float.
template <int D>
void velocityFrom(World<D>& w, const Array<Record<D>>& displacement, double dt) {
  const auto v = w.fluid.v.view();
  const auto u = displacement.read();
  const Real perDt = Real(1 / dt);
  forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) { v[i].x += perDt * u[i].x; });
}

/// {x_i, T_i}.
template <int D>
void withMultipliers(World<D>& w, const Array<Real>& multiplier, Array<Record<D>>& both) {
  const auto p = w.fluid.p.read();
  const auto T = multiplier.read();
  const auto to = both.view();
  forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) { to[i] = {p[i].x, T[i]}; });
  w.fluid.padWith(both, Particles<D>::paddingRecord());
}

/// p_i = rho0 T_i / dt^2, on top of what the coarse level holds.
struct MultiplierPressure {
  View<const Real> T, coarse;
  Real scale;
  BRIM_DEVICE_FN Real operator()(int i) const { return coarse[i] + scale * T[i]; }
};

template <int D>
class Projective : public Solver<D> {
 public:
  explicit Projective(const Scene& scene) : o_(parametersOf<ProjectiveParameters>(scene)), viscous_(scene) {
    o_.tolerance = toleranceOf(scene, o_.tolerance);
    // The paper's iteration makes all of its iterations, unless a scene asks for less.
    if (o_.acceleration == "none" && !scene.solver.numbers.contains("tolerance")) o_.tolerance = 0;
  }

  void declareState(SolverState<D>& state) override {
    late_.declare(state);
    viscous_.declareState(state);
  }

  void step(StepContext<D>& c) override {
    c.withKernel([&](auto W) { step(c, W); });
  }

 private:
  template <class K>
  void step(StepContext<D>& c, K W) {
    static_assert(BoundaryCoupling<RigidCoupling<D>, D, K> && BoundaryCoupling<ImplicitCoupling<D>, D, K>);
    World<D>& w = c.world;
    if (lattice_.largest == 0) lattice_ = restWaves<D>(W, w.spacing, w.support);
    c.placeBoundaryAt(c.end);
    cloth_.begin(c);
    rigid_.begin(c);
    predict(c);  // s = x + dt v + dt^2 g; v holds (s - x)/dt
    c.collideAndRelease();
    c.stage("predict");
    c.search();
    rigid_.share(c, W);
    c.stage("search");
    for (Array<Real>* a : {&T_, &Y_, &coarsePressure_}) {
      a->resize(w.fluid.capacity());
      fill(*a, 0, w.fluid.capacity(), Real(0));
    }
    if (o_.acceleration == "none")
      iterate(c, W);
    else
      accelerate(c, W);
    c.stage("pressure");
    c.collide();
    cloth_.end(c, W);
    c.refresh(w.fluid.v.data);
    viscous_.act(c, W, o_.xsph);
    c.stage("viscosity");
  }

  // K [Pa]: at a uniform C the potentials of Eq. 3 are those of K = w / (V |grad C|^2).
  double bulkModulus(const World<D>& w) const {
    const double perModulus = std::pow(w.spacing, D) * lattice_.gradient;  // [m]
    if (o_.stiffness > 0) return o_.stiffness / perModulus;
    const double fastest = soundSpeed(w.scene()) / 10;
    return 1e4 * w.rho0 * fastest * fastest / 2;
  }
  // m / (w dt^2)
  double mu(const World<D>& w, double dt) const {
    return w.mass / (bulkModulus(w) * std::pow(w.spacing, D) * lattice_.gradient * dt * dt);
  }

  // Local and global steps in turn.
  template <class K>
  void iterate(StepContext<D>& c, K W) {
    World<D>& w = c.world;
    const Real mu = Real(this->mu(w, c.dt));
    NewtonControl newton{};
    newton.v0 = Real(1 / w.rho0), newton.V = Real(w.mass / w.rho0), newton.m = Real(w.mass);
    newton.eps = Real(std::max(o_.projection_tolerance, sizeof(Real) == 4 ? 4e-7 : 1e-15));
    newton.reach = Real(w.support);
    newton.most = o_.newton_iterations;
    newton.twoWay = w.soft.any();
    startDisplacement(c, u_);
    int& n = c.report.iterations;
    for (n = 1;; ++n) {
      projectDensities(c, W, newton, projections_);
      if (w.soft.any()) {
        // The nodes' rows of the global step. The fluid's are diagonal and share none with them, so either may go first.
        copiesOfSamples(c, W, projections_);
        cloth_.pull(c, w.mass / (mu * c.dt * c.dt));
      }
      averageCopies(c, W, mu, projections_, u_, T_);
      if (n >= o_.iterations) break;
      if (!w.soft.any() && meanCompression(w, projections_.error) <= o_.tolerance)
        break;  // the error says nothing of a sheet's stretch
    }
    if (w.bodies) {  // once: samples have no copies to average
      auto both = c.scratch.records(w.fluid.capacity(), "{x, T}");
      withMultipliers(w, T_, *both);
      rigid_.react(c, W, both.read(), -w.mass / c.dt);
    }
    velocityFrom(w, u_, c.dt);
    showPressure(c, Shown::ofThisStep, pressure(c, T_));
  }

  template <class K>
  void accelerate(StepContext<D>& c, K W) {
    World<D>& w = c.world;
    Ascent a = ascent(c);
    c.stage("pressure");
    const bool cloth = w.soft.any();
    const bool coarse = !cloth && !w.bodies && coarse_.prepare(c);  // the coarse level knows no sheets and bodies
    c.stage("coarse");
    a.twoWay = cloth || w.bodies;
    a.members = cloth;
    a.image = w.bodies && !cloth ? Real(2) : Real(1);  // what sheets give back is the plain gradient
    if (a.image == 2) rigid_.extrapolate(c, W);
    cloth_.least = a.least;
    cloth_.share(c, W);
    const int least = cloth ? std::min(10, o_.iterations) : coarse ? 2 : 1;  // a sheet takes some to stretch
    c.report.iterations = acceleratedLoop(
        {o_.iterations, least, o_.tolerance},
        [&](int, double beta) {
          a.beta = Real(beta);
          ascend(c, W, a, projections_, T_, Y_, coarsePressure_);
          moveMembers(c, W, projections_);
          const View<const Record<D>> moved{projections_.path(w.fluid.capacity()).step[0].data};
          rigid_.react(c, W, moved, -a.image * w.mass / c.dt);
          c.collide();
          if (cloth) {
            c.stage("pressure");
            cloth_.react(c, W, moved, 1);
            c.stage("cloth");
          }
          c.refresh(w.fluid.p.data, Holds::positions);
        },
        [&] {
          if (!coarse) return;
          c.stage("pressure");
          if (o_.update == "second_order") late_.begin(c);
          coarse_.push(c, projections_.error, usualStep(w.scene(), this->reach(w)), 1 / bulkModulus(w));
          if (o_.update == "second_order") late_.end(c);
          coarse_.addPressure(c, coarsePressure_);
          c.stage("coarse");
        },
        [&] { return meanCompression(w, projections_.error); });
    if (cloth) cloth_.settle(c, W);
    showPressure(c, Shown::averaged, pressure(c, Y_));
  }

  Ascent ascent(const StepContext<D>& c) const {
    const World<D>& w = c.world;
    Ascent a{};
    a.v0 = Real(1 / w.rho0), a.V = Real(w.mass / w.rho0), a.m = Real(w.mass);
    a.mu = Real(mu(w, c.dt));
    a.perPascal = Real(c.dt * c.dt / w.rho0);
    a.omega = Real(1 / (1.15 * lattice_.largest + a.mu));  // the wave bound is for a lattice; 15 % for disorder
    a.most = Real(o_.largest_correction);
    a.least = Real(1e-4 * lattice_.gradient);
    return a;
  }

  MultiplierPressure pressure(const StepContext<D>& c, const Array<Real>& multiplier) const {
    return {multiplier.read(), coarsePressure_.read(), Real(c.world.rho0 / (c.dt * c.dt))};
  }

  ProjectiveParameters o_;
  FluidViscosity<D> viscous_;
  RestWaves lattice_;
  Projections<D> projections_;
  CoarseLevel<D> coarse_;
  ImplicitCoupling<D> cloth_;
  RigidCoupling<D> rigid_;
  LatePressure<D> late_;
  Array<Record<D>> u_;          // {x - s [m], n}
  Array<Real> T_, Y_;           // [m^2] multipliers, and what momentum makes of them
  Array<Real> coarsePressure_;  // [Pa] what the coarse level holds
};

void projectiveParameters(ParameterVisitor& v) {
  ProjectiveParameters p;
  p.visit(v);
}
template <int D>
std::unique_ptr<Solver<D>> makeProjective(const Scene& s) {
  return std::make_unique<Projective<D>>(s);
}
template std::unique_ptr<Solver<2>> makeProjective<2>(const Scene&);
template std::unique_ptr<Solver<3>> makeProjective<3>(const Scene&);

}  // namespace brim::inline BRIM_FLAVOUR
