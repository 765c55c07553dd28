// FLIP and APIC with implicit density projection: Kugelstadt, Longva, Thuerey & Bender 2019 (Eq. and Alg. numbers are theirs).
//
//   (dt/rho0) lap p1 = div u*                      u = u* - dt/rho0 grad p1          velocities without divergence, Eq. 9 and 5
//   (dt/rho0) lap p2 = (1 - rho*/rho0)/dt         dx = -dt^2/rho0 grad p2            positions of constant density, Eq. 10 and 11
//
// A step is lines 8-14 of Alg. 1 and then 1-7: the same circle, begun where the particles are all there is to know, so that a
// checkpoint is exact and the densities reported are those of the positions that the step ends with.
//
// Both equations are solved for phi with sum_n (phi - phi_n) = rhs [1/s], the sum over the neighbours that are not solid: u -= dx
// (phi - phi_n) and, with phi of the second, dx -= dt dx (phi - phi_n); pressure is rho0 dx^2/dt phi. Both right-hand sides are
// positive where fluid must leave. That is Eq. 16-18 with their signs put right: see docs/errata.md.
#include "grid/density/resampling.h"
#include "grid/density/separation.h"
#include "grid/pressure/poisson.h"
#include "grid/pressure/project.h"
#include "grid/pressure/release.h"
#include "grid/pressure/slip.h"
#include "grid/tension/tension.h"
#include "grid/transfer/extrapolate.h"
#include "grid/transfer/g2p.h"
#include "grid/transfer/pad.h"
#include "grid/viscosity/viscosity.h"
#include "scene/tank.h"
#include "scene/vector.h"
#include "solvers/solver.h"
#include "solvers/words.h"

namespace brim::inline BRIM_FLAVOUR {

struct GridParameters {
  int iterations = 200;
  double tolerance = 1e-3;
  bool density_projection = true;
  std::string instead = "nothing";
  double averaging_time = 1;
  double stiffness = 50;
  int passes = 2;
  double pressure_start = 0;
  bool separation = true;
  double jitter = 0.25;

  void visit(ParameterVisitor& v) {
    v("iterations", iterations, {"", "Largest number of iterations of each of the two pressure solves.", 1, 100000});
    v("tolerance", tolerance,
      {"1/s",
       "Stop a pressure solve when the largest residual divergence (or density error per time step) of all cells is below this; "
       "0: always do all iterations. 1e-6 needs double precision.",
       0, 1e6});
    v("density_projection", density_projection,
      {"", "true: the density is projected too (Kugelstadt et al. 2019), so that large steps lose no volume."});
    v("instead", instead,
      oneOf(
          "Another correction of the volume, for comparison, if density_projection = false. unsplit: the density term is added "
          "to "
          "the velocity equation (Kugelstadt et al. 2019, Eq. 8); averaged: the same, over averaging_time (Losasso et al. 2008); "
          "springs (Ando & Tsuruno 2011) and distances (Sato et al. 2018): particles are pushed apart.",
          {"nothing", "unsplit", "averaged", "springs", "distances"}));
    v("averaging_time", averaging_time, {"s", "Averaging time tau of instead = averaged.", 0, 1e6, true});
    v("stiffness", stiffness,
      {"1/s", "Spring stiffness of instead = springs. Stiffness times dt should be well below 1.", 0, 1e6});
    v("passes", passes, {"", "Passes over all pairs of particles of instead = distances.", 1, 1000});
    v("separation", separation,
      {"", "true: walls and solids push the liquid and let it go; false: they also hold it, as a pump needs that sucks."});
    v("jitter", jitter,
      {"",
       "Particles begin up to this many spacings from the places of a lattice, along each axis: its rows would stretch to "
       "stripes. "
       "Not if a block says how many particles it has: these are at random places anyway.",
       0, 0.5});
    v("pressure_start", pressure_start, {"s", "No pressure acts before this time: the fluid collapses under gravity.", 0, 1e30});
  }
};
struct FlipParameters : GridParameters {
  double ratio = 0.97;
  void visit(ParameterVisitor& v) {
    GridParameters::visit(v);
    v("ratio", ratio, {"", "Fraction of FLIP in the velocity update of the particles. The rest is PIC, which damps.", 0, 1});
  }
};

template <int D>
GridGeometry<D> geometryOf(const World<D>& w) {
  return {w.spacing, w.extent, w.walled, w.periodic};
}

template <int D>
class Grid : public Solver<D> {
 public:
  Grid(const Scene& scene, const GridParameters& o, double flip, bool apic)
      : o_(o), flip_(flip), apic_(apic), viscosity_(scene), tension_(scene) {}

  double reach(const World<D>& w) const override { return geometryOf(w).cell; }

  TimeLimit limit(const World<D>& w) const override {
    if (!tension_.acts()) return Solver<D>::limit(w);
    return {tension_.limit(w.rho0, geometryOf(w).cell), "surface_tension"};
  }

  std::size_t bytes() const override {
    return poisson_.bytes() + bodyTerms_.bytes() + viscosity_.bytes() + tension_.bytes() + (state_ ? state_->bytes() : 0);
  }

  void declareState(SolverState<D>& state) override {
    if (apic_ || viscosity_.acts()) affine_ = std::make_unique<Affine<D>>(state);
  }

  void step(StepContext<D>& c) override {
    [[maybe_unused]] const ShortKernels run;
    World<D>& w = c.world;
    if (!state_) state_ = std::make_unique<GridState<D>>(geometryOf(w), movingBodies(w.solids, w.scene()));
    GridState<D>& s = *state_;
    const bool pressure = c.start >= o_.pressure_start;
    c.report.iterations = 0;

    if (w.step == 0) shake(w);
    c.placeBoundaryAt(c.end);
    const int layers = sortForVelocity(w, c.dt);
    c.stage("sort");
    projectVelocity(c, pressure, layers);
    if (w.bodies) {
      w.bodies->finish();
      placeBodies(w);
    }
    if (o_.density_projection && pressure) {
      projectDensity(c);
      // In a cell with an open face no particle is deeper than the cell is wide; deeper ones are on their way out.
      c.pushOut(std::sqrt(double(D)) * s.geometry.cell);
    } else {
      if (pressure) separate(c);
      c.pushOut();
    }
    c.stage("collide");

    // Line 1: the density at the positions that the step ends with.
    sort(w, ringFor(w, c.dt));
    if (w.step % 4 == 3) s.bins.reorder(w.fluid, c.scratch);
    sorted_ = w.fluid.arrangement();
    c.stage("sort");
    p2gDensity(s, w.fluid);
    c.report.volume_ratio_eq19 = w.fluid.size() ? filledOf(s.filled) / w.fluid.size() : 1;
    g2pDensity(s, w.fluid, w.rho0);
    c.stage("density");
  }

  // Steps of step(); public because nvcc wants kernels there.

  /// Random places near those of the lattice that the particles begin at.
  void shake(World<D>& w) {
    for (const auto& block : w.scene().fluid.blocks)
      if (block.particles > 0) return;
    const Real most = Real(2 * o_.jitter * w.spacing);
    const auto p = w.fluid.p.view();
    const auto id = w.fluid.id.read();
    forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) {
      for (int k = 0; k < D; ++k) p[i].x[k] += most * (randomOf(std::uint64_t(id[i]), 0, k) - Real(0.5));
    });
  }

  /// Particles that left through a periodic side come back through the other.
  void wrap(World<D>& w) {
    const auto p = w.fluid.p.view();
    const GridGeometry<D> f = state_->geometry;
    forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) { p[i].x = f.wrapped(p[i].x); });
  }

  // Lines 8-14 of Alg. 1: P2G, forces, the velocity projection (Eq. 9 and 5), G2P and advection. Velocities are extrapolated by
  // `layers` of faces around the fluid.
  void projectVelocity(StepContext<D>& c, bool pressure, int layers) {
    World<D>& w = c.world;
    GridState<D>& s = *state_;
    const double dt = c.dt;
    const Vec<D> g = c.gravity;
    p2gVelocity(s, w.fluid, affine_.get());
    c.stage("to_grid");
    if (w.bodies) predictBodies(c);
    const bool oneEquation = pressure && !o_.density_projection && (o_.instead == "unsplit" || o_.instead == "averaged");
    s.finishFlags();
    applyForce(s, w.solids, Real(dt) * g);
    if (tension_.acts() && pressure) tension_.act(s, w.rho0, dt);
    if (viscosity_.acts()) applyViscosity(c, pressure);
    divergence(s, w.solids);
    if (oneEquation) addDensityError(o_.instead == "unsplit" ? dt : o_.averaging_time);
    s.tiles.fit(s.phi, Real(0));
    if (!pressure) {
      s.tiles.clear({&s.phi});
      for (Array<Real>& slope : s.slope) s.tiles.fitCleared({&slope});
    }
    c.stage("velocity");
    if (pressure) {
      solvePressure(c, "velocity_solve", viscosity_.acts(), w.bodies.get());
      // Only one round: what is found wrong by it, the next step decides anew. What pulls a stiff liquid from a wall is not its
      // pressure alone.
      released_ = o_.separation && !(viscosity_.acts() && viscosity_.follows()) &&
                  releaseWalls(s, poisson_, Real(dt) * g, tension(dt)) > 0;
      if (released_) solvePressure(c, "separation_solve", true, w.bodies.get());
      subtractGradient(s, s.geometry.cell, true);
      findSlopes(s);
      if (w.bodies) pushBodies(c);
      if (!viscosity_.acts()) slideAlongSolids(s, w.solids, released_);  // else friction has said what walls hold
    }
    c.stage("velocity");
    extrapolate(s, layers, true);
    padVelocity(s);
    if (!apic_) padActive(s, s.faces.change);
    c.stage("extrapolate");
    const double pascals = w.rho0 * s.geometry.cell * s.geometry.cell / dt;
    g2pVelocity(s, w.fluid, {dt, flip_, g, pascals}, affine_.get());
    c.stage("advect");
  }

  // Friction acts on velocities without divergence: on others it would carry a part of the liquid's weight, which is the
  // pressure's. What divergence it leaves changes the pressure, in rounds; the last is the first guess of the velocity's.
  void applyViscosity(StepContext<D>& c, bool pressure) {
    GridState<D>& s = *state_;
    s.tiles.fit(s.phi, Real(0));
    if (pressure) {
      divergence(s, c.world.solids);
      solvePressure(c, "velocity_solve");
    }
    viscosity_.begin(s, c.world.solids, c.world.nu, c.dt, pressure);
    viscosity_.solve(s);
    c.stage("viscosity");
    for (int round = 0; pressure && viscosity_.follows() && round < mostRounds; ++round) {
      s.tiles.fit(viscousPhi_, Real(0));
      divergence(s, c.world.solids);
      s.phi.swap(viscousPhi_);
      solvePressure(c, "velocity_solve");
      viscosity_.correct(s);
      addTo(viscousPhi_, s.phi);
      s.phi.swap(viscousPhi_);
      const int more = viscosity_.solve(s);
      c.stage("viscosity");
      if (more == 0) break;
    }
    viscosity_.finish(s);
    c.stage("viscosity");
  }
  static constexpr int mostRounds = 12;
  void addTo(Array<Real>& sum, const Array<Real>& more) {
    const auto to = sum.view();
    const auto from = more.read();
    forEach(state_->tiles.count() * Tiles<D>::cells, [=] BRIM_KERNEL(int c) { to[c] += from[c]; });
  }

  // Bodies stay where the particles are while pressures are found, and move with what these make of their velocities. Joints and
  // contacts come before, with the force of the last step's fluid, so that they hold a body up by no more than what the water
  // leaves them; then that force is taken back, and the pressure gives its own.
  void predictBodies(StepContext<D>& c) {
    BodySystem& bodies = *c.world.bodies;
    bodies.begin(c.start, c.dt, apparentGravityAt(c.world.scene(), c.start, c.dt), c.world.solids.posesAt(c.start));
    constexpr int sweeps = 60;  // as BodySystem::step
    for (int k = 0; k < sweeps; ++k) bodies.sweep();
    using namespace vectors;
    for (int b = 0; b < bodies.size(); ++b) bodies.pushNow(b, -c.dt * bodies.force(b).v, -c.dt * bodies.force(b).w);
    placeBodies(c.world);
  }
  void pushBodies(StepContext<D>& c) {
    BodySystem& bodies = *c.world.bodies;
    std::vector<SixNumbers> impulse(bodies.size());
    if (bodyTerms_.any()) impulse = bodyTerms_.impulses(*state_);
    using namespace vectors;
    for (int b = 0; b < bodies.size(); ++b) {
      const double* const i = impulse[b].of;
      const Vector linear = {i[0], i[1], i[2]}, moment = {i[3], i[4], i[5]};
      bodies.pushNow(b, linear, moment);
      bodies.setForce(b, 1 / c.dt * linear, 1 / c.dt * moment);
    }
    placeBodies(c.world);
    setWalls(*state_, c.world.solids, released_);
  }

  // Lines 2-7 of Alg. 1: density, resampling, the density projection (Eq. 10 and 11) with push-out (Sec. 3.3), displacement. The
  // grid's velocities stay in their own tiles: resampled particles take them.
  void projectDensity(StepContext<D>& c) {
    World<D>& w = c.world;
    GridState<D>& s = *state_;
    const double dt = c.dt;
    std::swap(s.tiles, s.velocityTiles);
    sort(w, 2);
    c.stage("sort");
    p2gDensity(s, w.fluid);
    s.finishFlags();
    resample(s, w.fluid, w.solids, w.step);
    densityError(s, dt, 0.5, s.rhs, released_);
    findPushOut(s, w.fluid, w.solids);
    addPushOut(s, dt);
    s.tiles.fit(s.phi, Real(0));
    c.stage("density");
    solvePressure(c, "density_solve");
    s.faces.fit(s.tiles);
    subtractGradient(s, dt * s.geometry.cell, false, true);
    setPushOut(s);
    extrapolate(s, 1, false);
    padActive(s, s.faces.u);
    displace(s, w.fluid, w.solids);
    c.stage("displace");
  }

  /// [1/s] from which on a wall lets go: a twentieth of what a cell of water weighs.
  double tension(double dt) const { return std::max(o_.tolerance, 0.05 * 9.81 * dt * state_->geometry.perCell); }

  void solvePressure(StepContext<D>& c, const char* stage, bool warm = false, bool withBodies = false) {
    GridState<D>& s = *state_;
    poisson_.prepare(s.tiles, s.flags.state, &s.flags.distance, openFaces(s));
    if (withBodies) {
      bodyTerms_.find(s, c.world);
      poisson_.join(bodyTerms_);
    }
    c.stage("levels");
    c.report.iterations += poisson_.solve(s.rhs, s.phi, o_.tolerance, o_.iterations, warm).iterations;
    c.stage(stage);
  }

  // Eq. 8: the density's term joins the right-hand side of the velocity's equation, over `time` [s]. No clamp, which belongs to
  // the split equations.
  void addDensityError(double time) {
    GridState<D>& s = *state_;
    constexpr double noClamp = 1e30;
    densityError(s, time, noClamp, densityRhs_);
    addTo(s.rhs, densityRhs_);
  }

  void separate(StepContext<D>& c) {
    if (o_.instead != "springs" && o_.instead != "distances") return;
    if (o_.instead == "springs")
      springs(c, o_.stiffness);
    else
      distances(c, o_.passes);
    c.stage("separation");
  }

  // Tiles must reach as far as velocities may be asked for: half a step away, and the cells around that place.
  int ringFor(const World<D>& w, double dt) const {
    const auto v = w.fluid.v.read();
    const double speed = std::sqrt(maxOf(w.fluid.size(), [=] BRIM_KERNEL(int i) { return dot(v[i].x, v[i].x); }));
    return std::min(8, 3 + int(speed * dt / 2 * state_->geometry.perCell));
  }

  void sort(World<D>& w, int ring) {
    if (w.hasPeriodic()) wrap(w);
    state_->sort(w.fluid, w.solids, ring);
    ring_ = ring;
  }

  // The last step ended with a sort, which still holds unless particles came or went or were driven. The tiles are those it chose
  // also after a restart, where w.dt is still its step. Returns the layers of faces around the fluid that need velocities.
  int sortForVelocity(World<D>& w, double dt) {
    bool fresh = false;
    const auto again = [&](int ring) { sort(w, ring), fresh = true; };
    if (sorted_ != w.fluid.arrangement() || !w.scene().fluid.emitters.empty()) again(ringFor(w, w.dt > 0 ? w.dt : dt));
    const int ring = dt == w.dt ? ring_ : ringFor(w, dt);
    if (ring > ring_) again(ring);
    if (state_->solids.moving()) state_->solids.update(w.solids, state_->tiles);
    if (fresh || state_->solids.moving()) p2gDensity(*state_, w.fluid);  // else that of the last step's end
    return std::max(ring - 1, D);  // D: from a fluid cell to the farthest face of a cell at its corner
  }

 private:
  GridParameters o_;
  double flip_;
  bool apic_;
  std::unique_ptr<GridState<D>> state_;
  // Of APIC; also of FLIP where friction acts (Fei et al. 2021): the mean velocity of the particles beside a free surface is that
  // of a place below it, and friction would take that difference for a strain.
  std::unique_ptr<Affine<D>> affine_;
  Poisson<D> poisson_;
  GridViscosity<D> viscosity_;
  GridTension<D> tension_;
  Array<Real> viscousPhi_;  // [1/s] phi while a round of friction changes it
  BodyTerms<D> bodyTerms_;
  Array<Real> densityRhs_;    // [1/s] of `instead` = unsplit or averaged
  bool released_ = false;     // cells let go of walls in this step
  int ring_ = 0;              // cells around the particles that the tiles of the last sort hold
  std::int64_t sorted_ = -1;  // the arrangement of particles that the last sort found
};

void flipParameters(ParameterVisitor& v) {
  FlipParameters p;
  p.visit(v);
}
void apicParameters(ParameterVisitor& v) {
  GridParameters p;
  p.visit(v);
}
template <int D>
std::unique_ptr<Solver<D>> makeFlip(const Scene& s) {
  const FlipParameters p = parametersOf<FlipParameters>(s);
  return std::make_unique<Grid<D>>(s, p, p.ratio, false);
}
template <int D>
std::unique_ptr<Solver<D>> makeApic(const Scene& s) {
  return std::make_unique<Grid<D>>(s, parametersOf<GridParameters>(s), 0, true);
}
template std::unique_ptr<Solver<2>> makeFlip<2>(const Scene&);
template std::unique_ptr<Solver<3>> makeFlip<3>(const Scene&);
template std::unique_ptr<Solver<2>> makeApic<2>(const Scene&);
template std::unique_ptr<Solver<3>> makeApic<3>(const Scene&);

}  // namespace brim::inline BRIM_FLAVOUR
