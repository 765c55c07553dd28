// Position Based Fluids: Macklin & Müller 2013 (the slides), mass-correct and as an inequality after the course sheet.
//
//   C_i = rho_i/rho0 - 1 <= 0,   lambda_i = -C_i / (S_i + eps),   dx_i = 1/rho0 sum_j (m_j/m_i lambda_i + lambda_j) grad W_ij
//
// Departs from the sheet by default, for deep water. Plain iterations carry pressure one support at a time, so a column of
// N layers needs N^2 of them, and their unit step overshoots: the largest eigenvalue L of D^-1 A, with A the matrix of all
// constraints and D its diagonal S, is 2.8 in 3D, so rough errors grow. acceleration = "multilevel" instead
//  - finds the smooth part of the pressure on a coarse grid once a step (sph/coarse.h) and moves the fluid along its
//    gradient: smooth, so that deep water does not shake its particles;
//  - keeps one pressure per particle, p_i = -Lambda_i / (V dt^2) >= 0 [Pa], Lambda the sum of all lambda_i of the step, and
//    solves p >= 0, C <= 0, p C = 0 by projected gradient steps of 1/L with Nesterov's momentum;
//  - in scenes with bodies, where there is no coarse level, lets walls push with their image of the particle's pressure as well
//    (sph/wall_pressure.h): a sample has no multiplier of its own that pushes back as a neighbour has, so what it adds to the
//    gradient of C_i counts twice. With once the layer at a wall sits 0.2 d from it at twice the pressure.
// Pressures are not kept from step to step. They would act as an integral of C: any mode of which a step removes less than
// half then grows (lambda^3 - 3 s lambda^2 + 3 s lambda - s = 0, s the part that stays; stable only for s < 1/2), and a warm
// start throws columns into the air. acceleration = "none" is the sheet to the letter.
#include <cmath>

#include "constraints/coupling.h"
#include "solvers/scales.h"
#include "solvers/solver.h"
#include "sph/answer.h"
#include "sph/coarse.h"
#include "sph/lattice.h"
#include "sph/viscosity.h"

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
  double vorticity = 0;
  int cloth_sweeps = 4;

  void visit(ParameterVisitor& v) {
    const auto oneOf = [](std::string text, std::vector<std::string> words) {
      return Doc{"", std::move(text), -1e300, 1e300, false, std::move(words)};
    };
    v("iterations", iterations, {"", "pressure iterations a step at most", 1, 10000});
    v("tolerance", tolerance,
      {"", "an iteration that finds the mean of max(rho/rho0 - 1, 0) below this is the step's last; 0: never", 0, 1});
    v("acceleration", acceleration,
      oneOf("multilevel: a coarse grid and momentum, for deep water; none: the plain method of the papers",
            {"multilevel", "none"}));
    v("relaxation", relaxation,
      {"", "epsilon of Eq. 6 as a part of S_i in the rest lattice, so that it means the same at every resolution", 0, 1e6});
    v("largest_correction", largest_correction,
      {"", "density error rho/rho0 - 1 that one iteration undoes at most; without it water crushed by a fall explodes", 0, 1e6,
       true});
    v("condition", condition,
      oneOf("inequality: fluid only pushes (the sheet); equality: it pulls as well (the slides)", {"inequality", "equality"}));
    v("kernel", kernel,
      oneOf("smoothing kernel; poly6 takes its gradients from spiky, as the slides do", {"cubic", "wendland", "poly6"}));
    v("artificial_pressure", artificial_pressure,
      {"", "k of the slides' s_corr against clumping, as a part of 1/S_i in the rest lattice; for condition = equality", 0, 10});
    v("artificial_power", artificial_power, {"", "n of s_corr = -k (W/W(dq))^n", 1, 8});
    v("artificial_distance", artificial_distance, {"supports", "dq of s_corr", 0, 0.9});
    v("xsph", xsph, {"", "XSPH viscosity: part of the difference to the neighbours' mean velocity taken away each step", 0, 1});
    v("vorticity", vorticity, {"", "vorticity confinement: strength of the swirls given back", 0, 100});
    v("cloth_sweeps", cloth_sweeps,
      {"", "sweeps over the constraints of cloth and soft bodies after each pressure iteration", 1, 1000});
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
  bool answers;      // samples with an inverse mass move as well

  /// s_corr = k (W/W(dq))^n, to be taken from lambda. Slides, "Artificial Pressure".
  BRIM_FN Reals correction(Reals w) const {
    const Reals ratio = corrW * w;
    Reals power = ratio;
    for (int n = 1; n < corrN; ++n) power *= ratio;
    return corrK * power;
  }
};

// lambda_i and the new pressure. Sheet Eq. 6, 8 and 10; with momentum, a projected step on the pressure y of the positions:
//   p+ = max(y + omega C / (S V dt^2), 0),   y+ = max(p+ + beta (p+ - p), 0),   lambda = -V dt^2 (y+ - y).
template <int D, class K>
void constrain(World<D>& w, K W, const Iteration it, Array<Real>& before, Array<Real>& extrapolated, Array<Real>& error) {
  auto& out = w.fluid.spares.sample;
  const auto p = w.fluid.p.read(), s = w.solids.p(), sv = w.solids.v();
  const auto to = out.view();
  const auto P = before.view(), Y = extrapolated.view(), C = error.view();
  const NeighbourView nb = w.nb();
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
    if (it.answers)
      for (auto k : nb.solid[i]) {
        const auto [xk, mk] = s[k];
        const auto [vk, inverseMass] = sv[k];
        const auto gradK = (it.image * it.v0 * mk) * W.grad(xi - xk);
        S += inverseMass * dot(gradK, gradK);
      }
    rho = total(i, rho), S = total(i, S), gradI = total(i, gradI);
    if (!leads(i)) return;
    const Reals c = it.v0 * rho - Reals(1);
    const Reals step = (it.omega / it.perPascal) * max(min(c, Reals(it.most)), Reals(it.least)) /
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
    C[i] = c;
  });
  if (!onDevice) w.fluid.padWith(out, Particles<D>::ghostSample());  // lanes past the last particle wrote there
  w.refresh(out);
}

// x_i += dx_i of Eq. 9 and v_i += dx_i/dt: the velocity (x - x_old)/dt of the paper, without the digits that the
// difference of two positions loses in float. Reads {x, lambda} from the spare buffer.
template <int D, bool corrected, class K>
void displace(World<D>& w, K W, const Iteration it, double dt) {
  const auto q = w.fluid.spares.sample.read(), s = w.solids.p();
  const auto p = w.fluid.p.view(), v = w.fluid.v.view();
  const NeighbourView nb = w.nb();
  const Real perDt = Real(1 / dt);
  forEachShared(w.fluid.size(), [=] BRIM_KERNEL(auto i) {
    const auto [xi, lambdaI] = q[i];
    const Sample<D, Reals> pi = p[i], vi = v[i];
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
  w.refresh(w.fluid.p.data);
}

// v* = v + dt g, x* = x + dt v*.
template <int D>
void predict(World<D>& w, double dt) {
  const auto p = w.fluid.p.view(), v = w.fluid.v.view();
  const Vec<D> dv = Real(dt) * w.gravity(w.time);
  const Real h = Real(dt);
  forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) {
    v[i].x += dv;
    p[i].x += h * v[i].x;
  });
}

/// Mean of max(C_i, 0).
template <int D>
double meanExcess(const World<D>& w, const Array<Real>& C) {
  const auto c = C.read();
  return sumOf(w.fluid.size(), [=] BRIM_KERNEL(int i) { return max(c[i], Real(0)); }) / std::max(1, w.fluid.size());
}

// The pressure that users see: that of single steps alternates, as velocities carry what one step corrected too much into the
// next, so it is averaged over about 20 ms. (dt = 1e30 takes the last step's as it is.)
template <int D>
void average(World<D>& w, const Array<Real>& now, double dt) {
  const auto P = w.fluid.real("pressure").view();
  const auto p = now.read();
  const Real part = Real(1 - std::exp(-dt / 0.02));
  forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) { P[i] += part * (p[i] - P[i]); });
}

template <int D>
class Pbf : public Solver<D> {
 public:
  explicit Pbf(const Scene& scene) : o_(parametersOf<PbfParameters>(scene)) {}

  void step(World<D>& w, double dt, StepReport& report) override {
    withKernel<D>(o_.kernel, w.support, [&](auto W) { step(w, W, dt, report); });
  }

 private:
  template <class K>
  void step(World<D>& w, K W, double dt, StepReport& report) {
    Stopwatch watch(report);
    if (w.soft.any()) coupling_.begin(w, dt);
    predict(w, dt);
    answer_.begin(w, dt);
    w.collide(dt, true);
    watch("predict");
    if (w.bodies || w.soft.any())
      w.search();
    else
      w.searchAhead();
    answer_.share(w);
    watch("search");
    project(w, W, dt, report, watch);
    watch("pressure");
    w.collide(dt, false);
    if (w.soft.any()) {
      coupling_.end(w);
      watch("cloth");
      coupling_.drag(w, W, w.nu);
    }
    w.refreshColumn(w.fluid.v.data);
    if (o_.vorticity > 0) {
      viscosity(w, W, dt, w.nu, o_.xsph, curl_);
      confineVorticity(w, W, dt, o_.vorticity, curl_);
    } else {
      viscosity(w, W, dt, w.nu, o_.xsph);
    }
    watch("viscosity");
  }

  // Positions and velocities such that no density is above rho0, as far as the iterations go.
  template <class K>
  void project(World<D>& w, K W, double dt, StepReport& report, Stopwatch& watch) {
    if (lattice_.gradient == 0) lattice_ = restWaves<D>(W, w.spacing, w.support);
    const double S = lattice_.gradient / w.mass;  // of Eq. 8, in the rest lattice
    Iteration it{};
    it.v0 = Real(1 / w.rho0);
    it.eps = Real(o_.relaxation * S);
    it.perPascal = Real(w.mass / w.rho0 * dt * dt);
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

    for (Array<Real>* a : {&p_, &y_, &error_}) a->resize(w.fluid.room());
    watch("pressure");
    const bool cloth = w.soft.any();
    it.answers = cloth || w.bodies;
    it.image = it.keep && w.bodies && !cloth ? Real(2) : Real(1);  // what sheets give back is the plain gradient
    if (it.image == 2) answer_.lean(w, W);
    w.fluid.padWith(w.fluid.spares.sample, Particles<D>::ghostSample());  // lean() had the spare for something else
    const bool coarse = it.keep && !it.answers && coarse_.prepare(w);     // the coarse level knows no sheets and bodies
    watch("coarse");
    // The coarse level acts on what the first iteration left, so that it does not take a local error for a smooth one.
    const int least = cloth ? std::min(10, o_.iterations) : coarse ? 2 : 1;  // a sheet takes some to stretch
    double t = 1;
    for (report.iterations = 1;; ++report.iterations) {
      const bool last = report.iterations == o_.iterations;
      const double next = (1 + std::sqrt(1 + 4 * t * t)) / 2;
      it.beta = last ? Real(0) : Real((t - 1) / next);
      t = next;
      it.fresh = report.iterations == 1;
      do constrain(w, W, it, p_, y_, error_);
      while (it.fresh && !w.listsHold());
      if (it.corrK > 0)
        displace<D, true>(w, W, it, dt);
      else
        displace<D, false>(w, W, it, dt);
      answer_.push(w, W, w.fluid.spares.sample.read(), it.image / dt);
      if (cloth) {
        watch("pressure");
        coupling_.iterate(w, W, w.fluid.spares.sample.read(), o_.cloth_sweeps);
        coupling_.hold(w);
        watch("cloth");
      }
      if (coarse && report.iterations == std::min(2, o_.iterations)) {
        watch("pressure");
        coarse_.push(w, error_, dt, usualStep(w.scene(), this->reach(w)));
        watch("coarse");
      }
      if (last) break;
      if (o_.tolerance > 0 && report.iterations >= least && meanExcess(w, error_) <= o_.tolerance) break;
    }
    if (coarse) coarse_.addPressure(w, dt, y_);
    average(w, y_, it.keep ? dt : 1e30);
  }

  PbfParameters o_;
  RestWaves lattice_;
  CoarseLevel<D> coarse_;
  PositionCoupling<D> coupling_;
  Answer<D> answer_;
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
