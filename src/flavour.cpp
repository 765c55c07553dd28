// One flavour of the library: a world and its solver behind the run-time face, for one precision and instruction set.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "machine.h"
#include "scene/declare.h"
#include "seen_particles.h"
#include "solvers/time_step.h"
#include "sph/statistics.h"
#include "step/energy_balance.h"
#include "step/forcing.h"
#include "step/state.h"
#include "tanks_of.h"
#include "wall_kernel.h"
#include "world/boundary.h"
#include "world/lent_columns.h"
#if BRIM_CUDA
#include "exec/cuda/async_readback.h"
#else
#include "world/spread.h"
#endif

namespace brim::inline BRIM_FLAVOUR {

template <int D>
class MachineOf final : public Simulation::Machine {
 public:
  explicit MachineOf(const Scene& s) : world_(prepare(s, kernelOf<D>(s))), solver_(makeSolver<D>(s)), state_(world_.fluid) {
    scene = s;
    solver_->declareState(state_);
    facts_.flavour = BRIM_FLAVOUR_NAME;
    facts_.fluid_particles = world_.fluid.size();
    facts_.boundary_samples = world_.solids.size();
    facts_.inside_solids = world_.setup->insideSolids;
    facts_.particle_mass = world_.mass;
    facts_.support = world_.support;
    facts_.reach = solver_->reach(world_);
    measure(world_, 0, report_, moment_);
    balance_.start(world_, report_, moment_);
    maxSpeed_ = report_.max_speed;
  }

  ~MachineOf() override { lent_.end(world_); }

  const StepReport& advance(double limit) override {
    if (world_.time >= limit) return report_;
    readWritten();
    lent_.part(world_);
    memory_.timer.begin(report_);
    memory_.exchange.exchange(world_);
    const TimeLimit next = nextStep(world_, *solver_, std::max(maxSpeed_, emitterSpeed()), limit);
    memory_.timer.mark("exchange");
    startAverages();
    memory_.timer.restart();
    {
      StepContext<D> c(world_, memory_, report_, next.dt);
      applyForcing(c);
      solver_->step(c);
    }
    // The speeds of samples bound the next step, also after a restore.
    if (world_.soft.any() || world_.bodies) placeBoundary(world_, world_.solids.time());
    // Landing on a frame sets the time to it exactly, so that sums of steps leave no remainder.
    const double left = limit - world_.time;
    world_.time = std::abs(next.dt - left) < sameStep * next.dt ? limit : world_.time + next.dt;
    world_.dt = next.dt;
    ++world_.step;
    report_.step = world_.step;
    report_.time = world_.time;
    report_.dt = next.dt;
    report_.dt_limit = next.name;
    report_.samples = world_.gauges.step(world_, next.dt);
    memory_.timer.restart();
    const int bad = measure(world_, memory_.neighbourhood.pairs(), report_, moment_, [&] { memory_.timer.mark("statistics"); });
    balance_.step(world_, report_, moment_, driven());
    maxSpeed_ = report_.max_speed;
    memory_.timer.end(report_);
    if (bad >= 0) {
      const bool alone = isWhole();
      together(
          [&] {
            const int lost = alone ? bad : measure(world_, 0, report_, moment_);
            throw divergedAt(world_, lost, world_.time, world_.step, report_.dt_limit);
          },
          true);
    }
    if (const int node = world_.soft.lost(); node >= 0)
      lost(fmt::format("node {} of {} is not finite or faster than {:g} m/s", node, world_.soft.nameOf(node), absurdSpeed));
    if (const int body = lostBody(); body >= 0)
      lost(fmt::format("body {} is not finite or faster than {:g} m/s", scene.bodies[body].name, absurdSpeed));
    if (const int joint = lostJoint(); joint >= 0) lost(fmt::format("joint {} is not finite", scene.joints[joint].name));
    return report_;
  }

  void setMotion(std::size_t solid, const Motion& motion) override {
    world_.solids.setMotion(solid, motion);
    balance_.forget();
  }
  void setGravity(const Vector& g) override { world_.setGravity(g); }
  void setBody(int body, const BodyReport& b) override {
    world_.bodies->place(body, b.position, b.rotation, {b.velocity, b.spin});
    placeBodies(world_);
    balance_.forget();
  }
  void setLoad(int body, const Vector& force, const Vector& torque) override {
    world_.bodies->setLoad(body, force, torque);
    loaded_ = true;
  }
  void setMotor(int joint, double speed, double limit) override { world_.bodies->setMotor(joint, speed, limit); }

  Columns columns() override {
    finish();
    return lent_.lend(world_);
  }
  void write(const std::vector<double>& position, const std::vector<double>& velocity) override {
    writeParticles(world_, position, velocity);
    lent_.haveBeenWritten();
  }
  const StepReport& report() const override { return report_; }
  const EnergyStep& energy() const override { return balance_.last(); }
  std::vector<BodyReport> bodies() override { return world_.bodies ? world_.bodies->reports() : std::vector<BodyReport>(); }
  std::vector<Pose<double>> solids(bool atStart) override {
    std::vector<Pose<double>> poses = world_.solids.posesAt(world_.time);
    for (std::size_t k = 0; atStart && k < poses.size(); ++k) poses[k] = world_.setup->solids[k].pose();
    return poses;
  }
  std::vector<JointReport> joints() override {
    return world_.bodies ? world_.bodies->jointReports() : std::vector<JointReport>();
  }
  std::vector<GaugeReport> gauges() override {
    std::vector<GaugeReport> all;
    together([&] { all = world_.gauges.read(world_); });
    return all;
  }

  double time() const override { return world_.time; }
  std::int64_t step() const override { return world_.step; }
  const Facts& facts() const override { return facts_; }
  std::size_t bytes() override { return world_.bytes() + memory_.bytes() + solver_->bytes(); }

  void restartAverages() override { world_.averagesEnded = true; }

  void spreadOver([[maybe_unused]] ranks::Team& team) override {
#if BRIM_CUDA
    throw Failure("ranks compute on CPUs");
#else
    spread_ = std::make_unique<Spread<D>>(team, world_.extent, world_.periodic);
    spread_->isOf(world_);
#endif
  }
  ranks::Report ranks() override {
    ranks::Report r;
#if !BRIM_CUDA
    if (!spread_) return r;
    ranks::Team& team = spread_->team;
    const ranks::Traffic sent = team.traffic();
    std::int64_t sums[] = {sent.bytes, sent.messages};
    team.sum(sums, 2);
    r = {team.size(), 0, sums[0], sums[1], spread_->imbalance(), spread_->cutsMoved()};
#endif
    return r;
  }

  Snapshot snapshot() override {
    Snapshot s;
    together([&] { s = snapshotOfWhole(); });
    return s;
  }
  Snapshot snapshotOfWhole() {
    Snapshot s = besidesParticles();
    const int n = world_.fluid.size();
    const auto p = onHost(world_.fluid.p.data, n), v = onHost(world_.fluid.v.data, n);
    const auto id = onHost(world_.fluid.id.data, n);
    const auto pressure = onHost(world_.fluid.pressure.data, n);
    putParticles<D>(s, n, world_.nextId, world_.origin, p.data(), v.data(), id.data(), pressure.data());
    return s;
  }

#if BRIM_CUDA
  std::future<Snapshot> capture() override {
    if (reading_.valid()) reading_.wait();
    const int n = world_.fluid.size();
    const Record<D>*p, *v;
    const int* id;
    const Real* pressure;
    try {
      readback_.begin();
      p = readback_.copy(world_.fluid.p.data, n), v = readback_.copy(world_.fluid.v.data, n);
      id = readback_.copy(world_.fluid.id.data, n), pressure = readback_.copy(world_.fluid.pressure.data, n);
      readback_.send();
    } catch (const Failure&) {  // there is no room for the copies
      return Machine::capture();
    }
    std::promise<void> read;
    reading_ = read.get_future();
    return std::async(std::launch::async, [=, this, s = besidesParticles(), nextId = world_.nextId, origin = world_.origin,
                                           read = std::move(read)]() mutable {
      readback_.wait();
      putParticles<D>(s, n, nextId, origin, p, v, id, pressure);
      read.set_value();
      return std::move(s);
    });
  }
#endif

  std::uint64_t stateHash() override {
    std::uint64_t hash = 0;
    together([&] { hash = hashOfWhole(); });
    return hash;
  }
  std::uint64_t hashOfWhole() {
    const int n = world_.fluid.size();
    const auto p = onHost(world_.fluid.p.data, n), v = onHost(world_.fluid.v.data, n);
    const auto id = onHost(world_.fluid.id.data, n);
    const auto mix = [](std::uint64_t h, std::uint64_t bits) { return mixInto(h, bits); };
    std::uint64_t sum = hashOfParticles<D>(n, p.data(), v.data(), id.data());
    const auto x = onHost(world_.soft.x, world_.soft.nodes), u = onHost(world_.soft.v, world_.soft.nodes);
    for (int a = 0; a < world_.soft.nodes; ++a) {
      std::uint64_t h = mix(0x13198a2e03707344ull, std::uint64_t(a));
      for (int k = 0; k < D; ++k) {
        h = mix(h, std::bit_cast<std::uint64_t>(double(x[a].x[k])));
        h = mix(h, std::bit_cast<std::uint64_t>(double(u[a].x[k])));
      }
      sum += h;
    }
    if (!world_.bodies) return sum;
    std::uint64_t h = 0xa4093822299f31d0ull;  // of all bodies in their order
    for (const BodyReport& b : world_.bodies->reports()) {
      for (const Vector& column : {b.centre, b.velocity, b.spin})
        for (const double c : column) h = mix(h, std::bit_cast<std::uint64_t>(c));
      for (const double c : b.rotation) h = mix(h, std::bit_cast<std::uint64_t>(c));
    }
    for (const JointReport& j : world_.bodies->jointReports())
      for (const double c : {j.position, j.error}) h = mix(h, std::bit_cast<std::uint64_t>(c));
    return sum + h;
  }

  std::vector<char> save() override {
    readWritten();
    std::vector<char> blob;
    together([&] { blob = saveState(world_, state_, maxSpeed_); });
    return blob;
  }
  void restore(const std::vector<char>& blob) override {
    lent_.part(world_);
    lent_.forget();
#if !BRIM_CUDA
    if (spread_) spread_->restart();
#endif
    maxSpeed_ = restoreState(world_, state_, memory_.scratch, blob);
    balance_.forget();
  }

 private:
#if BRIM_CUDA
  bool isWhole() const { return true; }
  template <class F>
  void together(F task, bool = false) {
    task();
  }
#else
  bool isWhole() const { return !isSpread(world_); }
  // With ranks: where all particles are, at rank 0. `lost`: it ends the run, for the others as well.
  template <class F>
  void together(F task, bool lost = false) {
    if (isWhole()) return task();
    spread_->whole(world_.fluid, task);
    if (lost) throw Diverged(world_.time, world_.step, -1, "diverged");
  }
#endif
  // Whether motors and loads may have done work in the last step.
  bool driven() const {
    const double end = world_.time, begin = end - report_.dt;
    return loaded_ || std::any_of(scene.joints.begin(), scene.joints.end(), [&](const Joint& j) {
             return j.motor_limit > 0 && end >= j.motor_start && begin <= j.motor_stop;
           });
  }

  // Others may have written the particles since the last step.
  void readWritten() {
    if (!lent_.written()) return;
    finishOthers();
    maxSpeed_ = speedAsWritten(world_);
    balance_.forget();
    lent_.forget();
  }

  // All of a snapshot that does not grow with the fluid.
  Snapshot besidesParticles() {
    Snapshot s;
    s.dimension = D;
    s.time = world_.time;
    s.step = world_.step;
    s.solids = world_.solids.drawn();
    s.surfaces = world_.soft.surfaces();
    s.gauges = world_.gauges.read(world_);
    if (world_.bodies) {
      s.bodies = world_.bodies->reports();
      s.joints = world_.bodies->jointReports();
    }
    return s;
  }

  // Averages that restartAverages() ended stay readable until the next step.
  void startAverages() {
    if (!world_.averagesEnded) return;
    world_.gauges.restartAverages();
    if (world_.bodies) world_.bodies->restartAverages();
    world_.averagesEnded = false;
  }

  double emitterSpeed() const {
    double v = 0;
    for (const Emitter& e : scene.fluid.emitters)
      if (world_.time >= e.start && world_.time <= e.until) v = std::max(v, e.speed);
    return v;
  }

  /// The first body that is not finite or faster than absurdSpeed; -1: none is.
  int lostBody() const {
    for (int b = 0; world_.bodies && b < world_.bodies->size(); ++b) {
      const BodyVelocity& u = world_.bodies->velocity(b);
      const Pose<double> pose = world_.bodies->pose(b);
      double sum = 0;  // not finite where any term is not
      for (int k = 0; k < 3; ++k) sum += pose.position[k] + u.w[k];
      for (const double r : pose.rotation) sum += r;
      const double speed2 = u.v[0] * u.v[0] + u.v[1] * u.v[1] + u.v[2] * u.v[2];
      if (!std::isfinite(sum) || !(speed2 <= absurdSpeed * absurdSpeed)) return b;
    }
    return -1;
  }

  /// The first joint whose forces or place are not finite; -1: none is.
  int lostJoint() const {
    if (!world_.bodies || scene.joints.empty()) return -1;
    const std::vector<JointReport> all = world_.bodies->jointReports();
    for (std::size_t k = 0; k < all.size(); ++k) {
      const JointReport& j = all[k];
      double sum = j.motor + j.position + j.error;
      for (int a = 0; a < 3; ++a) sum += j.force[a] + j.torque[a];
      if (!std::isfinite(sum)) return int(k);
    }
    return -1;
  }

  [[noreturn]] void lost(const std::string& what) {
    throw Diverged(world_.time, world_.step, -1,
                   fmt::format("diverged at t = {:.4g} s, step {}: {}; last dt {:.3g} ms, limited by {}", world_.time,
                               world_.step, what, 1e3 * world_.dt, report_.dt_limit));
  }

  World<D> world_;
#if !BRIM_CUDA
  std::unique_ptr<Spread<D>> spread_;
#endif
  StepMemory<D> memory_;
  std::unique_ptr<Solver<D>> solver_;
  SolverState<D> state_;
  Facts facts_;
  StepReport report_;
  EnergyBalance<D> balance_;
  Vector moment_ = {0, 0, 0};  // [kg m] of the fluid, from the domain's corner
  bool loaded_ = false;        // somebody pushes bodies from outside
  double maxSpeed_ = 0;        // [m/s]
  LentColumns<D> lent_;
#if BRIM_CUDA
  AsyncReadback readback_;
  std::future<void> reading_;  // the host reads what readback_ copied
#endif
};

static std::unique_ptr<Simulation::Machine> make(const Scene& scene) {
  if (scene.dimension == 2) return std::make_unique<MachineOf<2>>(scene);
  return std::make_unique<MachineOf<3>>(scene);
}

static std::vector<SolverInfo> listSolvers() {
  std::vector<SolverInfo> all;
  for (const Entry& e : registry()) all.push_back({e.name, e.source, e.text, e.parameters, e.capabilities});
  return all;
}

#if BRIM_CUDA
static __global__ void anyKernel() {}

// What this machine lacks; empty: nothing.
static std::string lacks() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
    return "no NVIDIA GPU was found, or no driver for it (nvidia-smi shows both)";
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, anyKernel) == cudaErrorNoKernelImageForDevice) {
    cudaGetLastError();  // forgotten
    cudaDeviceProp gpu;
    check(cudaGetDeviceProperties(&gpu, 0), "say what it is");
    return fmt::format("this brim was not built for the {}, of compute capability {}.{}: docs/gpu.md says how to build for it",
                       gpu.name, gpu.major, gpu.minor);
  }
  return "";
}
#else
static bool runsHere() {
#if defined(__AVX512F__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#elif defined(__AVX2__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
  return true;
#endif
}
static std::string lacks() { return runsHere() ? "" : "this CPU has no instructions for it"; }
#endif

static std::string device() {
#if BRIM_CUDA
  return deviceInWords();
#else
  return fmt::format("{} ({} numbers of {} bits at a time)", BRIM_FLAVOUR_NAME, lanes, 8 * sizeof(Real));
#endif
}

Flavour flavour() { return {BRIM_FLAVOUR_NAME, lacks, make, makeTanks, listSolvers, device}; }

}  // namespace brim::inline BRIM_FLAVOUR
