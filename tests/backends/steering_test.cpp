// A simulation in the hands of a program: its columns, what is changed between steps, and many side by side.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "brim/batch.h"
#include "brim/simulation.h"
#include "brim/state_file.h"

using namespace brim;

namespace {

// A dam beside a box on a hinge, in 2D; its corner is not the origin.
Scene tank() {
  Scene s;
  s.dimension = 2;
  s.domain.min = {-1, -0.5, 0}, s.domain.max = {1, 0.5, 0};
  s.time.dt_max = 2e-3;
  Block b;
  b.shape.min = {-1, -0.5, 0}, b.shape.max = {-0.6, 0, 0};
  s.fluid.blocks.push_back(b);
  RigidBody box;
  box.name = "box";
  box.density = 400;
  box.shape.min = {0.2, 0, 0}, box.shape.max = {0.4, 0.2, 0};
  s.bodies.push_back(box);
  return s;
}

float* velocityOf(const Columns& c, std::size_t i) {
  return reinterpret_cast<float*>(static_cast<char*>(c.velocity.first) + i * c.velocity.stride);
}

}  // namespace

TEST(Steering, ColumnsThatAreKeptKeepTheirValuesAndChangeNothing) {
  Simulation watched(tank()), alone(tank());
  std::vector<Columns> kept;
  std::vector<std::vector<float>> values;
  for (int k = 0; k < 4; ++k) {
    kept.push_back(watched.columns());
    auto& v = values.emplace_back();
    for (std::size_t i = 0; i < kept.back().count; ++i) v.push_back(*velocityOf(kept.back(), i));
    watched.advance(1), alone.advance(1);
  }
  EXPECT_EQ(watched.stateHash(), alone.stateHash());
  for (std::size_t k = 0; k < kept.size(); ++k)
    for (std::size_t i = 0; i < kept[k].count; ++i) ASSERT_EQ(*velocityOf(kept[k], i), values[k][i]);
}

TEST(Steering, AWrittenSpeedBoundsTheNextStepAndOneThatIsNotFiniteIsRefused) {
  Simulation sim(tank());
  const Columns c = sim.columns();
  *velocityOf(c, 0) = 100;                            // [m/s]
  EXPECT_LE(sim.advance(1).dt, 0.01 * 1.0001 / 100);  // half a spacing at that speed; float's rounding
  *velocityOf(sim.columns(), 0) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(sim.advance(1), Failure);
  EXPECT_THROW(sim.save(), Failure);
}

TEST(Steering, LoadsAreKeptByStates) {
  Scene s = tank();
  s.gravity = {0, 0, 0};
  Simulation a(s), b(s);
  const double mass = 400 * 0.2 * 0.2;  // [kg]
  a.setLoad(0, {2 * mass, 0, 0}, {0, 0, 0});
  a.advanceTo(0.01);
  EXPECT_NEAR(a.bodies()[0].velocity[0], 0.02, 1e-9);
  b.restore(a.save());
  a.advanceTo(0.02), b.advanceTo(0.02);
  EXPECT_NEAR(b.bodies()[0].velocity[0], 0.04, 1e-9);
  EXPECT_EQ(a.stateHash(), b.stateHash());
  a.setLoad(0, {0, 0, 0}, {0, 0, 0});
  b.restore(a.save());  // of a run without loads
  b.advanceTo(0.03);
  EXPECT_NEAR(b.bodies()[0].velocity[0], 0.04, 1e-9);
  EXPECT_THROW(a.setLoad(0, {0, 0, 1}, {0, 0, 0}), Failure);  // out of the plane
  EXPECT_THROW(a.setLoad(1, {0, 0, 0}, {0, 0, 0}), Failure);  // no such body
}

TEST(Steering, ABodyGoesWhereItIsPutAndGravityIsWhatWasSaid) {
  Simulation sim(tank());
  BodyReport box = sim.bodies()[0];
  const double c = std::cos(0.3), s = std::sin(0.3);
  box.position = {0.5, 0.1, 0};
  box.rotation = {c, -s, 0, s, c, 0, 0, 0, 1};
  sim.setBody(0, box);
  EXPECT_NEAR(sim.bodies()[0].centre[0], 0.5, 1e-12);
  EXPECT_NEAR(sim.bodies()[0].rotation[3], s, 1e-12);
  sim.setGravity({1, 0, 0});
  sim.advanceTo(0.01);
  EXPECT_NEAR(sim.bodies()[0].velocity[0], 0.01, 1e-9);
  EXPECT_NEAR(sim.bodies()[0].velocity[1], 0, 1e-9);
  EXPECT_EQ(sim.scene().gravity, (Vector{1, 0, 0}));
  box.rotation[0] = 2;
  EXPECT_THROW(sim.setBody(0, box), Failure);
}

TEST(Steering, ABatchHasTheBitsOfItsTanksAlone) {
  std::vector<Scene> scenes;
  for (int k = 0; k < 5; ++k) {
    scenes.push_back(tank());
    scenes.back().fluid.blocks[0].shape.max[1] = -0.2 + 0.04 * k;
  }
  Batch batch(scenes);
  const Columns c = batch[2].columns();
  *velocityOf(c, 0) = std::numeric_limits<float>::infinity();  // this one fails
  batch.advanceTo(0.02);
  for (std::size_t k = 0; k < scenes.size(); ++k) {
    EXPECT_EQ(batch.failure(k).empty(), k != 2) << k;
    if (k == 2) continue;
    Simulation alone(scenes[k]);
    alone.advanceTo(0.02);
    EXPECT_EQ(batch[k].stateHash(), alone.stateHash()) << k;
  }
}
