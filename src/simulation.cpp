// Chooses the flavour at run time and hands everything on to it.
#include "brim/simulation.h"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "flavours.inc"
#include "machine.h"
#include "ranked.h"
#include "ranks/team.h"
#include "scene/motion.h"
#include "scene/shape.h"
#include "scene/validate.h"
#include "scene/vector.h"

namespace brim {

// Every flavour that this build has.
#define BRIM_DECLARE(name) \
  namespace name {         \
  Flavour flavour();       \
  }
BRIM_FLAVOURS(BRIM_DECLARE)
#undef BRIM_DECLARE

static const std::vector<Flavour>& built() {
#define BRIM_LIST(name) name::flavour(),
  static const std::vector<Flavour> all = {BRIM_FLAVOURS(BRIM_LIST)};
#undef BRIM_LIST
  return all;
}

std::vector<std::string> flavours() {
  std::vector<std::string> names;
  for (const Flavour& f : built())
    if (f.lacks().empty()) names.push_back(f.name);
  return names;
}

const std::vector<SolverInfo>& solvers() {
  // The table is the same in every flavour; the plainest one runs on every CPU.
  static const std::vector<SolverInfo> all = built().back().solvers();
  return all;
}

// The GPU's flavour, or why there is none.
static const Flavour* findGpu(std::string& why) {
  for (const Flavour& f : built())
    if (std::string(f.name) == "cuda32") {
      why = f.lacks();
      return why.empty() ? &f : nullptr;
    }
  why = "this brim was built without CUDA; build it with cmake --preset cuda";
  return nullptr;
}

std::vector<DeviceInfo> devices() {
  std::string cpu, why;
  for (const Flavour& f : built())
    if (f.lacks().empty() && std::string(f.name).starts_with("cpu")) cpu += (cpu.empty() ? "" : ", ") + f.device();
  const Flavour* const gpu = findGpu(why);
  return {{"cpu", fmt::format("{} threads; {}", tbb::info::default_concurrency(), cpu)}, {"cuda", gpu ? gpu->device() : why}};
}

static const Flavour& chooseDevice(const Options& o) {
  const auto wrong = [](const std::string& what) { throw SceneError({{{}, what}}); };
  if (o.device != "cuda") wrong("device \"" + o.device + "\" is not known: cpu or cuda");
  if (o.precision != "single") wrong("device \"cuda\" computes in single precision; use --precision single, or --device cpu");
  if (!o.flavour.empty() && o.flavour != "cuda32") wrong("flavour \"" + o.flavour + "\" does not run on device \"cuda\"");
  std::string why;
  const Flavour* const gpu = findGpu(why);
  if (!gpu) wrong("device \"cuda\": " + why);
  return *gpu;
}

const Flavour& flavourFor(const Options& o) {
  if (o.device != "cpu") return chooseDevice(o);
  const std::string precision = o.precision == "double" ? "cpu64" : "cpu32";
  if (o.precision != "single" && o.precision != "double")
    throw SceneError({{{}, "precision \"" + o.precision + "\" is not known: single or double"}});
  std::string known;
  for (const Flavour& f : built()) {
    if (!f.lacks().empty()) continue;
    known += std::string(known.empty() ? "" : ", ") + f.name;
    if (o.flavour.empty() ? std::string(f.name).starts_with(precision) : o.flavour == f.name) return f;
  }
  if (o.flavour.empty())
    throw SceneError({{{}, o.precision + " precision is not in this build, which has " + known + "; \"make build\" builds all"}});
  throw SceneError({{{}, "flavour \"" + o.flavour + "\" is not known here; there are " + known}});
}

void limitThreads(int threads) {
  static std::mutex alone;
  static std::unique_ptr<tbb::global_control> limit;
  const std::lock_guard guard(alone);
  limit.reset();
  if (threads > 0)
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
}

std::unique_ptr<Simulation::Machine> ranks::follow(const Scene& scene, const Options& options) {
  Mistakes mistakes;
  Scene checked = scene;
  checkMeaning(checked, mistakes);
  if (auto all = mistakes.inOrder(); !all.empty()) throw SceneError(std::move(all));
  limitThreads(options.threads);
  return flavourFor(options).make(checked);
}

Simulation::Simulation(const Scene& scene, const Options& options) {
  Mistakes mistakes;
  Scene checked = scene;
  checkMeaning(checked, mistakes);
  if (auto all = mistakes.inOrder(); !all.empty()) throw SceneError(std::move(all));
  const bool onRanks = ranks::team() != nullptr;
  if (onRanks) {
    checkRanks(checked, options, mistakes);
    if (auto all = mistakes.inOrder(); !all.empty()) throw SceneError(std::move(all));
  }
  limitThreads(options.threads);
  const Flavour& flavour = flavourFor(options);
  const auto make = [&] { return flavour.make(checked); };
  machine_ = onRanks ? ranks::lead(make, {options.device, options.precision, options.threads, flavour.name}) : make();
  machine_->threads = options.threads > 0 ? options.threads : tbb::info::default_concurrency();
  machine_->health = std::make_unique<Health>(machine_->scene);
}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

const StepReport& Simulation::advance(double limit) {
  if (time() >= limit) return report();
  const StepReport& r = machine_->advance(limit);
  machine_->health->step(r, machine_->energy());
  return r;
}
void Simulation::advanceTo(double time) {
  while (machine_->time() < time) advance(time);
}
static void requireFinite(std::initializer_list<Vector> all, const std::string& what) {
  for (const Vector& v : all)
    for (const double x : v)
      if (!std::isfinite(x)) throw Failure(what + " is not finite");
}
static void requirePlane(bool leaves) {
  if (leaves) throw Failure("in a 2D scene nothing leaves the plane: vectors have no third number, turns no other");
}

void Simulation::setMotion(std::size_t index, const Motion& motion) {
  auto& solids = machine_->scene.solids;
  if (index >= solids.size()) throw Failure("there is no such solid");
  if (!solids[index].motion.moves() || !motion.moves())
    throw Failure("only a solid that moves can be given another course while the simulation runs");
  solids[index].motion = motion;
  machine_->setMotion(index, motion);
}
void Simulation::setVelocity(std::size_t index, const Vector& velocity) {
  using namespace vectors;
  if (index >= scene().solids.size()) throw Failure("there is no such solid");
  requireFinite({velocity}, "a velocity");
  const double now = time();
  const Pose<double> here = machine_->solids(false)[index], start = machine_->solids(true)[index];
  const auto positionOf = [](const Pose<double>& p) { return Vector{p.position[0], p.position[1], p.position[2]}; };
  Motion m = scene().solids[index].motion;
  // x = pivot + s + Q (x0 - pivot): what of its way is no turn.
  const Vector arm = positionOf(start) - m.pivot;
  Vector body, turned;
  start.directionToBody(arm.data(), body.data());
  here.directionToWorld(body.data(), turned.data());
  const Vector way = positionOf(here) - m.pivot - turned;
  constexpr double later = 1e5;  // [s] beyond all that is simulated
  m.velocity = {0, 0, 0};
  m.displacement = {{now, way}, {now + later, way + later * velocity}};
  if (m.rate == 0) m.start = 0, m.stop = Motion().stop;
  const Pose<double> same = poseAt(m, start, now);
  double apart = length(positionOf(same) - positionOf(here));
  for (int k = 0; k < 9; ++k) apart += std::abs(same.rotation[k] - here.rotation[k]);
  if (apart > 1e-6) throw Failure("a solid with such a motion cannot go on with a velocity; give it a whole course");
  setMotion(index, m);
}
void Simulation::setGravity(const Vector& g) {
  requireFinite({g}, "gravity");
  requirePlane(scene().dimension == 2 && g[2] != 0);
  machine_->scene.gravity = g;
  machine_->scene.gravity_keys.clear();
  machine_->scene.gravity_file.clear();
  machine_->setGravity(g);
}
void Simulation::setBody(std::size_t index, const BodyReport& b) {
  if (index >= scene().bodies.size()) throw Failure("there is no such body");
  const auto& r = b.rotation;
  const Vector rows[] = {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, {r[6], r[7], r[8]}};
  requireFinite({b.position, b.velocity, b.spin, rows[0], rows[1], rows[2]}, "the body's pose or velocity");
  double worst = 0;  // element of R R^T - 1
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      worst = std::max(worst, std::abs(rows[i][0] * rows[j][0] + rows[i][1] * rows[j][1] + rows[i][2] * rows[j][2] - (i == j)));
  const double volume =
      r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) + r[2] * (r[3] * r[7] - r[4] * r[6]);
  if (worst > 1e-6 || volume < 0) throw Failure("the body's rotation is no rotation matrix");
  requirePlane(scene().dimension == 2 && (std::abs(r[8] - 1) > 1e-6 || b.velocity[2] != 0 || b.spin[0] != 0 || b.spin[1] != 0));
  machine_->setBody(int(index), b);
}
void Simulation::setLoad(std::size_t body, const Vector& force, const Vector& torque) {
  if (body >= scene().bodies.size()) throw Failure("there is no such body");
  requireFinite({force, torque}, "a force or a torque");
  requirePlane(scene().dimension == 2 && (force[2] != 0 || torque[0] != 0 || torque[1] != 0));
  machine_->setLoad(int(body), force, torque);
}
void Simulation::setMotor(std::size_t joint, double speed, double limit) {
  if (joint >= scene().joints.size()) throw Failure("there is no such joint");
  Joint& j = machine_->scene.joints[joint];
  if (j.kind != "hinge" && j.kind != "slider") throw Failure("a joint of kind " + j.kind + " has no motor");
  if (!std::isfinite(speed) || !(limit >= 0 && limit < 1e300))
    throw Failure("a motor's speed must be finite, and its limit at least 0");
  j.motor_speed = speed, j.motor_limit = limit;
  machine_->setMotor(int(joint), speed, limit);
}
Columns Simulation::columns() { return machine_->columns(); }
void Simulation::write(const std::vector<double>& position, const std::vector<double>& velocity) {
  machine_->write(position, velocity);
}
const StepReport& Simulation::report() const { return machine_->report(); }
const Health& Simulation::health() const { return *machine_->health; }
Health& Simulation::health() { return *machine_->health; }
std::vector<BodyReport> Simulation::bodies() const { return machine_->bodies(); }
std::vector<BodyReport> Simulation::solids() const {
  std::vector<BodyReport> all;
  for (const Pose<double>& p : machine_->solids(false)) {
    BodyReport& r = all.emplace_back();
    r.name = scene().solids[all.size() - 1].name;
    for (std::size_t k = 0; k < 9; ++k) r.rotation[k] = p.rotation[k];
    for (std::size_t k = 0; k < 3; ++k) r.position[k] = p.position[k], r.velocity[k] = p.velocity[k], r.spin[k] = p.spin[k];
    r.centre = r.position;
  }
  return all;
}
std::vector<JointReport> Simulation::joints() const { return machine_->joints(); }
std::vector<GaugeReport> Simulation::gauges() const { return machine_->gauges(); }
double Simulation::time() const { return machine_->time(); }
std::int64_t Simulation::step() const { return machine_->step(); }
const Scene& Simulation::scene() const { return machine_->scene; }
const Facts& Simulation::facts() const { return machine_->facts(); }
Snapshot Simulation::snapshot() const { return machine_->snapshot(); }
std::future<Snapshot> Simulation::capture() const { return machine_->capture(); }
void Simulation::restartAverages() { machine_->restartAverages(); }
std::size_t Simulation::bytes() const { return machine_->bytes(); }
std::uint64_t Simulation::stateHash() const { return machine_->stateHash(); }
std::vector<char> Simulation::save() const { return machine_->save(); }
void Simulation::restore(const std::vector<char>& state) {
  machine_->restore(state);
  machine_->health->restore({}, {});
}

}  // namespace brim
