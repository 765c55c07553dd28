// What a report is made from: plans, and series small enough for a page.
#include "brim/report.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "brim/files.h"
#include "report/plan.h"
#include "report/run_tables.h"
#include "report/series.h"

namespace brim {
namespace {

namespace fs = std::filesystem;

const char* sceneText = R"(version = 1
dimension = 2
[domain]
min = [0, 0]
max = [2, 1]
[resolution]
spacing = 0.05
[[fluid.blocks]]
kind = "box"
min = [0, 0]
max = [0.5, 0.8]
[solver]
name = "wcsph"
alpha = 0.1
[time]
until = 0.1
)";

class Report : public testing::Test {
 protected:
  fs::path folder = fs::path(testing::TempDir()) / ("brim_report_" + std::to_string(getpid()));
  std::string scene = (folder / "scene.toml").string();
  void SetUp() override {
    fs::create_directories(folder);
    std::ofstream(scene) << sceneText;
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string written(const char* name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }

  Request sweepOf(const std::vector<std::string>& vary, const std::vector<Setting>& set = {}) const {
    Request r;
    r.kind = "sweep";
    r.scene = scene;
    r.set = set;
    for (const auto& v : vary) r.groups.front().vary.push_back(variedFrom("--vary", v));
    return r;
  }
};

std::vector<std::string> names(const Plan& plan) {
  std::vector<std::string> all;
  for (const auto& run : plan.runs) all.push_back(run.name);
  return all;
}

TEST_F(Report, ASweepIsTheProductOfItsValues) {
  const Plan plan = makePlan(sweepOf({"time.dt_max=1e-3,5e-3", "gravity=[0,-9.81],[0, -1.62],[1,0]"}));
  ASSERT_EQ(plan.runs.size(), 6u);
  EXPECT_EQ(plan.runs[0].scene.time.dt_max, 1e-3);
  EXPECT_EQ(plan.runs[1].scene.gravity[1], -1.62);
  EXPECT_EQ(plan.runs[5].scene.time.dt_max, 5e-3);
  EXPECT_EQ(plan.runs[5].scene.gravity[0], 1);
  EXPECT_EQ(plan.axes[1].unit, "m/s^2");
  EXPECT_EQ(plan.runs[0].name, "dt_max=1e-3_gravity=0_-9.81");
}

TEST_F(Report, AValueThatASolverDoesNotReadMakesNoSecondRunOfIt) {
  const Plan plan = makePlan(sweepOf({"solver.name=pbf,wcsph", "solver.alpha=0.1,0.2"}));
  EXPECT_EQ(names(plan), (std::vector<std::string>{"pbf", "wcsph_alpha=0.1", "wcsph_alpha=0.2"}));
  EXPECT_EQ(plan.runs[0].at[1], "");
}

TEST_F(Report, ASettingMayConcernOneSolverOnly) {
  const Plan plan = makePlan(sweepOf({"solver.name=pbf,wcsph"}, {{"wcsph:time.dt_max", "1e-3"}, {"solver.pbf.iterations", "7"}}));
  EXPECT_EQ(plan.runs[0].scene.time.dt_max, TimeControl().dt_max);
  EXPECT_EQ(plan.runs[1].scene.time.dt_max, 1e-3);
  EXPECT_EQ(plan.runs[0].scene.solver.numbers.at("iterations"), 7);
  EXPECT_EQ(plan.runs[1].scene.solver.numbers.count("iterations"), 0u);
}

TEST_F(Report, ParametersOfTheScenesSolverDoNotConcernOthersAndThePageSaysSo) {
  const Plan plan = makePlan(sweepOf({"solver.name=pbf,wcsph"}));
  EXPECT_EQ(plan.runs[1].scene.solver.numbers.at("alpha"), 0.1);
  EXPECT_EQ(plan.runs[0].scene.solver.numbers.count("alpha"), 0u);
  ASSERT_EQ(plan.notes.size(), 1u);
  EXPECT_EQ(plan.notes[0].find("pbf has no alpha"), 0u) << plan.notes[0];
}

TEST_F(Report, MistakesOfAllRunsAreToldAtOnceAndEachOnce) {
  try {
    makePlan(sweepOf({"solver.name=pfb,wcsph", "time.dt_mx=1,2", "resolution.spacing=-1,0.05,0"}, {{"pbf:time.dt", "1e-3"}}));
    FAIL();
  } catch (const SceneError& e) {
    std::vector<std::string> told;
    for (const auto& m : e.mistakes()) told.push_back(describe(m));
    EXPECT_EQ(told, (std::vector<std::string>{
                        "--vary time.dt_mx=1: time has no \"dt_mx\"; did you mean \"dt_max\"?",
                        "--vary resolution.spacing=-1: resolution.spacing is -1 m; it must be above 0",
                        "--vary solver.name=pfb: solver \"pfb\" is not known; did you mean \"pbf\"?  (brim list solvers)",
                        "--vary resolution.spacing=0: resolution.spacing is 0 m; it must be above 0"}));
  }
}

TEST_F(Report, AParameterThatNoRunReadsIsRefused) {
  for (const Request& r : {sweepOf({"solver.iterations=1,2"}), sweepOf({"time.dt=1e-3,2e-3"}, {{"pbf:time.cfl", "0.5"}}),
                           sweepOf({"time.dt=1e-3,2e-3"}, {{"solver.pbf.iterations", "5"}})})
    EXPECT_THROW(makePlan(r), SceneError);
}

TEST_F(Report, AMillionRunsAreRefusedAtOnce) {
  std::string many = "=1";
  for (int k = 2; k <= 1000; ++k) many += "," + std::to_string(k);
  EXPECT_THROW(makePlan(sweepOf({"time.dt" + many, "fluid.viscosity" + many})), SceneError);
}

TEST_F(Report, AStudyHasGroupsWithTheirOwnSettings) {
  const Request r = readStudy(written("study.toml",
                                      "title = \"t\"\nscene = \"scene.toml\"\nmain = \"cost\"\nover = \"time\"\n"
                                      "[set]\ntime.until = 0.5\n"
                                      "[[runs]]\nlabel = \"few\"\nset = {solver.name = \"pbf\", solver.iterations = 2}\n"
                                      "[[runs]]\nlabel = \"many\"\nset.solver.name = \"pbf\"\n"
                                      "vary.solver.iterations = [10, 20]\nvary.fluid.viscosity = [0, 1e-3]\n"));
  const Plan plan = makePlan(r);
  EXPECT_EQ(names(plan), (std::vector<std::string>{"few", "many_iterations=10_viscosity=0", "many_iterations=10_viscosity=0.001",
                                                   "many_iterations=20_viscosity=0", "many_iterations=20_viscosity=0.001"}));
  EXPECT_EQ(plan.runs[0].scene.solver.numbers.at("iterations"), 2);
  EXPECT_EQ(plan.runs[3].scene.solver.numbers.at("iterations"), 20);
  EXPECT_EQ(plan.runs[3].scene.time.until, 0.5);
}

TEST_F(Report, MistakesInAStudyHaveTheirPlace) {
  const auto said = [&](const std::string& text) {
    try {
      makePlan(readStudy(written("bad.toml", text)));
    } catch (const SceneError& e) {
      std::string all;
      for (Mistake m : e.mistakes()) {
        m.at.file = m.at.file.substr(folder.string().size() + 1);
        all += describe(m) + "\n";
      }
      return all;
    }
    return std::string("nothing");
  };
  EXPECT_EQ(said("title = \"t\"\nscene = \"none.toml\"\nmian = \"cost\"\n[vary]\ntime.dt = 3\n[[runs]]\n").substr(0, 24),
            "bad.toml:2:9: there is n");
  const std::string form = said("title = \"t\"\nscene = \"scene.toml\"\nmian = \"cost\"\n[vary]\ntime.dt = 3\n[[runs]]\n");
  EXPECT_EQ(form,
            "bad.toml:3:1: a study has no \"mian\"; did you mean \"main\"?\n"
            "bad.toml:5:11: vary.time.dt must be a list of values; it is the number 3\n"
            "bad.toml:6:1: runs[0] needs \"label\": The group's name on the page.\n");
  EXPECT_EQ(said("title = \"t\"\nscene = \"scene.toml\"\n[vary]\ntime.dt = [1e-3, -1]\n"),
            "bad.toml:4:18: time.dt is -1 s; it must be at least 0\n");
}

TEST(Series, ThinningKeepsTheSmallestAndTheLargest) {
  Series all;
  for (int k = 0; k < 100000; ++k) all.emplace_back(1e-4 * k, std::sin(0.01 * k));
  all[34567].second = 50;
  all[71234].second = -40;
  const Series few = thinned(all, 1000);
  EXPECT_LE(few.size(), 1002u);  // two a stretch, and the last point, which begins a stretch of its own
  double low = 0, high = 0;
  for (std::size_t k = 0; k < few.size(); ++k) {
    low = std::min(low, few[k].second), high = std::max(high, few[k].second);
    EXPECT_TRUE(k == 0 || few[k - 1].first < few[k].first) << k;
  }
  EXPECT_EQ(high, 50);
  EXPECT_EQ(low, -40);
  EXPECT_EQ(thinned(few, few.size()).size(), few.size());
}

// Two gauges of a run, one with a table of its own: drawn together, apart, and refused where there is no such column.
TEST_F(Report, AnyColumnOfARunIsDrawn) {
  fs::create_directories(folder / "gauges");
  written("gauges.csv", "step,time [s],left [m],push [N]\n0,0,1,5\n1,0.1,2,6\n2,0.2,3,7\n3,0.3,4");
  written("gauges/right side.csv", "step,time [s],right side [m]\n0,0,0\n9,0.25,4\n");
  written("gauges.columns.json", "{\"columns\": [{\"name\": \"left\", \"meaning\": \"free surface\"}]}");
  const auto columns = columnsOfRun(folder.string(), 100);
  ASSERT_EQ(columns.size(), 3u);
  EXPECT_EQ(columns[0].series, (Series{{0, 1}, {0.1, 2}, {0.2, 3}})) << "a row cut short is left out";
  EXPECT_EQ(columns[0].meaning, "free surface");
  EXPECT_EQ(columns[2].name, "right side");
  PlotRequest request;
  request.folder = folder.string();
  request.columns = {"left,right side", "push"};
  const auto files = plotRun(request);
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(fs::path(files[0]).filename(), "left_right_side.svg");
  const std::string both = readFile(files[0]);
  EXPECT_TRUE(both.starts_with("<svg") && both.find("right side</text>") != both.npos);
  EXPECT_EQ(readFile(files[1]).find("right side"), std::string::npos);
  const auto refusal = [&](const char* column) -> std::string {
    request.columns = {column};
    try {
      plotRun(request);
    } catch (const Failure& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("lefd"), "no table of the run has a column \"lefd\"; did you mean \"left\"?");
  EXPECT_EQ(refusal("left,push"), "\"left\" is in m and \"push\" in N: a plot has one unit; give them to --column one by one");
}

TEST_F(Report, SeriesCarryEnergyCostAndUncutSteps) {
  const auto series = readSeries(written("statistics.csv",
                                         "step,time,dt,dt_limit,kinetic_energy,potential_energy,volume_ratio,ms_step\n"
                                         "1,0.5,0.5,dt_max,1,10,,100\n"
                                         "2,0.6,0.1,frame,2,20,0.9,300\n"
                                         "3,1.1,0.5,dt_max,nan,20,,100\n"),
                                 100);
  EXPECT_EQ(series.at("total_energy"), (Series{{0.5, 11}, {0.6, 22}}));
  EXPECT_EQ(series.at("dt"), (Series{{0.5, 0.5}, {1.1, 0.5}}));
  EXPECT_EQ(series.at("volume_ratio"), (Series{{0, 1}, {0.6, 0.9}}));
  EXPECT_EQ(series.at("cost").size(), 3u);
  EXPECT_EQ(series.at("cost")[1], std::pair(0.6, 3000.));  // 300 ms for 0.1 s
}

}  // namespace
}  // namespace brim
