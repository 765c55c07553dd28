// Constraint Fluids (Bodin, Lacoursière & Servin 2012): the density of every particle is a constraint of the same kind as the
// joints and contacts of rigid bodies, and one complementarity problem a step holds them all.
//
//   Sigma lambda + G v = c,   c = -4 xi/dt g + xi G v_old,   Sigma = 4 eps xi/dt^2,   xi = 1/(1 + 4 tau/dt)    (Eq. 15-20)
//
// solved by projected Gauss-Seidel on the velocities (Alg. VII.1, bodies/spook.h), never as a matrix. An iteration is
//  - the density rows of the fluid, in colours (sweep.h);
//  - density rows that touch rigid bodies, in the order of the sort, and contacts of particles with planes (bound_rows.h);
//  - the rows of joints, motors and contacts between rigid bodies (bodies/system.h).
// Departs from Bodin et al. by default: densities are bounded from above and not fixed (a fixed one pulls the surface together),
// and iterations start from `warm_start` times the last multipliers. That part must stay below 1 - 4 xi/(1 + 7 xi): 15
// iterations find little of the smooth modes, which add up from step to step and grow if they start from all of the last
// multipliers (docs/methods/constraint.md).
#include <cmath>

#include "scene/walls.h"
#include "solvers/constraint/bound_rows.h"
#include "solvers/constraint/parameters.h"
#include "solvers/constraint/sweep.h"
#include "solvers/scales.h"
#include "sph/coarse.h"
#include "sph/implicit_viscosity.h"
#include "sph/wall_extrapolation.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
class Constraint : public Solver<D> {
 public:
  explicit Constraint(const Scene& scene) : o_(parametersOf<ConstraintParameters>(scene)), viscous_(scene) {}

  void declareState(SolverState<D>& state) override {
    multiplier_ = &state.reals("multiplier");
    viscous_.declareState(state);
  }

  void step(StepContext<D>& c) override {
    const World<D>& w = c.world;
    if (w.kernel == "poly6")
      step(c, Poly6<D>(w.support));  // with its own gradient, other than c.withKernel
    else if (w.kernel == "wendland")
      step(c, Wendland<D>(w.support));
    else if (w.kernel == "quintic")
      step(c, Quintic<D>(w.support));
    else if (w.kernel == "slepian")
      step(c, Slepian<D>(w.support));
    else
      step(c, Cubic<D>(w.support));
  }
  // With an explicit stiffness (stiffness.h) a lattice under p shakes once p dt^2 exceeds about a quarter of rho0 d^2. In a
  // column the deepest has twice the mean.
  TimeLimit limit(const World<D>& w) const override {
    if (o_.stiffness == "implicit") return Solver<D>::limit(w);
    const int n = w.fluid.size();
    const auto p = w.fluid.pressure.read();
    const double mean = n > 0 ? sumOf(n, [=] BRIM_KERNEL(int i) { return max(p[i], 0); }) / n : 0;  // [Pa]
    return {w.spacing * std::sqrt(0.2 * w.rho0 / std::max(2 * mean, 1e-9)), "pressure"};
  }
  std::size_t bytes() const override { return rows_.bytes() + colours_.bytes() + stiffness_.bytes() + stars_.bytes(); }

  // Steps of step(); public because nvcc wants kernels there.
  template <class K>
  void step(StepContext<D>& c, K W) {
    World<D>& w = c.world;
    // The rows are those of the places where the step begins, so solids stand there too, with the velocities they have. The last
    // step ended with a search.
    c.placeBoundaryAt(c.start);
    markBodies(w);
    if (!c.listsMatch()) {
      c.search();
      markBodies(w);  // the first search numbers the samples of bodies
    }
    densities(c, W);  // the same kernel whether the run went on or was resumed, so that the bits are the same
    c.stage("search");
    prepare(c, W);
    c.stage("rows");
    solve(c, W);
    c.stage("pressure");
    move(c);
    c.stage("integrate");
    c.search();
    c.stage("search");
    viscous_.act(c, W, o_.xsph);
    if (!rows_.samples) densities(c, W);
    c.stage("viscosity");
  }

  template <class K>
  void prepare(StepContext<D>& c, K W) {
    World<D>& w = c.world;
    const double dt = c.dt;
    // A density error goes in `damping` steps, but no faster than in `damping` usual steps: if shorter steps undid errors as
    // fast, the speeds of that would shorten the next step, and so on.
    const Spook spook(dt, o_.damping * std::max(1.0, usualStep(w.scene(), this->reach(w)) / dt));
    rows_.v0 = Real(1 / w.rho0);
    rows_.mass = Real(w.mass);
    rows_.sigma = Real(spook.sigma(o_.compliance));
    rows_.perDt = Real(1 / dt);
    rows_.xi = Real(spook.xi);
    rows_.omega = Real(o_.over_relaxation);
    rows_.most = Real(o_.largest_correction);
    if (rows_.walls.phi0 == 0) rows_.walls.phi0 = Real(restingWallPart(w, W));
    rows_.equality = o_.condition == "equality";
    rows_.samples = o_.boundary == "samples";
    rows_.gravity = Real(dt) * c.gravity;
    rows_.resize(w.fluid.capacity());
    if (!rows_.samples) surfaces(w);
    c.refresh(w.fluid.v.data);
    prepareRows(c, W, rows_);

    stiffness_.any = false;
    if (o_.stiffness == "implicit") {
      measureStiffness(c, W, rows_, o_.stiffness_damping, stiffness_);
      if (field_ && stiffness_.any)
        holdByField(w, *field_, rows_, stiffness_);
      else if (stiffness_.any)
        holdByWalls(c, W, rows_, stiffness_);
    }
    if (w.bodies) w.bodies->begin(w.time, dt, apparentGravityAt(w.scene(), w.time, dt), w.solids.posesAt(w.time));
    bound_.gather(c, W, rows_, field_.get());
    gatherContacts(c, spook);
    colours_.build(c, bound_.apart);
    storeRows(c, W, rows_, colours_);
    if (stiffness_.any) {
      buildStars(c, W, stiffness_, colours_, bound_.apart, stars_);
      bound_.gatherStars(c, W, rows_, stiffness_);
    }
    if (rows_.samples) extrapolate(c, W);  // changes velocities
  }

  // Planes half a support off, as in Bodin et al.; and, since densities know of surfaces within one support alone, contacts with
  // whatever a fast particle would meet within the step.
  void gatherContacts(StepContext<D>& c, const Spook& spook) {
    World<D>& w = c.world;
    const bool planes = o_.boundary == "planes";
    const Real standoff = Real(planes ? w.support / 2 : w.spacing / 4);
    const Real near = Real((planes ? w.support : w.spacing / 4) + c.dt * w.solids.maxSpeed());
    bound_.gatherContacts(w, spook, {standoff, near, Real(c.dt), rows_.gravity, planes});
  }

  // What walls and bodies carry of the pressure's gradient along them: the image of p_i in density_rows.h is only p_i.
  template <class K>
  void extrapolate(StepContext<D>& c, K W) {
    World<D>& w = c.world;
    extrapolatePressure(c, W, false, {.along = 0.9, .edges = false});
    if (!w.bodies) return;
    using namespace vectors;
    const std::vector<Wrench> sums = c.reaction.perBody(w.solids);
    for (int b = 0; b < w.bodies->size(); ++b) {
      const Vector impulse = sums[b].force;
      w.bodies->pushNow(b, impulse, sums[b].torque - vectors::cross(w.bodies->body(b).x - w.origin, impulse));
    }
  }

  // What a plane wall adds to rho/rho0 in a lattice at rest, which is calibrated to be whole with it.
  template <class K>
  static double restingWallPart(const World<D>& w, K W) {
    const int reach = int(std::ceil(w.support / w.spacing));
    double behind = 0;
    for (int x = -reach; x <= reach; ++x)
      for (int y = 1; y <= reach; ++y)
        for (int z = D == 3 ? -reach : 0; z <= (D == 3 ? reach : 0); ++z) {
          Vec<D> r{};
          const int at[3] = {x, y, z};
          for (int k = 0; k < D; ++k) r[k] = Real(w.spacing * at[k]);
          behind += std::pow(w.spacing, D) * double(W(r));
        }
    return behind;
  }

  // Walls as fields or planes: what they add to G and c. The blocks of rigid bodies are found with the bound rows.
  void surfaces(World<D>& w) {
    if (o_.boundary == "planes") {
      fill(rows_.wall, 0, w.fluid.capacity(), Record<D>{});
      fill(rows_.phi, 0, w.fluid.capacity(), Real(0));
      return;
    }
    const FieldAround<D> field(w, *field_);
    const auto p = w.fluid.p.read();
    const auto wall = rows_.wall.view();
    const auto phi = rows_.phi.view();
    forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) {
      Record<D> sum = {};
      phi[i] = field.at(p[i].x, [&](const Vec<D>& g, const Vec<D>& velocity, int shape) {
        sum.x += g;
        if (shape < field.surfaces.firstFree) sum.a += dot(g, velocity);
      });
      wall[i] = sum;
    });
    fill(rows_.wall, w.fluid.size(), w.fluid.capacity(), Record<D>{});
    fill(rows_.phi, w.fluid.size(), w.fluid.capacity(), Real(0));
  }

  template <class K>
  void densities(StepContext<D>& c, K W) {
    World<D>& w = c.world;
    const bool field = o_.boundary == "field";
    if (field && !field_) {
      const auto weight = [&](double r) {
        Vec<D> x{};
        x[0] = Real(r);
        return r < w.support ? double(W(x)) : 0.0;
      };
      const double calibration = wallCalibration(D, w.spacing, w.scene().resolution.support, weight);
      field_ = std::make_unique<WallField>(D, w.spacing, w.support, calibration, weight);
    }
    const auto p = w.fluid.p.read(), s = w.solids.p();
    const auto v = w.fluid.v.view();
    const NeighbourView nb = c.nb();
    const bool samples = o_.boundary == "samples";
    forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
      const auto [xi, mi] = p[i];
      Reals rho = 0;
      for (auto j : nb.fluid[i]) {
        const auto [xj, mj] = p[j];
        rho += mj * W(xi - xj);
      }
      if (samples)
        for (auto k : nb.solid[i]) {
          const auto [xk, mk] = s[k];
          rho += mk * W(xi - xk);
        }
      const Record<D, Reals> vi = v[i];
      v[i] = {vi.x, rho};
    });
    if (!field) return;
    const FieldAround<D> around(w, *field_);
    const Real rho0 = Real(w.rho0);
    forEach(w.fluid.size(),
            [=] BRIM_KERNEL(int i) { v[i].a += rho0 * around.at(p[i].x, [](const Vec<D>&, const Vec<D>&, int) {}); });
  }

  template <class K>
  void solve(StepContext<D>& c, K W) {
    World<D>& w = c.world;
    StepReport& report = c.report;
    const double dt = c.dt;
    Array<Real>& lambda = multiplier_->data;
    const int n = w.fluid.size();
    {
      const auto l = lambda.view();
      const auto v = w.fluid.v.view();
      const Vec<D> dv = rows_.gravity;
      const Real part = Real(w.dt > 0 ? o_.warm_start * dt / w.dt : 0);
      forEach(n, [=] BRIM_KERNEL(int i) {
        v[i].x += dv;
        l[i] *= part;
      });
    }
    const double first = norm(w);
    if (o_.warm_start > 0) apply(c, W, lambda);
    // For the coarse grid bodies stand still, so what it finds under one that floats lifts it, and the next step finds the
    // opposite: under a floating box pressures swung by a factor of ten from step to step.
    bool floats = false;
    for (int b = 0; w.bodies && b < w.bodies->size(); ++b) floats = floats || w.bodies->body(b).perMass > 0;
    const bool coarse = o_.acceleration == "multilevel" && !floats && coarse_.prepare(c);
    for (report.iterations = 1;; ++report.iterations) {
      sweepRows(w, colours_, rows_, lambda);
      bound_.sweep(w, rows_, lambda);
      if (stiffness_.any && (report.iterations - 1) % o_.stiffness_interval == 0) {
        sweepStars(w, colours_, stars_, stiffness_);
        bound_.sweepStars(w, stiffness_);
      }
      if (w.bodies)
        for (int k = 0; k < o_.body_sweeps; ++k) w.bodies->sweep();
      // The coarse level sees what the first iterations left, so that it does not take a local error for a smooth one.
      if (coarse && report.iterations == std::min(2, o_.iterations)) correct(c, W, lambda);
      const bool last = report.iterations >= o_.iterations;
      if (last || o_.tolerance > 0) {
        report.residual = residual(c, W, lambda) / std::max(first, 1e-30);
        if (last || report.residual <= o_.tolerance) break;
      }
    }
    const auto l = lambda.read();
    const auto P = w.fluid.pressure.view();
    const Real scale = Real(-w.rho0 / (w.mass * dt));  // p = -lambda / (V dt)
    forEach(n, [=] BRIM_KERNEL(int i) { P[i] = scale * l[i]; });
  }

  /// Velocities change by all these multipliers.
  template <class K>
  void apply(StepContext<D>& c, K W, const Array<Real>& multiplier) {
    applyRows(c, W, rows_, multiplier);
    bound_.pushBodies(c.world, multiplier, 1);
  }

  // The smooth part of the residual gives a pressure on the coarse grid, and the pressure a change d of every multiplier. d goes
  // through the same rows, so walls and bodies feel it as they feel the iterations. Line search: the iterations lower
  // f = 1/2 lambda A lambda + b lambda, and so must d. With the residual r behind the whole of d, r.d is the slope of f there and
  // d.A d its curvature; the part of d that is kept, 1 - r.d / d.A d within [0, 1], ends where f is least.
  template <class K>
  void correct(StepContext<D>& c, K W, Array<Real>& lambda) {
    World<D>& w = c.world;
    residual(c, W, lambda);
    const int n = w.fluid.size(), room = w.fluid.capacity();
    auto keptV = c.scratch.records(room, "{v, rho} before the coarse change");
    auto keptLambda = c.scratch.reals(room, "lambda before the coarse change"),
         change = c.scratch.reals(room, "coarse change of lambda");
    copy(*keptV, w.fluid.v.data, room);
    copy(*keptLambda, lambda, room);
    const auto r = rows_.r.view(), l = lambda.view(), d = change.view();
    const Real h = Real(c.dt);
    forEach(n, [=] BRIM_KERNEL(int i) { r[i] *= h; });
    coarse_.find(c, rows_.r, *change);
    const Real scale = Real(-w.mass * c.dt / w.rho0);
    const Bounds<Real> bounds = rows_.bounds();
    forEach(n, [=] BRIM_KERNEL(int i) {
      const Real next = bounds(l[i] + scale * d[i]);
      d[i] = next - l[i];
      l[i] = next;
    });
    apply(c, W, *change);

    rawResidual(c, W, lambda);
    const auto v = w.fluid.v.view();
    const auto v0 = keptV.read();
    const auto l0 = keptLambda.read();
    const double slope = sumOf(n, [=] BRIM_KERNEL(int i) { return double(d[i]) * r[i]; });
    const Real mass = Real(w.mass), sigma = rows_.sigma;
    const double curvature = sumOf(n, [=] BRIM_KERNEL(int i) {
      const Vec<D> dv = v[i].x - v0[i].x;
      return mass * dot(dv, dv) + sigma * d[i] * d[i];
    });
    const double part = std::clamp(1 - slope / std::max(curvature, 1e-300), 0.0, 1.0);
    if (part == 1) return;
    bound_.pushBodies(w, *change, part - 1);
    const Real kept = Real(part);
    forEach(n, [=] BRIM_KERNEL(int i) {
      v[i].x = v0[i].x + kept * (v[i].x - v0[i].x);
      l[i] = l0[i] + kept * d[i];
    });
  }

  /// Of Eq. 33 over all rows, those of bodies included, by the residuals in rows_.r: the root of the sum of r^2/(D + Sigma), in
  /// which densities, lengths and angles have one unit.
  double norm(const World<D>& w) {
    const auto r = rows_.r.read();
    const auto G = rows_.G.read();
    double sum = sumOf(w.fluid.size(), [=] BRIM_KERNEL(int i) { return double(r[i]) * r[i] * G[i].a; });
    sum += bound_.contactEnergy(w);
    if (w.bodies) sum += w.bodies->residualEnergy();
    return std::sqrt(sum);
  }

  /// Of every row, into rows_.r, whether its multiplier is at its bound or not.
  template <class K>
  void rawResidual(StepContext<D>& c, K W, const Array<Real>& lambda) {
    World<D>& w = c.world;
    c.refresh(w.fluid.v.data);
    residualOfRows(c, W, rows_, lambda);
    bound_.residuals(w, rows_, lambda);
  }

  template <class K>
  double residual(StepContext<D>& c, K W, const Array<Real>& lambda) {
    const World<D>& w = c.world;
    rawResidual(c, W, lambda);
    // A row at its bound lacks only what would move it off.
    if (!rows_.equality) {
      const auto r = rows_.r.view();
      const auto G = rows_.G.read();
      const auto l = lambda.read();
      const Bounds<Real> bounds = rows_.bounds();
      forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) {
        const Real change = relaxed(l[i], Real(r[i]), G[i].a, bounds) - l[i];
        r[i] = G[i].a > 0 ? -change / G[i].a : 0;
      });
    }
    return norm(w);
  }

  void move(StepContext<D>& c) {
    World<D>& w = c.world;
    const auto p = w.fluid.p.view();
    const auto v = w.fluid.v.read();
    const Real h = Real(c.dt);
    forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) { p[i].x += h * v[i].x; });
    if (w.bodies) {
      w.bodies->finish();
      markBodies(w);
    }
    c.placeBoundaryAt(c.end);
    c.collideAndRelease();
  }

 private:
  ConstraintParameters o_;
  FluidViscosity<D> viscous_;
  DensityRows<D> rows_;
  Colours<D> colours_;
  BoundRows<D> bound_;
  Stiffness<D> stiffness_;
  Stars<D> stars_;
  CoarseLevel<D> coarse_;
  std::unique_ptr<WallField> field_;
  typename SolverState<D>::template Field<Real>* multiplier_ = nullptr;  // lambda of the last step
};

void constraintParameters(ParameterVisitor& v) {
  ConstraintParameters p;
  p.visit(v);
}
template <int D>
std::unique_ptr<Solver<D>> makeConstraint(const Scene& s) {
  return std::make_unique<Constraint<D>>(s);
}
template std::unique_ptr<Solver<2>> makeConstraint<2>(const Scene&);
template std::unique_ptr<Solver<3>> makeConstraint<3>(const Scene&);

}  // namespace brim::inline BRIM_FLAVOUR
