// Implicit incompressible SPH (Ihmsen, Cornelis, Solenthaler, Horvath & Teschner 2014): one linear system for pressures a step.
//
//   rho_i(t + dt) = rho_i^adv + sum_j m_j (u_i - u_j) . grad W_ij = rho0,     rho_i^adv = rho_i + dt sum_j m_j v_ij^adv . grad
//   W_ij u_i = d_ii p_i + sum_j d_ij p_j,   d_ij = -dt^2 m_j / rho_j^2 grad W_ij,   d_ii = -dt^2 sum_j m_j / rho_i^2 grad W_ij
//   p_i += omega (rho0 - rho_i(t + dt)) / a_ii, p_i >= 0,   a_ii = sum_j m_j (d_ii - d_ji) . grad W_ij
//
// u_i is what pressures move particle i by within the step; Jacobi iterations with omega = 0.4 start from half of the last step's
// pressures. Half is also the most that a solve for densities may keep: see dfsph.cpp. Walls mirror the particle's own
// pressure, so that sample k adds 2 d_ik p_i to u_i.
#include <cmath>

#include "coupling/rigid_bodies.h"
#include "solvers/scales.h"
#include "solvers/solver.h"
#include "solvers/words.h"
#include "sph/implicit_viscosity.h"
#include "sph/own_gradient.h"
#include "sph/predict.h"
#include "sph/pressure_loop.h"
#include "sph/shown_pressure.h"
#include "sph/smooth_pressure.h"

namespace brim::inline BRIM_FLAVOUR {

struct IisphParameters {
  int iterations = 1000;
  double tolerance = 1e-3;
  double omega = 0.4;
  double alpha = 0.04;
  std::string acceleration = "none";
  std::string update = "second_order";
  std::string kernel = "cubic";

  void visit(ParameterVisitor& v) {
    v("iterations", iterations,
      {"", "Largest number of pressure iterations in a step. At least 2 are made where this allows.", 1, 10000});
    v("tolerance", tolerance,
      {"", "Stop iterating when the mean of max(rho/rho0 - 1, 0) is below this. 0: always do all iterations.", 0, 1});
    v("omega", omega,
      {"", "Relaxation of the Jacobi iterations; at most 1.41 over the largest eigenvalue of the rest lattice.", 0, 1, true});
    v("alpha", alpha,
      {"",
       "Artificial viscosity inside the fluid, not at walls: alpha c h / (2 D + 4) is added to the kinematic viscosity, with c "
       "ten "
       "times the speed of a fall through the domain.",
       0, 10});
    v("acceleration", acceleration,
      oneOf(
          "none: pairs alone, as in Ihmsen et al. 2014; multilevel: a coarse grid finds the smooth part of the pressure, so that "
          "waves last, but falls and impacts gain energy.",
          {"multilevel", "none"}));
    v("update", update,
      oneOf("How the coarse grid's pressures change velocities. second_order: a step late, so that waves last; first_order: at "
            "once. "
            "For acceleration = multilevel.",
            {"second_order", "first_order"}));
    v("kernel", kernel, oneOf("Smoothing kernel. Gradients are those of the same kernel.", kernelWords));
  }
};

// The system's numbers of each particle, and the last iteration.
template <int D>
struct IisphSystem {
  typename Scratch<D>::Reals diagonal;  // [s^2/m^2] a_ii
  typename Scratch<D>::Reals adv;       // [kg/m^3] rho_i^adv of the fluid alone, without walls
  typename Scratch<D>::Reals perRho2;   // [m^6/kg^2] 1/rho_i^2
  typename Scratch<D>::Reals error;     // rho_i(t + dt)/rho0 - 1
  typename Scratch<D>::Records moved;   // {x_i, dp_i/rho_i^2}
  typename Scratch<D>::Records u;       // {u_i, 0}
  explicit IisphSystem(StepContext<D>& c)
      : diagonal(c.scratch.reals(c.world.fluid.capacity(), "a_ii")),
        adv(c.scratch.reals(c.world.fluid.capacity(), "rho^adv of the fluid")),
        perRho2(c.scratch.reals(c.world.fluid.capacity(), "1/rho^2")),
        error(c.scratch.reals(c.world.fluid.capacity(), "rho(t + dt)/rho0 - 1")),
        moved(c.scratch.records(c.world.fluid.capacity(), "{x, dp/rho^2}")),
        u(c.scratch.records(c.world.fluid.capacity(), "{u, 0}")) {}
};

// rho_i, rho_i^adv and a_ii = -dt^2/rho_i^2 (|sum_j m_j grad W_ij|^2 + sum_j |m_j grad W_ij|^2). What walls add to the first sum
// counts twice, as they push with the particle's own pressure once more; samples of bodies give way by their mobility. The
// bracket is at least `least`: particles on one spot have no gradient that parts them. A step undoes 3 % of compression at most:
// all of what an impact crushed in one step becomes speed.
template <int D, class K>
void iisphSystem(StepContext<D>& c, K W, double least, IisphSystem<D>& system) {
  World<D>& w = c.world;
  const auto p = w.fluid.p.read(), v = w.fluid.v.read(), s = w.solids.p(), sv = w.solids.v();
  const auto diagonal = system.diagonal.view(), adv = system.adv.view(), perRho2 = system.perRho2.view();
  const NeighbourView nb = c.nb();
  const Real floor = Real(least), h = Real(c.dt), h2 = Real(c.dt * c.dt), thin = Real(0.01 * w.rho0 * w.rho0),
             crushed = Real(1.03 * w.rho0);
  forEachShared(w.fluid.size(), [=] BRIM_KERNEL(auto i) {
    const auto [xi, mi] = p[i];
    const auto [vi, ri] = v[i];
    Reals rho = 0, rate = 0, B = 0, wallRho = 0;
    Vec<D, Reals> grad = {};
    BRIM_BY_FOUR for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto [vj, rj] = v[j];
      const auto r = xi - xj;
      const Reals r2 = dot(r, r);
      const auto [w, k] = W.bare(r2);
      rho += w;
      rate += k * dot(vi - vj, r);
      grad += k * r;
      B += k * k * r2;
    }
    const Reals slope = Reals(W.slope) * mi;  // all fluid particles have one mass
    rho *= Reals(W.weight) * mi, rate *= slope, B *= slope * slope, grad = slope * grad;
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      const auto [vk, mobility] = sv[k];
      const auto g = mk * W.grad(xi - xk);
      wallRho += mk * W(xi - xk);
      grad += Reals(2) * g;
      B += Reals(2) * mi * mobility * dot(g, g);
    }
    rho = total(i, rho), rate = total(i, rate), B = total(i, B), wallRho = total(i, wallRho), grad = total(i, grad);
    if (!leads(i)) return;
    const Reals all = rho + wallRho, per = Reals(1) / max(all * all, Reals(thin));
    diagonal[i] = Reals(-h2) * per * max(B + dot(grad, grad), Reals(floor));
    adv[i] = rho + Reals(h) * rate - max(all - Reals(crushed), Reals(0));
    perRho2[i] = per;
  });
}

// rho_i(t + dt) and p_i += dp_i. Walls stand where the step ends, so that only the particle's own way matters there.
template <int D, class K>
void iisphRelax(StepContext<D>& c, K W, double omega, IisphSystem<D>& system, Array<Real>& pressure) {
  World<D>& w = c.world;
  const auto p = w.fluid.p.read(), v = w.fluid.v.read(), s = w.solids.p(), u = system.u.read();
  const auto diagonal = system.diagonal.read(), adv = system.adv.read(), perRho2 = system.perRho2.read();
  const auto error = system.error.view(), P = pressure.view();
  const auto to = system.moved.view();
  const NeighbourView nb = c.nb();
  const Real h = Real(c.dt), rho0 = Real(w.rho0), v0 = Real(1 / w.rho0), part = Real(omega);
  forEachShared(w.fluid.size(), [=] BRIM_KERNEL(auto i) {
    const auto [xi, mi] = p[i];
    const auto [vi, ri] = v[i];
    const auto [ui, ai] = u[i];
    Reals rho = 0;
    BRIM_BY_FOUR for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto [uj, aj] = u[j];
      const auto r = xi - xj;
      rho += W.bare(dot(r, r)).k * dot(ui - uj, r);
    }
    rho *= Reals(W.slope) * mi;
    const Vec<D, Reals> way = Reals(h) * vi + ui;
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      const auto r = xi - xk;
      rho += mk * W(r) + dot(way, mk * W.grad(r));
    }
    rho = total(i, rho);
    if (!leads(i)) return;
    const Reals e = Reals(adv[i]) + rho - Reals(rho0), last = P[i];
    const Reals next = max(last - Reals(part) * e / Reals(diagonal[i]), Reals(0));
    P[i] = next;
    to[i] = {xi, (next - last) * Reals(perRho2[i])};
    error[i] = Reals(v0) * e;
  });
  if (!onDevice) w.fluid.padWith(*system.moved, Particles<D>::paddingRecord());  // lanes past the last particle wrote there
  c.refresh(*system.moved, Holds::positions);
}

// u_i -= dt^2 sum_j m_j (dp_i/rho_i^2 + dp_j/rho_j^2) grad W_ij. Pairs push each other equally: momentum is kept to rounding.
template <int D, class K>
void iisphPush(StepContext<D>& c, K W, IisphSystem<D>& system) {
  World<D>& w = c.world;
  const auto q = system.moved.read(), s = w.solids.p();
  const auto u = system.u.view();
  const NeighbourView nb = c.nb();
  const Real push = Real(-c.dt * c.dt), m = Real(w.mass);
  forEachShared(w.fluid.size(), [=] BRIM_KERNEL(auto i) {
    const auto [xi, qI] = q[i];
    Vec<D, Reals> fluid = {}, wall = {};
    BRIM_BY_FOUR for (auto j : nb.fluid[i]) {
      const auto [xj, qJ] = q[j];
      const auto r = xi - xj;
      fluid += ((qI + qJ) * W.bare(dot(r, r)).k) * r;
    }
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      wall += mk * W.grad(xi - xk);
    }
    const Vec<D, Reals> du = Reals(push) * total(i, Reals(m * W.slope) * fluid + (Reals(2) * qI) * wall);
    if (!leads(i)) return;
    const Record<D, Reals> ui = u[i];
    u[i] = {ui.x + du, Reals(0)};
  });
  c.refresh(*system.u);
}

// u = 0, and p is half of what it was: of the smaller of the last two steps' pressures, so that an impact does not push twice.
template <int D>
void iisphBegin(StepContext<D>& c, IisphSystem<D>& system, Array<Real>& pressure, Array<Real>& before) {
  World<D>& w = c.world;
  fill(*system.u, 0, w.fluid.capacity(), Record<D>{});
  const auto p = w.fluid.p.read();
  startFromLast(w, Real(0.5), pressure, before);
  const auto P = pressure.read(), perRho2 = system.perRho2.read();
  const auto to = system.moved.view();
  forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) { to[i] = {p[i].x, P[i] * perRho2[i]}; });
  w.fluid.padWith(*system.moved, Particles<D>::paddingRecord());
  c.refresh(*system.moved, Holds::positions);
}

// v += u/dt, x += dt v.
template <int D>
void iisphMove(StepContext<D>& c, const Array<Record<D>>& displacement) {
  const auto p = c.world.fluid.p.view(), v = c.world.fluid.v.view();
  const auto u = displacement.read();
  const Real h = Real(c.dt), perH = Real(1 / c.dt);
  forEach(c.world.fluid.size(), [=] BRIM_KERNEL(int i) {
    v[i].x += perH * u[i].x;
    p[i].x += h * v[i].x;
  });
}

template <int D>
class Iisph : public Solver<D> {
 public:
  explicit Iisph(const Scene& scene) : o_(parametersOf<IisphParameters>(scene)), c_(soundSpeed(scene)), viscous_(scene) {
    o_.tolerance = toleranceOf(scene, o_.tolerance);
  }

  void declareState(SolverState<D>& s) override {
    kept_ = &s.reals("solved_pressure");  // [Pa]
    before_ = &s.reals("solved_pressure_before");
    if (o_.acceleration == "multilevel") smooth_.declareState(s);
    viscous_.declareState(s);
  }

  // Gradients are those of the step's start, so that a pressure p between particles is a stiffness of its own: dt < d
  // sqrt(rho0/p)/2. A fall through the domain, v^2/2 = p/rho0, makes that 0.7 d/v. With 0.5 d/v a slab that falls on the floor
  // is crushed by 9 %.
  TimeLimit limit(const World<D>& w) const override {
    const double fall = 0.4 * w.spacing / (c_ / 10),
                 viscous = 0.125 * w.spacing * w.spacing / std::max(viscous_.explicitly(w.nu, 0), 1e-30);
    return fall < viscous ? TimeLimit{fall, "fall"} : TimeLimit{viscous, "viscosity"};
  }

  void step(StepContext<D>& c) override {
    withOwnGradient(c, [&](auto W) { step(c, W); });
  }

 private:
  template <class K>
  void step(StepContext<D>& c, K W) {
    World<D>& w = c.world;
    c.placeBoundaryAt(c.end);
    rigid_.begin(c);
    c.search();
    rigid_.share(c, W);
    c.stage("search");
    solve(c, W);
    c.collideAndRelease();
    c.refresh(w.fluid.p.data, Holds::positions);
    c.refresh(w.fluid.v.data);
    viscous_.act(
        c, W,
        xsphOf(c, W,
               o_.alpha * c_ * w.support / (2 * (D + 2))));  // last, as its pass also finds the densities that the step ends with
    c.stage("viscosity");
  }

  template <class K>
  void solve(StepContext<D>& c, K W) {
    World<D>& w = c.world;
    if (lattice_.gradient == 0) lattice_ = restWaves<D>(W, w.spacing, w.support);
    IisphSystem<D> system(c);
    const bool smooth = o_.acceleration == "multilevel" && smooth_.prepare(c);
    if (!smooth) extrapolatePressure(c, W, false);  // the grid carries the gradient along walls too
    if (w.bodies) c.reaction.becomeForce(w, 1 / c.dt);
    kick(c);  // v^adv = v + dt g
    auto drift = c.scratch.records(w.fluid.capacity(), "{u, -} without speed");
    iisphSystem(c, W, 0.1 * lattice_.gradient * w.rho0 * w.rho0, system);
    c.stage("system");
    iisphBegin(c, system, kept_->data, before_->data);
    push(c, W, system);
    c.stage("pressure");
    if (smooth) pushSmoothly(c, W, system, *drift);
    c.stage("coarse");
    int& n = c.report.iterations;
    for (n = 1;; ++n) {
      iisphRelax(c, W, std::min(o_.omega, 1.41 / lattice_.largest), system, kept_->data);
      push(c, W, system);
      if (n == o_.iterations || (o_.tolerance > 0 && n >= 2 && meanCompression(w, *system.error) <= o_.tolerance)) break;
    }
    iisphMove(c, *system.u);
    if (smooth) addDrift(c, *drift, -1);
    Array<Real>& shown = *system.error;
    copy(shown, kept_->data, w.fluid.size());
    if (smooth) smooth_.addPressure(c, shown);
    showPressure(c, Shown::averaged, ColumnPressure{shown.read()});
    c.stage("pressure");
  }

 public:
  // Adds to u what the grid moves the fluid by, after the pressures that the step starts from. Public because nvcc wants
  // kernels there.
  template <class K>
  void pushSmoothly(StepContext<D>& c, K W, IisphSystem<D>& system, Array<Record<D>>& drift) {
    World<D>& w = c.world;
    auto adv = c.scratch.records(w.fluid.capacity(), "{v^adv, rho}");
    copy(*adv, w.fluid.v.data, w.fluid.size());
    const Real h = Real(c.dt), perH = Real(1 / c.dt);
    {
      const auto v = w.fluid.v.view();
      const auto u = system.u.read();
      forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) { v[i].x += perH * u[i].x; });
    }
    c.refresh(w.fluid.v.data);
    smooth_.push(c, W, o_.update == "second_order", drift);
    {
      const auto v = w.fluid.v.view(), u = system.u.view();
      const auto before = adv.read(), slow = drift.read();
      forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) {
        u[i] = {h * (v[i].x - before[i].x + slow[i].x), 0};
        v[i] = before[i];
      });
    }
    c.refresh(w.fluid.v.data);
    c.refresh(*system.u);
  }

 private:
  // Fluid and bodies move by {x, dp/rho^2}.
  template <class K>
  void push(StepContext<D>& c, K W, IisphSystem<D>& system) {
    iisphPush(c, W, system);
    rigid_.react(c, W, system.moved.read(), -2 * c.dt * c.world.mass * c.world.rho0);
  }

  IisphParameters o_;
  double c_;  // [m/s]
  FluidViscosity<D> viscous_;
  RestWaves lattice_;
  RigidCoupling<D> rigid_;
  SmoothPressure<D> smooth_;
  typename SolverState<D>::template Field<Real>*kept_ = nullptr, *before_ = nullptr;
};

void iisphParameters(ParameterVisitor& v) {
  IisphParameters p;
  p.visit(v);
}
template <int D>
std::unique_ptr<Solver<D>> makeIisph(const Scene& s) {
  return std::make_unique<Iisph<D>>(s);
}
template std::unique_ptr<Solver<2>> makeIisph<2>(const Scene&);
template std::unique_ptr<Solver<3>> makeIisph<3>(const Scene&);

}  // namespace brim::inline BRIM_FLAVOUR
