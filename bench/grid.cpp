// Speed and memory of the grid solver on its fixed workloads, by stages: part of `make bench`.
//
// Machines differ, so each stage is also told as bytes: what the yardstick's stream loop would have moved in its time, for each
// particle. Every workload has a process of its own, since peak memory belongs to a process.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "brim/simulation.h"
#include "common.h"

namespace fs = std::filesystem;
using nlohmann::json;
using namespace brim::bench;

namespace {

struct Workload {
  const char* name;
  const char* scene;
  double from;   // [s] of simulated time before the clock starts
  int steps;     // timed
  double bound;  // [ms] a step with density projection, two threads
};
// The columns as they begin to fall, in the middle of their splash, and three million particles.
const Workload workloads[] = {{"double_dam", "double_dam_flip", 0.02, 40, 45},
                              {"double_dam_splash", "double_dam_flip", 0.6, 40, 45},
                              {"dam_128", "dam_flip_128", 0.02, 10, 450}};

// Medians over the steps, so that a step another program disturbed does not count.
void runWorkload(const Workload& w, bool projection) {
  const brim::Scene scene = brim::readScene(fmt::format("{}/scenes/{}.toml", BRIM_SOURCE, w.scene),
                                            {{"solver.density_projection", projection ? "true" : "false"}});
  brim::Simulation sim(scene, brim::Options{.precision = "single", .threads = 2, .flavour = ""});
  while (sim.time() < w.from - 1e-9) sim.advance(1e9);
  std::map<std::string, std::vector<double>> ms;
  double iterations = 0;
  for (int n = 0; n < w.steps; ++n) {
    const double t = seconds();
    const brim::StepReport& r = sim.advance(1e9);
    ms["step"].push_back(1e3 * (seconds() - t));
    iterations += r.iterations;
    for (const auto& stage : r.stages) ms[stage.name].push_back(stage.ms);
  }
  struct rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  const double particles = double(sim.facts().fluid_particles);
  json j = {{"workload", w.name},
            {"projection", projection},
            {"flavour", sim.facts().flavour},
            {"particles", sim.facts().fluid_particles},
            {"iterations", iterations / w.steps},
            {"bytes_per_particle", double(sim.bytes()) / particles},
            {"peak_bytes_per_particle", double(usage.ru_maxrss) * 1024 / particles}};  // Linux counts in KiB
  for (const auto& [name, all] : ms) j["ms"][name] = median(all);
  fmt::print("{}\n", j.dump());
}

int runAll() {
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  std::map<std::string, double> bare;
  std::string csv =
      "workload,projection,flavour,particles,iterations,stage,ms,stream_bytes_per_particle,peak_bytes_per_particle\n";
  for (std::size_t n = 0; n < std::size(workloads); ++n)
    for (const bool projection : {false, true}) {
      const double stream = json::parse(outputOf("'" BRIM_YARDSTICK "'")).at("stream_gb_per_s");
      const json j = json::parse(outputOf(fmt::format("'{}' --workload {} {}", self, n, int(projection))));
      const double step = j["ms"]["step"], particles = j["particles"];
      const std::string name = j["workload"];
      fmt::print("\n{}, {} particles, {}: {:.1f} ms a step, {:.1f} iterations", name, j["particles"].get<std::int64_t>(),
                 projection ? "density projection" : "bare FLIP", step, j["iterations"].get<double>());
      if (projection)
        fmt::print("; at most {:.0f} ms: {}; projection adds {:.0f} %", workloads[n].bound,
                   step <= workloads[n].bound ? "ok" : "MISSED", 100 * (step / bare[name] - 1));
      else
        bare[name] = step;
      fmt::print("\n  memory {:.0f} bytes a particle, peak {:.0f} (at most 250)\n", j["bytes_per_particle"].get<double>(),
                 j["peak_bytes_per_particle"].get<double>());
      for (const auto& [stage, value] : j["ms"].items()) {
        const double ms = value, bytes = ms * 1e-3 * stream * 1e9 / particles;
        fmt::print("  {:<16} {:8.2f} ms   {:8.0f} bytes a particle at {:.1f} GB/s\n", stage, ms, bytes, stream);
        csv += fmt::format("{},{},{},{},{:.3g},{},{:.4g},{:.4g},{:.4g}\n", name, int(projection), j["flavour"].get<std::string>(),
                           j["particles"].get<std::int64_t>(), j["iterations"].get<double>(), stage, ms, bytes,
                           j["peak_bytes_per_particle"].get<double>());
      }
      std::fflush(stdout);
    }
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d_%H%M", std::localtime(&now));
  const fs::path file = fs::path(BRIM_SOURCE "/bench/results") / "grid" / (std::string(date) + ".csv");
  fs::create_directories(file.parent_path());
  std::ofstream out(file);
  out << csv;
  if (!out.flush()) throw brim::Failure("cannot write " + file.string());
  fmt::print("\nWritten to {}\n", file.lexically_relative(fs::current_path()).string());
  return 0;
}

}  // namespace

// --workload is how it calls itself.
int main(int argc, char** argv) try {
  if (argc == 4 && std::string_view(argv[1]) == "--workload") {
    runWorkload(workloads[std::atoi(argv[2])], std::atoi(argv[3]) != 0);
    return 0;
  }
  return runAll();
} catch (const std::exception& e) {
  fmt::print(stderr, "brim_bench_grid: {}\n", e.what());
  return 2;
}
