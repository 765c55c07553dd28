// Hashes of the state of scenes after a few steps, for every solver that runs them, with one thread and with three: what a change
// that must not change results is compared by. `brim_hashes [SCENE.toml ...]`; without arguments all of scenes/.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "brim/estimate.h"
#include "brim/parameter.h"
#include "brim/simulation.h"

namespace fs = std::filesystem;

namespace {

constexpr int steps = 20;
constexpr std::int64_t enough = 6000;  // particles

/// The scene with the largest number of particles up to `enough`, and with the default parameters of `solver` where that is not
/// its own.
brim::Scene coarsened(const std::string& file, const std::string& solver) {
  const double spacing = brim::readScene(file).resolution.spacing;
  for (double factor = 1;; factor *= 1.2) {
    brim::Scene scene = brim::readScene(file, {{"resolution.spacing", fmt::format("{}", factor * spacing)}});
    if (scene.solver.name != solver) {
      scene.solver = {};
      scene.solver.name = solver;
    }
    if (brim::estimate(scene).particles > 4 * enough) continue;  // not worth building
    if (factor > 100 || brim::Simulation(scene).facts().fluid_particles <= enough) return scene;
  }
}

void print(const std::string& file, const std::string& solver) {
  const std::string name = fs::path(file).stem().string();
  for (int threads : {1, 3}) {
    std::string result;
    try {
      brim::Options options;
      options.threads = threads;
      brim::Simulation sim(coarsened(file, solver), options);
      for (int k = 0; k < steps; ++k) sim.advance(1e9);
      result = fmt::format("{:016x}", sim.stateHash());
    } catch (const std::exception& e) {
      result = e.what();
      result = "refused: " + result.substr(0, result.find('\n'));
    }
    fmt::print("{} {} {} {}\n", name, solver, threads, result);
    std::fflush(stdout);
    if (result.starts_with("refused")) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files(argv + 1, argv + argc);
  if (files.empty())
    for (const auto& entry : fs::directory_iterator(BRIM_SOURCE "/scenes"))
      if (entry.path().extension() == ".toml") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  for (const std::string& file : files)
    for (const brim::SolverInfo& solver : brim::solvers()) print(file, solver.name);
}
