// brim compare, sweep and study as their users meet them: what they leave, and what they refuse.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "brim/parameter.h"
#include "command.h"

namespace brim {
namespace {

class ReportCommand : public Command {
 protected:
  // report.csv as rows of cells by column; no cell of these tests holds a quote.
  std::vector<std::map<std::string, std::string>> table(const std::string& out) const {
    std::istringstream lines(contentOf(folder / out / "report.csv"));
    std::vector<std::string> header;
    std::vector<std::map<std::string, std::string>> rows;
    for (std::string line; std::getline(lines, line);) {
      std::vector<std::string> cells;
      bool quoted = false;
      cells.emplace_back();
      for (const char c : line) {
        if (c == '"')
          quoted = !quoted;
        else if (c == ',' && !quoted)
          cells.emplace_back();
        else
          cells.back() += c;
      }
      if (header.empty()) {
        header = cells;
        continue;
      }
      EXPECT_EQ(cells.size(), header.size()) << line;
      rows.emplace_back();
      for (std::size_t k = 0; k < std::min(cells.size(), header.size()); ++k) rows.back()[header[k]] = cells[k];
    }
    return rows;
  }

  nlohmann::json summary(const std::string& run) const { return nlohmann::json::parse(contentOf(folder / run / "summary.json")); }

  pid_t start(const std::string& arguments) const {
    const pid_t child = fork();
    if (child == 0) {
      const std::string line = "cd '" + folder.string() + "' && exec '" + BRIM_COMMAND + "' " + arguments + " >stdout 2>stderr";
      execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      _exit(127);
    }
    return child;
  }
};

std::string allSolvers() {
  std::string names;
  for (const SolverInfo& s : solvers()) names += (names.empty() ? "" : ",") + s.name;
  return names;
}

TEST_F(ReportCommand, CompareLeavesAPageATableAndPlotsOfEverySolver_CS17_X01) {
  const Outcome o = brim("compare scenes/dam.toml --solvers " + allSolvers() + " --out out");
  ASSERT_EQ(o.code, 0) << o.err;
  const auto rows = table("out");
  ASSERT_EQ(rows.size(), solvers().size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::string name = solvers()[k].name;
    EXPECT_EQ(rows[k].at("solver"), name);
    EXPECT_EQ(rows[k].at("result"), "finished");
    const auto s = summary("out/" + name);
    EXPECT_EQ(rows[k].at("steps"), s["steps"].dump());
    EXPECT_EQ(rows[k].at("density_error_mean"), s["density_error_mean"].dump());
    EXPECT_TRUE(fs::exists(folder / "out" / name / "statistics.csv"));
    EXPECT_TRUE(fs::exists(folder / "out" / name / "frames/frame_000002.vtp"));
  }
  const std::string page = contentOf(folder / "out/report.html");
  for (const char* part : {"A small dam", "data:image/png;base64,", "echarts"}) EXPECT_TRUE(has(page, part)) << part;
  EXPECT_FALSE(has(page, "<script src")) << "the page must need nothing but itself";
  for (const char* plot : {"density_error_mean", "density_error_max", "volume_ratio", "kinetic_energy", "potential_energy",
                           "total_energy", "dt", "iterations", "cost"}) {
    const std::string svg = contentOf(folder / "out/plots" / (std::string("time_") + plot + ".svg"));
    EXPECT_EQ(svg.rfind("<svg", 0), 0u) << plot;
    for (const SolverInfo& s : solvers()) EXPECT_TRUE(has(svg, s.name)) << plot << " lacks " << s.name;
  }
  const std::string residual = contentOf(folder / "out/plots/time_residual.svg");
  EXPECT_TRUE(has(residual, "constraint"));
  const std::string byHeight = contentOf(folder / "out/plots/density_by_height.svg");
  EXPECT_TRUE(has(byHeight, "height [m]") && has(byHeight, "kg/m"));
}

TEST_F(ReportCommand, ASweepRunsTheProductAndKeepsWhatDiverged) {
  // Gravity of 1e9 m/s^2 through a periodic shaft: 1e6 m/s after the first millisecond.
  const Outcome o = brim(
      "sweep scenes/dam.toml --set 'domain.boundary=[\"walls\",\"periodic\"]' --set time.dt=1e-3 --out out "
      "--vary 'gravity=[0,-9.81],[0,-1e9]' --vary fluid.viscosity=0.001,0.1");
  ASSERT_EQ(o.code, 0) << o.err;
  const auto rows = table("out");
  ASSERT_EQ(rows.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(rows[k].at("gravity"), k < 2 ? "[0,-9.81]" : "[0,-1e9]");
    EXPECT_EQ(rows[k].at("fluid.viscosity"), k % 2 == 0 ? "0.001" : "0.1");
    EXPECT_EQ(rows[k].at("result"), k < 2 ? "finished" : "diverged");
  }
  EXPECT_EQ(rows[0].at("diverged_at"), "");
  EXPECT_NEAR(std::stod(rows[2].at("diverged_at")), 1e-3, 1e-9);  // the first step of 1 ms
  EXPECT_TRUE(has(rows[2].at("message"), "diverged at t = ") && has(rows[2].at("message"), "of particle "));
  EXPECT_TRUE(fs::exists(folder / "out/plots/heat_density_error_mean.svg"));
  EXPECT_TRUE(has(contentOf(folder / "out/plots/heat_density_error_mean.svg"), "0.001 s"));  // in the cells that diverged
  EXPECT_TRUE(has(o.out, "diverged at t = 0.001 s, step 1")) << o.out;
}

TEST_F(ReportCommand, EverythingWrongIsToldBeforeAnythingRuns) {
  Outcome o = brim("compare scenes/dam.toml --solvers pbf,wcsphh --set time.untl=1");
  EXPECT_EQ(o.code, 2);
  for (const char* part :
       {"--set time.untl=1: time has no \"untl\"; did you mean \"until\"?\n",
        "--solvers wcsphh: solver \"wcsphh\" is not known; did you mean \"wcsph\"?  (one of: pbf, ", "2 mistakes\n"})
    EXPECT_TRUE(has(o.err, part)) << part << o.err;
  o = brim("sweep scenes/dam.toml --vary solver.iterations=5,0 --vary time.dt_mx=1,2 --vary resolution.spacing=0.05,fine");
  EXPECT_EQ(o.code, 2);
  for (const char* part :
       {"--vary solver.iterations=0: solver.iterations is 0; it must be",
        "--vary time.dt_mx=1: time has no \"dt_mx\"; did you mean \"dt_max\"?",
        "--vary resolution.spacing=fine: resolution.spacing must be a number [m]; it is the text \"fine\"", "3 mistakes"})
    EXPECT_TRUE(has(o.err, part)) << o.err;
  EXPECT_EQ(brim("sweep scenes/dam.toml --vary solver.iterations").code, 2);
  EXPECT_TRUE(has(brim("compare scenes/dma.toml --solvers pbf").err, "did you mean scenes/dam.toml?"));
  EXPECT_TRUE(has(brim("study studies/none.toml").err, "there is no study studies/none.toml"));
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST_F(ReportCommand, ResultsAreNotOverwrittenUnasked) {
  ASSERT_EQ(brim("compare scenes/dam.toml --solvers pbf --out out --quiet").code, 0);
  Outcome o = brim("compare scenes/dam.toml --solvers pbf --out out");
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "--resume") && has(o.err, "--overwrite")) << o.err;
  o = brim("compare scenes/dam.toml --solvers pbf --out out --resume --set fluid.viscosity=2");
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "out/pbf is of another scene") && has(o.err, "viscosity = 2 here")) << o.err;
  EXPECT_EQ(brim("compare scenes/dam.toml --solvers pbf --out out --overwrite --set fluid.viscosity=2").code, 0);
  EXPECT_TRUE(has(contentOf(folder / "out/pbf/scene.toml"), "viscosity = 2"));
}

TEST_F(ReportCommand, AComparisonThatWasKilledKeepsWhatIsFinishedAndGoesOnWithTheRest_X04) {
  // Two solvers by name would name solvers; two steps of one do as well. The first run takes 10 steps, the second 5000.
  const std::string same = "sweep scenes/dam.toml --vary time.dt=1e-2,2e-5 --set output.checkpoint_every=0.02 --quiet --out ";
  ASSERT_EQ(brim(same + "whole").code, 0);
  const pid_t child = start(same + "killed");
  const auto ended = [child] {
    siginfo_t info = {};
    return waitid(P_PID, id_t(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
  };
  while (!fs::exists(folder / "killed/dt=2e-5/checkpoint/state.brim") && !ended())
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the run is too short for this test";
  ASSERT_FALSE(fs::exists(folder / "killed/report.html"));
  ASSERT_FALSE(fs::exists(folder / "killed/dt=2e-5/summary.json"));
  const auto finished = fs::last_write_time(folder / "killed/dt=1e-2/statistics.csv");

  const Outcome o = brim(same + "killed --resume");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(fs::last_write_time(folder / "killed/dt=1e-2/statistics.csv"), finished);
  for (const char* run : {"dt=1e-2", "dt=2e-5"})
    EXPECT_EQ(summary(std::string("killed/") + run)["state_hash"], summary(std::string("whole/") + run)["state_hash"]) << run;
  EXPECT_EQ(table("killed").size(), 2u);
  EXPECT_TRUE(fs::exists(folder / "killed/report.html"));
}

TEST_F(ReportCommand, AnInterruptedSweepSaysHowToGoOn) {
  const Outcome o = signalled("sweep scenes/dam.toml --vary solver.iterations=1,2 --until 1e6 --out out", "INT",
                              folder / "out/iterations=1/frames/frame_000001.vtp");
  EXPECT_EQ(o.code, 130) << o.err;
  EXPECT_TRUE(has(o.err, "run 1 of 2") && has(o.err, "--until 1e6 --out out --resume")) << o.err;
  EXPECT_TRUE(fs::exists(folder / "out/iterations=1/checkpoint/state.brim"));
}

TEST_F(ReportCommand, AStudyShowsItsQuestionAndFinding) {
  fs::create_directories(folder / "studies");
  std::ofstream(folder / "studies/first.toml") << "title = \"Iterations\"\nscene = \"../scenes/dam.toml\"\n"
                                                  "question = \"Do more iterations help?\"\nfinding = \"They do.\"\n"
                                                  "main = \"density_error_max\"\n[vary]\nsolver.iterations = [1, 4]\n";
  const Outcome o = brim("study studies/first.toml --quiet --until 0.05");
  ASSERT_EQ(o.code, 0) << o.err;
  const std::string page = contentOf(folder / "out/first/report.html");
  for (const char* part : {"Do more iterations help?", "They do.", "<title>Iterations</title>", "\"main\":\"density_error_max\""})
    EXPECT_TRUE(has(page, part)) << part;
  EXPECT_EQ(summary("out/first/iterations=4")["time"], 0.05);
}

TEST_F(ReportCommand, HelpTellsHowToSetWhatOnlyOneSolverHas) {
  for (const char* command : {"compare", "sweep", "study"}) {
    const std::string help = brim(std::string(command) + " --help").out;
    for (const char* part : {"--set", "--until", "--threads", "--precision", "--out", "--resume", "--overwrite",
                             "--set wcsph:time.dt_max=1e-3", "report.html"})
      EXPECT_TRUE(has(help, part)) << command << " " << part;
  }
}

}  // namespace
}  // namespace brim
