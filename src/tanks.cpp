#include "brim/tanks.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "exec/sharing.h"
#include "machine.h"
#include "scene/declare.h"
#include "scene/together.h"
#include "scene/validate.h"

namespace brim {

namespace {

// The scenes checked, with what motions and files come to. Throws all mistakes of all; the first one's number is `first`.
std::vector<Scene> checkedOnes(const std::vector<Scene>& scenes, std::size_t first = 0) {
  std::vector<Scene> all = scenes;
  std::vector<std::vector<Mistake>> found(all.size());
  tbb::parallel_for(std::size_t(0), all.size(), [&](std::size_t k) {
    Mistakes mistakes;
    checkMeaning(all[k], mistakes);
    found[k] = mistakes.inOrder();
    if (found[k].empty()) found[k] = apartBecause(all[k]);
  });
  std::vector<Mistake> mistakes;
  for (std::size_t k = 0; k < all.size(); ++k)
    for (Mistake& m : found[k]) {
      m.what = fmt::format("tank {}: {}", first + k, m.what);
      mistakes.push_back(std::move(m));
    }
  if (!mistakes.empty()) throw SceneError(std::move(mistakes));
  return all;
}

// Cells of a tank, about as many as the search makes (world/cells.cpp).
double cellsOf(const Scene& s) {
  double cells = 1;
  for (int k = 0; k < s.dimension; ++k) {
    const double supports = (s.domain.max[k] - s.domain.min[k]) / (supportOf(s) * s.resolution.spacing);
    cells *= std::ceil((k == 0 ? 4 : 1) * (supports + 6));
  }
  return cells + 1;
}

Setup filled(const Scene& scene, const std::vector<SolidShape>& solids) {
  Setup s;
  s.scene = scene;
  s.solids = solids;
  fillWithFluid(s);
  return s;
}

}  // namespace

std::vector<Tanks> Tanks::of(const std::vector<Scene>& given, const Options& options) {
  const Flavour& flavour = flavourFor(options);
  if (given.empty()) throw Failure("a batch needs at least one scene");
  limitThreads(options.threads);
  const std::vector<Scene> scenes = checkedOnes(given);
  std::vector<std::string> keys(scenes.size());
  tbb::parallel_for(std::size_t(0), scenes.size(), [&](std::size_t k) { keys[k] = togetherKey(scenes[k]); });
  std::map<std::string, std::vector<SolidShape>> solids;
  for (std::size_t k = 0; k < scenes.size(); ++k)
    if (!solids.count(keys[k])) solids[keys[k]] = solidShapes(scenes[k]);
  std::vector<Setup> fluids(scenes.size());
  tbb::parallel_for(std::size_t(0), scenes.size(), [&](std::size_t k) { fluids[k] = filled(scenes[k], solids.at(keys[k])); });

  // A group ends where indices of 32 bits would.
  struct Group {
    std::vector<std::size_t> members;
    double cells = 0, particles = 0;
  };
  std::vector<Group> groups;
  std::map<std::pair<std::string, bool>, std::size_t> open;
  for (std::size_t k = 0; k < scenes.size(); ++k) {
    const auto name = std::make_pair(keys[k], fluids[k].position.size() > std::size_t(sharedUpTo));
    const double cells = cellsOf(scenes[k]), particles = double(fluids[k].position.size());
    auto at = open.find(name);
    constexpr double most = 2e9, mostParticles = 5e8;
    if (at == open.end() || groups[at->second].cells + cells > most || groups[at->second].particles + particles > mostParticles) {
      groups.emplace_back();
      at = open.insert_or_assign(name, groups.size() - 1).first;
    }
    Group& g = groups[at->second];
    g.members.push_back(k);
    g.cells += cells, g.particles += particles;
  }

  std::vector<Tanks> all;
  for (const Group& g : groups) {
    std::vector<Setup> own;
    for (const std::size_t k : g.members) own.push_back(std::move(fluids[k]));
    Tanks& t = all.emplace_back(Tanks());
    t.machine_ = flavour.makeTanks(std::move(own));
    t.machine_->members = g.members;
    t.machine_->solids = solids.at(keys[g.members.front()]);
  }
  return all;
}
Tanks::Tanks() = default;
Tanks::~Tanks() = default;
Tanks::Tanks(Tanks&&) noexcept = default;
Tanks& Tanks::operator=(Tanks&&) noexcept = default;

std::size_t Tanks::size() const { return machine_->tanks.size(); }
const std::vector<std::size_t>& Tanks::members() const { return machine_->members; }
const std::vector<int>& Tanks::offsets() const { return machine_->offsets; }
void Tanks::advance(double limit) { machine_->advance(limit); }
double Tanks::time(std::size_t k) const { return machine_->tanks.at(k).time; }
std::int64_t Tanks::step(std::size_t k) const { return machine_->tanks.at(k).step; }
const Scene& Tanks::scene(std::size_t k) const { return machine_->tanks.at(k).scene; }
const std::string& Tanks::failure(std::size_t k) const { return machine_->tanks.at(k).failure; }
Columns Tanks::columns() { return machine_->columns(); }
Columns Tanks::columns(std::size_t k) {
  Columns c = machine_->columns();
  const std::size_t first = std::size_t(offsets().at(k));
  c.count = std::size_t(offsets().at(k + 1)) - first;
  for (ParticleColumn* one : {&c.position, &c.velocity, &c.density, &c.pressure, &c.id})
    one->first = static_cast<char*>(one->first) + first * one->stride;
  return c;
}
void Tanks::write(std::size_t k, const std::vector<double>& position, const std::vector<double>& velocity) {
  scene(k);
  machine_->write(k, position, velocity);
}
Snapshot Tanks::snapshot(std::size_t k) const {
  scene(k);
  return machine_->snapshot(k);
}
std::uint64_t Tanks::stateHash(std::size_t k) const {
  scene(k);
  return machine_->stateHash(k);
}
StepReport Tanks::report(std::size_t k) const {
  scene(k);
  return machine_->report(k);
}
void Tanks::setGravity(std::size_t k, const Vector& g) {
  for (const double x : g)
    if (!std::isfinite(x)) throw Failure("gravity is not finite");
  if (scene(k).dimension == 2 && g[2] != 0) throw Failure("in a 2D scene nothing leaves the plane: vectors have no third number");
  if (size() > 1 && scene(k).solver.name != "pbf") throw Failure("tanks of a batch have a gravity of their own with pbf alone");
  machine_->setGravity(k, g);
}
void Tanks::replace(std::size_t k, const Scene& given) {
  const Scene next = checkedOnes({given}, machine_->members.at(k))[0];
  for (const Solid& s : scene(k).solids)
    if (s.motion.moves()) throw Failure("solids of this batch move by one clock: no tank starts anew");
  if (size() > 1 && scene(k).solver.name != "pbf" && !scene(k).gravity_keys.empty())
    throw Failure("the gravity of this batch changes by one clock: no tank starts anew");
  if (togetherKey(next) != togetherKey(scene(k)))
    throw Failure(
        "the scene does not match the others of the batch: they may differ in blocks of fluid, and with pbf in gravity");
  const Setup fluid = filled(next, machine_->solids);
  const std::size_t has = std::size_t(offsets()[k + 1] - offsets()[k]);
  if (fluid.position.size() != has)
    throw Failure(fmt::format("the scene has {} particles, and its tank in the batch has {}", fluid.position.size(), has));
  machine_->replace(k, fluid);
}
std::size_t Tanks::bytes() const { return machine_->bytes(); }

}  // namespace brim
