// Sessions as the page steers them, with an audience that only remembers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "brim/parameter.h"
#include "brim/run.h"
#include "view/frame_message.h"
#include "view/kept.h"
#include "view/session.h"

using namespace brim;
using namespace brim::view;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

class Memory : public Audience {
 public:
  void hello(std::string s) override {
    keep([&] { hello_ = json::parse(s); });
  }
  void status(std::string s) override {
    keep([&] { status_ = json::parse(s); });
  }
  void note(std::string s) override {
    keep([&] { notes_ += json::parse(s)["text"].get<std::string>() + "\n"; });
  }
  void frame(std::string s) override {
    keep([&] { frame_ = std::move(s), ++frames; });
  }
  bool ready() const override { return there; }
  std::atomic<bool> there = true;  // a page that takes frames

  json hello() const { return locked<json>(hello_); }
  json status() const { return locked<json>(status_); }
  std::string notes() const { return locked<std::string>(notes_); }
  std::string frame() const { return locked<std::string>(frame_); }
  std::atomic<int> frames = 0;

  /// Waits until it holds; gives up after minutes, which no busy machine needs.
  bool until(const std::function<bool()>& condition) const {
    for (int k = 0; k < 24000 && !condition(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return condition();
  }

 private:
  void keep(const std::function<void()>& f) {
    std::lock_guard lock(mutex_);
    f();
  }
  template <class T>
  T locked(const T& value) const {
    std::lock_guard lock(mutex_);
    return value;
  }
  mutable std::mutex mutex_;
  json hello_ = json::object(), status_ = json::object();
  std::string notes_, frame_;
};

class ViewSession : public testing::Test {
 protected:
  fs::path root = fs::temp_directory_path() / ("brim_view_session_" + std::to_string(getpid()));
  fs::path file = root / "pool.toml";
  Memory seen;  // outlives the session
  std::unique_ptr<Session> session;

  void SetUp() override {
    fs::create_directories(root);
    write("");
  }
  void TearDown() override {
    session.reset();
    fs::remove_all(root);
  }
  void write(const std::string& more) const {
    std::ofstream(file) << R"(version = 1
title = "A pool"
dimension = 2
domain = {min = [0, 0], max = [1, 1]}
resolution = {spacing = 0.05}
fluid.blocks = [{kind = "box", min = [0, 0], max = [0.4, 0.5]}]
solids = [{name = "rock", kind = "box", min = [0.7, 0.1], max = [0.8, 0.2]}]
time = {until = 0.2}
)" << more;
  }
  void live(bool paused) {
    session = liveSession(file.string(), {}, {}, paused);
    session->start(seen);
    ASSERT_TRUE(
        seen.until([&] { return seen.status().value("state", "") == (paused ? "paused" : "running") && seen.frames > 0; }));
  }
  void say(const std::string& message) { EXPECT_EQ(session->receive(message), ""); }
  bool reaches(const std::string& state) {
    return seen.until([&] { return seen.status().value("state", "") == state; });
  }
  json control(const std::string& path) {
    const json hello = seen.hello();
    for (const json& c : hello["controls"])
      if (c["path"] == path) return c;
    return {};
  }
};

TEST_F(ViewSession, RunsToTheEndOfTheSceneAndOnFromThere) {
  live(false);
  ASSERT_TRUE(reaches("finished"));
  EXPECT_EQ(seen.status()["time"], 0.2);
  const json report = seen.status()["report"];
  for (const char* name : {"density_error_mean", "kinetic_energy", "volume_ratio", "ms_step"})
    EXPECT_TRUE(report[name].is_number()) << name;
  say(R"({"type":"run"})");
  EXPECT_TRUE(seen.until([&] { return seen.status()["time"] > 0.22; }));
}

TEST_F(ViewSession, WaitsForItsFirstPage) {
  seen.there = false;
  session = liveSession(file.string(), {}, {});
  session->start(seen);
  ASSERT_TRUE(reaches("running"));
  // Whatever is asked is answered, and no step is made.
  const std::string news = R"({"type":"tell"})";
  for (int k = 0; k < 20; ++k) say(news);
  ASSERT_TRUE(seen.until([&] { return seen.hello().contains("toml"); }));
  EXPECT_EQ(seen.status()["step"], 0);
  seen.there = true;
  EXPECT_TRUE(seen.until([&] { return seen.status()["step"] > 0; }));
}

TEST_F(ViewSession, GoesBackToAKeptFrameAndOnFromThere) {
  live(false);
  say(R"({"type":"pace","limit":0})");
  ASSERT_TRUE(reaches("finished"));
  const std::vector<double> kept = seen.status()["kept"];
  ASSERT_GT(kept.size(), 2u);
  EXPECT_EQ(kept.front(), 0);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  say(R"({"type":"tell"})");
  ASSERT_TRUE(seen.until([&] { return !seen.hello()["history"].empty(); }));

  say(R"({"type":"seek","frame":1})");
  ASSERT_TRUE(seen.until([&] { return seen.status()["time"] == kept[1]; }));
  EXPECT_TRUE(reaches("paused"));
  EXPECT_EQ(seen.status()["kept"].size(), kept.size());  // still there to look at
  // From there it is the same run again: the same time and the same particles as the first time.
  double time;
  ASSERT_TRUE(seen.until([&] {
    std::memcpy(&time, seen.frame().data() + 16, 8);
    return time == kept[1];
  }));
  say(R"({"type":"step","count":1})");
  ASSERT_TRUE(seen.until([&] { return seen.status()["time"] > kept[1]; }));
  EXPECT_LE(seen.status()["kept"].size(), 3u);  // another future
  const json hello = seen.hello();
  for (const json& row : hello["history"]) EXPECT_LE(row["time"], kept[1]);
}

TEST_F(ViewSession, GoesToASimulatedTimeExactly) {
  live(true);
  say(R"({"type":"advance","time":0.033})");
  EXPECT_TRUE(seen.until([&] { return seen.status()["time"] == 0.033; }));
  EXPECT_TRUE(reaches("paused"));
}

TEST_F(ViewSession, TellsTheSceneAsItIsNow) {
  live(true);
  say(R"({"type":"set","path":"gravity","value":[1,-9.8]})");
  say(R"({"type":"solver","name":"wcsph"})");
  ASSERT_TRUE(seen.until([&] { return seen.hello()["scene"].value("solver", "") == "wcsph"; }));
  const Scene scene = parseScene(seen.hello()["toml"], "saved.toml");
  EXPECT_EQ(scene.gravity[0], 1);
  EXPECT_EQ(scene.gravity[1], -9.8);
  EXPECT_EQ(scene.solver.name, "wcsph");
  EXPECT_EQ(scene.solids.size(), 1u);
}

TEST(ViewKept, AreThinnedWhereTheyAreTooMany) {
  KeptStates kept(8, 1000);
  for (int k = 0; k < 100; ++k)
    if (kept.wanted(k / 30.)) kept.add({k / 30., std::vector<char>(10), {}, {}});
  EXPECT_LE(kept.size(), 8u);
  EXPECT_GE(kept.size(), 4u);
  EXPECT_EQ(kept[0].time, 0);
  for (std::size_t k = 2; k < kept.size(); ++k) EXPECT_NEAR(kept[k].time - kept[k - 1].time, kept[1].time, 1e-9);  // evenly
  const double half = kept.last() / 2;
  kept.forgetAfter(half);
  EXPECT_LE(kept.last(), half);
  KeptStates heavy(100, 1000);  // bytes
  for (int k = 0; k < 20; ++k) heavy.add({double(k), std::vector<char>(300), {}, {}});
  EXPECT_LE(heavy.size(), 3u);
}

TEST_F(ViewSession, StepsOneByOneWhilePausedAndStartsAnew) {
  live(true);
  EXPECT_EQ(seen.status()["step"], 0);
  say(R"({"type":"step","count":3})");
  EXPECT_TRUE(seen.until([&] { return seen.status()["step"] == 3; }));
  EXPECT_TRUE(reaches("paused"));
  const int generation = seen.hello()["generation"];
  say(R"({"type":"reset"})");
  EXPECT_TRUE(seen.until([&] { return seen.status()["step"] == 0 && seen.hello()["generation"] == generation + 1; }));
  double time;
  std::memcpy(&time, seen.frame().data() + 16, 8);
  EXPECT_EQ(time, 0);
}

TEST_F(ViewSession, TellsEveryParameterOfTheSolverWithItsDeclaration) {
  live(true);
  const json c = control("solver.pbf.iterations");
  EXPECT_EQ(c["type"], "whole");
  EXPECT_FALSE(c["text"].get<std::string>().empty());
  EXPECT_TRUE(c["value"].is_number());
  EXPECT_EQ(control("gravity")["size"], 2);
  EXPECT_EQ(control("time.dt_max")["unit"], "s");
  EXPECT_EQ(seen.hello()["solvers"].size(), solvers().size());
  EXPECT_EQ(seen.hello()["solids"][0]["kind"], "box");
}

TEST_F(ViewSession, ChangesParametersAndSolverFromThePresentState) {
  live(true);
  say(R"({"type":"step","count":4})");
  ASSERT_TRUE(seen.until([&] { return seen.status()["step"] == 4; }));
  const double time = seen.status()["time"];
  say(R"({"type":"set","path":"solver.pbf.iterations","value":7})");
  EXPECT_TRUE(seen.until([&] { return control("solver.pbf.iterations")["value"] == 7; }));
  EXPECT_EQ(seen.status()["time"], time);
  say(R"({"type":"set","path":"gravity","value":[1,-5]})");
  EXPECT_TRUE(seen.until([&] { return control("gravity")["value"][0] == 1; }));
  for (const SolverInfo& s : solvers()) {
    say(R"({"type":"solver","name":")" + s.name + "\"}");
    ASSERT_TRUE(seen.until([&] { return seen.hello()["scene"]["solver"] == s.name; })) << s.name;
    const int before = seen.status()["step"];
    say(R"({"type":"step","count":1})");
    EXPECT_TRUE(seen.until([&] { return seen.status()["step"] == before + 1; })) << s.name << seen.notes();
  }
  say(R"({"type":"solver","name":"pbf"})");
  EXPECT_TRUE(seen.until([&] { return control("solver.pbf.iterations")["value"] == 7; }));  // it remembers
  EXPECT_EQ(seen.notes(), "");
}

TEST_F(ViewSession, AMotorIsSteeredWhileItRuns) {
  write(R"(bodies = [{name = "wheel", kind = "box", min = [0.6, 0.5], max = [0.8, 0.7]}]
joints = [{name = "axle", kind = "hinge", a = "wheel", point = [0.7, 0.6], motor_limit = 50},
          {name = "loose", kind = "hinge", a = "wheel", point = [0.7, 0.6]}]
)");
  live(true);
  EXPECT_EQ(control("joints[0].motor_speed")["unit"], "rad/s");
  EXPECT_EQ(control("joints[0].motor_speed")["joint"], 0);
  EXPECT_TRUE(control("joints[1].motor_speed").is_null());  // it has no motor
  const json measured = seen.hello()["measured"];
  std::size_t motor = 0;
  while (motor < measured.size() && measured[motor]["name"] != "axle.motor") ++motor;
  ASSERT_LT(motor, measured.size());
  const auto torqueAfterAStep = [&] {
    const int step = seen.status()["step"];
    say(R"({"type":"step","count":1})");
    EXPECT_TRUE(seen.until([&] {
      const json s = seen.status();
      return s["step"] == step + 1 && s["report"].contains("measured") && s["report"]["measured_time"] == s["time"];
    }));
    return seen.status()["report"]["measured"][motor].get<double>();
  };
  EXPECT_NEAR(torqueAfterAStep(), 0, 1);
  say(R"({"type":"motor","joint":0,"speed":40})");
  EXPECT_NEAR(torqueAfterAStep(), 50, 1);  // all that it has
  say(R"({"type":"set","path":"joints[0].motor_speed","value":-40})");
  EXPECT_TRUE(seen.until([&] { return control("joints[0].motor_speed")["value"] == -40; }));
  EXPECT_NEAR(torqueAfterAStep(), -50, 1);
  EXPECT_NE(seen.hello()["toml"].get<std::string>().find("motor_speed = -40"), std::string::npos);
  say(R"({"type":"motor","joint":1,"speed":1})");
  EXPECT_TRUE(seen.until([&] { return seen.notes().find("no such motor") != std::string::npos; }));
}

TEST_F(ViewSession, WhatCannotBeIsToldAndChangesNothing) {
  live(true);
  const auto complains = [&](const std::string& message, const std::string& about) {
    say(message);
    EXPECT_TRUE(seen.until([&] { return seen.notes().find(about) != std::string::npos; })) << about << ": " << seen.notes();
  };
  complains(R"({"type":"set","path":"solver.pbf.iterations","value":-3})", "iterations");
  complains(R"({"type":"solver","name":"pfb"})", "did you mean");
  complains(R"({"type":"set","path":"resolution.spacing","value":0.001})", "resolution.spacing cannot be changed");
  complains(R"({"type":"drag","solid":9,"by":[0,0,0]})", "no such solid");
  complains(R"({"type":"seek","frame":3})", "no such frame to go back to");
  EXPECT_NE(session->receive("{}"), "");
  write("nonsense = 3\n");
  complains(R"({"type":"reset"})", "nonsense");
  EXPECT_EQ(seen.hello()["scene"]["solver"], "pbf");
  write("");
  say(R"({"type":"reset"})");
  say(R"({"type":"step","count":1})");
  EXPECT_TRUE(seen.until([&] { return seen.status()["step"] == 1; }));
}

TEST_F(ViewSession, ASimulationThatDivergesSaysSoAndCanBeStartedAnew) {
  live(true);
  // Through a floor that is not there, at 1e9 m/s^2.
  std::ofstream(file) << R"(version = 1
dimension = 2
domain = {min = [0, 0], max = [1, 1], boundary = ["walls", "periodic"]}
resolution = {spacing = 0.05}
gravity = [0, -1e9]
fluid.blocks = [{kind = "box", min = [0, 0], max = [0.4, 0.5]}]
time = {until = 0.2, dt = 1e-3}
)";
  say(R"({"type":"reset"})");
  say(R"({"type":"run"})");
  ASSERT_TRUE(reaches("diverged"));
  EXPECT_NE(seen.status()["why"].get<std::string>().find("diverged at t ="), std::string::npos);
  write("");
  say(R"({"type":"reset"})");
  EXPECT_TRUE(reaches("paused"));
}

TEST_F(ViewSession, ADraggedSolidMovesAsFarAsTheHandDid) {
  live(true);
  const auto place = [&] {
    float x[2];
    std::memcpy(x, seen.frame().data() + frameMessageHeader + 36, 8);
    return std::pair(x[0], x[1]);
  };
  EXPECT_NEAR(place().first, 0.75, 1e-6);
  for (int k = 0; k < 5; ++k) say(R"({"type":"drag","solid":0,"by":[-0.02,0.03,0]})");
  say(R"({"type":"pace","limit":0})");
  say(R"({"type":"run"})");
  EXPECT_TRUE(seen.until([&] { return std::abs(place().first - 0.65) < 1e-6 && std::abs(place().second - 0.3) < 1e-6; }));
  say(R"({"type":"drag","solid":0,"by":[50,0,0]})");  // no further than the wall
  EXPECT_TRUE(reaches("finished"));
  EXPECT_LE(place().first, 1 + 1e-6);
  EXPECT_EQ(seen.notes(), "");
}

TEST_F(ViewSession, PlaysBackAFolder) {
  const std::string out = (root / "out").string();
  Scene scene = readScene(file.string());
  scene.output.frames_per_second = 50;
  const std::atomic<bool> stop = false;
  run(scene, {out, false, "", {}}, stop, [](const Progress&) {});
  session = playback(out);
  session->start(seen);
  ASSERT_TRUE(seen.until([&] { return seen.frames > 0 && seen.hello().contains("frames") && seen.status().contains("frame"); }));
  EXPECT_EQ(seen.hello()["mode"], "playback");
  ASSERT_EQ(seen.hello()["frames"].size(), 11u);
  EXPECT_NEAR(seen.hello()["frames"][10].get<double>(), 0.2, 1e-12);
  EXPECT_EQ(seen.hello()["solids"].size(), 1u);
  say(R"({"type":"seek","frame":7})");
  EXPECT_TRUE(seen.until([&] {
    std::uint32_t number;
    std::memcpy(&number, seen.frame().data() + 12, 4);
    return number == 7;
  }));
  EXPECT_NEAR(seen.status()["time"].get<double>(), 0.14, 1e-12);
  say(R"({"type":"run"})");
  EXPECT_TRUE(reaches("finished"));
  EXPECT_EQ(seen.status()["frame"], 10);
  say(R"({"type":"solver","name":"pbf"})");
  EXPECT_TRUE(seen.until([&] { return seen.notes().find("cannot be changed") != std::string::npos; }));

  // Without what the run knew of its scene, the frames alone are shown; damaged ones are told.
  session.reset();
  fs::remove_all(root / "out/checkpoint");
  std::ofstream(root / "out/frames/frame_000003.vtp") << "damaged";
  session = playback(out);
  session->start(seen);
  say(R"({"type":"seek","frame":3})");
  EXPECT_TRUE(seen.until([&] { return seen.notes().find("frame_000003.vtp") != std::string::npos; }));
  say(R"({"type":"seek","frame":4})");
  EXPECT_TRUE(seen.until([&] { return seen.status()["frame"] == 4; }));
  fs::create_directories(root / "empty");
  EXPECT_THROW(playback((root / "empty").string()), Failure);
}

}  // namespace
