// When gauges sample, what they keep over a restart, and what their tables say.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "brim/files.h"
#include "brim/run.h"
#include "helpers.h"
#include "io/csv.h"

namespace fs = std::filesystem;

namespace brim {
namespace {

using namespace test;

/// A small dam with a gauge of every kind; those whose names end in "fast" have a rate.
Scene measured() {
  Scene s = domain("pbf", 2, {1, 0.6, 0}, 0.04, "walls");
  fill(s, box({0, 0, 0}, {0.4, 0.4, 0}));
  s.solids.push_back({"post", box({0.7, 0, 0}, {0.8, 0.2, 0}), {}});
  s.time.until = 0.3;
  s.output.frames_per_second = 20;
  const auto add = [&](const char* name, const char* kind) -> Gauge& {
    s.gauges.emplace_back().name = name;
    s.gauges.back().kind = kind;
    return s.gauges.back();
  };
  Gauge& level = add("level fast", "level");
  level.from = {0.2, 0, 0}, level.to = {0.2, 0.6, 0}, level.rate = 300;
  Gauge& run = add("run", "runup");
  run.from = {0, 0, 0}, run.to = {1, 0, 0};
  Gauge& p = add("p fast", "pressure");
  p.point = {0, 0.1, 0}, p.average = 0.02, p.rate = 60;
  Gauge& v = add("v", "velocity");
  v.point = {0.3, 0.1, 0};
  Gauge& q = add("q fast", "flow");
  q.centre = {0.5, 0.2, 0}, q.width = 0.4, q.rate = 100;
  Gauge& volume = add("volume", "volume");
  volume.max = {0.5, 0.6, 0};
  Gauge& force = add("f", "force");
  force.on = "post", force.average = 0.05;
  Gauge& patch = add("patch", "patch");
  patch.centre = {0, 0.1, 0}, patch.width = 0.2;
  return s;
}

}  // namespace

TEST(Gauges, SampleAtTheFirstStepAtOrAfterEachTick) {
  const Scene s = measured();
  Simulation sim(s);
  std::vector<double> level;
  std::int64_t steps = 0, sampled = 0;
  double before = 0;
  while (sim.time() < s.time.until) {
    const StepReport r = sim.advance(s.time.until);
    ++steps;
    for (const StepReport::Sample& one : r.samples) {
      EXPECT_GT(s.gauges[one.gauge].rate, 0);
      if (one.gauge == 0) level.push_back(r.time);
      if (one.gauge != 2) continue;
      const double tick = std::floor(r.time * 60 + 1e-6) / 60;
      EXPECT_GT(tick, before) << "a tick lies between the step before and this one's end";
      ++sampled;
    }
    before = r.time;
  }
  EXPECT_EQ(sampled, std::int64_t(0.3 * 60 + 0.5)) << "steps are shorter than 1/60 s, so that no tick is missed";
  EXPECT_EQ(level.size(), std::size_t(steps)) << "steps are longer than 1/300 s, so that each of them is sampled";
}

TEST(Gauges, KeepTheirAveragesOverARestart) {
  const Scene s = measured();
  Simulation whole(s), resumed(s);
  whole.advanceTo(0.1);
  resumed.restore(whole.save());
  for (double t = 0.12; t < 0.2; t += 0.02) {
    std::vector<std::vector<double>> a, b;
    while (whole.time() < t)
      for (const auto& one : whole.advance(t).samples) a.push_back(one.values);
    while (resumed.time() < t)
      for (const auto& one : resumed.advance(t).samples) b.push_back(one.values);
    EXPECT_EQ(a, b);
    const Snapshot p = whole.snapshot(), q = resumed.snapshot();
    for (std::size_t k = 0; k < p.gauges.size(); ++k) EXPECT_EQ(p.gauges[k].values, q.gauges[k].values) << p.gauges[k].name;
  }
}

TEST(Gauges, HaveTablesWithUnitsThatAResumedRunContinuesToTheSameBytes) {
  const fs::path root = fs::temp_directory_path() / fmt::format("brim_gauges_{}", ::getpid());
  fs::remove_all(root);
  const std::atomic<bool> stop = false;
  Scene s = measured();
  const auto go = [&](const char* folder, double until, bool resume) {
    s.time.until = until;
    RunOptions o;
    o.out = (root / folder).string(), o.resume = resume;
    run(s, o, stop, [](const Progress&) {});
  };
  go("whole", 0.3, false);
  go("parts", 0.15, false);
  const char* const tables[] = {"gauges.csv", "gauges/level fast.csv", "gauges/p fast.csv", "gauges/q fast.csv"};
  // Rows that a run wrote past its last checkpoint.
  for (const char* name : tables) std::ofstream(root / "parts" / name, std::ios::app) << "9999,9,9,9\n10000,1";
  go("parts", 0.3, true);
  for (const char* name : tables) {
    const std::string a = readFile((root / "whole" / name).string());
    EXPECT_EQ(a, readFile((root / "parts" / name).string())) << name;
    EXPECT_TRUE(a.starts_with("step,time [s],")) << a.substr(0, 60);
  }
  const NumberTable frames = readTable((root / "whole/gauges.csv").string());
  EXPECT_EQ(frames.rows(), 7u);
  const std::vector<std::string> names = {"step",      "time",      "run",      "v.x",           "v.y",           "volume",
                                          "f.force_x", "f.force_y", "f.torque", "patch.force_x", "patch.force_y", "patch.torque"};
  EXPECT_EQ(frames.name, names);
  const std::vector<std::string> units = {"", "s", "m", "m/s", "m/s", "m^3", "N", "N", "N m", "N", "N", "N m"};
  EXPECT_EQ(frames.unit, units);
  // What JSON says beside the table.
  const auto told = nlohmann::json::parse(readFile((root / "whole/gauges.columns.json").string()));
  ASSERT_EQ(told["columns"].size(), names.size());
  for (std::size_t k = 0; k < names.size(); ++k) {
    EXPECT_EQ(told["columns"][k]["name"], names[k]);
    EXPECT_FALSE(told["columns"][k]["meaning"].get<std::string>().empty());
  }
  // The dam's water runs over the floor and has been held at the left wall.
  const auto& tip = *frames.find("run");
  EXPECT_NEAR(tip.front(), 0.4, 0.04);
  EXPECT_GT(tip.back(), 0.55);
  EXPECT_LT(frames.find("patch.force_x")->back(), -10) << "water pushes the left wall to the left";
  const NumberTable flow = readTable((root / "whole/gauges/q fast.csv").string());
  EXPECT_GT(flow.find("q fast.volume")->back(), 0.01);
  fs::remove_all(root);
}

TEST(Gauges, OutsideTheDomainOrInASolidAreLocatedErrors) {
  const auto mistake = [](auto change) -> std::string {
    Scene s = measured();
    change(s.gauges);
    const auto all = validate(s);
    return all.empty() ? "" : all[0].what;
  };
  EXPECT_EQ(mistake([](auto&) {}), "");
  EXPECT_EQ(mistake([](auto& g) { g[2].point = {-0.1, 0.1, 0}; }), "the gauge lies 0.1 m outside the domain");
  EXPECT_EQ(mistake([](auto& g) {
              g[2].point = {0.75, 0.1, 0};
            }),
            "the gauge lies 0.05 m inside solid \"post\"; a sensor must be in the fluid or on a surface");
  EXPECT_EQ(mistake([](auto& g) { g[2].point = {0.7, 0.1, 0}; }), "") << "on its surface";
  EXPECT_EQ(mistake([](auto& g) { g[0].to = {0.2, 0.7, 0}; }), "the gauge lies 0.1 m outside the domain");
  EXPECT_EQ(mistake([](auto& g) { g[6].on = "pots"; }), "there is no solid or body \"pots\"; did you mean \"post\"?");
  EXPECT_EQ(mistake([](auto& g) {
              g[5].min = {2, 0, 0}, g[5].max = {3, 1, 0};
            }),
            "the box of gauge \"volume\" lies outside the domain");
  EXPECT_EQ(mistake([](auto& g) { g[0].name = "a/b"; }),
            "every gauge needs its own name, without commas, slashes and quotes; \"a/b\" is not allowed or used twice");
}

TEST(CsvHeadings, AreNamesWithUnits) {
  EXPECT_EQ(columnName("time [s]"), "time");
  EXPECT_EQ(columnUnit("time [s]"), "s");
  EXPECT_EQ(columnName("a [b] c"), "a [b] c");
  EXPECT_EQ(columnUnit("step"), "");
}

}  // namespace brim
