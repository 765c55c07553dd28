// Motions: keyframes of turns, oscillations, wave makers, and the files that motions and gravity are read from.
#include "scene/motion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "brim/run_folder.h"
#include "observe/folder.h"
#include "scene/keyframes.h"
#include "scene/tank.h"
#include "scene/wave_maker.h"

using namespace brim;
using namespace brim::vectors;

namespace {

constexpr double pi = std::numbers::pi;

Vector carried(const Motion& m, const Vector& point, double t) {
  Vector x;
  poseAt(m, Pose<double>(), t).toWorld(point.data(), x.data());
  return x;
}

/// A folder of its own for the files of a test.
class MotionFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() /
             ("brim_motion_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder / name) << text; }
  std::string path(const std::string& name) const { return (folder / name).string(); }

  std::string tank(const std::string& more) const {
    return "version = 1\ndimension = 2\n" + more +
           "[resolution]\nspacing = 0.05\n"
           "[[fluid.blocks]]\nkind = \"box\"\nmin = [0, 0]\nmax = [1, 0.3]\n";
  }
  /// "FILE:LINE:COLUMN" and text of every mistake of the motion file.
  std::vector<Mistake> mistakesOf(const std::string& csv) {
    write("roll.csv", csv);
    try {
      parseScene(tank("[tank]\nfile = \"roll.csv\"\n"), path("scene.toml"));
    } catch (const SceneError& e) {
      return e.mistakes();
    }
    return {};
  }

  std::filesystem::path folder;
};

}  // namespace

TEST(Motion, OfAllPartsTogetherHasTheVelocityOfItsPath) {
  Motion m;
  m.velocity = {0.1, -0.2, 0.3};
  m.axis = {1, 2, -1};
  m.pivot = {0.5, 0, 0.2};
  m.rate = 0.7;
  m.rotation = {{0, {0, 0, 0}}, {0.5, {40, -20, 10}}, {1.3, {10, 60, -80}}, {2, {0, 0, 5}}};
  m.displacement = {{0, {0, 0, 0}}, {1, {0.2, 0, 0}}, {2, {0.2, -0.4, 0}}};
  m.oscillations = {{{0.1, 0, 0.2}, 15, 0.8, 30, 0.6}, {{0, 0.3, 0}, -5, 1.7, 0, 0}};
  m.resolved.rotation = {{0.2, {0, 30, 0}}, {1.9, {5, 0, 0}}};
  m.start = 0.1;
  for (const std::string interpolation : {"linear", "cubic"}) {
    m.interpolation = interpolation;
    for (const double t : {0.15, 0.35, 0.71, 1.21, 1.75, 2.5})
      for (const Vector& point : {Vector{0, 0, 0}, Vector{0.4, -0.3, 0.9}}) {
        const double dt = 1e-5;
        const Vector x = carried(m, point, t), slope = 1 / (2 * dt) * (carried(m, point, t + dt) - carried(m, point, t - dt));
        Vector v;
        poseAt(m, Pose<double>(), t).velocityAt(x.data(), v.data());
        // Central differences err by dt^2/6 times the third derivative, here up to 1e3, and by rounding, 1e-16/dt.
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(v[k], slope[k], 1e-7) << interpolation << ", t = " << t;
      }
  }
}

TEST(Motion, KeyframesOfRotationTurnAboutXThenYThenZ) {
  Motion m;
  m.pivot = {1, 0, 0};
  m.rotation = {{0, {0, 0, 0}}, {1, {90, 90, 0}}};
  const Vector x = carried(m, {1, 1, 0}, 1);  // y turns about x to z, which turns about y to x
  EXPECT_NEAR(x[0], 2, 1e-12);
  EXPECT_NEAR(x[1], 0, 1e-12);
  EXPECT_NEAR(x[2], 0, 1e-12);
  EXPECT_EQ(carried(m, {1, 1, 0}, 5), x);  // held
}

TEST(Motion, CubicKeyframesHaveContinuousRatesAndRestAtTheEnds) {
  const std::vector<Keyframe> keys = {{0, {0, 0, 0}}, {0.4, {1, 0, 0}}, {1, {-2, 3, 0}}, {1.5, {0, 1, 1}}};
  for (const Keyframe& k : keys) {
    const Track before = trackAt(keys, k.time - 1e-9, true), after = trackAt(keys, k.time, true);
    EXPECT_NEAR(length(after.rate - before.rate), 0, 1e-6) << k.time;
    EXPECT_NEAR(length(after.value - k.value), 0, 1e-12) << k.time;
  }
  EXPECT_NEAR(length(trackAt(keys, 0, true).rate), 0, 1e-12);
  // A parabola is met where there are neighbours on both sides.
  std::vector<Keyframe> parabola;
  for (const double t : {0.0, 0.5, 1.5, 2.0, 3.0}) parabola.push_back({t, {t * t, 0, 0}});
  EXPECT_NEAR(trackAt(parabola, 1.7, true).value[0], 1.7 * 1.7, 1e-12);
  EXPECT_NEAR(trackAt(parabola, 1.7, true).rate[0], 3.4, 1e-12);
}

TEST(WaveMaker, FollowsLinearTheory) {
  const double g = 9.81;
  for (const double depth : {0.05, 0.4, 10.0})
    for (const double period : {0.5, 1.0, 4.0, 30.0}) {
      const double omega = 2 * pi / period, k = waveNumber(omega, depth, g);
      EXPECT_NEAR(g * k * std::tanh(k * depth) / (omega * omega), 1, 1e-10) << depth << " m, " << period << " s";
    }
  EXPECT_NEAR(heightOverStroke("piston", 0.01), 0.01, 1e-6);  // shallow water: H/S = kh, and half of it for a flap
  EXPECT_NEAR(heightOverStroke("flap", 0.01), 0.005, 1e-6);
  EXPECT_NEAR(heightOverStroke("piston", 1), 2 * (std::cosh(2.0) - 1) / (std::sinh(2.0) + 2), 1e-12);
  EXPECT_NEAR(heightOverStroke("piston", 200), 2, 1e-9);  // deep water
  EXPECT_NEAR(heightOverStroke("flap", 299.9), heightOverStroke("flap", 300.1), 1e-5);
}

TEST(WaveMaker, MovesByItsStrokeAndGrowsSmoothly) {
  WaveMaker w;
  w.stroke = 0.2, w.period = 2, w.depth = 0.5, w.direction = {0, 3, 0};
  Motion m;
  m.resolved.oscillations = oscillationsOf(w, 9.81);
  EXPECT_EQ(poseAt(m, Pose<double>(), 0).velocity[1], 0);
  double low = 0, high = 0;
  for (double t = 4; t < 6; t += 0.01)
    low = std::min(low, carried(m, {0, 0, 0}, t)[1]), high = std::max(high, carried(m, {0, 0, 0}, t)[1]);
  EXPECT_NEAR(high - low, 0.2, 1e-4);
  w.kind = "flap";
  m.resolved.oscillations = oscillationsOf(w, 9.81);
  const Vector still = {0, 0.5, 0};
  low = high = 0;
  for (double t = 4; t < 6; t += 0.01)
    low = std::min(low, carried(m, still, t)[0]), high = std::max(high, carried(m, still, t)[0]);
  EXPECT_NEAR(high - low, 0.2, 0.005);  // an arc of 11 degrees is 2 % shorter than its tangent
}

TEST(WaveMaker, OfASpectrumHasItsVarianceAndRepeatsBySeed) {
  WaveMaker w;
  w.spectrum = "jonswap", w.height = 0.3, w.period = 2, w.depth = 1, w.components = 200;
  const double g = 9.81;
  const auto parts = oscillationsOf(w, g);
  ASSERT_EQ(parts.size(), 200u);
  double variance = 0, below = 0;
  for (const Oscillation& o : parts) {
    const double k = waveNumber(2 * pi / o.period, w.depth, g);
    const double a = o.amplitude[0] * heightOverStroke("piston", k * w.depth);  // of the level: H/2 = S/2 H/S
    variance += a * a / 2;
    if (o.period > w.period) below += a * a / 2;
  }
  EXPECT_NEAR(4 * std::sqrt(variance), 0.3, 1e-9);  // Hs = 4 sqrt(m0)
  // 35 % of the variance of JONSWAP with gamma 3.3 lies below the peak, by numerical integration; bins are 1/80 of the peak.
  EXPECT_NEAR(below / variance, 0.35, 0.03);
  EXPECT_EQ(oscillationsOf(w, g)[7].phase, parts[7].phase);
  w.seed = 2;
  EXPECT_NE(oscillationsOf(w, g)[7].phase, parts[7].phase);
}

TEST_F(MotionFiles, HoldMotionsByNamedColumnsWithUnitsAndComments) {
  write("roll.csv", "\xef\xbb\xbf# measured\r\nroll_deg, T_S, x\r\n1.5,0,+0.25\r\n# a pause\r\n\r\n -3e0 ,0.5,0.5\r\n");
  const Scene s = parseScene(tank("[tank]\nfile = \"roll.csv\"\npivot = [0.5, 0]\n"), path("scene.toml"));
  const auto& turns = s.tank.resolved.rotation;
  ASSERT_EQ(turns.size(), 2u);
  EXPECT_EQ(turns[1].time, 0.5);
  EXPECT_EQ(turns[0].value, (Vector{0, 0, 1.5}));
  EXPECT_EQ(turns[1].value, (Vector{0, 0, -3}));
  EXPECT_EQ(s.tank.resolved.displacement.at(1).value, (Vector{0.5, 0, 0}));
  EXPECT_TRUE(s.tank.moves());
}

TEST_F(MotionFiles, OfMotionsTellEveryMistakeAtItsPlace) {
  const struct {
    std::string csv;
    int line, column;
    std::string says;
  } all[] = {
      {"time,angle\n0,1\n1,x\n", 3, 3, "\"x\" is not a finite number"},
      {"time,angle\n0,1\n1,nan\n", 3, 3, "not a finite number"},
      {"time,angle\n0,1\n1,1e999\n", 3, 3, "not a finite number"},
      {"time,angle\n0,1\n1\n", 3, 1, "1 values; the header has 2"},
      {"time,angle\n0,1\n1,2,3\n", 3, 1, "3 values"},
      {"time,angle\n0,\n", 2, 3, "a number is missing"},
      {"time,angle\n0,1\n0,2\n", 3, 1, "must come after"},
      {"time,angel\n0,1\n", 1, 6, "did you mean \"angle\""},
      {"time,z\n0,1\n", 1, 6, "\"z\" is not known"},
      {"time,x,x\n0,1,1\n", 1, 8, "twice"},
      {"x,angle\n0,1\n", 1, 1, "\"time\""},
      {"time\n0\n", 1, 1, "another column"},
      {"# nothing\n", 1, 0, "empty"},
      {"time,angle\n", 1, 0, "no rows"},
      {std::string("time,angle\n0,1\n1,\0\n", 18), 3, 3, "not a finite number"},
  };
  for (const auto& a : all) {
    const auto told = mistakesOf(a.csv);
    ASSERT_EQ(told.size(), 1u) << a.csv;
    EXPECT_EQ(told[0].at.file, path("roll.csv"));
    EXPECT_EQ(told[0].at.line, a.line) << a.csv;
    EXPECT_EQ(told[0].at.column, a.column) << a.csv;
    EXPECT_NE(told[0].what.find(a.says), std::string::npos) << told[0].what;
  }
  EXPECT_EQ(mistakesOf("time,angle\n0,a\n1,b\n2,c\n3,d\n4,e\n5,f\n6,g\n").size(), 5u);  // the first five are enough
}

TEST_F(MotionFiles, ThatAreNotThereAreToldAtTheKeyThatNamesThem) {
  for (const std::string name : {"no.csv", "."}) {
    try {
      parseScene(tank("[tank]\nfile = \"" + name + "\"\n"), path("scene.toml"));
      FAIL() << name;
    } catch (const SceneError& e) {
      ASSERT_EQ(e.mistakes().size(), 1u);
      EXPECT_EQ(e.mistakes()[0].at.file, path("scene.toml"));
      EXPECT_EQ(e.mistakes()[0].at.line, 4);
    }
  }
}

TEST_F(MotionFiles, HoldGravityToo) {
  write("shake.csv", "time,x,y\n0,0,-9.81\n1,2,-9.81\n");
  const Scene s = parseScene(tank("gravity = \"shake.csv\"\n"), path("scene.toml"));
  EXPECT_EQ(gravityAt(s, 0.5), (Vector{1, -9.81, 0}));
  write("shake.csv", "time,x,y\n0,0,-9.81\n1,2,down\n");
  EXPECT_THROW(parseScene(tank("gravity = \"shake.csv\"\n"), path("scene.toml")), SceneError);
}

// The scene that a run leaves names the files as the scene did, and where that scene was.
TEST_F(MotionFiles, AreFoundAgainByTheSceneOfARunFolder) {
  write("roll.csv", "time,angle\n0,1\n1,2\n");
  write("shake.csv", "time,y\n0,-9\n");
  const Scene s = parseScene(tank("gravity = \"shake.csv\"\n[tank]\nfile = \"roll.csv\"\nrotation = [{time = 0, value = 3}]\n"),
                             path("scene.toml"));
  std::filesystem::create_directories(folder / "out");
  writeSceneOf(path("out"), s);
  std::ifstream in(folder / "out" / "scene.toml");
  std::string first, text((std::getline(in, first), std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const Scene again = parseScene(text, first.substr(std::string("# scene file: ").size()));
  ASSERT_EQ(again.tank.resolved.rotation.size(), 2u);
  EXPECT_EQ(again.tank.rotation.size(), 1u);  // those of the file are not among them
  EXPECT_EQ(again.gravity_keys.size(), 1u);
}

TEST(Motion, ThatMakesNoSenseIsRefused) {
  const auto told = [](auto change) {
    Scene s;
    s.dimension = 2;
    s.fluid.blocks.push_back({});
    s.fluid.blocks[0].shape.max = {0.5, 0.5, 0};
    s.solids.push_back({});
    s.solids[0].shape.min = {0.8, 0.1, 0}, s.solids[0].shape.max = {0.9, 0.9, 0};
    change(s);
    const auto all = validate(s);
    return all.size() == 1 ? all[0].what : std::to_string(all.size()) + " mistakes";
  };
  EXPECT_EQ(told([](Scene&) {}), "0 mistakes");
  EXPECT_NE(told([](Scene& s) { s.solids[0].motion.waves = {{}}; }).find("height of the waves or its stroke"), std::string::npos);
  EXPECT_NE(told([](Scene& s) {
              s.gravity = {0, 0, 0};
              s.solids[0].motion.waves = {{}};
              s.solids[0].motion.waves[0].height = 0.1;
            }).find("without gravity"),
            std::string::npos);
  EXPECT_NE(told([](Scene& s) {
              s.domain.boundary = {"periodic", "walls", "walls"};
              s.tank.rate = 1;
            }).find("periodic"),
            std::string::npos);
  EXPECT_EQ(told([](Scene& s) {
              s.domain.boundary = {"periodic", "walls", "walls"};
              s.tank.velocity = {1, 0, 0};
            }),
            "0 mistakes");
  EXPECT_NE(told([](Scene& s) { s.fluid.absorbers.push_back({}); }).find("no thickness"), std::string::npos);
}

// A stone that moves freely in the lab, seen from a tank that turns, swings and is accelerated: its path is that of the lab.
TEST(Tank, ForcesInItsFrameGiveTheStraightPathsOfTheLab) {
  Scene s;
  s.domain.min = {-1, -0.5, 0}, s.domain.max = {1, 1.5, 2};
  s.gravity = {0, 0, -3};
  s.tank.axis = {1, 1, 0.5};
  s.tank.rate = 1.5;
  s.tank.pivot = {0.3, 0, -0.2};
  s.tank.oscillations = {{{0.3, -0.1, 0.2}, 20, 0.9, 40, 0}};
  const auto tankAt = [&](double t) { return poseAt(s.tank, Pose<double>(), t); };
  const auto seen = [&](double t) {  // a throw from (1, 0, 0) with (-1, 2, 1)
    const Vector lab = {1 - t, 2 * t, t - 1.5 * t * t};
    Vector x;
    tankAt(t).toBody(lab.data(), x.data());
    return x;
  };
  const auto missed = [&](double dt) {
    Vector x = seen(0), v = 1 / dt * (seen(dt / 2) - seen(-dt / 2));
    // The velocity before the start is that of the path without a motion: take it from the right.
    v = 2 / dt * (seen(dt / 2) - seen(0)) - dt / 4 * (4 / (dt * dt)) * (seen(dt) - 2.0 * seen(dt / 2) + seen(0));
    const double end = 1;
    for (int n = 0; n < int(std::lround(end / dt)); ++n) {
      const double t = n * dt;
      const TurningTank turning = turningTank(s, t, dt);
      const Vector push = dt / 2 * (turning.spread * (x - turning.centre));
      v = turn(unit(turning.omega), -2 * dt * length(turning.omega)) * (v + push) + push;
      v = v + dt * apparentGravityAt(s, t, dt);
      x = x + dt * v;
    }
    return length(x - seen(end));
  };
  EXPECT_LT(missed(1e-3), 0.02);                       // of a path of some metres
  EXPECT_NEAR(missed(1e-3) / missed(2.5e-4), 4, 0.4);  // of first order, as the steps of the solvers are
}

TEST(Gate, ThinnerThanACellOfTheGridIsWarnedOf) {
  const auto warned = [](const std::string& solver, double thickness) {
    const std::string gate = "[[solids]]\nkind = \"box\"\nmin = [0.5, 0]\nmax = [" + std::to_string(0.5 + thickness) + ", 0.8]\n";
    const Scene s = parseScene(
        "version = 1\ndimension = 2\n[resolution]\nspacing = 0.02\n"
        "[[fluid.blocks]]\nkind = \"box\"\nmin = [0, 0]\nmax = [0.4, 0.4]\n" +
            gate + "[solver]\nname = \"" + solver + "\"\n",
        "gate.toml");
    const auto all = warnings(s);
    for (const Mistake& m : all) EXPECT_EQ(m.at.line, 9);
    return all.size() == 1 && all[0].what.find("cell of the grid") != std::string::npos;
  };
  EXPECT_TRUE(warned("flip", 0.04));
  EXPECT_FALSE(warned("apic", 0.06));
  EXPECT_FALSE(warned("pbf", 0.04));
}
