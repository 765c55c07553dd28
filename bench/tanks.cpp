// What it costs to step many small tanks together (brim/tanks.h), against one tank of as many particles.
//
//   brim_bench_tanks [--device cpu|cuda] [--tanks N] [--steps N] [--alone]
//
// A dam of 5,000 particles, 20 x 10 x 25, breaks in each tank; the one tank has the same dam with sides n^(1/3) times as long, n
// tanks. pbf, 6 iterations, a fixed step. Prints the median time of a step in ns for each particle, and the ratio of both;
// --alone: also the time of all small tanks one after the other, as many of them as 16. On a CPU a batch of 4 says enough.
#include "brim/tanks.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "brim/batch.h"
#include "common.h"

using namespace brim;

namespace {

Scene dam(double larger) {
  Scene s;
  const double d = 0.05;
  s.resolution.spacing = d;
  s.domain.max = {1.5 * larger, 1 * larger, 1.25 * larger};
  s.solver.name = "pbf";
  s.solver.choices["acceleration"] = "none";
  s.solver.numbers["iterations"] = 6, s.solver.numbers["tolerance"] = 0;
  s.time.dt = 2e-3;
  Block b;
  b.shape.max = {20 * d * larger, 10 * d * larger, 25 * d * larger};
  s.fluid.blocks.push_back(b);
  return s;
}

// Median over the second half of the steps [s].
template <class Step>
double timeOf(int steps, Step step) {
  std::vector<double> took;
  for (int n = 0; n < steps; ++n) {
    const double before = bench::seconds();
    step();
    if (n >= steps / 2) took.push_back(bench::seconds() - before);
  }
  return bench::median(took);
}

void tell(const char* what, double particles, double seconds, const StepReport& r) {
  fmt::print("{:34s} {:12.0f} particles {:10.3f} ms a step {:8.3f} ns a particle\n  ", what, particles, 1e3 * seconds,
             1e9 * seconds / particles);
  for (const auto& s : r.stages) fmt::print(" {} {:.3f} ms", s.name, s.ms);
  fmt::print("; {:.1f} neighbours a particle\n", r.neighbours);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  int tanks = 4096, steps = 100;
  bool alone = false;
  for (int k = 1; k < argc; ++k) {
    const auto is = [&](const char* word) { return std::strcmp(argv[k], word) == 0; };
    if (is("--alone"))
      alone = true;
    else if (k + 1 < argc && is("--device"))
      options.device = argv[++k];
    else if (k + 1 < argc && is("--threads"))
      options.threads = std::atoi(argv[++k]);
    else if (k + 1 < argc && is("--tanks"))
      tanks = std::atoi(argv[++k]);
    else if (k + 1 < argc && is("--steps"))
      steps = std::atoi(argv[++k]);
    else
      throw Failure(std::string("unknown option ") + argv[k]);
  }
  double together = 0, particles = 0;
  {
    const double before = bench::seconds();
    std::vector<Scene> scenes;
    for (int k = 0; k < tanks; ++k) {
      scenes.push_back(dam(1));
      scenes.back().gravity = {0, -9.81 + 1e-3 * (k % 100), 0};
    }
    std::vector<Tanks> groups = Tanks::of(scenes, options);
    if (groups.size() != 1) throw Failure("the tanks are no single group");
    particles = groups[0].offsets().back();
    fmt::print("{} tanks made in {:.1f} s, {:.2f} GiB\n", tanks, bench::seconds() - before,
               double(groups[0].bytes()) / (1 << 30));
    together = timeOf(steps, [&] { groups[0].advance(); });
    StepReport r = groups[0].report(0);
    tell("together", particles, together, r);
    for (int k = 0; k < tanks; ++k)
      if (!groups[0].failure(std::size_t(k)).empty())
        throw Failure("tank " + std::to_string(k) + ": " + groups[0].failure(std::size_t(k)));
  }
  {
    Simulation one(dam(std::cbrt(double(tanks))), options);
    const double seconds = timeOf(steps, [&] { one.advance(1e9); }), n = double(one.report().particles);
    tell("one tank of as many", n, seconds, one.report());
    fmt::print("together / one tank, for each particle: {:.3f} (bar: 1.3)\n", together / particles / (seconds / n));
  }
  if (alone) {
    const int few = std::min(tanks, 16);
    std::vector<Simulation> all;
    for (int k = 0; k < few; ++k) all.emplace_back(dam(1), options);
    const double seconds = timeOf(steps, [&] {
      for (Simulation& s : all) s.advance(1e9);
    });
    tell("one after the other", few * (particles / tanks), seconds, all[0].report());
    fmt::print("together / one after the other, for each particle: {:.3f}\n",
               together / particles / (seconds / (few * particles / tanks)));
  }
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "brim_bench_tanks: {}\n", e.what());
  return 1;
}
