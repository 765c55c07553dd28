// Weakly compressible SPH: pressures from a stiff equation of state, explicit steps (Becker & Teschner 2007; CF Eq. 8-10).
//
//   p_i = B ((rho_i/rho0)^gamma - 1)+,   B = rho0 c^2 / gamma
//   a_i = -sum_j m_j (p_i/rho_i^2 + p_j/rho_j^2) grad W_ij  + viscosity + g
//
// The pressure that acts also has p += beta c d D rho/Dt, a bulk viscosity (von Neumann & Richtmyer 1950, linear): it takes the
// energy of sound and of collisions, and nothing of a flow that does not compress, as waves are. D rho/Dt = sum_j m_j v_ij .
// grad W_ij is the adjoint of the force, so that it always takes energy and never gives any.
//
// A step is kick, drift, then forces at the new place: the densities and pressures left behind belong to the positions
// that the step ends with. Walls continue the particle's own pressure as it is at rest, p_k = p_i + rho0 g.(x_k - x_i) within 0
// and 2 p_i, with rho_k = rho0. With p_k = p_i alone (Akinci et al. 2012) a wall carries nothing of the gradient along it: water
// in a gap of three spacings then has 27 % too much of it, and a box with such gaps around it is lifted 13 % too well.
#include <cmath>

#include "solvers/scales.h"
#include "solvers/solver.h"
#include "solvers/words.h"
#include "sph/implicit_viscosity.h"
#include "sph/own_gradient.h"
#include "sph/wall_extrapolation.h"

namespace brim::inline BRIM_FLAVOUR {

struct WcsphParameters {
  double sound_speed = 0;
  int gamma = 7;
  double alpha = 0.04;
  double bulk = 1;
  double courant = 0.4;
  std::string kernel = "cubic";

  void visit(ParameterVisitor& v) {
    v("sound_speed", sound_speed,
      {"m/s",
       "Speed of sound c. Larger: less compression, smaller steps. 0: ten times the largest speed that the scene prescribes or "
       "that a fall from the top of the fluid to the bottom of the domain reaches.",
       0, 1e5});
    v("gamma", gamma, {"", "Exponent of the equation of state: 1 (linear) or 7 (Tait).", 1, 7});
    v("alpha", alpha,
      {"",
       "Artificial viscosity alpha c h / (2 D + 4), h the support, inside the fluid, not at walls, and only against what of the "
       "velocities is not smooth.",
       0, 10});
    v("bulk", bulk,
      {"", "Artificial bulk viscosity beta: the pressure has beta c d D rho/Dt more. Takes the energy of sound, not of waves.", 0,
       1});
    v("courant", courant, {"", "Courant number: distance in spacings that sound may travel in one step.", 0, 1, true});
    v("kernel", kernel, oneOf("Smoothing kernel. Gradients are those of the same kernel.", kernelWords));
  }
};

struct StateEquation {
  Real v0, B;
  int gamma;
  BRIM_FN Reals operator()(Reals rho) const {
    const Reals x = v0 * rho;
    Reals power = x;
    if (gamma == 7) power = x * x * x * x * x * x * x;
    return B * (power - Reals(1));
  }
};

// rho_i, p_i, and {x_i, p_i/rho_i^2} for the force pass. And the rates of strain.
template <int D, class K>
void pressures(StepContext<D>& c, K W, const StateEquation state, double bulk, Array<Record<D>>& pressed,
               Array<Record<D>>& diagonal, Array<Record<D>>& mixed) {
  World<D>& w = c.world;
  const auto p = w.fluid.p.read(), s = w.solids.p(), sv = w.solids.v(), u = w.fluid.v.read();
  c.refresh(w.fluid.v.data);
  auto out = c.scratch.records(w.fluid.capacity(), "{v, rho}");
  const auto next = out.view(), to = pressed.view(), diagonals = diagonal.view(), mixtures = mixed.view();
  const auto P = w.fluid.pressure.view();
  const NeighbourView nb = c.nb();
  const Real zeta = Real(bulk), least = Real(1e-6 * w.support);
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const auto [xi, mi] = p[i];
    const Record<D, Reals> vi = u[i];
    Reals rho = 0, rate = 0;
    StrainSum<D, Reals> strain;
    for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto [vj, rj] = u[j];
      const auto r = xi - xj, u = vi.x - vj;
      const Reals r2 = dot(r, r);
      const auto [w, k] = W.bare(r2);
      rho += w;
      rate += k * dot(u, r);
      strain.add(k, u, r, r2);
    }
    rho *= Reals(W.weight) * mi, rate *= Reals(W.slope) * mi;  // all fluid particles have one mass
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      const auto [vk, rk] = sv[k];
      rho += mk * W(xi - xk);
      rate += dot(vi.x - vk, mk * W.grad(xi - xk));
    }
    strain.finish(Reals(least));
    diagonals[i] = {strain.diagonal, Reals(0)};
    mixtures[i] = {strain.mixed, Reals(0)};
    const Reals pressure = state(rho);
    next[i] = {vi.x, rho};
    P[i] = max(pressure, Reals(0));
    to[i] = {xi, max(pressure + Reals(zeta) * rate, Reals(0)) / max(rho * rho, Reals(Real(1e-30)))};
  });
  w.fluid.padWith(pressed, Particles<D>::paddingRecord());
  c.refresh(pressed, Holds::positions);
  w.fluid.padWith(*out, Record<D>{});
  w.fluid.v.data.swap(*out);
  c.refresh(w.fluid.v.data);
  for (auto* e : {&diagonal, &mixed}) w.fluid.padWith(*e, Record<D>{}), c.refresh(*e);
}

// Pressure and viscous acceleration, without gravity. Pairs push each other equally: momentum is conserved to rounding.
// `nu` [m^2/s] is the fluid's own; `alphaC` [m/s] acts between particles alone, where the flow is not smooth: see sph/strain.h.
template <int D, class K>
void accelerations(StepContext<D>& c, K W, double alphaC, double nu, const Array<Record<D>>& pressed,
                   const Array<Record<D>>& diagonal, const Array<Record<D>>& mixed, Array<Record<D>>& acceleration) {
  World<D>& w = c.world;
  const auto q = pressed.read(), v = w.fluid.v.read(), s = w.solids.p();
  const auto E = diagonal.read(), F = mixed.read();
  const auto a = acceleration.view();
  const NeighbourView nb = c.nb();
  const double perNu = 2 * (D + 2) * viscousCalibration<D>(W, w.spacing, w.support) / w.rho0;
  const Real m = Real(w.mass), drag = Real(perNu * w.support / (2 * (D + 2))), real = Real(perNu * nu),
             soft = Real(0.01 * w.support * w.support), fastest = Real(alphaC);
  const WallPressure<D> wall(c, W, c.gravity);
  forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
    const auto [xi, Pi] = q[i];
    const auto [vi, rhoI] = v[i];
    const Record<D, Reals> Ei = E[i], Fi = F[i];
    Vec<D, Reals> f = {};
    for (auto j : nb.fluid[i]) {
      const auto [xj, Pj] = q[j];
      const auto [vj, rhoJ] = v[j];
      const Record<D, Reals> Ej = E[j], Fj = F[j];
      const auto r = xi - xj;
      const Reals u = dot(vi - vj, r), explained = Reals(Real(0.5)) * (along(Ei, Fi, r) + along(Ej, Fj, r));
      const Reals r2 = dot(r, r) + soft;
      f += ((drag * jumpFriction(u, explained, r2, Reals(fastest)) + real * u) / r2 - (Pi + Pj)) * W.grad(r);
    }
    f = Reals(m) * f;
    const Reals image = Pi * rhoI * rhoI * wall.perRho2;
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      const auto r = xi - xk;
      f += (-mk * (Pi + image + wall.beyond(image, r))) * W.grad(r);
    }
    a[i] = {f, Reals(0)};
  });
}

// What samples of bodies get: the same pairs from their side.
template <int D, class K>
void reactions(StepContext<D>& c, K W, const Array<Record<D>>& pressed) {
  if (c.reaction.size() == 0) return;
  World<D>& w = c.world;
  const auto q = pressed.read(), v = w.fluid.v.read(), s = c.reaction.p();
  const auto out = c.reaction.impulse.view();
  const NeighbourView nb = c.reaction.nb();
  const Real m = Real(w.mass);
  const WallPressure<D> wall(c, W, c.gravity);
  forEach(c.reaction.size(), [=] BRIM_KERNEL(Index k) {
    const auto [xk, mk] = s[k];
    Vec<D, Reals> f = {};
    for (auto i : nb.fluid[k]) {
      const auto [xi, Pi] = q[i];
      const auto [vi, rhoI] = v[i];
      const auto r = xi - xk;
      const Reals image = Pi * rhoI * rhoI * wall.perRho2;
      f += (-(Pi + image + wall.beyond(image, r))) * W.grad(r);
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
      : o_(parametersOf<WcsphParameters>(scene)),
        viscous_(scene),
        c_(o_.sound_speed > 0 ? o_.sound_speed : soundSpeed(scene, Fall::fluid)) {}

  TimeLimit limit(const World<D>& w) const override {
    const double sound = o_.courant * w.spacing / c_,
                 viscous = 0.125 * w.spacing * w.spacing / std::max(viscous_.explicitly(w.nu, artificial(w)), 1e-30);
    return sound < viscous ? TimeLimit{sound, "sound"} : TimeLimit{viscous, "viscosity"};
  }

  void declareState(SolverState<D>& state) override {
    acceleration_ = &state.records("acceleration");
    state.flag("evaluated", evaluated_);
    viscous_.declareState(state);
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
    viscous_.solve(c);
    c.stage("viscosity");
    forces(c);
    c.stage("pressure");
    evaluated_ = true;
    c.report.iterations = 1;
  }

 private:
  double artificial(const World<D>& w) const { return o_.alpha * c_ * w.support / (2 * (D + 2)); }  // [m^2/s]

  void forces(StepContext<D>& c) {
    const World<D>& w = c.world;
    const StateEquation state{Real(1 / w.rho0), Real(w.rho0 * c_ * c_ / o_.gamma), o_.gamma};
    const int room = w.fluid.capacity();
    auto pressed = c.scratch.records(room, "{x, p/rho^2}"), diagonal = c.scratch.records(room, "rates of strain"),
         mixed = c.scratch.records(room, "rates of shear");
    withOwnGradient(c, [&](auto W) {
      pressures(c, W, state, o_.bulk * c_ * w.spacing, *pressed, *diagonal, *mixed);
      accelerations(c, W, viscous_.jumpSpeed(w, o_.alpha * c_), viscous_.explicitly(w.nu, 0), *pressed, *diagonal, *mixed,
                    acceleration_->data);
      reactions(c, W, *pressed);
    });
  }

  WcsphParameters o_;
  FluidViscosity<D> viscous_;
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
