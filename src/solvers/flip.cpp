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
#include "grid/apart.h"
#include "grid/density.h"
#include "grid/extrapolate.h"
#include "grid/project.h"
#include "solvers/solver.h"

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

  void visit(ParameterVisitor& v) {
    v("iterations", iterations, {"", "iterations of each of the two pressure solves at most", 1, 100000});
    v("tolerance", tolerance,
      {"1/s", "a solve ends when no cell's divergence (or density error over dt) is larger; 1e-6 needs double", 0, 1e6});
    v("density_projection", density_projection, {"", "also keep the density: large steps then lose no volume"});
    v("instead", instead,
      {"",
       "without density_projection, for comparison: unsplit adds the density's term to the velocity's equation (Eq. 8), averaged "
       "does so over averaging_time (Losasso et al. 2008); springs (Ando & Tsuruno 2011) and distances (Sato et al. 2018) push "
       "particles apart",
       -1e300,
       1e300,
       false,
       {"nothing", "unsplit", "averaged", "springs", "distances"}});
    v("averaging_time", averaging_time, {"s", "tau of instead = averaged", 0, 1e6, true});
    v("stiffness", stiffness, {"1/s", "of instead = springs; times dt it should be well below 1", 0, 1e6});
    v("passes", passes, {"", "of instead = distances, each over all pairs", 1, 1000});
    v("pressure_start", pressure_start, {"s", "no pressure acts before this time; fluid falls into itself", 0, 1e30});
  }
};
struct FlipParameters : GridParameters {
  double ratio = 0.97;
  void visit(ParameterVisitor& v) {
    GridParameters::visit(v);
    v("ratio", ratio, {"", "part of FLIP in the particles' velocities; the rest is PIC, which damps", 0, 1});
  }
};

template <int D>
class Grid : public Solver<D> {
 public:
  Grid(const GridParameters& o, double flip, bool apic) : o_(o), flip_(flip), apic_(apic) {}

  double reach(const World<D>& w) const override { return Frame<D>(w).cell; }

  std::size_t bytes() const override {
    return tiles_.bytes() + velocityTiles_.bytes() + bins_.bytes() + flags_.bytes() + faces_.bytes() + velocity_.bytes() +
           padded_.bytes() + poisson_.bytes() + 3 * rhs_.bytes() + (solids_ ? solids_->bytes() : 0);
  }

  void step(World<D>& w, double dt, StepReport& report) override {
    [[maybe_unused]] const ShortKernels run;
    Stopwatch watch(report);
    if (!frame_) {
      frame_ = std::make_unique<Frame<D>>(w);
      solids_ = std::make_unique<SolidCells<D>>(w, *frame_);
    }
    w.moveBodies(dt);  // pushed by gravity, contacts and joints; the grid knows them as moving solids
    report.iterations = 0;
    Affine<D>* affine = nullptr;
    if (apic_) {
      if (!affine_) affine_ = std::make_unique<Affine<D>>(w.fluid);
      affine = affine_.get();
    }
    const int layers = sortForVelocity(w, dt);
    watch("sort");

    const bool pressure = w.time >= o_.pressure_start;
    toGrid(w.fluid, *frame_, tiles_, bins_, affine, velocity_, faces_, flags_);
    watch("to_grid");
    const bool oneEquation = pressure && !o_.density_projection && (o_.instead == "unsplit" || o_.instead == "averaged");
    if (oneEquation) splat(w.fluid, *frame_, tiles_, bins_, *solids_, padded_, rho_, flags_, filled_);
    flags_.finish(tiles_, *solids_);
    force(w, *frame_, tiles_, *solids_, flags_, Real(dt) * w.gravity(w.time), faces_);
    divergence(*frame_, tiles_, flags_, faces_, rhs_);
    if (oneEquation) {
      constexpr double noClamp = 1e30;  // that belongs to the split equations
      densityError(tiles_, flags_, rho_, o_.instead == "unsplit" ? dt : o_.averaging_time, noClamp, extra_);
      const auto to = rhs_.view();
      const auto from = extra_.read();
      forEach(tiles_.count() * Tiles<D>::cells, [=] BRIM_KERNEL(int c) { to[c] += from[c]; });
    }
    tiles_.fit(phi_, Real(0));
    if (!pressure) tiles_.clear({&phi_});
    watch("velocity");
    if (pressure) {
      poisson_.prepare(tiles_, flags_.state);
      watch("levels");
      report.iterations += poisson_.solve(rhs_, phi_, o_.tolerance, o_.iterations).iterations;
      watch("velocity_solve");
      subtractGradient(tiles_, flags_, phi_, frame_->cell, !apic_, faces_);
    }
    watch("velocity");
    extrapolate(tiles_, layers, !apic_, faces_, flags_.known, spare_);
    pad(tiles_, faces_.u, velocity_);
    if (!apic_) padActive(tiles_, bins_, faces_.change, padded_);
    watch("extrapolate");
    const double pascals = w.rho0 * frame_->cell * frame_->cell / dt;
    toParticles(w.fluid, *frame_, tiles_, bins_, velocity_, padded_, flags_.known, phi_, {dt, flip_, w.gravity(w.time), pascals},
                affine);
    watch("advect");

    if (o_.density_projection && pressure) {
      projectDensity(w, dt, report, watch);
      // In a cell whose centre is free nobody is deeper than its corner; deeper ones are on their way out.
      w.collideAtOnce(std::sqrt(double(D)) / 2 * frame_->cell);
    } else {
      if (pressure && o_.instead == "springs") springs(w, dt, o_.stiffness);
      if (pressure && o_.instead == "distances") distances(w, o_.passes);
      if (pressure && (o_.instead == "springs" || o_.instead == "distances")) watch("apart");
      w.collideAtOnce();
    }
    watch("collide");
    sort(w, ringFor(w, dt));
    if (w.step % 4 == 3) bins_.settle(w.fluid);
    sorted_ = countsOf(w, w.step + 1);
    watch("sort");
    splat(w.fluid, *frame_, tiles_, bins_, *solids_, padded_, rho_, flags_, filled_);
    report.volume_ratio_eq19 = w.fluid.size() ? filledOf(filled_) / w.fluid.size() : 1;
    takeDensity(w.fluid, *frame_, tiles_, bins_, rho_, w.rho0);
    watch("density");
  }

  // Steps of step(); public because nvcc wants kernels there.

  // Tiles must reach as far as velocities may be asked for: half a step away, and the cells around that place.
  int ringFor(const World<D>& w, double dt) const {
    const auto v = w.fluid.v.read();
    const double speed = std::sqrt(maxOf(w.fluid.size(), [=] BRIM_KERNEL(int i) { return dot(v[i].x, v[i].x); }));
    return std::min(8, 3 + int(speed * dt / 2 * frame_->perCell));
  }

  void sort(World<D>& w, int ring) {
    bins_.sort(tiles_, *frame_, w.fluid, ring);
    solids_->update(w, tiles_);
    flags_.fit(tiles_);
    ring_ = ring;
  }

  // The last step ended with a sort, which still holds unless particles came or went or were driven. The tiles are those it chose
  // also after a restart, where w.dt is still its step. Returns the layers of faces around the fluid that need velocities.
  int sortForVelocity(World<D>& w, double dt) {
    if (sorted_ != countsOf(w, w.step) || !w.scene().fluid.emitters.empty()) sort(w, ringFor(w, w.dt > 0 ? w.dt : dt));
    const int ring = dt == w.dt ? ring_ : ringFor(w, dt);
    if (ring > ring_) sort(w, ring);
    if (solids_->moving()) solids_->update(w, tiles_);
    return ring - 1;
  }
  static std::array<std::int64_t, 5> countsOf(const World<D>& w, std::int64_t step) {
    return {step, w.fluid.size(), w.emitted, w.sunk, w.lost};
  }

  // Lines 2-7 of Alg. 1. The grid's velocities stay in their own tiles: redistributed particles take them.
  void projectDensity(World<D>& w, double dt, StepReport& report, Stopwatch& watch) {
    std::swap(tiles_, velocityTiles_);
    sort(w, 2);
    watch("sort");
    splat(w.fluid, *frame_, tiles_, bins_, *solids_, padded_, rho_, flags_, filled_);
    flags_.finish(tiles_, *solids_);
    redistribute(w, *frame_, tiles_, bins_, *solids_, flags_, rho_, velocityTiles_.view(), velocity_);
    densityError(tiles_, flags_, rho_, dt, 0.5, rhs_);
    findWaysOut(w, *frame_, tiles_, bins_, *solids_, flags_, wayOut_);
    pushIntoFluid(*frame_, tiles_, flags_, wayOut_, dt, rhs_);
    tiles_.fit(phi_, Real(0));
    watch("density");
    poisson_.prepare(tiles_, flags_.state);
    watch("levels");
    report.iterations += poisson_.solve(rhs_, phi_, o_.tolerance, o_.iterations).iterations;
    watch("density_solve");
    faces_.fit(tiles_);
    subtractGradient(tiles_, flags_, phi_, dt * frame_->cell, false, faces_, true);
    setWaysOut(tiles_, flags_, wayOut_, faces_);
    extrapolate(tiles_, 1, false, faces_, flags_.known, spare_);
    padActive(tiles_, bins_, faces_.u, padded_);
    displace(w, *frame_, tiles_, bins_, *solids_, flags_, padded_);
    watch("displace");
  }

 private:
  GridParameters o_;
  double flip_;
  bool apic_;
  std::unique_ptr<Frame<D>> frame_;
  std::unique_ptr<SolidCells<D>> solids_;
  std::unique_ptr<Affine<D>> affine_;
  Tiles<D> tiles_, velocityTiles_;
  Bins<D> bins_;
  Flags<D> flags_;
  Faces<D> faces_;
  Blocks<D> velocity_, padded_;  // before they are filled, also what particles give to the grid
  Poisson<D> poisson_;
  Array<Real> rhs_, phi_, rho_, extra_;
  Array<Vec<D>> wayOut_;
  Array<int> filled_;
  Array<std::uint64_t> spare_[D];
  int ring_ = 0;
  std::array<std::int64_t, 5> sorted_{};
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
  return std::make_unique<Grid<D>>(p, p.ratio, false);
}
template <int D>
std::unique_ptr<Solver<D>> makeApic(const Scene& s) {
  return std::make_unique<Grid<D>>(parametersOf<GridParameters>(s), 0, true);
}
template std::unique_ptr<Solver<2>> makeFlip<2>(const Scene&);
template std::unique_ptr<Solver<3>> makeFlip<3>(const Scene&);
template std::unique_ptr<Solver<2>> makeApic<2>(const Scene&);
template std::unique_ptr<Solver<3>> makeApic<3>(const Scene&);

}  // namespace brim::inline BRIM_FLAVOUR
