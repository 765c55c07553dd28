// The same scene on many ranks: with the bits of a run without them, whatever their number.
#include <nlohmann/json.hpp>

#include "command.h"

using namespace brim;

namespace {

const std::string base = R"(version = 1
title = "ranks"
dimension = 2
[domain]
min = [0, 0]
max = [1, 0.8]
[resolution]
spacing = 0.025
[output]
frames_per_second = 50
checkpoint_every = 0.02
[time]
until = 0.1
)";
const std::string block = R"(
[[fluid.blocks]]
kind = "box"
min = [0, 0]
max = [0.4, 0.5]
velocity = [1, 0]
)";
const std::string wcsph = R"(
[solver]
name = "wcsph"
sound_speed = 20
)";

struct Case {
  const char* name;
  std::string scene;
};
void PrintTo(const Case& c, std::ostream* to) { *to << c.name; }

std::string solverOf(const std::string& name, const std::string& more = "") {
  return base + block + "[solver]\nname = \"" + name + "\"\n" + more;
}
std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

const std::string tall = with(base, "max = [1, 0.8]", "max = [0.4, 1]\nboundary = [\"periodic\", \"walls\"]");

const Case cases[] = {
    {"Wcsph", base + block + wcsph},
    {"Pcisph", solverOf("pcisph")},
    {"Pbf", solverOf("pbf", "acceleration = \"none\"\n")},
    {"Dfsph", solverOf("dfsph")},
    {"Iisph", solverOf("iisph")},
    {"InThreeDimensions", R"(version = 1
title = "ranks"
[domain]
min = [0, 0, 0]
max = [0.6, 0.4, 0.2]
[resolution]
spacing = 0.025
[[fluid.blocks]]
kind = "box"
min = [0, 0, 0]
max = [0.25, 0.3, 0.2]
[output]
frames_per_second = 50
[time]
until = 0.02
)" + wcsph},
    {"WithAnEmitterAndASink", base + block + wcsph + R"(
[[fluid.emitters]]
kind = "rectangle"
centre = [0.9, 0.3]
direction = [-1, 0]
width = 0.1
speed = 2
[[fluid.sinks]]
kind = "box"
min = [0, 0]
max = [0.6, 0.1]
)"},
    {"PeriodicAcrossTheCuts", with(base, "max = [1, 0.8]", "max = [1, 0.8]\nboundary = [\"periodic\", \"walls\"]") +
                                  with(block, "[1, 0]", "[-3, 0]") + wcsph},
    {"PeriodicAlongTheCuts", tall + block + wcsph},
    {"WithAMovingSolid", base + block + wcsph + R"(
[[solids]]
name = "paddle"
kind = "box"
min = [0.5, 0]
max = [0.58, 0.3]
[solids.motion]
axis = [0, 0, 1]
pivot = [0.54, 0, 0]
rate = 4
)"},
};

class Ranks : public Command {
 protected:
  void write(const std::string& text) { std::ofstream(folder / "scene.toml") << text; }
  Outcome alone(const std::string& arguments) { return brim("run scene.toml --quiet --threads 1 " + arguments); }
  Outcome on(int ranks, const std::string& arguments) {
    return brim("run scene.toml --quiet --threads 1 --ranks " + arguments, mpirun(ranks));
  }
  static std::string mpirun(int ranks) { return "mpirun --oversubscribe --allow-run-as-root -n " + std::to_string(ranks); }
  nlohmann::json summary(const std::string& out) { return nlohmann::json::parse(contentOf(folder / out / "summary.json")); }
  std::string hash(const std::string& out) { return summary(out)["state_hash"]; }
};

class RanksOf : public Ranks, public testing::WithParamInterface<Case> {};

}  // namespace

TEST_P(RanksOf, OneToFourGiveTheBitsOfARunWithout) {
  write(GetParam().scene);
  ASSERT_EQ(alone("--out alone").code, 0);
  for (int ranks = 1; ranks <= 4; ++ranks) {
    const std::string out = "on" + std::to_string(ranks);
    const Outcome o = on(ranks, "--out " + out);
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(hash(out), hash("alone")) << ranks << " ranks";
    EXPECT_EQ(summary(out)["steps"], summary("alone")["steps"]);
    EXPECT_EQ(summary(out)["particles"], summary("alone")["particles"]);
    EXPECT_EQ(summary(out)["ranks"]["count"], ranks);
    EXPECT_GT(summary(out)["ranks"]["bytes_per_step"], 0);
    for (const auto& frame : fs::directory_iterator(folder / "alone/frames"))
      EXPECT_EQ(contentOf(frame.path()), contentOf(folder / out / "frames" / frame.path().filename())) << frame.path();
  }
}
INSTANTIATE_TEST_SUITE_P(All, RanksOf, testing::ValuesIn(cases), [](const auto& c) { return std::string(c.param.name); });

TEST_F(Ranks, AKilledOneEndsTheRunAndTheCheckpointGoesOnWithAnotherNumberOfThem) {
  write(base + block + wcsph);
  ASSERT_EQ(alone("--out alone").code, 0);
  const std::string kill = std::string(BRIM_SOURCE) + "/tests/cli/signal_when KILL out/checkpoint/state.brim";
  const Outcome o =
      brim("run scene.toml --quiet --threads 1 --ranks --out out",
           mpirun(3) + " sh -c 'if [ $OMPI_COMM_WORLD_RANK = 1 ]; then exec " + kill + " \"$@\"; else exec \"$@\"; fi' -");
  EXPECT_NE(o.code, 0);
  EXPECT_TRUE(has(o.err, "non-zero exit code")) << o.err;  // mpirun says whose, and 137: killed
  ASSERT_TRUE(fs::exists(folder / "out/checkpoint/state.brim"));
  const Outcome resumed = on(2, "--out out --resume");
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(hash("out"), hash("alone"));
}

TEST_F(Ranks, GaugesReadWhatTheyReadWithout) {
  write(base + block + wcsph + R"(
[[gauges]]
name = "level"
kind = "level"
from = [0.2, 0]
to = [0.2, 0.8]
rate = 100
[[gauges]]
name = "pressure"
kind = "pressure"
point = [0, 0.1]
average = 0.01
rate = 100
)");
  ASSERT_EQ(alone("--out alone").code, 0);
  const Outcome o = on(3, "--out on");
  ASSERT_EQ(o.code, 0) << o.err;
  for (const char* table : {"gauges/level.csv", "gauges/pressure.csv"}) {
    EXPECT_GT(contentOf(folder / "alone" / table).size(), 100u);
    EXPECT_EQ(contentOf(folder / "alone" / table), contentOf(folder / "on" / table));
  }
}

TEST_F(Ranks, WhatIsNotThereIsAMistakeWithAPlace) {
  write(base + block + "[solver]\nname = \"flip\"\n");
  Outcome o = on(2, "--out out");
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "scene.toml:21:8: solver \"flip\" does not run on many ranks; these do: wcsph")) << o.err;
  write(base + block + "[solver]\nname = \"pbf\"\n");
  o = on(2, "--out out");
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "acceleration = \"none\"")) << o.err;
  EXPECT_FALSE(fs::exists(folder / "out/summary.json"));
}
