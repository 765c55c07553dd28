#include "scene/together.h"

#include <fmt/format.h>

#include <filesystem>

#include "brim/toml.h"
#include "scene/declare.h"
#include "scene/friction.h"

namespace brim {

namespace {

double numberOf(const Scene& s, const std::string& name) {
  if (const auto at = s.solver.numbers.find(name); at != s.solver.numbers.end()) return at->second;
  for (const Parameter& p : parametersOf(*findSolver(s.solver.name))) {
    if (p.name != name) continue;
    if (const auto* x = std::get_if<double>(&p.value)) return *x;
    if (const auto* n = std::get_if<int>(&p.value)) return *n;
  }
  return 0;
}
std::string wordOf(const Scene& s, const std::string& name) {
  const auto at = s.solver.choices.find(name);
  return at != s.solver.choices.end() ? at->second : declaredChoice(s.solver.name, name);
}

}  // namespace

std::vector<Mistake> apartBecause(const Scene& s) {
  std::vector<Mistake> all;
  const auto unless = [&](bool good, const char* path, const std::string& what) {
    if (!good) all.push_back({s.at(path), "tanks that step together need " + what});
  };
  const auto without = [&](bool none, const char* path) {
    if (!none) all.push_back({s.at(path), fmt::format("tanks that step together have no {}", path)});
  };
  const std::string& solver = s.solver.name;
  unless(solver == "pbf" || solver == "wcsph", "solver.name", "the solver pbf or wcsph, and not " + solver);
  if (solver == "pbf") {
    unless(wordOf(s, "acceleration") == "none", "solver.acceleration",
           "solver.acceleration = \"none\": a coarse grid is one for all");
    unless(numberOf(s, "tolerance") == 0, "solver.tolerance", "solver.tolerance = 0: all do the same number of iterations");
  }
  if (solver == "wcsph")
    unless(numberOf(s, "sound_speed") > 0, "solver.sound_speed", "a solver.sound_speed: by default it depends on the fluid");
  unless(s.time.dt > 0, "time.dt", "a fixed step, time.dt");
  for (int k = 0; k < s.dimension; ++k)
    if (s.domain.boundary[k] != "walls") {
      unless(false, "domain.boundary", "walls on all sides");
      break;
    }
  unless(!s.fluid.blocks.empty(), "fluid", "a block of fluid each");
  for (std::size_t k = 0; k < s.fluid.blocks.size(); ++k)
    if (s.fluid.blocks[k].in_solids) {
      const std::string path = fmt::format("fluid.blocks[{}].in_solids", k);
      unless(false, path.c_str(), "solids without fluid inside");
    }
  unless(!solvesForFriction(s), "fluid.viscosity",
         "a viscosity that an explicit step is enough for (docs/methods/viscosity.md), and free slip");
  without(s.fluid.emitters.empty(), "fluid.emitters");
  without(s.fluid.sinks.empty(), "fluid.sinks");
  without(s.fluid.absorbers.empty(), "fluid.absorbers");
  without(s.bodies.empty(), "bodies");
  without(s.cloth.empty(), "cloth");
  without(s.soft.empty(), "soft");
  without(s.gauges.empty(), "gauges");
  if (s.tank.moves()) unless(false, "tank", "a tank at rest; gravity may have keyframes");
  return all;
}

std::string togetherKey(const Scene& scene) {
  Scene s = scene;
  s.title.clear();
  s.fluid.blocks.clear();
  s.time.until = TimeControl().until;
  s.output = Output();
  if (s.solver.name == "pbf") {
    s.gravity = Scene().gravity;
    s.gravity_keys.clear();
    s.gravity_file.clear();
  }
  return std::filesystem::path(scene.file).parent_path().string() + "\n" + toToml(s);
}

}  // namespace brim
