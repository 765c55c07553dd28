// The parts of the viewer that need no socket: frames as bytes, messages, the folder, dragged solids.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "brim/simulation.h"
#include "scene/motion.h"
#include "scene/shape.h"
#include "view/body_track.h"
#include "view/command.h"
#include "view/describe.h"
#include "view/folder.h"
#include "view/frame_message.h"
#include "view/steer.h"

using namespace brim;
using namespace brim::view;
namespace fs = std::filesystem;

namespace {

template <class T>
T at(const std::string& bytes, std::size_t place) {
  T value;
  std::memcpy(&value, bytes.data() + place, sizeof value);
  return value;
}

Snapshot cloud(int dimension, std::size_t n) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  Snapshot s;
  s.dimension = dimension;
  s.time = 0.25;
  s.step = 17;
  for (std::size_t i = 0; i < n; ++i) {
    s.id.push_back(std::int64_t(i));
    for (int k = 0; k < 3; ++k) s.position.push_back(k < dimension ? 100 + 2 * unit(random) : 0);
    for (int k = 0; k < 3; ++k) s.velocity.push_back(k < dimension ? float(unit(random)) : 0);
    s.density.push_back(float(1000 + 10 * unit(random)));
    s.pressure.push_back(float(5000 * unit(random)));
  }
  return s;
}

TEST(ViewFrame, ParticlesAreWhereTheyWereWithinHalfASixteenBitStepOfTheirBox) {
  for (const int D : {2, 3}) {
    Snapshot s = cloud(D, 1001);  // odd: the places need filling up to four bytes
    s.surfaces = {{"sheet", 3, {100, 100, 100, 101, 100.5, 100, 100, 101, 100}, {0, 2, 1}}};
    std::vector<Pose<double>> solids(2);
    solids[1].position[0] = 101.5;
    const std::string f = encodeFrameMessage(s, {100, 100, D == 3 ? 100. : 0.}, Quantity::pressure, solids, 5);
    EXPECT_EQ(f.substr(0, 4), "BRF1");
    EXPECT_EQ(at<std::uint8_t>(f, 4), D);
    EXPECT_EQ(at<std::uint8_t>(f, 5), 2);
    EXPECT_EQ(at<std::uint16_t>(f, 6), 2);
    EXPECT_EQ(at<std::uint32_t>(f, 8), 1001u);
    EXPECT_EQ(at<std::uint32_t>(f, 12), 5u);
    EXPECT_EQ(at<double>(f, 16), 0.25);
    EXPECT_EQ(at<double>(f, 24), 17);
    EXPECT_EQ(at<float>(f, frameMessageHeader + 48 + 36), 1.5f);
    const std::size_t places = frameMessageHeader + 96, values = (places + 2 * D * 1001 + 3) / 4 * 4;
    const std::size_t sheets = (values + 2 * 1001 + 3) / 4 * 4;
    ASSERT_EQ(f.size(), sheets + 4 + 12 + 36 + 12);
    EXPECT_EQ(at<std::uint32_t>(f, sheets), 1u);
    EXPECT_EQ(at<std::uint32_t>(f, sheets + 4), 3u);
    EXPECT_EQ(at<std::uint32_t>(f, sheets + 8), 3u);
    EXPECT_EQ(at<std::uint32_t>(f, sheets + 12), 3u);
    EXPECT_EQ(at<float>(f, sheets + 16 + 16), 0.5f);  // y of the second vertex
    EXPECT_EQ(at<std::uint32_t>(f, sheets + 16 + 36 + 8), 1u);
    double worst = 0, worstValue = 0;
    for (std::size_t i = 0; i < 1001; ++i) {
      for (int k = 0; k < D; ++k) {
        const double u = at<std::uint16_t>(f, places + 2 * (D * i + std::size_t(k))) / 65535.;
        const double x = at<float>(f, 32 + 4 * std::size_t(k)) + u * at<float>(f, 44 + 4 * std::size_t(k));
        worst = std::max(worst, std::abs(x - (s.position[3 * i + std::size_t(k)] - 100)));
      }
      const double low = at<float>(f, 56), high = at<float>(f, 60);
      const double v = low + at<std::uint16_t>(f, values + 2 * i) / 65535. * (high - low);
      worstValue = std::max(worstValue, std::abs(v - s.pressure[i]));
    }
    // Half a step of a box of 2 m and of a range of 5000 Pa; a hundredth more for the single precision of the ends.
    EXPECT_LT(worst, 1.01 * 2 / 65535. / 2);
    EXPECT_LT(worstValue, 1.01 * 5000 / 65535. / 2);
  }
}

TEST(ViewFrame, WhatIsNotFiniteOrMissingIsShownAtZeroInsteadOfCrashing) {
  Snapshot s = cloud(3, 10);
  s.position[4] = NAN, s.position[7] = INFINITY, s.velocity[3] = NAN;
  s.density.clear();  // as a damaged file may have it
  for (const Quantity q : {Quantity::speed, Quantity::density}) {
    const std::string f = encodeFrameMessage(s, {100, 100, 100}, q, {}, 0);
    for (std::size_t k = 32; k < 64; k += 4) EXPECT_TRUE(std::isfinite(at<float>(f, k)));
    EXPECT_EQ(at<std::uint16_t>(f, frameMessageHeader + 2 * 4), 0);
  }
  EXPECT_EQ(encodeFrameMessage(Snapshot(), {0, 0, 0}, Quantity::speed, {}, 0).size(), frameMessageHeader + 4);
  s.surfaces = {{"torn", 3, {0, 0, 0}, {0, 0, 1}}};
  EXPECT_EQ(encodeFrameMessage(s, {0, 0, 0}, Quantity::speed, {}, 0).size(), frameMessageHeader + 8 * 10 + 4);
  s.position.pop_back();  // then nothing is shown
  EXPECT_EQ(at<std::uint32_t>(encodeFrameMessage(s, {0, 0, 0}, Quantity::speed, {}, 0), 8), 0u);
}

TEST(ViewMessages, AreReadAsTheyAreMeant) {
  EXPECT_EQ(parseCommand(R"({"type":"pause"})").kind, Command::Kind::pause);
  EXPECT_EQ(parseCommand(R"({"type":"step","count":3})").index, 3);
  const Command set = parseCommand(R"({"type":"set","path":"solver.pbf.iterations","value":12})");
  EXPECT_EQ(set.name, "solver.pbf.iterations");
  EXPECT_EQ(set.value, "12");
  EXPECT_EQ(parseCommand(R"({"type":"set","path":"time.dt","value":1e-5})").value, "1e-05");
  EXPECT_EQ(parseCommand(R"({"type":"set","path":"gravity","value":[0,-9.81]})").value, "[0, -9.81]");
  EXPECT_EQ(parseCommand(R"({"type":"set","path":"a.b","value":true})").value, "true");
  EXPECT_EQ(parseCommand(R"({"type":"set","path":"a.b","value":"cubic"})").value, "\"cubic\"");
  EXPECT_EQ(parseCommand(R"({"type":"drag","solid":1,"by":[0.5,0,-1]})").by[2], -1);
  EXPECT_EQ(parseCommand(R"({"type":"colour","by":"density"})").quantity, Quantity::density);
}

TEST(ViewMessages, AnythingElseIsRefused) {
  const std::string tower = std::string(1500, '[') + std::string(1500, ']');
  const std::string inside = R"({"type":"drag","solid":0,"by":)" + tower + "}";
  const std::string bad[] = {"",
                             " ",
                             "null",
                             "3",
                             "[]",
                             "\"pause\"",
                             "{}",
                             "{",
                             R"({"type":3})",
                             R"({"type":"stop"})",
                             R"({"type":["pause"]})",
                             R"({"type":"pause","why":1})",
                             R"({"type":"step"})",
                             R"({"type":"step","count":0})",
                             R"({"type":"step","count":1.5})",
                             R"({"type":"step","count":"3"})",
                             R"({"type":"step","count":1e9})",
                             R"({"type":"step","count":-1})",
                             R"({"type":"solver","name":""})",
                             R"({"type":"solver","name":"pbf\"\n[time]"})",
                             R"({"type":"solver","name":null})",
                             R"({"type":"set","path":"solver.x=1","value":1})",
                             R"({"type":"set","path":"a.b"})",
                             R"({"type":"set","path":"a.b","value":{}})",
                             R"({"type":"set","path":"a.b","value":null})",
                             R"({"type":"set","path":"a.b","value":[]})",
                             R"({"type":"set","path":"a.b","value":[1,2,3,4]})",
                             R"({"type":"set","path":"a.b","value":[[1]]})",
                             R"({"type":"set","path":"a.b","value":["x"]})",
                             R"({"type":"set","path":"a.b","value":"x\" y"})",
                             R"({"type":"set","path":"a.b","value":1e999})",
                             R"({"type":"drag","solid":0,"by":[1,2]})",
                             R"({"type":"drag","solid":-1,"by":[0,0,0]})",
                             R"({"type":"drag","solid":0,"by":[1e30,0,0]})",
                             R"({"type":"colour","by":"taste"})",
                             R"({"type":"pace","limit":-1})",
                             R"({"type":"seek","frame":1e18})",
                             "{\"type\":\"pause\"}\xff",
                             "\xc3\x28",
                             tower,
                             inside,
                             std::string(5000, ' ')};
  for (const std::string& text : bad) EXPECT_THROW(parseCommand(text), BadMessage) << text.substr(0, 80);
}

TEST(ViewMessages, RandomBytesAndBrokenMessagesAreRefusedAndNothingWorse) {
  std::mt19937 random(11);
  const std::string good = R"({"type":"set","path":"solver.pbf.iterations","value":[1.5e3,2,-3]})";
  int refused = 0;
  for (int k = 0; k < 20000; ++k) {
    std::string text = k % 2 ? good : std::string(random() % 60, ' ');
    for (std::size_t c = 0; c < text.size(); ++c)
      if (k % 2 == 0 || random() % 20 == 0) text[c] = char(random());
    try {
      parseCommand(text);
    } catch (const BadMessage&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 15000);
}

class ViewFolder : public testing::Test {
 protected:
  fs::path root = fs::temp_directory_path() / ("brim_view_folder_" + std::to_string(getpid()));
  void SetUp() override {
    fs::create_directories(root / "run/frames");
    for (const char* name : {"secret.txt", "run/summary.json", "run/frames/a b.vtp", "run/.hidden"})
      std::ofstream(root / name) << "text";
    fs::create_symlink("../secret.txt", root / "run/link.txt");
    fs::create_symlink("summary.json", root / "run/inner.txt");
    fs::create_directory_symlink("..", root / "run/up");
    ASSERT_EQ(mkfifo((root / "run/pipe").c_str(), 0600), 0);
  }
  void TearDown() override { fs::remove_all(root); }
  static bool opens(const Folder& folder, const std::string& path) {
    const int fd = folder.open(path);
    if (fd >= 0) ::close(fd);
    return fd >= 0;
  }
};

TEST_F(ViewFolder, GivesItsOwnPlainFilesAndNothingElse) {
  const Folder folder((root / "run").string());
  EXPECT_TRUE(opens(folder, "summary.json"));
  EXPECT_TRUE(opens(folder, "frames/a b.vtp"));
  const std::string bad[] = {"",
                             ".",
                             "..",
                             "../secret.txt",
                             "frames/../../secret.txt",
                             "frames/../summary.json",
                             "./summary.json",
                             "/etc/passwd",
                             (root / "secret.txt").string(),
                             "link.txt",
                             "inner.txt",
                             "up/secret.txt",
                             "up/run/summary.json",
                             "frames",
                             "frames/",
                             "summary.json/",
                             "frames//a b.vtp",
                             ".hidden",
                             "pipe",
                             "missing",
                             "a/b/c/d/e/f/g/h/i",
                             std::string("summary.json\0x", 14)};
  for (const std::string& path : bad) EXPECT_FALSE(opens(folder, path)) << path;
}

TEST(ViewPath, EncodedFormsAreDecodedOnceAndHostileOnesRefused) {
  EXPECT_EQ(decodePath("frames/a%20b.vtp"), "frames/a b.vtp");
  EXPECT_EQ(decodePath("%2e%2E/x"), "../x");  // which the folder then refuses
  for (const char* bad : {"%", "%4", "%zz", "a%2fb", "%252e%252e", "a%00b", "a\\b", "%5c..", "a%0ab", "a\x7f"})
    EXPECT_FALSE(decodePath(bad)) << bad;
  EXPECT_FALSE(decodePath(std::string(2000, 'a')));
}

TEST_F(ViewFolder, BodiesOfARunAreWhereItsTableHasThem) {
  const Scene scene = parseScene(R"(version = 1
dimension = 2
domain = {min = [0, 0], max = [2, 2]}
resolution = {spacing = 0.05}
fluid.blocks = [{kind = "box", min = [0, 0], max = [2, 0.3]}]
bodies = [{name = "wedge", kind = "polygon", points = [[1, 1], [1.6, 1], [1, 1.6]]}]
)",
                                 "wedge.toml");
  const auto shapes = solidShapes(scene);
  ASSERT_EQ(shapes.size(), 1u);
  // Two rows: as the scene has it, and a quarter of a turn later 0.5 m higher. The centre of mass of a triangle is the mean of
  // its corners, the frame's origin is elsewhere.
  const std::string file = (root / "bodies.csv").string();
  std::ofstream(file) << "step,time,wedge.x,wedge.y,wedge.angle\n0,0,1.2,1.2,0\n9,0.5,1.2,1.7,1.5707963267948966\n10,torn\n";
  const BodyTrack track(file, scene, shapes);
  Snapshot s;
  s.time = 0.4;
  s.bodies = track.at(s.time);
  const auto poses = posesOf(scene, shapes, s);
  double start[3], now[3];
  const double corner[3] = {1.6, 1, 0};
  shapes[0].pose().toBody(corner, start);
  poses[0].toWorld(start, now);
  // (0.4, -0.2) from the centre, turned to (0.2, 0.4).
  EXPECT_NEAR(now[0], 1.4, 1e-12);
  EXPECT_NEAR(now[1], 2.1, 1e-12);
  EXPECT_TRUE(BodyTrack((root / "none.csv").string(), scene, shapes).at(0).empty());
  EXPECT_EQ(describeSolids(scene, shapes)[0]["draggable"], false);
}

double gap(const Vector& a, const Vector& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }
Vector placeAt(const Motion& m, double t) {
  const Pose<double> p = poseAt(m, Pose<double>(), t);
  return {p.position[0], p.position[1], p.position[2]};
}

TEST(ViewDrag, ASolidGoesFromWhereItIsToTheHandAndKeepsItsOwnMotionOnTop) {
  Motion own;
  own.velocity = {0.3, 0, 0};
  own.displacement = {{0, {0, 0, 0}}, {1, {0, 0.5, 0}}, {3, {0, -0.5, 0}}};
  own.start = 0.5;
  own.stop = 2.5;
  const double now = 1.2, speed = 2;
  const Vector to = {0.4, 0.3, 0};  // a quarter of a second away
  const Motion m = steered(own, {0, 0, 0}, to, now, speed);
  EXPECT_LT(gap(placeAt(m, now), placeAt(own, now)), 1e-12);
  for (const double t : {1.45, 2., 2.4, 2.6, 50.}) {
    Vector expected = placeAt(own, t);
    for (int k = 0; k < 3; ++k) expected[k] += to[k];
    EXPECT_LT(gap(placeAt(m, t), expected), 1e-9) << t;  // keyframes end at 1e5 s, which costs four digits
  }
  const Pose<double> moving = poseAt(m, Pose<double>(), 1.3);
  EXPECT_NEAR(std::hypot(moving.velocity[0] - 0.3, moving.velocity[1] + 0.5), speed, 1e-9);
  EXPECT_LT(gap(offsetAt({0, 0, 0}, to, now, speed, now + 0.125), {0.2, 0.15, 0}), 1e-12);
}

TEST(ViewDrag, ATurningSolidKeepsTurning) {
  Motion own;
  own.rate = 2;
  own.axis = {0, 0, 1};
  const Motion m = steered(own, {0, 0, 0}, {1, 0, 0}, 0.5, 4);
  const Pose<double> a = poseAt(m, Pose<double>(), 2), b = poseAt(own, Pose<double>(), 2);
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(a.rotation[k], b.rotation[k], 1e-12);
  EXPECT_NEAR(a.position[0] - b.position[0], 1, 1e-12);
  own.stop = 1;
  EXPECT_TRUE(steerable(own, 0.5));
  EXPECT_FALSE(steerable(own, 1.5));
}

Scene pool(const std::string& solver) {
  return parseScene(R"(version = 1
dimension = 2
domain = {min = [0, 0], max = [1, 1]}
resolution = {spacing = 0.04}
fluid.blocks = [{kind = "box", min = [0, 0], max = [1, 0.4]}]
solids = [{name = "ball", kind = "sphere", centre = [0.5, 0.7], radius = 0.1, motion = {velocity = [0, -0.1]}},
          {name = "rock", kind = "box", min = [0.1, 0], max = [0.2, 0.1]}]
time = {until = 1}
solver = {name = ")" + solver +
                        "\"}",
                    "pool.toml");
}

TEST(ViewDrag, ASimulationFollowsTheNewCourseAndResumesToTheSameBits) {
  for (const std::string solver : {"pbf", "flip"}) {
    const auto dragged = [&] {
      Simulation sim(pool(solver));
      sim.advanceTo(0.05);
      sim.setMotion(0, steered(sim.scene().solids[0].motion, {0, 0, 0}, {0.1, -0.5, 0}, sim.time(), 3));
      return sim;
    };
    Simulation a = dragged();
    a.advanceTo(0.15);
    const auto state = a.save();
    Simulation b(a.scene());
    b.restore(state);
    a.advanceTo(0.3);
    b.advanceTo(0.3);
    EXPECT_EQ(a.stateHash(), b.stateHash()) << solver;
    Simulation still(pool(solver));
    still.advanceTo(0.3);
    EXPECT_NE(a.stateHash(), still.stateHash()) << solver;
    // The ball has sunk into the water: nothing is left inside of it but what a clearance of half a spacing allows.
    const SolidShape ball(a.scene(), a.scene().solids[0].shape, "solids[0]");
    const Pose<double> pose = poseAt(a.scene().solids[0].motion, ball.pose(), a.time());
    EXPECT_NEAR(pose.position[1], 0.17, 1e-9);
    const Snapshot s = a.snapshot();
    int inside = 0;
    for (std::size_t i = 0; i < s.size(); ++i)
      inside += std::hypot(s.position[3 * i] - pose.position[0], s.position[3 * i + 1] - pose.position[1]) < 0.08;
    EXPECT_LE(inside, 2) << solver;
    EXPECT_THROW(a.setMotion(1, Motion()), Failure);  // it rests
    EXPECT_THROW(a.setMotion(2, a.scene().solids[0].motion), Failure);
  }
}

}  // namespace
