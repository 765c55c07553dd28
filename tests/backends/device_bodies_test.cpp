// Rigid bodies, cloth and soft bodies on a GPU do what they do on the CPU. Where there is none, these are skipped.
#include "device.h"
#include "sheet.h"

using namespace brim;
using namespace brim::test;

namespace {

RigidBody bodyOf(const std::string& name, const Shape& shape, double density) {
  RigidBody b;
  b.name = name;
  b.shape = shape;
  b.density = density;
  return b;
}

class DeviceBodies : public testing::TestWithParam<std::string> {
 protected:
  const std::string solver = GetParam();
  void SetUp() override {
    if (!hasDevice()) GTEST_SKIP() << "no GPU here";
  }
  // Water runs against a float with an arm on a hinge, a ball falls in, and a post stands in the way.
  Scene scene() const {
    Scene s = domain(solver, 3, {0.9, 0.6, 0.4}, 0.025, "walls");
    fill(s, box({0, 0, 0}, {0.35, 0.4, 0.4}));
    fill(s, box({0.35, 0, 0}, {0.9, 0.15, 0.4}));
    s.bodies.push_back(bodyOf("float", box({0.45, 0.1, 0.1}, {0.65, 0.2, 0.3}), 400));
    s.bodies.push_back(bodyOf("arm", box({0.65, 0.17, 0.18}, {0.8, 0.2, 0.22}), 600));
    s.bodies.push_back(bodyOf("ball", ball({0.2, 0.48, 0.2}, 0.06), 2000));
    s.bodies.push_back(bodyOf("post", box({0.82, 0, 0.15}, {0.87, 0.5, 0.25}), 1000));
    s.bodies[3].held = true;
    Joint hinge;
    hinge.name = "hinge";
    hinge.a = "float", hinge.b = "arm";
    hinge.point = {0.65, 0.185, 0.2};
    s.joints.push_back(hinge);
    return s;
  }
  // A box half under water in the plane.
  Scene plane() const {
    Scene s = domain(solver, 2, {0.8, 0.6, 0}, 0.02, "walls");
    fill(s, box({0, 0, 0}, {0.8, 0.3, 0}));
    s.bodies.push_back(bodyOf("box", box({0.3, 0.24, 0}, {0.5, 0.36, 0}), 500));
    return s;
  }
};
INSTANTIATE_TEST_SUITE_P(SolversWithBodies, DeviceBodies,
                         testing::Values("constraint", "wcsph", "pbf", "projective", "flip", "apic"), planeLawName);

class DeviceCloth : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  const std::string solver = std::get<0>(GetParam());
  const int D = std::get<1>(GetParam());
  void SetUp() override {
    if (!hasDevice()) GTEST_SKIP() << "no GPU here";
  }
  // Water falls into a slung sheet, with a soft ball in it.
  Scene scene() const {
    const double d = D == 2 ? 0.02 : 0.025;
    Scene s = domain(solver, D, {0.5, 0.8, 0.3}, d, "walls");
    fill(s, box({0.05, 0.42, 0.05}, {0.45, 0.55, 0.25}));
    s.cloth.push_back(sheetAcross(D, 0.5, 0.3));
    Soft soft;
    soft.name = "ball";
    soft.shape = ball({0.25, 0.66, D == 2 ? 0 : 0.15}, 0.07);
    soft.cell = 0.035;
    s.soft.push_back(soft);
    return s;
  }
};
INSTANTIATE_TEST_SUITE_P(SolversWithCloth, DeviceCloth,
                         testing::Combine(testing::Values("projective", "pbf"), testing::Values(2, 3)), lawName);

double lowestVertex(const Surface& s) {
  double y = 1e300;
  for (std::size_t k = 1; k < s.vertex.size(); k += 3) y = std::min(y, s.vertex[k]);
  return y;
}

}  // namespace

TEST_P(DeviceBodies, StepOnceAsOnTheCpuInDouble) {
  for (const Scene& s : {scene(), plane()}) {
    Simulation gpu = onDevice(s), cpu = inDouble(s);
    const double dt = cpu.advance(1).dt;
    gpu.advance(1);
    const Snapshot a = gpu.snapshot(), b = cpu.snapshot();
    EXPECT_LT(apart(a.position, b.position), 1e-5);  // [m] as for fluid alone
    ASSERT_EQ(a.bodies.size(), b.bodies.size());
    for (std::size_t k = 0; k < a.bodies.size(); ++k) {
      for (int axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(a.bodies[k].position[axis], b.bodies[k].position[axis], 1e-6);
        // Sums over hundreds of samples in float, of pressures that the first step finds to a few digits.
        EXPECT_NEAR(a.bodies[k].velocity[axis], b.bodies[k].velocity[axis], 0.01 * g * dt) << a.bodies[k].name;
        EXPECT_NEAR(a.bodies[k].spin[axis], b.bodies[k].spin[axis], 0.1 * g * dt) << a.bodies[k].name;
      }
    }
  }
}

TEST_P(DeviceBodies, StayWithTheCpuFor100Steps) {
  Scene s = scene();
  s.time.dt_max = 0.002;
  Simulation gpu = onDevice(s), cpu = inDouble(s);
  const StepReport last = stepped(cpu, 100);
  const StepReport there = advanced(gpu, last.time);
  const Snapshot a = gpu.snapshot(), b = cpu.snapshot();
  // Rounding grows in a splash: within 0.2 s bodies come apart by less than a fifth of a spacing, and their means stay.
  for (std::size_t k = 0; k < a.bodies.size(); ++k)
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(a.bodies[k].position[axis], b.bodies[k].position[axis], 0.005) << a.bodies[k].name;
  EXPECT_LT(std::abs(a.joints[0].error), 0.005);
  EXPECT_NEAR(there.kinetic_energy, last.kinetic_energy, 0.03 * last.kinetic_energy);
  const double weight = 400 * 0.2 * 0.1 * 0.2 * g;  // [N] of the float
  EXPECT_NEAR(a.bodies[0].force[1], b.bodies[0].force[1], 0.1 * weight);
}

TEST_P(DeviceBodies, GiveTheSameBitsEveryTimeAndAfterARestore) { expectSameBits(scene(), 40); }

TEST_P(DeviceCloth, StepsOnceAsOnTheCpuInDouble) {
  const Scene s = scene();
  Simulation gpu = onDevice(s), cpu = inDouble(s);
  gpu.advance(1), cpu.advance(1);
  const Snapshot a = gpu.snapshot(), b = cpu.snapshot();
  EXPECT_LT(apart(a.position, b.position), 1e-5);  // [m] as for fluid alone
  ASSERT_EQ(a.surfaces.size(), 2u);
  for (std::size_t k = 0; k < a.surfaces.size(); ++k) EXPECT_LT(apart(a.surfaces[k].vertex, b.surfaces[k].vertex), 1e-5);
}

TEST_P(DeviceCloth, StaysWithTheCpuFor100Steps) {
  Scene s = scene();
  s.time.dt = 0.0018;  // so that the sheet has caught the water and not thrown it up: from there on rounding decides
  Simulation gpu = onDevice(s), cpu = inDouble(s);
  const StepReport last = stepped(cpu, 100), there = stepped(gpu, 100);
  const Snapshot a = gpu.snapshot(), b = cpu.snapshot();
  ASSERT_EQ(a.surfaces.size(), 2u);
  // In float on a CPU they stay within 1.7 % and 0.01 %.
  EXPECT_NEAR(there.kinetic_energy, last.kinetic_energy, 0.05 * last.kinetic_energy);
  EXPECT_NEAR(there.potential_energy, last.potential_energy, 0.01 * last.potential_energy);
  ASSERT_LT(lowestVertex(b.surfaces[0]), 0.399);  // it has
  for (std::size_t k = 0; k < a.surfaces.size(); ++k)
    EXPECT_NEAR(lowestVertex(a.surfaces[k]), lowestVertex(b.surfaces[k]), 0.2 * s.resolution.spacing);
  EXPECT_GT(lowest(a, 1), lowestVertex(a.surfaces[0]) - 0.1 * s.resolution.spacing);  // and nothing drips
}

TEST_P(DeviceCloth, GivesTheSameBitsEveryTimeAndAfterARestore) { expectSameBits(scene(), 20); }
