// brim validate as its users meet it.
#include <gtest/gtest.h>

#include "command.h"

namespace brim {
namespace {

// A case of a second: still water in a small box, with the level as what is judged.
const char* caseText = R"(title = "A small pool"
source = "Hydrostatics"
about = "Still water."
scene = "scene.toml"
[quick]
resolution.spacing = 0.05
[normal]
resolution.spacing = 0.04
[fine]
resolution.spacing = 0.025
[[curves]]
name = "level"
title = "Level"
kind = "gauge"
column = "level"
x_title = "time [s]"
y_title = "level [m]"
reference = "level.csv"
x = "t"
y = "level"
[[curves.scores]]
kind = "mean"
tolerance = 0.2
why = "a spacing"
)";
const char* sceneText = R"(version = 1
dimension = 2
[domain]
max = [0.4, 0.6]
boundary = ["periodic", "walls"]
[[fluid.blocks]]
kind = "box"
min = [0, 0]
max = [0.4, 0.3]
[[gauges]]
name = "level"
kind = "level"
from = [0.2, 0]
to = [0.2, 0.6]
[time]
until = 0.1
[output]
frames_per_second = 50
formats = []
)";

class ValidateCommand : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    fs::create_directories(folder / "validation/pool");
    std::ofstream(folder / "validation/pool/case.toml") << caseText;
    std::ofstream(folder / "validation/pool/scene.toml") << sceneText;
    std::ofstream(folder / "validation/pool/level.csv") << "# source\nt,level\n0,0.3\n0.1,0.3\n";
  }
};

TEST_F(ValidateCommand, LeavesAPageScoresAndPlotsAndTellsWhoRefuses) {
  const Outcome o = brim("validate pool --quick --solvers pbf,flip --out out");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "1 of 1 scores good")) << o.out;
  const std::string scores = contentOf(folder / "out/scores.csv");
  EXPECT_TRUE(has(scores, "pool,quick,pbf,0.05,48,")) << scores;
  EXPECT_TRUE(has(scores, "pool,quick,flip,,,,refused")) << scores;
  const std::string page = contentOf(folder / "out/report.html");
  for (const char* part : {"A small pool", "periodic", "\"kind\":\"validate\""}) EXPECT_TRUE(has(page, part)) << part;
  EXPECT_TRUE(has(contentOf(folder / "out/plots/pool_level.svg"), "<svg"));
  EXPECT_TRUE(has(contentOf(folder / "out/scores.md"), "`flip` refuses"));
}

TEST_F(ValidateCommand, FullRunsTwoResolutionsAndResumeKeepsThem) {
  const std::string line = "validate pool --full --solvers pbf --out out";
  const Outcome o = brim(line);
  ASSERT_EQ(o.code, 0) << o.err;
  for (const char* run : {"out/pool/normal_pbf/summary.json", "out/pool/fine_pbf/summary.json"})
    EXPECT_TRUE(fs::exists(folder / run)) << run;
  EXPECT_EQ(brim(line).code, 2) << "results are there already";
  const Outcome again = brim(line + " --resume");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(has(again.out, "(kept)")) << again.out;
}

TEST_F(ValidateCommand, TellsWhatItDoesNotKnow) {
  Outcome o = brim("validate pol");
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "there is no case \"pol\"; did you mean \"pool\"?  (brim validate --list)")) << o.err;
  o = brim("validate pool --solvers pdf");
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "did you mean \"pbf\"")) << o.err;
  o = brim("validate --list");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "quick, normal, full  A small pool")) << o.out;
}

TEST_F(ValidateCommand, AScoreThatIsWorseThanTheStoredOneEndsWithFour) {
  const std::string line = "validate pool --quick --solvers pbf --out out --overwrite ";
  const auto store = [&](const std::string& error) {
    std::ofstream(folder / "validation/quick_scores.csv")
        << "# why\ncase,solver,curve,score,error,noise\npool,pbf,level,mean," << error << ",0.001\npool,flip,level,mean,0,0\n";
  };
  ASSERT_EQ(brim(line).code, 0);
  std::string row = contentOf(folder / "out/scores.csv");
  row = row.substr(row.find('\n') + 1);
  for (int k = 0; k < 11; ++k) row = row.substr(row.find(',') + 1);
  const double error = std::abs(std::stod(row));
  ASSERT_GT(error, 0.002) << "a level to half a spacing is not exact";
  store(std::to_string(error));
  EXPECT_EQ(brim(line + "--ratchet").code, 0);
  store(std::to_string(error - 0.002));
  const Outcome o = brim(line + "--ratchet");
  EXPECT_EQ(o.code, 4);
  EXPECT_TRUE(has(o.err, "pool pbf: level, mean: error")) << o.err;
  store("0.5,0.01\npool,pbf,level,rms,0.5");
  const Outcome gone = brim(line + "--ratchet");
  EXPECT_EQ(gone.code, 4);
  EXPECT_TRUE(has(gone.err, "pool pbf: level, rms: stored, and not there any more")) << gone.err;
}

}  // namespace
}  // namespace brim
