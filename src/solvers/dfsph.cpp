// Divergence-free SPH (Bender & Koschier 2015, 2017): two pressure solves a step, over the same lists and factors.
//
//   divergence:  D rho_i/Dt = sum_j m_j (v_i - v_j) . grad W_ij <= 0     velocities that do not compress
//   density:     rho_i + dt D rho_i/Dt <= rho0                           positions that are not compressed
//
// Each finds pressures p_i >= 0 by Jacobi steps dp_i = omega rho0^2 e_i / (dt^2 B_i), v_i -= dt/rho0^2 sum_j m_j (dp_i + dp_j)
// grad W_ij, where e_i [kg/m^3] is what is too much at the end of the step and B_i = |sum_j m_j grad W_ij|^2 + sum_j |m_j grad
// W_ij|^2: the factor of the paper is alpha_i = rho_i / B_i, and its stiffness kappa_i = p_i / rho_i. Departs from the paper:
//  - pressures accumulate and are kept above zero as a whole, with Nesterov's momentum (sph/pressure_loop.h);
//  - gravity acts before the divergence solve, which thus carries the fluid's weight; both solves start from the last pressures;
//  - the density solve moves positions and no velocities, unless there are bodies, which keep what they are pushed by.
//  - with acceleration = "multilevel" a coarse grid finds the smooth part of the pressure before the divergence solve
//  (sph/smooth_pressure.h), unless there are bodies.
// docs/methods/dfsph.md says why, with the growth of smooth waves that each choice leaves.
#include <cmath>

#include "coupling/rigid_bodies.h"
#include "solvers/scales.h"
#include "solvers/solver.h"
#include "solvers/words.h"
#include "sph/depth.h"
#include "sph/implicit_viscosity.h"
#include "sph/predict.h"
#include "sph/pressure_loop.h"
#include "sph/shown_pressure.h"
#include "sph/smooth_pressure.h"

namespace brim::inline BRIM_FLAVOUR {

struct DfsphParameters {
  int iterations = 100;
  double tolerance = 1e-3;
  int divergence_iterations = 200;
  double divergence_tolerance = 1e-4;
  double alpha = 0.03;
  std::string acceleration = "none";
  std::string update = "second_order";
  std::string kernel = "slepian";

  void visit(ParameterVisitor& v) {
    v("iterations", iterations,
      {"", "Largest number of iterations of the density solve in a step. At least 2 are made where this allows.", 1, 10000});
    v("tolerance", tolerance,
      {"", "End the density solve when the mean of max(rho/rho0 - 1, 0) is below this. 0: always do all iterations.", 0, 1});
    v("divergence_iterations", divergence_iterations,
      {"", "Largest number of iterations of the divergence solve in a step. 0: no divergence solve.", 0, 10000});
    v("divergence_tolerance", divergence_tolerance,
      {"", "End the divergence solve when the mean of dt max(D rho/Dt, 0)/rho0 is below this and 3.7 g dt^2/depth. 0: never.", 0,
       1});
    v("alpha", alpha,
      {"", "Artificial viscosity inside the fluid, not at walls: alpha c h / (2 D + 4), c ten times the fastest fall.", 0, 10});
    v("acceleration", acceleration,
      oneOf(
          "none: pairs alone, as in Bender & Koschier 2015; multilevel: a coarse grid finds the smooth part of the pressure, so "
          "that waves last, but still water weighs 5 % too much and vessels empty too slowly.",
          {"multilevel", "none"}));
    v("update", update,
      oneOf("How the coarse grid's pressures change velocities. second_order: a step late, so that waves last; first_order: at "
            "once. "
            "For acceleration = multilevel.",
            {"second_order", "first_order"}));
    v("kernel", kernel, oneOf("Smoothing kernel; poly6 with the gradients of spiky.", kernelWords));
  }
};

/// Below this part of rho0 the divergence solve lets fluid be compressed: drops, and surfaces that close.
constexpr double dfsphFull = 0.99;
/// What a divergence solve may leave, over g dt^2/depth: an error e shifts pressures by e rho0 depth^2/(2 dt^2).
constexpr double dfsphHeld = 3.7;
/// The part of its pressures that a divergence solve starts from. In a full vessel nothing else would take back a constant.
constexpr double dfsphKept = 0.99;
/// The same beside a coarse grid, which finds the smooth part anew: what pairs hold of it is gone after some steps.
constexpr double dfsphKeptBySmooth = 0.8;

// What the solves of a step know of each particle, and their last iteration.
template <int D>
struct DfsphRows {
  typename Scratch<D>::Reals gain;     // [m^2] rho0^2 / B_i
  typename Scratch<D>::Reals density;  // [kg/m^3] of the fluid alone, without walls
  typename Scratch<D>::Reals room;     // [kg/m^3] what a particle with few neighbours may still be compressed by
  typename Scratch<D>::Reals plain;    // [Pa] p_i without momentum
  typename Scratch<D>::Reals error;    // e_i / rho0
  typename Scratch<D>::Records moved;  // {x_i, dp_i}
  explicit DfsphRows(StepContext<D>& c)
      : gain(c.scratch.reals(c.world.fluid.capacity(), "rho0^2 / B_i")),
        density(c.scratch.reals(c.world.fluid.capacity(), "fluid's density")),
        room(c.scratch.reals(c.world.fluid.capacity(), "density that is missing")),
        plain(c.scratch.reals(c.world.fluid.capacity(), "pressure without momentum")),
        error(c.scratch.reals(c.world.fluid.capacity(), "e_i / rho0")),
        moved(c.scratch.records(c.world.fluid.capacity(), "{x, dp}")) {}
};

// Densities and B_i. Walls push with the particle's own pressure once more, so that what they add to sum_j m_j grad W_ij counts
// twice; samples of bodies give way by their mobility. B_i is at least `least`: particles on one spot have no gradient that parts
// them.
template <int D, class K>
void dfsphFactors(StepContext<D>& c, K W, double least, DfsphRows<D>& rows) {
  World<D>& w = c.world;
  const auto p = w.fluid.p.read(), s = w.solids.p(), sv = w.solids.v();
  const auto gain = rows.gain.view(), density = rows.density.view(), room = rows.room.view(), error = rows.error.view();
  const NeighbourView nb = c.nb();
  const Real floor = Real(least), rho02 = Real(w.rho0 * w.rho0), full = Real(dfsphFull * w.rho0), v0 = Real(1 / w.rho0);
  forEachShared(w.fluid.size(), [=] BRIM_KERNEL(auto i) {
    const auto [xi, mi] = p[i];
    Reals rho = 0, B = 0, wallRho = 0;
    Vec<D, Reals> grad = {};
    BRIM_BY_FOUR for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto r = xi - xj;
      const Reals r2 = dot(r, r);
      const auto [w, k] = W.bare(r2);
      rho += w;
      grad += k * r;
      B += k * k * r2;
    }
    const Reals slope = Reals(W.slope) * mi;  // all fluid particles have one mass
    rho *= Reals(W.weight) * mi, B *= slope * slope, grad = slope * grad;
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      const auto [vk, mobility] = sv[k];
      const auto g = mk * W.grad(xi - xk);
      wallRho += mk * W(xi - xk);
      grad += Reals(2) * g;
      B += Reals(2) * mi * mobility * dot(g, g);
    }
    rho = total(i, rho), B = total(i, B), wallRho = total(i, wallRho), grad = total(i, grad);
    if (!leads(i)) return;
    gain[i] = Reals(rho02) / max(B + dot(grad, grad), Reals(floor));
    density[i] = rho;
    error[i] = (rho + wallRho) * Reals(v0) - Reals(1);
    room[i] = max(Reals(full) - rho - wallRho, Reals(0));
  });
}

// What an iteration needs besides the rows.
struct DfsphIteration {
  Real step;      // [1/s^2] omega / dt^2
  Real momentum;  // beta
  Real most;      // [Pa] the largest pressure
  bool first;     // there is no pressure without momentum yet
};

// e_i and the new pressures, p+ = max(y + dp, 0), y+ = max(p+ + beta (p+ - p), 0). The density solve looks at walls where they
// are, at the step's end; the divergence solve at their velocities.
template <int D, bool ofDensity, class K>
void dfsphRelax(StepContext<D>& c, K W, const DfsphIteration it, DfsphRows<D>& rows, Array<Real>& pressure) {
  World<D>& w = c.world;
  const auto p = w.fluid.p.read(), v = w.fluid.v.read(), s = w.solids.p(), sv = w.solids.v();
  const auto gain = rows.gain.read(), density = rows.density.read(), room = rows.room.read();
  const auto error = rows.error.view(), P = rows.plain.view(), Y = pressure.view();
  const auto to = rows.moved.view();
  const NeighbourView nb = c.nb();
  const Real h = Real(c.dt), rho0 = Real(w.rho0), v0 = Real(1 / w.rho0);
  forEachShared(w.fluid.size(), [=] BRIM_KERNEL(auto i) {
    const auto [xi, mi] = p[i];
    const auto [vi, ri] = v[i];
    Reals rate = 0, wallRho = 0;
    BRIM_BY_FOUR for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto [vj, rj] = v[j];
      const auto r = xi - xj;
      rate += W.bare(dot(r, r)).k * dot(vi - vj, r);
    }
    rate *= Reals(W.slope) * mi;
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      const auto [vk, mobility] = sv[k];
      const auto r = xi - xk;
      const Vec<D, Reals> u = ofDensity ? vi : vi - vk;
      rate += dot(u, mk * W.grad(r));
      if (ofDensity) wallRho += mk * W(r);
    }
    rate = total(i, rate), wallRho = total(i, wallRho);
    if (!leads(i)) return;
    const Reals excess = ofDensity ? Reals(density[i]) + wallRho - Reals(rho0) : -Reals(room[i]);
    const Reals e = excess + Reals(h) * rate, y = Y[i], last = it.first ? y : Reals(P[i]);
    const Reals next = min(max(y + Reals(it.step) * Reals(gain[i]) * e, Reals(0)), Reals(it.most));
    const Reals ahead = max(next + Reals(it.momentum) * (next - last), Reals(0));
    P[i] = next;
    Y[i] = ahead;
    to[i] = {xi, ahead - y};
    error[i] = Reals(v0) * e;
  });
  if (!onDevice) w.fluid.padWith(*rows.moved, Particles<D>::paddingRecord());  // lanes past the last particle wrote there
  c.refresh(*rows.moved, Holds::positions);
}

// v_i -= dt/rho0^2 sum_j m_j (dp_i + dp_j) grad W_ij; walls mirror dp_i. Pairs push each other equally: momentum is kept to
// rounding.
template <int D, class K>
void dfsphPush(StepContext<D>& c, K W, const Array<Record<D>>& moved) {
  World<D>& w = c.world;
  const auto q = moved.read(), s = w.solids.p();
  const auto v = w.fluid.v.view();
  const NeighbourView nb = c.nb();
  const Real push = Real(-c.dt / (w.rho0 * w.rho0)), m = Real(w.mass);
  forEachShared(w.fluid.size(), [=] BRIM_KERNEL(auto i) {
    const auto [xi, pI] = q[i];
    Vec<D, Reals> fluid = {}, wall = {};
    BRIM_BY_FOUR for (auto j : nb.fluid[i]) {
      const auto [xj, pJ] = q[j];
      const auto r = xi - xj;
      fluid += ((pI + pJ) * W.bare(dot(r, r)).k) * r;
    }
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      wall += mk * W.grad(xi - xk);
    }
    const Vec<D, Reals> dv = Reals(push) * total(i, Reals(m * W.slope) * fluid + (Reals(2) * pI) * wall);
    if (!leads(i)) return;
    const Record<D, Reals> vi = v[i];
    v[i] = {vi.x + dv, vi.a};
  });
  c.refresh(w.fluid.v.data);
}

// What a solve starts from: a part of the smaller of the last two steps' pressures. As {x, dp} too.
template <int D>
void dfsphStart(StepContext<D>& c, double part, Array<Real>& pressure, Array<Real>& before, Array<Record<D>>& moved) {
  World<D>& w = c.world;
  const auto p = w.fluid.p.read();
  startFromLast(w, Real(part), pressure, before);
  const auto P = pressure.read();
  const auto to = moved.view();
  forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) { to[i] = {p[i].x, P[i]}; });
  w.fluid.padWith(moved, Particles<D>::paddingRecord());
  c.refresh(moved, Holds::positions);
}

/// The pressure of the solves that change velocities.
struct DfsphPressure {
  View<const Real> divergence, density;
  Real part;  // of the second
  BRIM_DEVICE_FN Real operator()(int i) const { return divergence[i] + part * density[i]; }
};

// x += dt v, with the velocities of the density solve. Fluid alone goes on with those of the divergence solve.
template <int D>
void dfsphMove(StepContext<D>& c, const Array<Record<D>>& velocity, bool goesOn) {
  const auto p = c.world.fluid.p.view(), v = c.world.fluid.v.view();
  const auto u = velocity.read();
  const Real h = Real(c.dt);
  forEach(c.world.fluid.size(), [=] BRIM_KERNEL(int i) {
    p[i].x += h * v[i].x;
    if (goesOn) v[i].x = u[i].x;
  });
}

template <int D>
class Dfsph : public Solver<D> {
 public:
  explicit Dfsph(const Scene& scene) : o_(parametersOf<DfsphParameters>(scene)), c_(soundSpeed(scene)), viscous_(scene) {
    o_.tolerance = toleranceOf(scene, o_.tolerance);
  }

  void declareState(SolverState<D>& s) override {
    divergence_ = &s.reals("divergence_pressure");  // [Pa]
    divergenceBefore_ = &s.reals("divergence_pressure_before");
    density_ = &s.reals("density_pressure");
    densityBefore_ = &s.reals("density_pressure_before");
    if (o_.acceleration == "multilevel") smooth_.declareState(s);
    viscous_.declareState(s);
  }

  // Gradients are those of the step's start, so that a pressure p between particles is a stiffness of its own: dt < d
  // sqrt(rho0/p)/2. A fall through the domain, v^2/2 = p/rho0, makes that 0.7 d/v; 0.5 d/v is safe.
  TimeLimit limit(const World<D>& w) const override {
    const double fall = 0.5 * w.spacing / (c_ / 10),
                 viscous = 0.125 * w.spacing * w.spacing / std::max(viscous_.explicitly(w.nu, 0), 1e-30);
    return fall < viscous ? TimeLimit{fall, "fall"} : TimeLimit{viscous, "viscosity"};
  }

  void step(StepContext<D>& c) override {
    c.withKernel([&](auto W) { step(c, W); });
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
    project(c, W);
    c.collideAndRelease();
    c.refresh(w.fluid.p.data, Holds::positions);
    c.refresh(w.fluid.v.data);
    // Last, as its pass also finds the densities that the step ends with.
    if (o_.acceleration == "multilevel" && !w.bodies)
      viscous_.act(c, W, xsphOf(c, W, o_.alpha * c_ * w.support / (2 * (D + 2))));
    else
      viscous_.actOnJumps(c, W, o_.alpha * c_);
    c.stage("viscosity");
  }

  template <class K>
  void project(StepContext<D>& c, K W) {
    World<D>& w = c.world;
    if (lattice_.gradient == 0) lattice_ = restWaves<D>(W, w.spacing, w.support);
    DfsphRows<D> rows(c);
    dfsphFactors(c, W, 0.1 * lattice_.gradient * w.rho0 * w.rho0, rows);
    const bool smooth = o_.acceleration == "multilevel" && smooth_.prepare(c);
    if (!smooth) extrapolatePressure(c, W, false);  // the grid carries the gradient along walls too
    if (w.bodies) c.reaction.becomeForce(w, 1 / c.dt);
    const double compression = meanCompression(w, *rows.error);
    c.stage("factors");
    kick(c);
    auto drift = c.scratch.records(w.fluid.capacity(), "{u, -} without speed");
    dfsphStart(c, smooth ? dfsphKeptBySmooth : dfsphKept, divergence_->data, divergenceBefore_->data, *rows.moved);
    push(c, W, rows);
    c.stage("pressure");
    if (smooth) smooth_.push(c, W, o_.update == "second_order", *drift);
    c.stage("coarse");
    // Fluid that is compressed too much already is let compress less: the mean over deep water tells little of its weight.
    const double strict = std::min(1.0, std::pow(o_.tolerance / std::max(compression, 1e-30), 2));
    const double held = strict * std::min(o_.divergence_tolerance, dfsphHeld * fallOverDepth(c));
    c.report.iterations =
        solve<false>(c, W, rows, divergence_->data, {o_.divergence_iterations, w.step == 0 ? o_.divergence_iterations : 1, held});
    auto velocity = c.scratch.records(w.fluid.capacity(), "{v, rho} of the divergence solve");
    copy(*velocity, w.fluid.v.data, w.fluid.size());
    const bool goesOn = !w.bodies;  // a body takes the other end of every push, and keeps it
    if (smooth) addDrift(c, *drift, 1);
    dfsphStart(c, goesOn ? dfsphKept : 0, density_->data, densityBefore_->data, *rows.moved);
    if (goesOn) push(c, W, rows);
    c.report.iterations += solve<true>(c, W, rows, density_->data, {o_.iterations, 1, o_.tolerance});
    c.stage("pressure");
    dfsphMove(c, *velocity, goesOn);
    Array<Real>& shown = *rows.plain;
    copy(shown, divergence_->data, w.fluid.size());
    if (smooth) smooth_.addPressure(c, shown);
    showPressure(c, Shown::averaged, DfsphPressure{shown.read(), density_->data.read(), goesOn ? Real(0) : Real(1)});
  }

  template <bool ofDensity, class K>
  int solve(StepContext<D>& c, K W, DfsphRows<D>& rows, Array<Real>& pressure, const LoopControl& control) {
    if (control.most == 0) return 0;
    World<D>& w = c.world;
    DfsphIteration it{};
    it.step = Real(1 / (1.15 * lattice_.largest * c.dt * c.dt));  // the wave bound is for a lattice; 15 % for disorder
    // What crushed fluid is pushed apart by: a quarter of a spacing in a step. More of it is a stiffness that no step bears.
    it.most = ofDensity ? Real(0.25 * w.rho0 * w.spacing * w.spacing / (c.dt * c.dt)) : Real(1e30);
    return acceleratedLoop(
        control,
        [&](int n, double beta) {
          it.first = n == 1;
          it.momentum = Real(beta);
          dfsphRelax<D, ofDensity>(c, W, it, rows, pressure);
          push(c, W, rows);
        },
        [] {}, [&] { return meanCompression(w, *rows.error); });
  }

  // Fluid and bodies move by {x, dp}.
  template <class K>
  void push(StepContext<D>& c, K W, DfsphRows<D>& rows) {
    dfsphPush(c, W, *rows.moved);
    rigid_.react(c, W, rows.moved.read(), -2 * c.dt * c.world.mass / c.world.rho0);
  }

  DfsphParameters o_;
  double c_;  // [m/s]
  FluidViscosity<D> viscous_;
  RestWaves lattice_;
  RigidCoupling<D> rigid_;
  SmoothPressure<D> smooth_;
  typename SolverState<D>::template Field<Real>*divergence_ = nullptr, *divergenceBefore_ = nullptr, *density_ = nullptr,
                                    *densityBefore_ = nullptr;
};

void dfsphParameters(ParameterVisitor& v) {
  DfsphParameters p;
  p.visit(v);
}
template <int D>
std::unique_ptr<Solver<D>> makeDfsph(const Scene& s) {
  return std::make_unique<Dfsph<D>>(s);
}
template std::unique_ptr<Solver<2>> makeDfsph<2>(const Scene&);
template std::unique_ptr<Solver<3>> makeDfsph<3>(const Scene&);

}  // namespace brim::inline BRIM_FLAVOUR
