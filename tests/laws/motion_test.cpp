// Laws of free motion: gravity, momentum, mirrors and shifts.
#include "helpers.h"

using namespace brim;
using namespace brim::test;

namespace {

class FreeMotion : public Law {
 protected:
  // Two lumps of whole lattices, different in every direction; the second may be left out.
  Scene space(double side = 2) const {
    Scene s = domain(solver, D, {side, side, side}, 1.0 / 32, "open");
    s.gravity = {0, 0, 0};
    return s;
  }
};
BRIM_LAWS(FreeMotion);

}  // namespace

TEST_P(FreeMotion, ABlockInFreeFallGainsExactlyGT) {
  Scene s = domain(solver, D, {1, 3, 1}, 0.025, "open");
  fill(s, box({0.4, 2.5, 0.4}, {0.6, 2.8, 0.6}), {0.25, 0.5, 0});
  Simulation sim(s);
  const double mass = sim.facts().particle_mass * double(sim.facts().fluid_particles), t = 0.25;
  const StepReport r = advanced(sim, t);
  // Float rounds each addition of g dt by at most half a unit in the last place, 2^-24 m/s below 2 m/s, and as the same
  // number is added to all again and again, always the same way; the sums over particles add 1e-5 of the speed gained.
  const double rounding = std::max(1e-5 * g * t, double(r.step) * std::exp2(-24));
  EXPECT_NEAR(r.momentum[1] / mass, 0.5 - g * t, rounding);
  EXPECT_NEAR(r.momentum[0] / mass, 0.25, rounding);
  EXPECT_EQ(r.lost, 0);
}

TEST_P(FreeMotion, FollowsTheKeyframesOfGravity) {
  Scene s = domain(solver, D, {2, 2, 2}, 0.05, "open");
  s.gravity_keys = {{0, {0, 0, 0}}, {0.1, {0, 0, 0}}, {0.3, {6, -4, 0}}};
  fill(s, box({0.8, 0.8, 0.8}, {1.2, 1.2, 1.2}));
  s.time.dt = 5e-4;
  Simulation sim(s);
  const double mass = sim.facts().particle_mass * double(sim.facts().fluid_particles);
  EXPECT_NEAR(advanced(sim, 0.1).momentum[0] / mass, 0, 1e-6);
  const StepReport r = advanced(sim, 0.4);
  // Half of 0.2 s on the way up and 0.1 s at full strength. A step takes gravity from its start or end: up to dt/2 times the
  // rise of g over the ramp is missing or too much.
  EXPECT_NEAR(r.momentum[0] / mass, 6 * 0.2, 6 * 5e-4);
  EXPECT_NEAR(r.momentum[1] / mass, -4 * 0.2, 4 * 5e-4);
}

TEST_P(FreeMotion, CollidingBlobsKeepTheirMomentum) {
  Scene s = space();
  s.domain.min = {-1, -1, -1}, s.domain.max = {3, 3, 3};  // no splash leaves it
  fill(s, ball({0.8, 1.0, 1.0}, D == 2 ? 0.17 : 0.13), {1.5, 0, 0});
  fill(s, ball({1.2, 1.1, 1.0}, D == 2 ? 0.17 : 0.13), {-1, -0.25, 0});
  Simulation sim(s);
  const double gross = grossMomentum(sim);
  const double mass = sim.facts().particle_mass;
  Vector before = {0, 0, 0};
  for (const Snapshot s0 = sim.snapshot(); const int k : {0, 1, 2})
    for (std::size_t i = 0; i < s0.size(); ++i) before[k] += mass * s0.velocity[3 * i + k];
  const double energy = 0.5 * gross;
  const StepReport r = advanced(sim, 0.3);
  // 1e-4 of the sum of all |p|: pairs cancel to the rounding of 1e-7 a step, and lists hold every pair twice or not at all.
  // On a grid, pressure moves the faces of half-empty cells at the surface as if they were full, and these blobs are six cells
  // wide, most of them surface: 1 to 3 % was measured.
  const double part = hasGrid(solver) ? 0.05 : 1e-4;
  for (int k = 0; k < D; ++k) EXPECT_NEAR(r.momentum[k], before[k], part * gross) << "axis " << k;
  EXPECT_LT(r.kinetic_energy, energy * 1.5) << "they met: energy may be lost in it, not gained";
  EXPECT_EQ(r.lost, 0);
}

TEST_P(FreeMotion, AMirroredBlobMovesMirrored) {
  const double side = 2;
  const auto scene = [&](int axis) {
    Scene s = space(side);
    const auto mirrored = [&](Shape b, Vector v) {
      // Off the lattice of a grid's cells: on it, particles start in the middle of a cell, where gradients between nodes jump.
      for (int k = 0; k < 3 && hasGrid(solver); ++k) b.min[k] += 0.01, b.max[k] += 0.01;
      if (axis >= 0) {
        std::swap(b.min[axis], b.max[axis]);
        b.min[axis] = side - b.min[axis], b.max[axis] = side - b.max[axis];
        v[axis] = -v[axis];
      }
      fill(s, b, v);
    };
    // Sides are whole numbers of spacings, and touching lumps of different size and speed leave no symmetry of their own.
    mirrored(box({0.75, 0.75, 0.75}, {1, 1.125, 1}), {1, 0.5, 0});
    mirrored(box({1, 0.875, 0.875}, {1.25, 1.25, 1.125}), {-1, 0, D == 3 ? 0.25 : 0});
    // Gauss-Seidel takes its rows in one order, which has no mirror: what 15 iterations leave differs by up to 0.26 mm here.
    if (solver == "constraint") s.solver.numbers["iterations"] = 1000;
    if (hasGrid(solver)) s.solver.numbers["jitter"] = 0;  // of the start, by the particles' numbers
    return s;
  };
  Simulation plain(scene(-1));
  const Snapshot start = plain.snapshot();
  stepped(plain, 8);
  const Snapshot end = plain.snapshot();
  double moved = 0;
  for (std::size_t i = 0; i < 3 * start.size(); ++i) moved = std::max(moved, std::abs(end.position[i] - start.position[i]));
  for (int axis = 0; axis < D; ++axis) {
    Simulation sim(scene(axis));
    const Snapshot mirrorStart = sim.snapshot();
    stepped(sim, 8);
    const Snapshot mirrorEnd = sim.snapshot();
    ASSERT_EQ(start.size(), mirrorStart.size());
    double worst = 0;
    for (std::size_t i = 0; i < start.size(); ++i) {
      const auto gap = [&](const Snapshot& a, const Snapshot& b, std::size_t j) {
        double most = 0;
        for (int k = 0; k < D; ++k) {
          const double x = coordinate(a, i, k);
          most = std::max(most, std::abs((k == axis ? side - x : x) - coordinate(b, j, k)));
        }
        return most;
      };
      std::size_t twin = 0;
      while (twin < start.size() && gap(start, mirrorStart, twin) > 1e-6) ++twin;
      ASSERT_LT(twin, start.size()) << "the blob itself is not mirrored";
      worst = std::max(worst, gap(end, mirrorEnd, twin));
    }
    // 1e-5 of the blob's 0.5 m. Rounding of 1e-7 m grows by collisions, so few steps are taken; what they change is far larger.
    EXPECT_LT(worst, 1e-5 * 0.5) << "mirrored along axis " << axis;
    EXPECT_GT(moved, 1e-3);
  }
}

TEST_P(FreeMotion, AShiftedSceneGivesTheSameStatistics) {
  const auto run = [&](double shift) {
    Scene s = domain(solver, D, {0.5, 0.6, 0.25}, 1.0 / 32, "walls");
    fill(s, box({0, 0, 0}, {0.25, 0.5, 0.25}));
    for (int k = 0; k < 3; ++k)
      for (double* x : {&s.domain.min[k], &s.domain.max[k], &s.fluid.blocks[0].shape.min[k], &s.fluid.blocks[0].shape.max[k]})
        *x += shift;
    Simulation sim(s);
    return std::pair(stepped(sim, 40), mean(sim.snapshot(), 0) - shift);
  };
  const auto [here, centre] = run(0);
  for (const double shift : {100.0, -1000.0}) {
    const auto [there, farCentre] = run(shift);
    // Positions count from the domain's corner, so only the doubles of the scene round (1e-14 of 100 m, 1e-13 of 1 km); a float
    // that rounds the other way because of it is 1e-7 of a position, and 40 steps let it grow by less than a hundred.
    EXPECT_NEAR(there.time, here.time, 1e-5 * here.time);
    EXPECT_NEAR(there.kinetic_energy, here.kinetic_energy, 1e-5 * here.kinetic_energy);
    EXPECT_NEAR(there.potential_energy, here.potential_energy, 1e-5 * std::abs(here.potential_energy));
    EXPECT_NEAR(there.density_error_mean, here.density_error_mean, 1e-5);
    EXPECT_NEAR(there.max_speed, here.max_speed, 1e-4 * here.max_speed);
    EXPECT_NEAR(farCentre, centre, 1e-6);
    EXPECT_EQ(there.particles, here.particles);
  }
}
