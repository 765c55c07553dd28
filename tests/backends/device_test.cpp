// A GPU runs the same physics, to float's accuracy, and the same bits every time. Where there is none, these are skipped.
#include "device.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>

#include "brim/run.h"
#include "observe/checkpoint.h"
#include "observe/frames.h"

using namespace brim;
using namespace brim::test;

namespace {

class Device : public PlaneLaw {
 protected:
  void SetUp() override {
    if (!hasDevice()) GTEST_SKIP() << "no GPU here";
  }
  // A dam break of 9,000 particles with a jet and a turning paddle.
  Scene scene() const {
    Scene s = domain(solver, 3, {1.2, 0.8, 0.5}, 0.03, "walls");
    fill(s, box({0, 0, 0}, {0.6, 0.75, 0.5}));
    Emitter e;
    e.kind = "disc";
    e.centre = {1.0, 0.6, 0.25};
    e.direction = {-1, -0.5, 0};
    e.radius = 0.08;
    e.speed = 2;
    s.fluid.emitters.push_back(e);
    Solid paddle;
    paddle.shape = box({0.75, 0.1, 0.1}, {0.85, 0.4, 0.4});
    paddle.motion.rate = 3;
    paddle.motion.pivot = {0.8, 0.25, 0.25};
    s.solids.push_back(paddle);
    return s;
  }
  // A column beside a ball in two dimensions.
  Scene plane() const {
    Scene s = domain(solver, 2, {1.2, 0.8, 0}, 0.02, "walls");
    fill(s, box({0, 0, 0}, {0.5, 0.7, 0}));
    Solid ball;
    ball.shape.kind = "sphere";
    ball.shape.centre = {0.62, 0.1, 0};
    ball.shape.radius = 0.09;
    s.solids.push_back(ball);
    return s;
  }
};
BRIM_PLANE_LAWS(Device);

/// Of the solvers that have a pressure on a grid.
class DeviceGrid : public Device {};
INSTANTIATE_TEST_SUITE_P(GridSolvers, DeviceGrid, testing::Values("flip", "apic"), planeLawName);

}  // namespace

TEST_P(Device, StepsOnceAsTheCpuDoesInDouble_PB11) {
  const Scene s = scene();
  Simulation gpu = onDevice(s), cpu = inDouble(s);
  gpu.advance(1), cpu.advance(1);
  const Snapshot a = gpu.snapshot(), b = cpu.snapshot();
  ASSERT_EQ(a.id, b.id);
  // Positions up to 1 m have 6e-8 m of rounding; sums of thirty kernels and tens of iterations lose two digits of it.
  EXPECT_LT(apart(a.position, b.position), 1e-5);
  EXPECT_LT(apart(a.velocity, b.velocity), 1e-2 * std::max(1.0, cpu.advance(2).max_speed));
}

TEST_P(Device, StepsOnceInThePlaneAsWell) { EXPECT_LT(apartAfterAStep(plane()), 1e-5); }  // as above

TEST_P(Device, SolvesForPressureWhereNoAirIs) {
  Scene s = domain(solver, 3, {0.6, 0.5, 0.4}, 0.025, "walls");
  fill(s, box({0, 0, 0}, {0.6, 0.5, 0.4}));
  EXPECT_LT(apartAfterAStep(s), 1e-5);
}

TEST_P(DeviceGrid, SolvesForPressureInAWidePool) {
  // 9 x 9 tiles, and more in the next level of the pressure solver than the blocks of a cluster.
  Scene s = domain(solver, 3, {3.6, 0.5, 3.6}, 0.025, "walls");
  fill(s, box({0, 0, 0}, {3.6, 0.15, 3.6}));
  fill(s, box({0.4, 0.15, 1.2}, {1.2, 0.4, 2.4}));
  EXPECT_LT(apartAfterAStep(s), 1e-5);  // as above
  expectSameBits(s, 8);
}

TEST_P(DeviceGrid, ReachesAcrossPeriodicSides) {
  // Two by three tiles along the periodic axes: levels with whole tiles between the sides and without.
  Scene s = domain(solver, 3, {0.8, 0.5, 1.2}, 0.025, "periodic");
  s.domain.boundary[1] = "walls";
  fill(s, box({0, 0, 0}, {0.8, 0.2, 1.2}), {0.6, 0, -0.9});
  fill(s, box({0, 0.2, 0.8}, {0.2, 0.35, 1.2}), {0.6, 0, 0.9});
  EXPECT_LT(apartAfterAStep(s), 1e-5);  // as above
  expectSameBits(s, 30);
}

TEST_P(Device, RemovesWhatASinkTakesAsTheCpuDoes) {
  Scene s = scene();
  s.fluid.sinks.push_back({box({0.2, 0.2, 0.1}, {0.4, 0.4, 0.3})});
  EXPECT_LT(apartAfterAStep(s), 1e-5);  // as above
  expectSameBits(s, 20);
}

TEST_P(Device, StaysWithTheCpuFor100Steps) {
  const Scene s = scene();
  Simulation gpu = onDevice(s), cpu = inDouble(s);
  const StepReport a = stepped(gpu, 100), b = stepped(cpu, 100);
  // Rounding grows in a splash. Five runs of the CPU in single precision that start 1e-6 m/s apart spread over 4.6 % of kinetic
  // energy (pbf, 2.7 % projective), 11 % of the density error, 0.2 % of potential energy and 0.8 % of time.
  EXPECT_NEAR(a.time, b.time, 0.02 * b.time);
  EXPECT_NEAR(a.kinetic_energy, b.kinetic_energy, 0.06 * b.kinetic_energy);
  EXPECT_NEAR(a.potential_energy, b.potential_energy, 0.02 * b.potential_energy);
  EXPECT_NEAR(a.density_error_mean, b.density_error_mean, 0.2 * b.density_error_mean + 1e-5);
  EXPECT_NEAR(double(a.particles), double(b.particles), 0.01 * double(b.particles));
}

TEST_P(Device, GivesTheSameBitsEveryTimeAndAfterARestore) { expectSameBits(scene(), 80); }

TEST_P(Device, GivesItsOwnBitsBesideASimulationOfAnotherThread) {
  constexpr int steps = 40;
  Scene other = scene();
  other.solver.name = GetParam() == "flip" ? "pbf" : "flip";
  const auto hash = [](const Scene& s) {
    Simulation sim = onDevice(s);
    stepped(sim, steps);
    return sim.stateHash();
  };
  const auto alone = hash(scene()), otherAlone = hash(other);
  auto beside = std::async(std::launch::async, hash, scene()), otherBeside = std::async(std::launch::async, hash, other);
  EXPECT_EQ(beside.get(), alone);
  EXPECT_EQ(otherBeside.get(), otherAlone);
}

TEST_P(Device, CapturesBesideTheNextStepsWhatASnapshotShows) {
  const Scene s = scene();
  Simulation one = onDevice(s), two = onDevice(s);
  stepped(one, 7), stepped(two, 7);
  for (int round = 0; round < 2; ++round) {  // the second time the copies have a place already
    std::future<Snapshot> later = one.capture();
    stepped(one, 5);
    const Snapshot a = later.get(), b = two.snapshot();
    EXPECT_EQ(a.time, b.time);
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.position, b.position);
    EXPECT_EQ(a.velocity, b.velocity);
    EXPECT_EQ(a.density, b.density);
    EXPECT_EQ(a.pressure, b.pressure);
    stepped(two, 5);
  }
}

namespace {
// A wide jet that fills a tank with particles, 1,100 a layer and 67 layers a second.
Scene growing() {
  Scene s = domain("pbf", 3, {2, 1.2, 1.2}, 0.03, "walls");
  fill(s, box({0, 0, 0}, {0.6, 0.5, 1.2}));
  Emitter e;
  e.kind = "rectangle";
  e.centre = {0.1, 0.9, 0.6};
  e.direction = {1, 0, 0};
  e.up = {0, 1, 0};
  e.width = 1, e.height = 0.5;
  e.speed = 2;
  s.fluid.emitters.push_back(e);
  s.time.until = 0.5;
  s.output.frames_per_second = 50;
  s.output.checkpoint_every = 1e-9;
  return s;
}
}  // namespace

// In a process of its own, which may hold 20 MiB of the device's memory: 30,000 particles with their lists.
TEST(DeviceMemory, ThatIsFullIsSaidAndNothingWrittenIsLost) {
  if (!hasDevice()) GTEST_SKIP() << "no GPU here";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string out = testing::TempDir() + "brim_full_memory";
  const std::atomic<bool> goOn = false;
  RunOptions options;
  options.machine.device = "cuda";
  options.out = out;
  const auto fillMemory = [&] {
    std::filesystem::remove_all(out);
    ::setenv("BRIM_GPU_MEMORY", "20", 1);
    try {
      run(growing(), options, goOn, {});
    } catch (const Failure& e) {
      std::fprintf(stderr, "%s\n", e.what());
      std::exit(3);
    }
    std::exit(0);
  };
  EXPECT_EXIT(fillMemory(), testing::ExitedWithCode(3), "memory is full: [0-9]+ MiB more were needed.*the last checkpoint is");
  std::vector<std::string> warnings;
  const auto state = latestCheckpoint(out + "/checkpoint", warnings);
  ASSERT_TRUE(state);
  EXPECT_TRUE(warnings.empty());
  EXPECT_GT(state->time, 0);
  ASSERT_FALSE(state->frames.empty());
  for (const auto& [number, time] : state->frames) {
    const auto frame = Frames::read(framesOf(growing(), out), number, 0);
    ASSERT_TRUE(frame);
    EXPECT_NEAR(frame->time, time, 1e-9);
  }
  // With the memory it needs, the run goes on to its end.
  options.resume = true;
  EXPECT_EQ(run(growing(), options, goOn, {}), Ending::finished);
}

TEST(NoDevice, IsSaidPlainly) {
  Scene s = domain("pbf", 2, {1, 1, 1}, 0.1, "walls");
  fill(s, box({0, 0, 0}, {0.5, 0.5, 0}));
  const auto complaint = [&](const Options& o) {
    try {
      Simulation sim(s, o);
    } catch (const SceneError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(complaint({.device = "gpu"}).find("device \"gpu\" is not known: cpu or cuda"), std::string::npos);
  EXPECT_NE(complaint({.device = "cuda", .precision = "double"}).find("single precision"), std::string::npos);
  if (!hasDevice()) {
    EXPECT_NE(complaint({.device = "cuda"}).find("device \"cuda\": "), std::string::npos);
  }
}
