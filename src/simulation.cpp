// Chooses the flavour at run time and hands everything on to it.
#include "brim/simulation.h"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "flavours.inc"
#include "machine.h"
#include "scene/validate.h"

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
    if (f.runsHere()) names.push_back(f.name);
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
      if (f.runsHere()) return &f;
      why = "no NVIDIA GPU was found, or no driver for it (nvidia-smi shows both)";
      return nullptr;
    }
  why = "this brim was built without CUDA; build it with cmake --preset cuda";
  return nullptr;
}

std::vector<DeviceInfo> devices() {
  std::string cpu, why;
  for (const Flavour& f : built())
    if (f.runsHere() && std::string(f.name).starts_with("cpu")) cpu += (cpu.empty() ? "" : ", ") + f.device();
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

static const Flavour& choose(const Options& o) {
  if (o.device != "cpu") return chooseDevice(o);
  const std::string precision = o.precision == "double" ? "cpu64" : "cpu32";
  if (o.precision != "single" && o.precision != "double")
    throw SceneError({{{}, "precision \"" + o.precision + "\" is not known: single or double"}});
  std::string known;
  for (const Flavour& f : built()) {
    if (!f.runsHere()) continue;
    known += std::string(known.empty() ? "" : ", ") + f.name;
    if (o.flavour.empty() ? std::string(f.name).starts_with(precision) : o.flavour == f.name) return f;
  }
  if (o.flavour.empty())
    throw SceneError({{{}, o.precision + " precision is not in this build, which has " + known + "; \"make build\" builds all"}});
  throw SceneError({{{}, "flavour \"" + o.flavour + "\" is not known here; there are " + known}});
}

// TBB's limit on threads is one for the whole process; the newest simulation sets it.
static void limitThreads(int threads) {
  static std::unique_ptr<tbb::global_control> limit;
  limit.reset();
  if (threads > 0)
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
}

Simulation::Simulation(const Scene& scene, const Options& options) {
  Mistakes mistakes;
  Scene checked = scene;
  checkMeaning(checked, mistakes);
  if (auto all = mistakes.inOrder(); !all.empty()) throw SceneError(std::move(all));
  limitThreads(options.threads);
  machine_ = choose(options).make(checked);
  machine_->threads = options.threads > 0 ? options.threads : tbb::info::default_concurrency();
}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

const StepReport& Simulation::advance(double limit) { return machine_->advance(limit); }
void Simulation::advanceTo(double time) {
  while (machine_->time() < time) machine_->advance(time);
}
void Simulation::setMotion(std::size_t index, const Motion& motion) {
  auto& solids = machine_->scene.solids;
  if (index >= solids.size()) throw Failure("there is no such solid");
  if (!solids[index].motion.moves() || !motion.moves())
    throw Failure("only a solid that moves can be given another course while the simulation runs");
  solids[index].motion = motion;
  machine_->setMotion(index, motion);
}
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
void Simulation::restore(const std::vector<char>& state) { machine_->restore(state); }

}  // namespace brim
