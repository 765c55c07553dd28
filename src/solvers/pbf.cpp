// Position Based Fluids: Macklin & Müller 2013, mass-correct and as an inequality; equations are those of docs/methods/pbf.md.
//
//   C_i = rho_i/rho0 - 1 <= 0,   lambda_i = -C_i / (S_i + eps),   dx_i = 1/rho0 sum_j (m_j/m_i lambda_i + lambda_j) grad W_ij
//
// Departs from the paper by default, for deep water. Plain iterations carry pressure one support at a time, so a column of
// N layers needs N^2 of them, and their unit step overshoots: the largest eigenvalue L of D^-1 A, with A the matrix of all
// constraints and D its diagonal S, is 2.8 in 3D, so rough errors grow. acceleration = "multilevel" instead
//  - finds the smooth part of the pressure on a coarse grid once a step (sph/coarse.h) and moves the fluid along its
//    gradient: smooth, so that deep water does not shake its particles;
//  - keeps one pressure per particle, p_i = -Lambda_i / (V dt^2) >= 0 [Pa], Lambda the sum of all lambda_i of the step, and
//    solves p >= 0, C <= 0, p C = 0 by projected gradient steps of 1/L with Nesterov's momentum;
//  - in scenes with bodies, where there is no coarse level, lets walls push with their image of the particle's pressure as well
//    (sph/wall_extrapolation.h): a sample has no multiplier of its own that pushes back as a neighbour has, so what it adds to
//    the gradient of C_i counts twice. With once the layer at a wall sits 0.2 d from it at twice the pressure.
// Pressures are not kept from step to step. They would act as an integral of C: any mode of which a step removes less than
// half then grows (lambda^3 - 3 s lambda^2 + 3 s lambda - s = 0, s the part that stays; stable only for s < 1/2), and a warm
// start throws columns into the air. acceleration = "none" is the paper's iteration.
#include <cmath>

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
#include "sph/second_order.h"
#include "sph/shown_pressure.h"

namespace brim::inline BRIM_FLAVOUR {

struct PbfParameters {
  int iterations = 20;
  double tolerance = 1.5e-3;
  std::string acceleration = "multilevel";
  double relaxation = 1e-4;
  double largest_correction = 0.1;
  std::string condition = "inequality";
  std::string kernel = "cubic";
  double artificial_pressure = 0;
  int artificial_power = 4;
  double artificial_distance = 0;
  double xsph = 0.05;
  std::string update = "second_order";
  double vorticity = 0;
  int cloth_sweeps = 4;

  void visit(ParameterVisitor& v) {
    v("iterations", iterations, {"", "Largest number of pressure iterations per step.", 1, 10000});
    v("tolerance", tolerance,
      {"",
       "Stop iterating when the mean compression, the mean of max(rho/rho0 - 1, 0), is below this; 0: always do all iterations.",
       0, 1});
    v("acceleration", acceleration,
      oneOf(
          "multilevel: a coarse grid and Nesterov momentum, for deep water; none: the Jacobi iteration of Macklin & Müller 2013.",
          {"multilevel", "none"}));
    v("relaxation", relaxation,
      {"",
       "Regularisation epsilon of the multiplier, relative to S_i of the rest lattice, so that it does not depend on the "
       "resolution.",
       0, 1e6});
    v("largest_correction", largest_correction,
      {"",
       "Largest compression rho/rho0 - 1 that one iteration corrects. Larger values can make strongly compressed water explode.",
       0, 1e6, true});
    v("condition", condition,
      oneOf("inequality: the fluid resists compression only; equality: it resists expansion too, as in Macklin & Müller 2013.",
            {"inequality", "equality"}));
    v("kernel", kernel,
      oneOf("Smoothing kernel. With poly6 the gradients are those of the spiky kernel, as in Macklin & Müller 2013.",
            kernelWords));
    v("artificial_pressure", artificial_pressure,
      {"",
       "Strength k of the artificial pressure s_corr against clumping (Macklin & Müller 2013), relative to 1/S_i of the rest "
       "lattice. For condition = equality.",
       0, 10});
    v("artificial_power", artificial_power, {"", "Exponent n of s_corr = -k (W/W(dq))^n.", 1, 8});
    v("artificial_distance", artificial_distance, {"supports", "Distance dq of s_corr.", 0, 0.9});
    v("xsph", xsph,
      {"", "XSPH viscosity: fraction of the difference to the mean velocity of the neighbours that each step removes.", 0, 1});
    v("update", update,
      oneOf("How the coarse level's pressures change velocities. second_order: a step late, so that waves last; first_order: at "
            "once, "
            "v = (x - x_old)/dt of Macklin & Müller 2013. For acceleration = multilevel.",
            {"second_order", "first_order"}));
    v("vorticity", vorticity, {"", "Strength of the vorticity confinement; 0: none.", 0, 100});
    v("cloth_sweeps", cloth_sweeps,
      {"", "Sweeps over the constraints of cloth and soft bodies after each pressure iteration.", 1, 1000});
  }
};

// What the iteration needs besides the world.
struct Iteration {
  Real v0;              // [m^3/kg] 1/rho0
  Real eps;             // [1/(kg m^2)] regularisation
  Real perPascal;       // [m^3 s^2] V dt^2, so that lambda = -perPascal * pressure
  Real omega;           // step length: 1 in the plain method
  Real beta;            // momentum
  bool keep, oneSided;  // pressures accumulate; only push
  bool fresh;           // the first iteration: there are no pressures yet
  Real corrK, corrW;    // s_corr: k / S0 [kg m^2], 1/W(dq) [m^D]
  int corrN;
  Real least, most;  // C that one iteration may undo
  Real image;        // how often what samples add to a gradient counts: 2 with their image of the pressure
  bool twoWay;       // samples with a mobility move as well

  /// s_corr = k (W/W(dq))^n, to be taken from lambda: artificial pressure.
  BRIM_FN Reals correction(Reals w) const {
    const Reals ratio = corrW * w;
    Reals power = ratio;
    for (int n = 1; n < corrN; ++n) power *= ratio;
    return corrK * power;
  }
};

// lambda_i and the new pressure; {x, lambda} goes to `moved`. Eq. 6, 8 and 10; with momentum, a projected step on the
// pressure y of the positions:
//   p+ = max(y + omega C / (S V dt^2), 0),   y+ = max(p+ + beta (p+ - p), 0),   lambda = -V dt^2 (y+ - y).
template <int D, class K>
void constrain(StepContext<D>& c, K W, const Iteration it, Array<Record<D>>& moved, Array<Real>& before,
               Array<Real>& extrapolated, Array<Real>& error) {
  World<D>& w = c.world;
  const auto p = w.fluid.p.read(), s = w.solids.p(), sv = w.solids.v();
  const auto to = moved.view();
  const auto P = before.view(), Y = extrapolated.view(), C = error.view();
  const NeighbourView nb = c.nb();
  forEachShared(w.fluid.size(), [=] BRIM_KERNEL(auto i) {
    const auto [xi, mi] = p[i];
    const Reals y = it.fresh ? Reals(0) : Reals(Y[i]), last = it.fresh ? Reals(0) : Reals(P[i]);
    Reals rho = 0, S = 0;
    Vec<D, Reals> gradI = {};
    BRIM_BY_FOUR for (auto j : nb.fluid[i]) {
      const auto [xj, mj] = p[j];
      const auto r = xi - xj;
      const Reals r2 = dot(r, r);
      const auto [w, k] = W.bare(r2);
      rho += w;
      gradI += k * r;
      S += k * k * r2;  // m_j^-1 |grad_j C|^2; zero for j = i
    }
    const Reals slope = Reals(it.v0 * W.slope) * mi;  // all fluid particles have one mass
    rho *= Reals(W.weight) * mi, S *= Reals(it.v0 * W.slope) * slope, gradI = slope * gradI;
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      rho += mk * W(xi - xk);
      gradI += (it.image * it.v0 * mk) * W.grad(xi - xk);
    }
    if (it.twoWay)
      for (auto k : nb.solid[i]) {
        const auto [xk, mk] = s[k];
        const auto [vk, mobility] = sv[k];
        const auto gradK = (it.image * it.v0 * mk) * W.grad(xi - xk);
        S += mobility * dot(gradK, gradK);
      }
    rho = total(i, rho), S = total(i, S), gradI = total(i, gradI);
    if (!leads(i)) return;
    const Reals excess = it.v0 * rho - Reals(1);
    const Reals step = (it.omega / it.perPascal) * max(min(excess, Reals(it.most)), Reals(it.least)) /
                       (S + dot(gradI, gradI) / max(mi, Reals(Real(1e-30))) + it.eps);
    Reals next = it.keep ? y + step : step;
    if (it.oneSided) next = max(next, Reals(0));
    Reals ahead = next;
    if (it.keep) {
      ahead += it.beta * (next - last);
      if (it.oneSided) ahead = max(ahead, Reals(0));
    }
    to[i] = {xi, -it.perPascal * (it.keep ? ahead - y : next)};
    P[i] = it.keep ? next : last + next;
    Y[i] = it.keep ? ahead : last + next;
    C[i] = excess;
  });
  if (!onDevice) w.fluid.padWith(moved, Particles<D>::paddingRecord());  // lanes past the last particle wrote there
  c.refresh(moved, Holds::positions);
}

// x_i += dx_i of Eq. 9 and v_i += dx_i/dt: the velocity (x - x_old)/dt of the paper, without the digits that the
// difference of two positions loses in float.
template <int D, bool corrected, class K>
void displace(StepContext<D>& c, K W, const Iteration it, const Array<Record<D>>& moved) {
  World<D>& w = c.world;
  const auto q = moved.read(), s = w.solids.p();
  const auto p = w.fluid.p.view(), v = w.fluid.v.view();
  const NeighbourView nb = c.nb();
  const Real perDt = Real(1 / c.dt);
  forEachShared(w.fluid.size(), [=] BRIM_KERNEL(auto i) {
    const auto [xi, lambdaI] = q[i];
    const Record<D, Reals> pi = p[i], vi = v[i];
    Vec<D, Reals> dx = {};
    BRIM_BY_FOUR for (auto j : nb.fluid[i]) {
      const auto [xj, lambdaJ] = q[j];
      const auto r = xi - xj;
      const auto [w, k] = W.bare(dot(r, r));
      Reals lambda = lambdaI + lambdaJ;  // all fluid particles have one mass
      if (corrected) lambda -= it.correction(Reals(W.weight) * w);
      dx += (lambda * k) * r;
    }
    dx = Reals(W.slope) * dx;
    const Reals perMass = it.image * lambdaI / max(pi.a, Reals(Real(1e-30)));
    for (auto k : nb.solid[i]) {
      const auto [xk, mk] = s[k];
      dx += (mk * perMass) * W.grad(xi - xk);
    }
    dx = Reals(it.v0) * total(i, dx);
    if (!leads(i)) return;
    p[i] = {xi + dx, pi.a};
    v[i] = {vi.x + Reals(perDt) * dx, vi.a};
  });
  c.refresh(w.fluid.p.data, Holds::positions);
}

template <int D>
class Pbf : public Solver<D> {
 public:
  explicit Pbf(const Scene& scene) : o_(parametersOf<PbfParameters>(scene)), viscous_(scene) {
    o_.tolerance = toleranceOf(scene, o_.tolerance);
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
    World<D>& w = c.world;
    c.placeBoundaryAt(c.end);
    cloth_.begin(c);
    rigid_.begin(c);
    predict(c);
    c.collideAndRelease();
    c.stage("predict");
    if (w.bodies || w.soft.any())
      c.search();
    else
      c.searchAhead();
    rigid_.share(c, W);
    c.stage("search");
    project(c, W);
    c.stage("pressure");
    c.collide();
    cloth_.end(c, W);
    c.refresh(w.fluid.v.data);
    if (o_.vorticity > 0) {
      viscous_.act(c, W, o_.xsph, 0, curl_);
      confineVorticity(c, W, o_.vorticity, curl_);
    } else {
      viscous_.act(c, W, o_.xsph);
    }
    c.stage("viscosity");
  }

  // Positions and velocities such that no density is above rho0, as far as the iterations go.
  template <class K>
  void project(StepContext<D>& c, K W) {
    static_assert(BoundaryCoupling<RigidCoupling<D>, D, K> && BoundaryCoupling<PositionCoupling<D>, D, K>);
    World<D>& w = c.world;
    Iteration it = iteration(c, W);
    for (Array<Real>* a : {&p_, &y_, &error_}) a->resize(w.fluid.capacity());
    c.stage("pressure");
    const bool cloth = w.soft.any();
    it.twoWay = cloth || w.bodies;
    it.image = it.keep && w.bodies && !cloth ? Real(2) : Real(1);  // what sheets give back is the plain gradient
    if (it.image == 2) rigid_.extrapolate(c, W);
    auto moved = c.scratch.records(w.fluid.capacity(), "{x, lambda} of an iteration");
    w.fluid.padWith(*moved, Particles<D>::paddingRecord());
    const bool coarse = it.keep && !it.twoWay && coarse_.prepare(c);  // the coarse level knows no sheets and bodies
    c.stage("coarse");
    cloth_.sweeps = o_.cloth_sweeps;
    const int least = cloth ? std::min(10, o_.iterations) : coarse ? 2 : 1;  // a sheet takes some to stretch
    c.report.iterations = acceleratedLoop(
        {o_.iterations, least, o_.tolerance},
        [&](int n, double beta) {
          it.beta = Real(beta);
          it.fresh = n == 1;
          do constrain(c, W, it, *moved, p_, y_, error_);
          while (it.fresh && !c.listsHold());
          if (it.corrK > 0)
            displace<D, true>(c, W, it, *moved);
          else
            displace<D, false>(c, W, it, *moved);
          rigid_.react(c, W, moved.read(), it.image / c.dt);
          if (!cloth) return;
          c.stage("pressure");
          cloth_.react(c, W, moved.read(), 1 / c.dt);
          c.stage("cloth");
        },
        [&] {
          if (!coarse) return;
          c.stage("pressure");
          if (o_.update == "second_order") late_.begin(c);
          coarse_.push(c, error_, usualStep(w.scene(), this->reach(w)));
          if (o_.update == "second_order") late_.end(c);
          c.stage("coarse");
        },
        [&] { return meanCompression(w, error_); });
    if (coarse) coarse_.addPressure(c, y_);
    showPressure(c, it.keep ? Shown::averaged : Shown::ofThisStep, ColumnPressure{y_.read()});
  }

  template <class K>
  Iteration iteration(const StepContext<D>& c, K W) {
    const World<D>& w = c.world;
    if (lattice_.gradient == 0) lattice_ = restWaves<D>(W, w.spacing, w.support);
    const double S = lattice_.gradient / w.mass;  // of Eq. 8, in the rest lattice
    Iteration it{};
    it.v0 = Real(1 / w.rho0);
    it.eps = Real(o_.relaxation * S);
    it.perPascal = Real(w.mass / w.rho0 * c.dt * c.dt);
    it.keep = o_.acceleration == "multilevel";
    it.oneSided = o_.condition == "inequality";
    it.omega = it.keep ? Real(1 / (1.15 * lattice_.largest)) : Real(1);  // the wave bound is for a lattice; 15 % for disorder
    it.corrK = Real(o_.artificial_pressure / S);
    it.corrN = o_.artificial_power;
    it.most = Real(o_.largest_correction);
    it.least = it.oneSided ? Real(-1e30) : -it.most;
    Vec<D> dq{};
    dq[0] = Real(o_.artificial_distance * w.support);
    it.corrW = 1 / W(dq);
    return it;
  }

  PbfParameters o_;
  FluidViscosity<D> viscous_;
  RestWaves lattice_;
  CoarseLevel<D> coarse_;
  PositionCoupling<D> cloth_;
  RigidCoupling<D> rigid_;
  LatePressure<D> late_;
  Array<Real> p_, y_, error_;
  Curl<D> curl_;
};

void pbfParameters(ParameterVisitor& v) {
  PbfParameters p;
  p.visit(v);
}
template <int D>
std::unique_ptr<Solver<D>> makePbf(const Scene& s) {
  return std::make_unique<Pbf<D>>(s);
}
template std::unique_ptr<Solver<2>> makePbf<2>(const Scene&);
template std::unique_ptr<Solver<3>> makePbf<3>(const Scene&);

}  // namespace brim::inline BRIM_FLAVOUR
