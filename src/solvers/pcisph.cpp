// Predictive-corrective incompressible SPH (Solenthaler & Pajarola 2009).
//
//   x*_i = x_i + dt (v_i + dt (g + a_i)),   p_i += delta (rho*_i - rho0), p_i >= 0,
//   a_i = -1/rho0^2 sum_j m_j (p_i + p_j) grad W_ij,   delta = rho0^2 / (2 dt^2 m^2 (|sum_j grad W|^2 + sum_j |grad W|^2))
//
// with delta from the rest lattice, whose sum_j grad W is zero (the paper's prototype particle), and gradients and lists at the
// positions x_i of the step's start. Pressures start from zero in every step, as in the paper.
//
// A pressure wave of the lattice is corrected by |sum_j grad W_j exp(i k.x_j)|^2 / (2 sum_j |grad W_j|^2) of its error in an
// iteration: at most 1.4 in 3D and 1.05 in 2D with support 2 d, so rough errors shrink; a smooth error shrinks slowly, and n
// iterations act on it like an equation of state p = n delta (rho - rho0) with the speed of sound sqrt(n delta). The step is
// bounded so that three iterations are nearly stiff enough: more, smaller steps are cheaper than more iterations here.
#include <cmath>

#include "coupling/rigid_bodies.h"
#include "solvers/scales.h"
#include "solvers/solver.h"
#include "solvers/words.h"
#include "sph/implicit_viscosity.h"
#include "sph/lattice.h"
#include "sph/pressure_loop.h"
#include "sph/shown_pressure.h"

namespace brim::inline BRIM_FLAVOUR {

struct PcisphParameters {
  int iterations = 50;
  double tolerance = 1e-3;
  double courant = 1.3;
  double alpha = 0.04;
  std::string kernel = "cubic";

  void visit(ParameterVisitor& v) {
    v("iterations", iterations,
      {"", "Largest number of pressure iterations per step. At least 3 are done if this allows it.", 1, 10000});
    v("tolerance", tolerance,
      {"",
       "Stop iterating when the mean compression, the mean of max(rho/rho0 - 1, 0), is below this; 0: always do all iterations.",
       0, 1});
    v("courant", courant,
      {"",
       "Courant number: distance in spacings that sound may travel in one step. The speed of sound is ten times the largest "
       "speed that the scene prescribes or that a fall from the fluid's top to the bottom of the domain reaches. The number of "
       "iterations grows with the "
       "square of the step.",
       0, 100, true});
    v("alpha", alpha,
      {"",
       "Artificial viscosity: alpha c h / (2 D + 4) is added to the kinematic viscosity, with the speed of sound c of `courant`.",
       0, 10});
    v("kernel", kernel, oneOf("Smoothing kernel. With poly6 the gradients are those of the spiky kernel.", kernelWords));
  }
};

// sum_j |grad W|^2 of the rest lattice [1/m^(2D+2)].
template <int D, class K>
double latticeGradients(const World<D>& w, K W) {
  double sum = 0;
  eachOfRestLattice<D>(w.spacing, w.support, [&](const Vec<D>& r) {
    const Vec<D> g = W.grad(r).vec();
    sum += double(dot(g, g));
  });
  return sum;
}

// {x, p} with p = 0.
template <int D>
void startPressure(StepContext<D>& c, Array<Record<D>>& pressed) {
  World<D>& w = c.world;
  const auto p = w.fluid.p.read();
  const auto q = pressed.view();
  forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) { q[i] = {p[i].x, Real(0)}; });
  w.fluid.padWith(pressed, Particles<D>::paddingRecord());
  c.refresh(pressed, Holds::positions);
}

// Density at the predicted positions; what of it is too much raises the pressure, what is missing lowers it, never below zero.
// Where samples of bodies give way, delta is smaller by what their mobility adds to 2 sum_j |grad W|^2.
template <int D, class K>
void correctPressure(StepContext<D>& c, K W, double delta, const Array<Record<D>>& predicted, Array<Record<D>>& pressed,
                     Array<Record<D>>& raised, Array<Real>& error) {
  World<D>& w = c.world;
  const auto x = predicted.read(), s = w.solids.p(), sv = w.solids.v();
  const auto q = pressed.view(), up = raised.view();
  const auto C = error.view();
  const NeighbourView nb = c.nb();
  const Real v0 = Real(1 / w.rho0), gain = Real(delta * w.rho0), perGradients = Real(1 / (w.mass * latticeGradients(w, W)));
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const auto [xi, mi] = x[i];
    const Record<D, Reals> qi = q[i];
    Reals rho = 0, giving = 0;
    for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = x[j];
      rho += mj * W(xi - xj);
    }
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      const auto [vk, mobility] = sv[k];
      const auto g = mk * W.grad(xi - xk);
      rho += mk * W(xi - xk);
      giving += mobility * dot(g, g);
    }
    const Reals excess = v0 * rho - Reals(1), next = max(qi.a + gain * excess / (Reals(1) + perGradients * giving), Reals(0));
    up[i] = {qi.x, next - qi.a};
    q[i] = {qi.x, next};
    C[i] = excess;
  });
  c.refresh(pressed, Holds::positions);
}

// v' = v + dt (g + a), x* = x + dt v'. Pairs push each other equally, so momentum is conserved to rounding; walls mirror the
// particle's own pressure.
template <int D, class K>
void move(StepContext<D>& c, K W, const Array<Record<D>>& pressed, Array<Record<D>>& velocity, Array<Record<D>>& predicted) {
  World<D>& w = c.world;
  const auto q = pressed.read(), p = w.fluid.p.read(), v = w.fluid.v.read(), s = w.solids.p();
  const auto to = predicted.view(), vNext = velocity.view();
  const NeighbourView nb = c.nb();
  const Vec<D> dv = Real(c.dt) * c.gravity;
  const Real h = Real(c.dt), m = Real(w.mass), push = Real(-c.dt / (w.rho0 * w.rho0));
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const auto [xi, pressureI] = q[i];
    Vec<D, Reals> fluid = {}, wall = {};
    for (auto j : nb.fluid[i]) {
      const auto [xj, pressureJ] = q[j];
      fluid += (pressureI + pressureJ) * W.grad(xi - xj);
    }
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      wall += mk * W.grad(xi - xk);
    }
    const auto [vi, rhoI] = v[i];
    Vec<D, Reals> u = vi + Reals(push) * (Reals(m) * fluid + (Reals(2) * pressureI) * wall);
    for (int k = 0; k < D; ++k) u[k] += Reals(dv[k]);
    const auto [x, mi] = p[i];
    vNext[i] = {u, Reals(0)};
    to[i] = {x + Reals(h) * u, mi};
  });
  w.fluid.padWith(predicted, Particles<D>::paddingRecord());
  c.refresh(predicted, Holds::positions);
}

/// The pressure of {x, p}.
template <int D>
struct PressureOf {
  View<const Record<D>> q;
  BRIM_DEVICE_FN Real operator()(int i) const { return q[i].a; }
};

template <int D>
class Pcisph : public Solver<D> {
 public:
  explicit Pcisph(const Scene& scene)
      : o_(parametersOf<PcisphParameters>(scene)), c_(soundSpeed(scene, Fall::fluid)), viscous_(scene) {
    o_.tolerance = toleranceOf(scene, o_.tolerance);
  }

  void declareState(SolverState<D>& s) override { viscous_.declareState(s); }

  TimeLimit limit(const World<D>& w) const override {
    const double sound = soundLimit(w), viscous = 0.125 * w.spacing * w.spacing / std::max(viscous_.explicitly(w.nu, 0), 1e-30);
    return sound < viscous ? TimeLimit{sound, "sound"} : TimeLimit{viscous, "viscosity"};
  }

  void step(StepContext<D>& c) override {
    c.withKernel([&](auto W) { step(c, W); });
  }

 private:
  double soundLimit(const World<D>& w) const { return o_.courant * w.spacing / c_; }

  template <class K>
  void step(StepContext<D>& c, K W) {
    World<D>& w = c.world;
    c.placeBoundaryAt(c.end);
    rigid_.begin(c);
    c.search();
    rigid_.share(c, W);
    c.stage("search");
    solve(c, W);
    c.stage("pressure");
    // Viscosity comes last, not first as in the paper: its pass also finds the densities that the step ends with.
    c.collideAndRelease();
    c.refresh(w.fluid.p.data, Holds::positions);
    c.refresh(w.fluid.v.data);
    viscous_.actOnJumps(c, W, o_.alpha * c_);
    c.stage("viscosity");
  }

  template <class K>
  void solve(StepContext<D>& c, K W) {
    World<D>& w = c.world;
    // delta of the longest step: a shorter one, on its way to a frame, would only be stiffer, and its pressure a spike.
    const TimeControl& time = w.scene().time;
    const double longest = time.dt > 0 ? c.dt : std::max(c.dt, std::min(soundLimit(w), time.dt_max)), perVolume = w.rho0 / w.mass;
    // Rough errors of the rest lattice are corrected by lattice_.largest/2: 1.4 for the cubic in 3D, 2.1 for the quintic, which
    // would make them grow.
    if (lattice_.gradient == 0) lattice_ = restWaves<D>(W, w.spacing, w.support);
    const double delta = std::min(1.0, 2.82 / lattice_.largest) * perVolume * perVolume /
                         (2 * longest * longest * latticeGradients(w, W));  // [m^2/s^2]
    const int room = w.fluid.capacity();
    auto predicted = c.scratch.records(room, "{x*, m}"), velocity = c.scratch.records(room, "{v', 0}"),
         pressed = c.scratch.records(room, "{x, p}"), raised = c.scratch.records(room, "{x, dp}");
    auto error = c.scratch.reals(room, "rho*/rho0 - 1");
    extrapolatePressure(c, W, false);
    if (w.bodies) c.reaction.becomeForce(w, 1 / c.dt);
    w.fluid.padWith(*raised, Particles<D>::paddingRecord());
    startPressure(c, *pressed);
    move(c, W, *pressed, *velocity, *predicted);
    int& n = c.report.iterations;
    for (n = 1;; ++n) {
      correctPressure(c, W, delta, *predicted, *pressed, *raised, *error);
      move(c, W, *pressed, *velocity, *predicted);
      rigid_.react(c, W, raised.read(), -2 * c.dt * w.mass / w.rho0);
      if (n == o_.iterations || (o_.tolerance > 0 && n >= 3 && meanCompression(w, *error) <= o_.tolerance)) break;
    }
    showPressure(c, Shown::averaged, PressureOf<D>{pressed.read()});
    w.fluid.p.data.swap(*predicted);
    w.fluid.padWith(*velocity, Record<D>{});
    w.fluid.v.data.swap(*velocity);
  }

  PcisphParameters o_;
  double c_;  // [m/s]
  RestWaves lattice_;
  RigidCoupling<D> rigid_;
  FluidViscosity<D> viscous_;
};

void pcisphParameters(ParameterVisitor& v) {
  PcisphParameters p;
  p.visit(v);
}
template <int D>
std::unique_ptr<Solver<D>> makePcisph(const Scene& s) {
  return std::make_unique<Pcisph<D>>(s);
}
template std::unique_ptr<Solver<2>> makePcisph<2>(const Scene&);
template std::unique_ptr<Solver<3>> makePcisph<3>(const Scene&);

}  // namespace brim::inline BRIM_FLAVOUR
