// A GPU runs the same physics, to float's accuracy, and the same bits every time. Where there is none, these are skipped.
#include "device.h"

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
  // How far apart a step leaves the particles [m].
  static double apartAfterAStep(const Scene& s) {
    Simulation gpu = onDevice(s), cpu = inDouble(s);
    gpu.advance(1), cpu.advance(1);
    const Snapshot a = gpu.snapshot(), b = cpu.snapshot();
    EXPECT_EQ(a.id, b.id);
    return apart(a.position, b.position);
  }
};
BRIM_PLANE_LAWS(Device);

}  // namespace

TEST_P(Device, StepsOnceAsTheCpuDoesInDouble) {
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
  if (solver != "flip" && solver != "apic") GTEST_SKIP() << "the others do not ask for air";
  Scene s = domain(solver, 3, {0.6, 0.5, 0.4}, 0.025, "walls");
  fill(s, box({0, 0, 0}, {0.6, 0.5, 0.4}));
  EXPECT_LT(apartAfterAStep(s), 1e-5);
}

TEST_P(Device, StaysWithTheCpuFor100Steps) {
  const Scene s = scene();
  Simulation gpu = onDevice(s), cpu = inDouble(s);
  const StepReport a = stepped(gpu, 100), b = stepped(cpu, 100);
  // Rounding grows in a splash; what is summed over the fluid stays within a percent or two.
  EXPECT_NEAR(a.time, b.time, 0.02 * b.time);
  EXPECT_NEAR(a.kinetic_energy, b.kinetic_energy, 0.03 * b.kinetic_energy);
  EXPECT_NEAR(a.potential_energy, b.potential_energy, 0.02 * b.potential_energy);
  EXPECT_NEAR(a.density_error_mean, b.density_error_mean, 0.1 * b.density_error_mean + 1e-5);
  EXPECT_NEAR(double(a.particles), double(b.particles), 0.01 * double(b.particles));
}

TEST_P(Device, GivesTheSameBitsEveryTimeAndAfterARestore) { expectSameBits(scene(), 80); }

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
