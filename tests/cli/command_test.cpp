// The command as its users meet it: what it prints and how it ends.
#include "command.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "brim/simulation.h"
#include "scene/declare.h"

namespace brim {
namespace {

TEST_F(Command, HelpTeachesByExamplesAndUnits) {
  const Outcome o = brim("--help");
  EXPECT_EQ(o.code, 0);
  for (const char* part : {"Examples:", "brim run scenes/dam_break.toml", "SI units", "Exit codes", "list", "check", "info"})
    EXPECT_TRUE(has(o.out, part)) << part;
  for (const char* option : {"--solver", "--set", "--until", "--out", "--threads", "--precision", "--flavour",
                             "--frames-per-second", "--resume", "--from", "--quiet", "--progress", "--overwrite"})
    EXPECT_TRUE(has(brim("run --help").out, option)) << option;
}

TEST_F(Command, WrongArgumentsEndWith2AndNameTheArgument) {
  EXPECT_EQ(brim("").code, 2);
  const Outcome o = brim("run scenes/dam.toml --bogus");
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "--bogus"));
  EXPECT_EQ(brim("run scenes/dam.toml --precision half").code, 2);
  EXPECT_TRUE(has(brim("run scenes/dma.toml").err, "did you mean scenes/dam.toml?"));
  EXPECT_EQ(brim("run scenes/dam.toml --set until").code, 2);
}

TEST_F(Command, ASlipInACommandOrAnOptionIsToldWithWhatWasMeant) {
  const auto told = [&](const std::string& words) {
    const Outcome o = brim(words);
    EXPECT_EQ(o.code, 2) << words;
    return o.err;
  };
  EXPECT_TRUE(has(told("rnu scenes/dam.toml"), "brim has no command \"rnu\"; did you mean \"run\"?  (one of: run, "));
  EXPECT_TRUE(has(told("scenes/dam.toml"), "did you mean \"brim run scenes/dam.toml\"?"));
  EXPECT_TRUE(has(told("list solver"), "brim list has no command \"solver\"; did you mean \"solvers\"?"));
  EXPECT_EQ(told("run scenes/dam.toml --solvr pbf"),
            "brim: brim run has no option --solvr; did you mean \"--solver\"?  (brim run --help)\n");
}

TEST_F(Command, TheVersionIsToldByOptionAndByCommand) {
  const Outcome option = brim("--version"), command = brim("version");
  EXPECT_EQ(option.code, 0);
  EXPECT_EQ(option.out, command.out);
  EXPECT_TRUE(has(option.out, "brim ") && has(option.out, "flavours: ")) << option.out;
}

TEST_F(Command, CheckTellsAllMistakesWithTheirPlaces) {
  std::ofstream(folder / "bad.toml") << "version = 1\ndimension = 2\n[resolution]\nspacng = 0.1\n[solver]\nname = \"pfb\"\n"
                                        "[[fluid.blocks]]\nkind = \"box\"\nmin = [0, 0]\nmax = [0.5, 1.5]\n";
  const Outcome o = brim("check bad.toml");
  EXPECT_EQ(o.code, 2);
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(o.err,
            "bad.toml:4:1: resolution has no \"spacng\"; did you mean \"spacing\"?\n"
            "bad.toml:6:8: solver \"pfb\" is not known; did you mean \"pbf\"?  (one of: pbf, pcisph, projective, wcsph, dfsph, "
            "iisph, constraint, flip, apic)\n"
            "bad.toml:10:7: fluid block lies 0.5 m outside the domain\n"
            "3 mistakes\n");
}

TEST_F(Command, CheckAcceptsAGoodScene) {
  const Outcome o = brim("check scenes/dam.toml");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "ok: 160 particles")) << o.out;  // 10 x 16 on the lattice of 0.05 m
}

TEST_F(Command, AnUnknownSolverIsAMistakeNotAFallback) {
  const Outcome o = brim("run scenes/dam.toml --solver wcsphh");
  EXPECT_EQ(o.code, 2);
  EXPECT_EQ(o.err,
            "--solver wcsphh: solver \"wcsphh\" is not known; did you mean \"wcsph\"?  (one of: pbf, pcisph, projective, wcsph, "
            "dfsph, iisph, constraint, flip, apic)\n");
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST_F(Command, ATrillionParticlesAreRefusedAtOnce) {
  for (const char* command : {"check", "run", "info"}) {
    const Outcome o = brim(std::string(command) + " scenes/dam.toml --set resolution.spacing=6.3e-7");
    EXPECT_EQ(o.code, 2);
    EXPECT_TRUE(has(o.err, "1.01e+12 particles") && has(o.err, "would fit")) << o.err;
  }
  EXPECT_FALSE(fs::exists(folder / "out"));  // nothing was begun
}

TEST_F(Command, AFolderThatCannotBeWrittenIsNamed) {
  const Outcome o = brim("run scenes/dam.toml --out /proc/brim/out");
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "/proc/brim")) << o.err;
}

TEST_F(Command, ListShowsEveryParameterOfEverySolver) {
  const Outcome all = brim("list parameters"), names = brim("list solvers");
  EXPECT_EQ(all.code, 0);
  for (const SolverInfo& s : solvers()) {
    EXPECT_TRUE(has(names.out, s.name) && has(names.out, s.source));
    const Outcome own = brim("list parameters " + s.name);
    for (const Parameter& p : parametersOf(s)) {
      EXPECT_TRUE(has(own.out, "  " + p.name + " ") && has(own.out, p.doc.text)) << s.name << "." << p.name;
      EXPECT_TRUE(has(all.out, "  " + p.name + " ")) << s.name << "." << p.name;
    }
  }
  for (const char* key : {"spacing", "frames_per_second", "inside_out", "displacement"}) EXPECT_TRUE(has(all.out, key)) << key;
  EXPECT_TRUE(has(brim("list parameters viscositi").err, "did you mean \"viscosity\"?"));
}

TEST_F(Command, ListShowsScenesWithTitleDimensionAndSize) {
  const Outcome o = brim("list scenes");
  EXPECT_EQ(o.code, 0);
  for (const char* part : {"scenes/dam.toml", "2D", "160 particles", "A small dam"}) EXPECT_TRUE(has(o.out, part)) << part;
}

TEST_F(Command, ListsWhatItComputesOn) {
  const Outcome o = brim("list devices");
  EXPECT_EQ(o.code, 0);
  for (const auto& flavour : flavours()) EXPECT_TRUE(has(o.out, flavour == "cuda32" ? "TB/s" : flavour)) << flavour;
  // Without a GPU it is the reason that a run would give.
  if (!has(o.out, "TB/s")) {
    const std::string why = o.out.substr(o.out.find("cuda  ") + 6);
    EXPECT_TRUE(has(brim("run scenes/dam.toml --device cuda").err, why.substr(0, 20)));
  }
}

TEST_F(Command, ThePageOfTheSceneFormatIsWhatTheDeclarationSays) {
  EXPECT_EQ(brim("list parameters --markdown").out, contentOf(BRIM_SOURCE "/docs/scene_format.md"))
      << "write it anew: brim list parameters --markdown > docs/scene_format.md";
}

TEST_F(Command, InfoForetellsSizeDiskAndSteps) {
  const Outcome o = brim("info scenes/dam.toml --set time.until=1");
  EXPECT_EQ(o.code, 0) << o.err;
  // CFL: half a spacing at the speed of a fall from 0.8 m, sqrt(2 * 9.81 * 0.8) = 3.96 m/s, takes 6.3 ms; dt_max is 5 ms.
  for (const char* part : {"160", "memory", "21 frames", "about 200 of 0.005 s (time.dt_max)", "wall time"})
    EXPECT_TRUE(has(o.out, part)) << part << "\n" << o.out;
  EXPECT_TRUE(has(brim("info scenes/dam.toml --set time.dt_max=0.1").out, "CFL at 3.96 m/s"));
}

TEST_F(Command, InfoSaysTheParametersAndStepsThatRun) {
  EXPECT_TRUE(has(brim("info scenes/dam.toml --set solver.iterations=7 --set solver.kernel=wendland").out, "iterations 7, "));
  EXPECT_TRUE(has(brim("info scenes/dam.toml --set solver.kernel=wendland").out, "kernel wendland, "));
  const std::string wcsph = brim("info scenes/dam.toml --solver wcsph").out;
  EXPECT_TRUE(has(wcsph, "kernel " + declaredChoice("wcsph", "kernel")) && has(wcsph, "(sound)")) << wcsph;
  // A grid's CFL counts in cells, three spacings of 0.05 m in 2D: 0.15 m / 3.96 m/s.
  const std::string flip = brim("info scenes/dam.toml --solver flip --set time.dt_max=0.1").out;
  EXPECT_TRUE(has(flip, "of 0.0379 s (CFL at 3.96 m/s)")) << flip;
  // dfsph steps at most 0.5 d/v of a fall through the domain of 1 m: 0.5 * 0.05 / 4.43 s.
  const std::string dfsph = brim("info scenes/dam.toml --solver dfsph --set time.dt_max=0.1 --set time.cfl=10").out;
  EXPECT_TRUE(has(dfsph, "(fall)")) << dfsph;
}

TEST_F(Command, ARunLeavesItsResultsAndSaysWhere) {
  const Outcome o = brim("run scenes/dam.toml");
  ASSERT_EQ(o.code, 0) << o.err;
  for (const char* file : {"statistics.csv", "summary.json", "preview.png", "frames"}) {
    EXPECT_TRUE(fs::exists(folder / "out/dam" / file)) << file;
    EXPECT_TRUE(has(o.out, std::string("out/dam/") + file)) << file;
  }
}

TEST_F(Command, TheSummaryHasEveryNumberThatReportsRead_X03) {
  ASSERT_EQ(brim("run scenes/dam.toml --quiet").code, 0);
  const auto summary = nlohmann::json::parse(contentOf(folder / "out/dam/summary.json"));
  for (const char* name : {"scene",
                           "solver",
                           "dimension",
                           "precision",
                           "threads",
                           "fluid_particles",
                           "boundary_samples",
                           "neighbours_mean",
                           "steps",
                           "time",
                           "wall_s",
                           "iterations_mean",
                           "ns_per_particle_step",
                           "ns_per_particle_iteration",
                           "search_ns_per_particle",
                           "density_error_mean",
                           "density_error_max",
                           "volume_ratio",
                           "bytes_per_particle",
                           "peak_rss_bytes",
                           "state_hash"})
    EXPECT_TRUE(summary.contains(name)) << name;
  const std::string header = contentOf(folder / "out/dam/statistics.csv").substr(0, 1000);
  for (const char* name : {"step,", "time [s],", "dt [s],", "dt_limit,", "iterations,", "density_error_mean,",
                           "density_error_max,", "kinetic_energy [J],", "potential_energy [J],", "momentum_x [kg m/s],",
                           "max_speed [m/s],", "particles,", "ms_search [ms]"})
    EXPECT_TRUE(has(header, name)) << name;
}

TEST_F(Command, ResultsAreNotOverwrittenUnasked) {
  ASSERT_EQ(brim("run scenes/dam.toml --until 0.02 --quiet").code, 0);
  const std::string before = contentOf(folder / "out/dam/statistics.csv");
  const Outcome o = brim("run scenes/dam.toml --until 0.04 --quiet");
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "--resume") && has(o.err, "--overwrite") && has(o.err, "out/dam")) << o.err;
  EXPECT_EQ(contentOf(folder / "out/dam/statistics.csv"), before);
  EXPECT_EQ(brim("run scenes/dam.toml --until 0.04 --quiet --overwrite").code, 0);
  EXPECT_NE(contentOf(folder / "out/dam/statistics.csv"), before);
}

TEST_F(Command, TwoRunsDoNotShareAFolder) {
  fs::create_directories(folder / "both");
  const int held = open((folder / "both").c_str(), O_RDONLY | O_CLOEXEC);  // as a run holds it
  ASSERT_EQ(flock(held, LOCK_EX), 0);
  const Outcome o = brim("run scenes/dam.toml --until 0.02 --quiet --out both");
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "another run is writing into both")) << o.err;
  close(held);
  EXPECT_EQ(brim("run scenes/dam.toml --until 0.02 --quiet --out both").code, 0);
}

TEST_F(Command, ARunThatDivergesEndsWith3AndNamesTimeAndParticle_X05) {
  // Gravity of 1e9 m/s^2 through a periodic shaft: 1e6 m/s after the first millisecond.
  const Outcome o = brim(
      "run scenes/dam.toml --set gravity=[0,-1e9] --set 'domain.boundary=[\"walls\",\"periodic\"]' --set time.dt=1e-3 --quiet");
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(has(o.err, "diverged at t = ") && has(o.err, "of particle ")) << o.err;
  EXPECT_TRUE(has(contentOf(folder / "out/dam/summary.json"), "diverged at t = "));
}

TEST_F(Command, ARunThatLosesAllItsParticlesInOneStepDivergesToo_X05) {
  // A step with this gravity makes velocities of 1e27 m/s.
  const Outcome o = brim("run scenes/dam.toml --solver wcsph --set 'gravity=[0,-1e30]' --set time.dt=1e-3 --quiet");
  EXPECT_EQ(o.code, 3) << o.err;
  EXPECT_TRUE(has(o.err, "diverged at t = ")) << o.err;
}

TEST_F(Command, ProgressForProgramsIsOneJsonObjectALine) {
  const Outcome o = brim("run scenes/dam.toml --progress json");
  ASSERT_EQ(o.code, 0) << o.err;
  std::istringstream lines(o.out);
  std::vector<nlohmann::json> events;
  for (std::string line; std::getline(lines, line);) events.push_back(nlohmann::json::parse(line));
  ASSERT_GE(events.size(), 2u);
  EXPECT_EQ(events.front()["event"], "progress");
  EXPECT_EQ(events.front()["particles"], 160);
  EXPECT_EQ(events.back()["event"], "finished");
  EXPECT_NEAR(events[events.size() - 2]["time"].get<double>(), 0.1, 1e-9);  // times are sums of a few dozen steps in double
}

TEST_F(Command, SignalsEndARunWithACheckpointAndSayHowToGoOn) {
  for (const auto& [name, code] : {std::pair("INT", 130), std::pair("TERM", 143)}) {
    const std::string out = std::string("--out ") + name;
    const Outcome o = signalled("run scenes/dam.toml --until 1e6 --set 'domain.max=[2, 1]' " + out, name,
                                folder / name / "frames/frame_000001.vtp");
    EXPECT_EQ(o.code, code) << o.err;
    EXPECT_TRUE(has(o.err, "--until 1e6 --set 'domain.max=[2, 1]' " + out + " --resume")) << o.err;
    EXPECT_TRUE(fs::exists(folder / name / "checkpoint/state.brim"));
  }
}

}  // namespace
}  // namespace brim
