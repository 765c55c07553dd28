// Speed and memory of fixed workloads, as ratios to the yardstick: `make bench`.
//
// Each workload is a dam break in motion. It runs in a process of its own, since peak memory belongs to a process, and the
// yardstick runs in the same minute, before and after what is timed; the smaller of its two times is the ruler.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "brim/simulation.h"
#include "common.h"

namespace fs = std::filesystem;
using nlohmann::json;
using namespace brim::bench;

namespace {

struct Workload {
  const char* name;
  const char* spacing;  // [m]
  const char* solver;
  double warmTime;     // [s] of simulated time before the clock starts,
  int warmSteps;       // and steps at most
  int steps;           // timed
  int iterations = 0;  // 0: the solver's own
  const char* scene = "dam_break_100k";
};

// 100k: the front is on its way along the floor. 1M: as many steps as patience allows; the dam has begun to fall.
const Workload workloads[] = {
    {"100k", "0.02632", "pbf", 0.3, 100000, 20},
    {"1M", "0.0122", "pbf", 0.3, 20, 5},
    {"100k", "0.02632", "wcsph", 0.3, 100000, 40},
    {"1M", "0.0122", "wcsph", 0.3, 20, 10},
    {"100k", "0.02632", "dfsph", 0.3, 100000, 20},
    {"100k", "0.02632", "iisph", 0.3, 100000, 20},
    {"64k", "0.03054", "projective", 0.3, 20, 10},  // 64k to 1.9M: a step's time is to grow like the particles
    {"200k", "0.02089", "projective", 0.3, 20, 10},
    {"1.9M", "0.00978", "projective", 0.3, 3, 3},
    // 80k and 160k with 15 and 30 iterations: a step's time is to grow like both; 2D beside them.
    {"80k", "0.02924", "constraint", 0.3, 20, 10, 15},
    {"80k30", "0.02924", "constraint", 0.3, 20, 10, 30},
    {"160k", "0.02321", "constraint", 0.3, 20, 10, 15},
    {"2D200k", "0.00155", "constraint", 0.3, 20, 10, 15, "dam_break_2d"},
};

double yardstick() { return json::parse(outputOf("'" BRIM_YARDSTICK "'")).at("iteration_ns"); }

// Medians over the steps, so that a step another program disturbed does not count.
json measure(brim::Simulation& sim, int steps) {
  const double rulerBefore = yardstick();
  std::map<std::string, std::vector<double>> stages;
  std::vector<double> whole, iteration;
  double iterations = 0, simulated = 0, error = 0;
  const double begin = seconds();
  brim::StepReport r;
  for (int n = 0; n < steps; ++n) {
    const double t = seconds();
    r = sim.advance(1e9);
    const double perParticle = 1 / double(r.particles);
    whole.push_back((seconds() - t) * 1e9 * perParticle);
    for (const auto& stage : r.stages) {
      stages[stage.name].push_back(stage.ms * 1e6 * perParticle);
      if (std::string_view(stage.name) == "pressure" && r.iterations > 0)
        iteration.push_back(stage.ms * 1e6 * perParticle / r.iterations);
    }
    iterations += r.iterations, simulated += r.dt, error += r.dt * r.density_error_mean;
  }
  const double wall = seconds() - begin;
  json j;
  j["particles"] = r.particles;
  j["neighbours"] = r.neighbours;
  j["iterations"] = iterations / steps;
  j["dt_ms"] = 1e3 * simulated / steps;
  j["density_error_mean"] = error / simulated;
  j["simulated_per_s"] = simulated / wall;
  j["search_ns"] = median(stages.at("search"));
  j["iteration_ns"] = iteration.empty() ? 0 : median(iteration);
  j["step_ns"] = median(whole);
  j["yardstick_ns"] = std::min(rulerBefore, yardstick());
  return j;
}

// What the process of one workload does: a line of JSON for two threads, and one for one.
void runWorkload(const Workload& w) {
  std::vector<brim::Setting> settings = {{"resolution.spacing", w.spacing}, {"solver.name", fmt::format("\"{}\"", w.solver)}};
  if (w.iterations > 0) settings.push_back({"solver.iterations", std::to_string(w.iterations)});
  const brim::Scene scene = brim::readScene(fmt::format(BRIM_SOURCE "/scenes/{}.toml", w.scene), settings);
  const auto make = [&](int threads) { return std::make_unique<brim::Simulation>(scene, brim::Options{.threads = threads}); };
  auto sim = make(2);
  while (sim->time() < w.warmTime && sim->step() < w.warmSteps) sim->advance(1e9);
  json j = measure(*sim, w.steps);
  struct rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  json common = {{"size", w.name},
                 {"solver", w.solver},
                 {"flavour", sim->facts().flavour},
                 {"samples", sim->facts().boundary_samples},
                 {"bytes_per_particle", double(sim->bytes()) / double(sim->facts().fluid_particles)},
                 {"peak_mb", double(usage.ru_maxrss) * 1024 / 1e6}};  // Linux counts in KiB
  j.update(common);
  j["threads"] = 2;
  fmt::print("{}\n", j.dump());

  // One thread goes on from where two stopped. This comes after the peak was read, for the copy of the state adds to it.
  const std::vector<char> state = sim->save();
  sim.reset();
  sim = make(1);
  sim->restore(state);
  j = measure(*sim, w.steps);
  j.update(common);
  j["threads"] = 1;
  fmt::print("{}\n", j.dump());
}

std::string machineName() {
  std::string model = "unknown CPU", line;
  for (std::ifstream file("/proc/cpuinfo"); std::getline(file, line);)
    if (line.starts_with("model name")) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  std::string name;
  for (const char c : model + fmt::format(" {} cores", ::sysconf(_SC_NPROCESSORS_ONLN)))
    if (std::isalnum(static_cast<unsigned char>(c)))
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  return name;
}

void writeCsv(const fs::path& file, const std::vector<json>& rows) {
  const char* columns[] = {
      "size",    "particles",       "samples",           "solver",       "threads", "flavour",      "neighbours",
      "dt_ms",   "iterations",      "search_ns",         "iteration_ns", "step_ns", "yardstick_ns", "bytes_per_particle",
      "peak_mb", "simulated_per_s", "density_error_mean"};
  fs::create_directories(file.parent_path());
  std::ofstream out(file);
  const char* comma = "";
  for (const char* c : columns) out << comma << c, comma = ",";
  for (const json& row : rows) {
    comma = "\n";
    for (const char* c : columns) {
      const json& v = row.at(c);
      out << comma
          << (v.is_string()         ? v.get<std::string>()
              : v.is_number_float() ? fmt::format("{:.6g}", v.get<double>())
                                    : v.dump());
      comma = ",";
    }
  }
  out << "\n";
  if (!out.flush()) throw brim::Failure("cannot write " + file.string());
}

void printRow(const json& r) {
  const double ruler = r["yardstick_ns"];
  const auto timed = [&](double ns) {
    return ns > 0 ? fmt::format("{:8.1f} ({:5.3f})", ns, ns / ruler) : fmt::format("{:>16}", "-");
  };
  fmt::print("{:<6} {:<10} {:>2}  {} {} {}  {:9.1f} {:10.1f} {:9.0f} {:9.1f}  {:8.4f} {:9.5f}\n", r["size"].get<std::string>(),
             r["solver"].get<std::string>(), r["threads"].get<int>(), timed(r["search_ns"]), timed(r["iteration_ns"]),
             timed(r["step_ns"]), ruler, r["iterations"].get<double>(), r["bytes_per_particle"].get<double>(),
             r["peak_mb"].get<double>(), r["simulated_per_s"].get<double>(), r["density_error_mean"].get<double>());
  std::fflush(stdout);
}

// The bounds that Brim sets itself, with two threads.
void printBounds(const std::vector<json>& rows) {
  const auto find = [&](const char* size, const char* solver) -> const json* {
    for (const json& r : rows)
      if (r["size"] == size && r["solver"] == solver && r["threads"] == 2) return &r;
    return nullptr;
  };
  const auto line = [](const std::string& what, double value, double bound) {
    fmt::print("  {:<62} {:>8.3g}   at most {:>6.3g}   {}\n", what, value, bound, value <= bound ? "ok" : "MISSED");
  };
  fmt::print("\nBounds, two threads:\n");
  const json *pbf = find("100k", "pbf"), *wcsph = find("100k", "wcsph");
  const auto ratio = [](const json& r, const char* what) { return r[what].get<double>() / r["yardstick_ns"].get<double>(); };
  if (pbf) line("PBF iteration over the yardstick's, 100k", ratio(*pbf, "iteration_ns"), 1. / 9);
  if (pbf) line("search with lists over the yardstick's iteration, 100k", ratio(*pbf, "search_ns"), 1. / 4);
  if (wcsph) line("WCSPH step over the yardstick's iteration, 100k", ratio(*wcsph, "step_ns"), 0.5);
  // Constraint Fluids: ten steps a second, and an iteration that costs no more than 1.5 of PBF's.
  const json *cf = find("80k", "constraint"), *cfLong = find("80k30", "constraint"), *cfLarge = find("160k", "constraint"),
             *cfFlat = find("2D200k", "constraint");
  const auto stepMs = [](const json& r) { return r["step_ns"].get<double>() * r["particles"].get<double>() * 1e-6; };
  if (cf) line("constraint: a step of 80k particles, 15 iterations [ms]", stepMs(*cf), 100);
  if (cfFlat) line("constraint: a step of 200k particles in 2D, 15 iterations [ms]", stepMs(*cfFlat), 100);
  if (cf && cfLong)
    line("constraint: a further iteration over PBF's, 80k",
         (cfLong->at("step_ns").get<double>() - cf->at("step_ns").get<double>()) / 15 / cf->at("yardstick_ns").get<double>() /
             (pbf ? ratio(*pbf, "iteration_ns") : 1. / 9),
         1.5);
  if (cf && cfLarge)
    line("constraint: step per particle, 160k over 80k", ratio(*cfLarge, "step_ns") / ratio(*cf, "step_ns"), 1.25);
  for (const char* solver : {"pbf", "wcsph"}) {
    const json *small = find("100k", solver), *large = find("1M", solver);
    if (!small || !large) continue;
    const auto of = [](const json* r, const char* what) { return (*r)[what].get<double>(); };
    const double slope = (of(large, "peak_mb") - of(small, "peak_mb")) * 1e6 / (of(large, "particles") - of(small, "particles"));
    line(fmt::format("{}: peak memory from 100k to 1M [bytes/particle]", solver), slope, 450);
    line(fmt::format("{}: peak memory without particles [MB]", solver),
         of(small, "peak_mb") - slope * of(small, "particles") / 1e6, 60);
    const bool iterates = std::string_view(solver) == "pbf";
    const char* cost = iterates ? "iteration_ns" : "step_ns";
    line(fmt::format("{}: {} per particle, 1M over 100k", solver, iterates ? "iteration" : "step"),
         ratio(*large, cost) / ratio(*small, cost), 1.25);
    line(fmt::format("{}: search per particle, 1M over 100k", solver), ratio(*large, "search_ns") / ratio(*small, "search_ns"),
         1.25);
  }
}

int runAll(const std::string& only) {
  double load = 0;
  if (::getloadavg(&load, 1) == 1 && load > 0.5)
    fmt::print("Load is {:.1f}: other programs are at work, and the numbers for two threads will suffer.\n", load);
  fmt::print("Dam break in motion; nanoseconds per particle, in brackets over the yardstick's iteration of the same minute.\n\n");
  fmt::print(
      "size   solver     thr   search           iteration        step              yardstick iterations  B/particle   peak MB  "
      "sim s/s  error\n");
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  std::vector<json> rows;
  bool failed = false;
  for (std::size_t n = 0; n < std::size(workloads); ++n) {
    if (!only.empty() && only != workloads[n].name && only != workloads[n].solver) continue;
    try {
      std::istringstream lines(outputOf(fmt::format("'{}' --workload {}", self, n)));
      for (std::string line; std::getline(lines, line);) {
        rows.push_back(json::parse(line));
        printRow(rows.back());
      }
    } catch (const brim::Failure&) {  // it has said why; the others are worth having
      fmt::print("{:<6} {:<10} failed\n", workloads[n].name, workloads[n].solver);
      failed = true;
    }
  }
  if (rows.empty() && failed) return 1;
  if (rows.empty()) throw brim::Failure("no workload is called \"" + only + "\": a size as 100k, or a solver");
  printBounds(rows);

  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d_%H%M", std::localtime(&now));
  const fs::path file = fs::path(BRIM_SOURCE "/bench/results") / machineName() / (std::string(date) + ".csv");
  writeCsv(file, rows);
  fmt::print("\nWritten to {}\n", file.lexically_relative(fs::current_path()).string());
  return failed;
}

}  // namespace

// brim_bench [size | solver], as 100k or pbf; --workload is how it calls itself.
int main(int argc, char** argv) try {
  if (argc == 3 && std::string_view(argv[1]) == "--workload") {
    runWorkload(workloads[std::atoi(argv[2])]);
    return 0;
  }
  return runAll(argc > 1 ? argv[1] : "");
} catch (const std::exception& e) {
  fmt::print(stderr, "brim_bench: {}\n", e.what());
  return 2;
}
