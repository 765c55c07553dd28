// What Constraint Fluids have on a GPU besides the rows of the fluid: walls without samples, periodic sides, rigid bodies. Where
// there is no GPU, these are skipped.
#include "device.h"

using namespace brim;
using namespace brim::test;

namespace {

class DeviceRows : public testing::Test {
 protected:
  void SetUp() override {
    if (!hasDevice()) GTEST_SKIP() << "no GPU here";
  }

  // A column beside a ball, off the lattice of the walls.
  static Scene column(const std::string& boundary) {
    Scene s = domain("constraint", 3, {0.9, 0.7, 0.4}, 0.03, "walls");
    fill(s, box({0, 0, 0}, {0.45, 0.6, 0.4}));
    Solid ball;
    ball.shape = test::ball({0.55, 0.1, 0.2}, 0.1);
    s.solids.push_back(ball);
    s.solver.choices["boundary"] = boundary;
    return s;
  }
  // A box that floats and one that sinks, half in the water, joined by nothing.
  static Scene twoBoxes(const std::string& boundary) {
    Scene s = domain("constraint", 3, {0.6, 0.5, 0.4}, 0.025, "walls");
    fill(s, box({0, 0, 0}, {0.6, 0.3, 0.4}));
    for (int k = 0; k < 2; ++k) {
      RigidBody b;
      b.name = k ? "heavy" : "light";
      b.shape = box({0.1 + 0.25 * k, 0.2, 0.12}, {0.25 + 0.25 * k, 0.35, 0.27});
      b.density = k ? 1500 : 400;
      s.bodies.push_back(b);
    }
    s.solver.choices["boundary"] = boundary;
    return s;
  }
};

// Positions up to 1 m have 6e-8 m of rounding; sums of thirty kernels and tens of iterations lose two digits of it.
constexpr double rounding = 1e-5;  // [m]

}  // namespace

TEST_F(DeviceRows, HaveWallsAsAField) { EXPECT_LT(apartAfterAStep(column("field")), rounding); }
TEST_F(DeviceRows, HaveWallsAsPlanes) { EXPECT_LT(apartAfterAStep(column("planes")), rounding); }

TEST_F(DeviceRows, AreOfAnyLength) {
  // 120 neighbours and more: a warp has a row's in several goes. With 520 the particles around a block have no room in a
  // processor's memory, and the device's is used.
  for (const double support : {3.0, 5.0}) {
    Scene s = domain("constraint", 3, {1, 1, 1}, 0.03, "walls");
    s.resolution.support = support;
    fill(s, box({0, 0, 0}, {0.78, 0.78, 0.78}));
    EXPECT_LT(apartAfterAStep(s), rounding) << support;
  }
}

TEST_F(DeviceRows, ReachAcrossPeriodicSides) {
  Scene s = domain("constraint", 3, {0.4, 0.5, 0.3}, 0.025, "walls");
  s.domain.boundary = {"periodic", "walls", "periodic"};
  // With a support of 2 neighbours of the lattice lie on the kernel's rim, and rounding says whether they are any.
  s.resolution.support = 2.05;
  // Rows that see periodic ghosts take turns by clusters on a CPU and in the order of the sort on a GPU. After 50 iterations
  // either is 8e-5 m off the solution, after 400 it is 1.3e-6.
  s.solver.numbers["iterations"] = 400, s.solver.numbers["tolerance"] = 0;
  fill(s, box({0, 0, 0}, {0.4, 0.3, 0.3}), {1, 0, 0.5});
  EXPECT_LT(apartAfterAStep(s), rounding);
}

TEST_F(DeviceRows, PushBodiesAndArePushedByThem) {
  for (const char* boundary : {"samples", "field", "planes"}) {
    SCOPED_TRACE(boundary);
    EXPECT_LT(apartAfterAStep(twoBoxes(boundary)), rounding);
  }
}

TEST_F(DeviceRows, CarryBodiesAsTheCpuDoesFor100Steps) {
  const Scene s = twoBoxes("samples");
  Simulation gpu = onDevice(s), cpu = inDouble(s);
  const StepReport a = stepped(gpu, 100), b = stepped(cpu, 100);
  EXPECT_NEAR(a.time, b.time, 0.02 * b.time);
  const Snapshot here = gpu.snapshot(), there = cpu.snapshot();
  // The fluid's disorder differs by then; a body feels a mean over hundreds of particles: a tenth of a spacing.
  for (std::size_t k = 0; k < here.bodies.size(); ++k) {
    EXPECT_NEAR(here.bodies[k].position[1], there.bodies[k].position[1], 0.0025) << here.bodies[k].name;
    EXPECT_NEAR(here.bodies[k].force[1], there.bodies[k].force[1], 0.05 * std::abs(there.bodies[k].force[1]))
        << here.bodies[k].name;
  }
}

TEST_F(DeviceRows, GiveTheSameBitsWithBodiesAndAfterARestore) { expectSameBits(twoBoxes("samples"), 40); }
