// Weakly compressible SPH: pressures from a stiff equation of state, explicit steps (Becker & Teschner 2007; CF Eq. 8-10).
//
//   p_i = B ((rho_i/rho0)^gamma - 1)+,   B = rho0 c^2 / gamma
//   a_i = -sum_j m_j (p_i/rho_i^2 + p_j/rho_j^2) grad W_ij  + viscosity + g
//
// A step is kick, drift, then forces at the new place: the densities and pressures left behind belong to the positions
// that the step ends with. Walls continue the particle's own pressure as it is at rest, p_k = p_i + rho0 g.(x_k - x_i) within 0
// and 2 p_i, with rho_k = rho0. With p_k = p_i alone (Akinci et al. 2012) a wall carries nothing of the gradient along it: water
// in a gap of three spacings then has 27 % too much of it, and a box with such gaps around it is lifted 13 % too well.
#include <cmath>

#include "solvers/scales.h"
#include "solvers/solver.h"
#include "sph/own_gradient.h"
#include "sph/viscosity.h"
#include "sph/wall_extrapolation.h"

namespace brim::inline BRIM_FLAVOUR {

struct WcsphParameters {
  double sound_speed = 0;
  int gamma = 7;
  double alpha = 0.04;
  double courant = 0.4;
  std::string kernel = "cubic";

  void visit(ParameterVisitor& v) {
    v("sound_speed", sound_speed,
      {"m/s",
       "Speed of sound c. Larger: less compression, smaller steps. 0: ten times the largest speed that the scene prescribes or "
       "that a fall through the height of the domain reaches.",
       0, 1e5});
    v("gamma", gamma, {"", "Exponent of the equation of state: 1 (linear) or 7 (Tait).", 1, 7});
    v("alpha", alpha, {"", "Artificial viscosity: alpha c h / (2 D + 4) is added to the kinematic viscosity.", 0, 10});
    v("courant", courant, {"", "Courant number: distance in spacings that sound may travel in one step.", 0, 1, true});
    v("kernel", kernel,
      {"", "Smoothing kernel. Gradients are those of the same kernel.", -1e300, 1e300, false, {"cubic", "wendland", "poly6"}});
  }
};

struct StateEquation {
  Real v0, B;
  int gamma;
  BRIM_FN Reals operator()(Reals rho) const {
    const Reals x = v0 * rho;
    Reals power = x;
    if (gamma == 7) power = x * x * x * x * x * x * x;
    return max(B * (power - Reals(1)), Reals(0));
  }
};

// rho_i, p_i, and {x_i, p_i/rho_i^2} for the force pass.
template <int D, class K>
void pressures(StepContext<D>& c, K W, const StateEquation state, Array<Record<D>>& pressed) {
  World<D>& w = c.world;
  const auto p = w.fluid.p.read(), s = w.solids.p();
  const auto v = w.fluid.v.view(), to = pressed.view();
  const auto P = w.fluid.pressure.view();
  const NeighbourView nb = c.nb();
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const auto [xi, mi] = p[i];
    Reals rho = 0;
    for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      rho += mj * W(xi - xj);
    }
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      rho += mk * W(xi - xk);
    }
    const Reals pressure = state(rho);
    const Record<D, Reals> vi = v[i];
    v[i] = {vi.x, rho};
    P[i] = pressure;
    to[i] = {xi, pressure / max(rho * rho, Reals(Real(1e-30)))};
  });
  w.fluid.padWith(pressed, Particles<D>::paddingRecord());
  c.refresh(pressed, Holds::positions);
  c.refresh(w.fluid.v.data);
}

// Pressure and viscous acceleration, without gravity. Pairs push each other equally: momentum is conserved to rounding.
template <int D, class K>
void accelerations(StepContext<D>& c, K W, double nu, const Array<Record<D>>& pressed, Array<Record<D>>& acceleration) {
  World<D>& w = c.world;
  const auto q = pressed.read(), v = w.fluid.v.read(), s = w.solids.p(), sv = w.solids.v();
  const auto a = acceleration.view();
  const NeighbourView nb = c.nb();
  const Real m = Real(w.mass), drag = Real(2 * (D + 2) * nu * viscousCalibration<D>(W, w.spacing, w.support) / w.rho0),
             soft = Real(0.01 * w.support * w.support);
  const WallPressure<D> wall(c, W, c.gravity);
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const auto [xi, Pi] = q[i];
    const auto [vi, rhoI] = v[i];
    Vec<D, Reals> f = {};
    for (auto j : nb.fluid[i]) {
      const auto [xj, Pj] = q[j];
      const auto [vj, rhoJ] = v[j];
      const auto r = xi - xj;
      f += (drag * dot(vi - vj, r) / (dot(r, r) + soft) - (Pi + Pj)) * W.grad(r);
    }
    f = Reals(m) * f;
    const Reals image = Pi * rhoI * rhoI * wall.perRho2;
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      const auto [vk, rk] = sv[k];
      const auto r = xi - xk;
      f += (mk * (drag * dot(vi - vk, r) / (dot(r, r) + soft) - (Pi + image + wall.beyond(image, r)))) * W.grad(r);
    }
    a[i] = {f, Reals(0)};
  });
}

// What samples of bodies get: the same pairs from their side.
template <int D, class K>
void reactions(StepContext<D>& c, K W, double nu, const Array<Record<D>>& pressed) {
  if (c.reaction.size() == 0) return;
  World<D>& w = c.world;
  const auto q = pressed.read(), v = w.fluid.v.read(), s = c.reaction.p(), sv = c.reaction.v();
  const auto out = c.reaction.impulse.view();
  const NeighbourView nb = c.reaction.nb();
  const Real m = Real(w.mass), drag = Real(2 * (D + 2) * nu * viscousCalibration<D>(W, w.spacing, w.support) / w.rho0),
             soft = Real(0.01 * w.support * w.support);
  const WallPressure<D> wall(c, W, c.gravity);
  forEach(c.reaction.size(), [=] BRIM_KERNEL(Index k) {
    const auto [xk, mk] = s[k];
    const auto [vk, rk] = sv[k];
    Vec<D, Reals> f = {};
    for (auto i : nb.fluid[k]) {
      const auto [xi, Pi] = q[i];
      const auto [vi, rhoI] = v[i];
      const auto r = xi - xk;
      const Reals image = Pi * rhoI * rhoI * wall.perRho2;
      f += (drag * dot(vi - vk, r) / (dot(r, r) + soft) - (Pi + image + wall.beyond(image, r))) * W.grad(r);
    }
    out[k] = {(-m * mk) * f, Reals(0)};
  });
  c.reaction.becomeForce(w, 1);
}

template <int D>
void kickAndDrift(StepContext<D>& c, const Array<Record<D>>& acceleration) {
  World<D>& w = c.world;
  const auto p = w.fluid.p.view(), v = w.fluid.v.view();
  const auto a = acceleration.read();
  const Vec<D> g = c.gravity;
  const Real h = Real(c.dt);
  forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) {
    v[i].x += h * (a[i].x + g);
    p[i].x += h * v[i].x;
  });
}

template <int D>
class Wcsph : public Solver<D> {
 public:
  explicit Wcsph(const Scene& scene)
      : o_(parametersOf<WcsphParameters>(scene)), c_(o_.sound_speed > 0 ? o_.sound_speed : soundSpeed(scene)) {}

  TimeLimit limit(const World<D>& w) const override {
    const double sound = o_.courant * w.spacing / c_, viscous = 0.125 * w.spacing * w.spacing / std::max(viscosity(w), 1e-30);
    return sound < viscous ? TimeLimit{sound, "sound"} : TimeLimit{viscous, "viscosity"};
  }

  void declareState(SolverState<D>& state) override {
    acceleration_ = &state.records("acceleration");
    state.flag("evaluated", evaluated_);
  }

  void step(StepContext<D>& c) override {
    c.placeBoundaryAt(c.end);
    if (!evaluated_) {
      c.search();
      forces(c);
    }
    moveBodies(c.world, c.dt);
    kickAndDrift(c, acceleration_->data);
    c.collideAndRelease();
    c.stage("integrate");
    c.search();
    c.stage("search");
    forces(c);
    c.stage("pressure");
    evaluated_ = true;
    c.report.iterations = 1;
  }

 private:
  double viscosity(const World<D>& w) const { return w.nu + o_.alpha * c_ * w.support / (2 * (D + 2)); }

  void forces(StepContext<D>& c) {
    const World<D>& w = c.world;
    const StateEquation state{Real(1 / w.rho0), Real(w.rho0 * c_ * c_ / o_.gamma), o_.gamma};
    auto pressed = c.scratch.records(w.fluid.capacity(), "{x, p/rho^2}");
    withOwnGradient(c, [&](auto W) {
      pressures(c, W, state, *pressed);
      accelerations(c, W, viscosity(w), *pressed, acceleration_->data);
      reactions(c, W, viscosity(w), *pressed);
    });
  }

  WcsphParameters o_;
  double c_;                                                                    // [m/s]
  typename SolverState<D>::template Field<Record<D>>* acceleration_ = nullptr;  // {a without gravity [m/s^2], -}
  bool evaluated_ = false;                                                      // it is that of the present positions
};

void wcsphParameters(ParameterVisitor& v) {
  WcsphParameters p;
  p.visit(v);
}
template <int D>
std::unique_ptr<Solver<D>> makeWcsph(const Scene& s) {
  return std::make_unique<Wcsph<D>>(s);
}
template std::unique_ptr<Solver<2>> makeWcsph<2>(const Scene&);
template std::unique_ptr<Solver<3>> makeWcsph<3>(const Scene&);

}  // namespace brim::inline BRIM_FLAVOUR
