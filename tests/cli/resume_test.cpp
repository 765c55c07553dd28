// A run that is killed and resumed is the run that was never stopped: same bits, same rows, same frames.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

// A small 2D dam break with an emitter, so that random counters and particle counts are part of the state.
const char* sceneText = R"(
version = 1
title = "resume"
dimension = 2
[domain]
min = [0, 0]
max = [1, 1]
[resolution]
spacing = 0.025
[[fluid.blocks]]
kind = "box"
min = [0, 0]
max = [0.4, 0.5]
[[fluid.emitters]]
kind = "rectangle"
centre = [0.9, 0.8]
direction = [-1, 0]
width = 0.1
speed = 1
[solver]
name = "pbf"
[time]
until = 1.5
dt_max = 0.002
[output]
frames_per_second = 30
checkpoint_every = 0.02
)";

class Resume : public testing::Test {
 protected:
  fs::path folder = fs::temp_directory_path() / ("brim_resume_test_" + std::to_string(getpid()));
  std::string scene = (folder / "scene.toml").string();
  void SetUp() override {
    fs::create_directories(folder);
    std::ofstream(scene) << sceneText;
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string out(const char* name) const { return (folder / name).string(); }

  pid_t start(const std::string& to, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {BRIM_COMMAND, "run", scene, "--out", to, "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<char*> argv;
    for (auto& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      if (!std::freopen((folder / "log").c_str(), "a", stdout) || !std::freopen((folder / "log").c_str(), "a", stderr))
        _exit(126);
      execv(argv[0], argv.data());
      _exit(127);
    }
    return child;
  }

  // The exit code, or minus the signal.
  static int end(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }

  int run(const std::string& to, const std::vector<std::string>& more = {}) const { return end(start(to, more)); }

  std::string log() const { return read((folder / "log").string()); }

  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

  static nlohmann::json summary(const std::string& of) { return nlohmann::json::parse(read(of + "/summary.json")); }

  // Every row, without the columns that hold wall time.
  static std::vector<std::string> rows(const std::string& of) {
    std::istringstream in(read(of + "/statistics.csv"));
    std::vector<std::string> rows;
    for (std::string line; std::getline(in, line);) {
      std::istringstream cells(line);
      std::string kept;
      int column = 0;
      static const int timed = 21;  // ms_step and all after it
      for (std::string cell; column < timed && std::getline(cells, cell, ','); ++column) kept += cell + ',';
      rows.push_back(kept);
    }
    return rows;
  }

  static void expectSameRun(const std::string& a, const std::string& b) {
    EXPECT_EQ(summary(a)["state_hash"], summary(b)["state_hash"]);
    const auto rowsA = rows(a), rowsB = rows(b);
    ASSERT_EQ(rowsA.size(), rowsB.size());
    for (std::size_t k = 0; k < rowsA.size(); ++k) ASSERT_EQ(rowsA[k], rowsB[k]) << "row " << k;
    // Sums over all steps must have gone through the checkpoints.
    for (const char* name : {"steps", "iterations_mean", "density_error_mean", "volume_ratio_min", "emitted"})
      EXPECT_EQ(summary(a)[name], summary(b)[name]) << name;
    EXPECT_EQ(read(a + "/frames/frames.pvd"), read(b + "/frames/frames.pvd"));
    for (const auto& entry : fs::directory_iterator(a + "/frames"))
      EXPECT_EQ(read(entry.path().string()), read(b + "/frames/" + entry.path().filename().string())) << entry.path();
  }

  // Waits for `count` new checkpoints or the end of the process; false if it has ended.
  static bool waitForCheckpoints(pid_t child, const std::string& of, int count) {
    const std::string file = of + "/checkpoint/state.brim";
    const auto stamp = [&] {
      struct stat about = {};
      return ::stat(file.c_str(), &about) == 0 ? std::pair(about.st_ino, about.st_mtim.tv_nsec) : std::pair<ino_t, long>(0, 0);
    };
    for (auto before = stamp(); count > 0;) {
      siginfo_t info = {};
      if (waitid(P_PID, id_t(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child) return false;
      std::this_thread::sleep_for(200us);
      if (const auto now = stamp(); now != before) before = now, --count;
    }
    return true;
  }
};

}  // namespace

TEST_F(Resume, ARunKilledAtRandomTimesGoesOnToTheSameBits_X04) {
  ASSERT_EQ(run(out("whole")), 0) << log();
  std::mt19937 random(20);  // which kills hit what still depends on the machine's pace
  int killed = 0;
  for (int attempt = 0; attempt < 6; ++attempt) {
    const pid_t child = start(out("killed"), {"--resume"});
    const bool runs = waitForCheckpoints(child, out("killed"), 1 + int(random() % 2));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 25000));
    if (runs) kill(child, SIGKILL);
    const int code = end(child);
    killed += code == -SIGKILL;
    ASSERT_TRUE(code == 0 || code == -SIGKILL) << code << "\n" << log();
    if (code == 0) break;
  }
  ASSERT_GE(killed, 2) << "the run is too short for this test";
  ASSERT_EQ(run(out("killed"), {"--resume"}), 0) << log();
  expectSameRun(out("whole"), out("killed"));
}

TEST_F(Resume, AnInterruptedRunLeavesACheckpointAndGoesOn_X04) {
  ASSERT_EQ(run(out("whole")), 0) << log();
  for (int signal : {SIGINT, SIGTERM}) {
    const pid_t child = start(out("stopped"), {"--resume"});
    ASSERT_TRUE(waitForCheckpoints(child, out("stopped"), 2)) << log();
    kill(child, signal);
    EXPECT_EQ(end(child), 128 + signal) << log();
    EXPECT_TRUE(fs::exists(out("stopped") + "/checkpoint/state.brim"));
    EXPECT_FALSE(summary(out("stopped"))["finished"]);
  }
  ASSERT_EQ(run(out("stopped"), {"--resume"}), 0) << log();
  EXPECT_TRUE(summary(out("stopped"))["finished"]);
  expectSameRun(out("whole"), out("stopped"));
}

TEST_F(Resume, ADamagedCheckpointFallsBackToTheOneBefore) {
  ASSERT_EQ(run(out("whole")), 0) << log();
  const pid_t child = start(out("damaged"));
  ASSERT_TRUE(waitForCheckpoints(child, out("damaged"), 3)) << log();
  kill(child, SIGKILL);
  ASSERT_EQ(end(child), -SIGKILL);
  const std::string file = out("damaged") + "/checkpoint/state.brim";
  ASSERT_TRUE(fs::exists(out("damaged") + "/checkpoint/state.previous.brim"));
  if (fs::exists(file)) fs::resize_file(file, fs::file_size(file) / 2);
  ASSERT_EQ(run(out("damaged"), {"--resume"}), 0) << log();
  expectSameRun(out("whole"), out("damaged"));
}

TEST_F(Resume, AFinishedRunGoesOnToALaterEnd) {
  ASSERT_EQ(run(out("whole")), 0) << log();
  // 0.5 s is a frame, so that ending there shortens no step.
  ASSERT_EQ(run(out("longer"), {"--until", "0.5"}), 0) << log();
  EXPECT_NEAR(summary(out("longer"))["time"], 0.5, 1e-9);
  ASSERT_EQ(run(out("longer"), {"--resume"}), 0) << log();
  expectSameRun(out("whole"), out("longer"));
}

TEST_F(Resume, ALaterEndGivesTheBitsOfOneStraightRunWhereverTheFirstEndWas) {
  const std::vector<std::string> options[] = {{}, {"--set", "time.dt=0.0015"}, {"--frames-per-second", "0"}};
  for (std::vector<std::string> o : options) {
    o.insert(o.end(), {"--until", "0.2"});
    ASSERT_EQ(run(out("whole"), o), 0) << log();
    o.back() = "0.1234567";  // between two frames and two steps
    ASSERT_EQ(run(out("longer"), o), 0) << log();
    o.back() = "0.1534567";
    o.push_back("--resume");
    ASSERT_EQ(run(out("longer"), o), 0) << log();
    o[o.size() - 2] = "0.2";
    ASSERT_EQ(run(out("longer"), o), 0) << log();
    expectSameRun(out("whole"), out("longer"));
    fs::remove_all(out("whole"));
    fs::remove_all(out("longer"));
  }
}

TEST_F(Resume, AnotherSceneIsRefusedAndMayStartFromTheState) {
  ASSERT_EQ(run(out("first"), {"--until", "0.2"}), 0) << log();
  EXPECT_EQ(run(out("first"), {"--resume", "--set", "fluid.viscosity=0.5"}), 2);
  EXPECT_NE(log().find("--from"), std::string::npos) << log();
  EXPECT_NE(log().find("viscosity = 0.5 here"), std::string::npos) << log();
  ASSERT_EQ(run(out("branch"), {"--from", out("first"), "--until", "0.3", "--set", "fluid.viscosity=0.5"}), 0) << log();
  EXPECT_NEAR(summary(out("branch"))["time"], 0.3, 1e-9);
  // Time and steps go on; frames begin with the state that was taken over.
  const auto before = rows(out("first")), after = rows(out("branch"));
  EXPECT_EQ(std::stoll(after.at(1)), std::stoll(before.back()) + 1);
  EXPECT_NE(read(out("branch") + "/frames/frames.pvd").find("timestep=\"0.2\""), std::string::npos);
}
