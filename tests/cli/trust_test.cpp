// Inputs that once broke the command (tests/trust): each ends in time, with the right code and a sentence.
#include <sys/stat.h>

#include "command.h"

namespace brim {

namespace {

class Trust : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    fs::copy(fs::path(BRIM_SOURCE) / "tests/trust", folder, fs::copy_options::recursive);
  }
  /// With 4 GB of memory and ten seconds at most.
  Outcome bounded(const std::string& arguments) { return brim(arguments, "ulimit -v 4000000; timeout 10"); }

  void expectRefused(const std::string& scene, const std::string& words) {
    const Outcome o = bounded("check " + scene);
    EXPECT_EQ(o.code, 2) << scene << ": " << o.err;
    EXPECT_NE(o.err.find(words), std::string::npos) << scene << ": " << o.err;
    EXPECT_NE(o.err.find(scene + ":"), std::string::npos) << "no place in " << o.err;
  }
};

}  // namespace

TEST_F(Trust, SolidsAroundTheWholeDomainAreNoTrouble) {
  for (const char* scene : {"sphere_around_domain.toml", "mesh_around_domain.toml"})
    EXPECT_EQ(bounded(std::string("check ") + scene).code, 0) << scene;
  expectRefused("all_inside_solid.toml", "no particle is left of the fluid");
}

TEST_F(Trust, MeshFilesThatLieAreRefused) {
  expectRefused("mesh_ply_oob.toml", "a face names point 3000 of 4");
  expectRefused("mesh_ply_trunc.toml", "it ends too early");
  expectRefused("mesh_ply_noend.toml", "its header has no end");
  expectRefused("mesh_ply_b_list2.toml", "it ends too early");
}

TEST_F(Trust, AMeshFileOpensNoOther) {
  ASSERT_EQ(mkfifo((folder / "pipe.mtl").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo((folder / "pipe.obj").c_str(), 0600), 0);
  std::ofstream(folder / "mtl.obj") << "mtllib pipe.mtl\n" << contentOf(folder / "cube.obj");
  const std::string scene = contentOf(folder / "mesh_ply_oob.toml");
  for (const auto& [file, code] : {std::pair{"mtl.obj", 0}, {"pipe.obj", 2}}) {
    std::string text = scene;
    text.replace(text.find("ply_oob.ply"), 11, file);
    std::ofstream(folder / "mesh.toml") << text << "scale = 0.1\ntranslate = [0.6, 0.6, 0.6]\n";
    const Outcome o = bounded("check mesh.toml");
    EXPECT_EQ(o.code, code) << file << ": " << o.err;
  }
}

TEST_F(Trust, SizesWithoutMeasureAreRefusedAtOnce) {
  expectRefused("huge_body.toml", "spacings; at most 1e+06 can be sampled");
  expectRefused("huge_solid.toml", "spacings; at most 1e+06 can be sampled");
  expectRefused("flip_wide_domain.toml", "spacings long");
  for (const char* rate : {"1e300", "1e9", "-1", "nan"}) {
    const Outcome o = bounded(std::string("run tank.toml --quiet --out a --frames-per-second ") + rate);
    EXPECT_EQ(o.code, 2) << rate << ": " << o.err;
  }
}

TEST_F(Trust, BodiesAndMotorsThatAreNoLongerFiniteEndTheRunWith3) {
  for (const std::string scene : {"nan_body_wcsph", "nan_motor"}) {
    const Outcome o = brim("run " + scene + ".toml --quiet --out " + scene);
    EXPECT_EQ(o.code, 3) << scene << ": " << o.err;
    EXPECT_NE(o.err.find("diverged"), std::string::npos) << o.err;
    EXPECT_EQ(contentOf(folder / scene / "bodies.csv").find("nan"), std::string::npos) << scene;
  }
}

TEST_F(Trust, ACraftedCheckpointIsRefused) {
  const Outcome o = bounded("run tank.toml --from evil_checkpoint.brim --until 0.5 --quiet --out a");
  EXPECT_EQ(o.code, 2) << o.err;
  EXPECT_TRUE(has(o.err, "checkpoint")) << o.err;
}

TEST_F(Trust, FramesThatWereChangedAreRefused) {
  ASSERT_EQ(brim("run scenes/dam.toml --quiet --out a").code, 0);
  std::ofstream(folder / "a/frames/frame_2147483648.vtp") << "x";
  ASSERT_EQ(brim("render a --frames 0 --quiet").code, 0);
  std::string frame = contentOf(folder / "a/frames/frame_000001.vtp");
  frame[frame.size() / 2] ^= 4;
  std::ofstream(folder / "a/frames/frame_000001.vtp", std::ios::binary) << frame;
  for (const char* command : {"render", "export"}) {
    const Outcome o = brim(std::string(command) + " a --frames 1 --quiet");
    EXPECT_EQ(o.code, 2) << command;
    EXPECT_TRUE(has(o.err, "checksum is wrong")) << o.err;
  }
}

TEST_F(Trust, ScenesWithoutEndAreRefused) {
  for (const std::string scene : {"/dev/zero", "/dev/stdin"}) {
    const Outcome o = brim("check " + scene, "yes | timeout 10 ");
    EXPECT_EQ(o.code, 2) << scene << ": " << o.err;
    EXPECT_TRUE(has(o.err, scene == "/dev/zero" ? "it is a device" : "it has more than")) << o.err;
  }
}

TEST_F(Trust, FoldersOfOthersStayAsTheyAre) {
  fs::create_directories(folder / "mine");
  std::ofstream(folder / "mine/scene.toml") << dam;
  const Outcome here = brim("run scene.toml --quiet --out . --until 0.01", "cd mine;");
  EXPECT_EQ(here.code, 2);
  EXPECT_NE(contentOf(folder / "mine/stderr").find("is not empty"), std::string::npos);
  EXPECT_EQ(contentOf(folder / "mine/scene.toml"), dam);
  for (const char* option : {"--overwrite", "--resume"})
    EXPECT_EQ(brim(std::string("run scene.toml --quiet --out . --until 0.01 ") + option, "cd mine;").code, 2);
  EXPECT_EQ(contentOf(folder / "mine/scene.toml"), dam);
  // An empty folder is taken, and then it is Brim's.
  fs::create_directories(folder / "new");
  EXPECT_EQ(brim("run scenes/dam.toml --quiet --until 0.01 --out new").code, 0);
  EXPECT_EQ(brim("run scenes/dam.toml --quiet --until 0.01 --out new --overwrite").code, 0);
  // A link in the way is not followed.
  std::ofstream(folder / "precious") << "keep";
  fs::remove(folder / "new/statistics.csv");
  fs::create_symlink(folder / "precious", folder / "new/statistics.csv");
  EXPECT_EQ(brim("run scenes/dam.toml --quiet --until 0.01 --out new --overwrite").code, 2);
  EXPECT_EQ(contentOf(folder / "precious"), "keep");
}

TEST_F(Trust, LinksAreNotFollowedAndOnlyOwnFoldersAreTaken) {
  ASSERT_EQ(brim("run scenes/dam.toml --quiet --until 0.05 --out a").code, 0);
  fs::create_directories(folder / "other");
  std::ofstream(folder / "other/speed_000000.png") << "keep";
  std::ofstream(folder / "other/particles_000000.bgeo") << "keep";
  fs::create_directory_symlink(folder / "other", folder / "link");
  const std::string commands[] = {"render a --style speed --quiet --out ", "export a --quiet --out ",
#ifdef BRIM_REPORT
                                  "compare scenes/dam.toml --solvers pbf --until 0.01 --quiet --out ",
                                  "sweep scenes/dam.toml --vary solver.iterations=1 --until 0.01 --quiet --out ",
#endif
                                  "run scenes/dam.toml --until 0.01 --quiet --out "};
  for (const std::string& command : commands)
    for (const char* out : {"other", "link"}) {
      const Outcome o = brim(command + out);
      EXPECT_EQ(o.code, 2) << command << out;
      EXPECT_TRUE(has(o.err, out == std::string("link") ? "is a link" : "is not empty")) << command << out << ": " << o.err;
    }
  EXPECT_EQ(contentOf(folder / "other/speed_000000.png"), "keep");
  EXPECT_EQ(contentOf(folder / "other/particles_000000.bgeo"), "keep");
  fs::remove_all(folder / "a/frames");
  fs::create_directory_symlink(folder / "other", folder / "a/frames");
  EXPECT_EQ(brim("run scenes/dam.toml --quiet --until 0.05 --out a --overwrite").code, 2);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "other"), fs::directory_iterator()), 2);
}

#ifdef BRIM_REPORT
TEST_F(Trust, PlotsOfOthersStayWhereAReportIsWritten) {
  const std::string compare = "compare scenes/dam.toml --solvers pbf --until 0.05 --quiet --out c";
  ASSERT_EQ(brim(compare).code, 0);
  std::ofstream(folder / "c/plots/mine.svg") << "keep";
  EXPECT_EQ(brim(compare + " --overwrite").code, 0);
  EXPECT_EQ(contentOf(folder / "c/plots/mine.svg"), "keep");
  fs::remove(folder / "c/plots/.brim");
  EXPECT_EQ(brim(compare + " --resume").code, 2);
}

TEST_F(Trust, TheSignOfZeroMakesNoOtherScene) {
  const std::string sweep = "sweep minus_zero.toml --vary solver.iterations=1,2 --until 0.02 --quiet --out s";
  EXPECT_EQ(brim(sweep).code, 0);
  const Outcome again = brim(sweep + " --resume");
  EXPECT_EQ(again.code, 0) << again.err;
}

TEST_F(Trust, AReportSurvivesAnyTitle) {
  ASSERT_EQ(brim("study report_blank_study.toml --quiet --out s").code, 0);
  const std::string page = contentOf(folder / "s/report.html");
  EXPECT_EQ(page.find("<!--<script"), std::string::npos);
  EXPECT_NE(page.find("&lt;!--&lt;script&gt;"), std::string::npos);
}
#endif

TEST_F(Trust, ASignalEndsTheBuildingOfASceneAtOnce) {
  ASSERT_EQ(brim("run scenes/dam.toml --quiet --until 0.01 --out a").code, 0);
  const std::string before = contentOf(folder / "a/summary.json");
  const std::string large = std::string(BRIM_SOURCE) + "/scenes/dam_break.toml";
  const Outcome o = signalled("run '" + large + "' --quiet --out b", "INT", folder / "b/.brim");
  EXPECT_EQ(o.code, 130) << o.err;
  EXPECT_TRUE(has(o.err, "while a scene was built")) << o.err;
  EXPECT_FALSE(fs::exists(folder / "b/scene.toml"));
  EXPECT_EQ(contentOf(folder / "a/summary.json"), before);
}

TEST_F(Trust, ASceneThatCannotBeBuiltLeavesEarlierResults) {
  EXPECT_EQ(brim("run scenes/dam.toml --quiet --until 0.01 --out a").code, 0);
  const std::string scene = contentOf(folder / "a/scene.toml"), summary = contentOf(folder / "a/summary.json");
  EXPECT_EQ(brim("run all_inside_solid.toml --quiet --out a --overwrite").code, 2);
  EXPECT_EQ(contentOf(folder / "a/scene.toml"), scene);
  EXPECT_EQ(contentOf(folder / "a/summary.json"), summary);
}

}  // namespace brim
