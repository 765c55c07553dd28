// What the slides say about particles that clump: a two-sided density constraint pulls where neighbours are missing.
#include <functional>

#include "spacing.h"

using namespace brim;
using namespace brim::test;

namespace {

// A block in free space whose particles pull each other together, the plain method with the slides' kernels.
Scene drop(int dimension, double artificialPressure) {
  Scene s = domain("pbf", dimension, {2, 2, 2}, dimension == 2 ? 0.02 : 0.04, "open");
  fill(s, dimension == 2 ? box({0.8, 0.8, 0}, {1.2, 1.2, 0}) : box({0.8, 0.8, 0.8}, {1.2, 1.2, 1.2}));
  s.gravity = {0, 0, 0};
  s.solver.choices = {{"condition", "equality"}, {"acceleration", "none"}, {"kernel", "poly6"}};
  // Epsilon as large as S: particles at the edge have little S of their own, and the drop would tear itself apart.
  s.solver.numbers = {{"iterations", 4}, {"tolerance", 0}, {"relaxation", 1}, {"artificial_pressure", artificialPressure}};
  s.time.dt = 4e-3;
  return s;
}

}  // namespace

TEST(ArtificialPressure, SpreadsTheParticlesOfATwoSidedConstraint_PB06) {
  // Brim's own iterations and cubic kernel, with the slides' k = 0.001. Measured: 0.017 falls to 0.003 in 2D, 0.030 to 0.007 in
  // 3D.
  for (const int dimension : {2, 3}) {
    const auto clumping = [&](double k) {
      Scene s = drop(dimension, k);
      if (dimension == 3) s.fluid.blocks[0].shape = box({0.8, 0.88, 0.88}, {1.2, 1.12, 1.12});
      s.solver.choices = {{"condition", "equality"}};
      s.solver.numbers.erase("relaxation");
      Simulation sim(s);
      sim.advanceTo(0.8);
      EXPECT_EQ(sim.snapshot().size(), std::size_t(sim.facts().fluid_particles));
      return spacingOf(sim.snapshot(), s.resolution.spacing).variance;
    };
    EXPECT_LT(clumping(1e-3), 0.5 * clumping(0)) << dimension << "D";
  }
}

TEST(ArtificialPressure, RoundsADropWithoutGravity_PB08) {
  for (const int dimension : {2, 3}) {
    const Scene s = drop(dimension, 0.1);
    Simulation sim(s);
    const Roundness cube = roundnessOf(sim.snapshot(), s.resolution.spacing);
    sim.advanceTo(1.2);
    const Snapshot end = sim.snapshot();
    ASSERT_EQ(end.size(), std::size_t(sim.facts().fluid_particles)) << "the drop holds together";
    const Roundness round = roundnessOf(end, s.resolution.spacing);
    // The corner of a square reaches 1.25 radii of its disc, that of a cube 1.40 of its ball; of the way from square to disc at
    // least three quarters are done.
    const double isotropic = dimension == 2 ? 0.75 : 0.6;
    EXPECT_LT(round.reach - 1, 0.5 * (cube.reach - 1)) << dimension << "D";
    EXPECT_NEAR(round.moment, isotropic, 0.25 * (isotropic - cube.moment)) << dimension << "D";
    // And evenly spaced: without the artificial pressure neighbours pair up.
    Simulation bare(drop(dimension, 0));
    bare.advanceTo(1.2);
    EXPECT_LT(spacingOf(end, s.resolution.spacing).variance, 0.5 * spacingOf(bare.snapshot(), s.resolution.spacing).variance);
    EXPECT_EQ(spacingOf(end, s.resolution.spacing).close, 0) << dimension << "D";
  }
}

TEST(ArtificialPressure, HasAlternativesOfWhichClampingHelps_PB07) {
  // A dam break with the two-sided constraint, on average over eleven looks from 0.4 s to 1 s, as single ones differ by a tenth.
  const auto clumping = [](const std::string& acceleration, const std::function<void(Scene&)>& change) {
    Scene s = domain("pbf", 2, {1.2, 0.8, 1}, 0.02, "walls");
    fill(s, box({0, 0, 0}, {0.4, 0.4, 0}));
    s.solver.choices = {{"condition", "equality"}, {"acceleration", acceleration}};
    s.solver.numbers = {{"iterations", 4}, {"tolerance", 0}};
    if (acceleration == "none") s.solver.choices["kernel"] = "poly6", s.solver.numbers["relaxation"] = 1;
    if (acceleration == "multilevel") s.solver.choices["update"] = "first_order";  // v = (x - x_old)/dt, as in the slides
    s.time.dt = 4e-3;
    change(s);
    Simulation sim(s);
    Spacing all;
    for (int f = 0; f <= 10; ++f) {
      advanced(sim, 0.4 + 0.06 * f);
      const Spacing now = spacingOf(sim.snapshot(), s.resolution.spacing);
      all.close += now.close / 11, all.variance += now.variance / 11;
    }
    return all;
  };
  const auto nothing = [](Scene&) {};
  const auto clamp = [](Scene& s) { s.solver.choices["condition"] = "inequality"; };
  const Spacing plain = clumping("none", nothing), own = clumping("multilevel", nothing);
  // Clamped, 19 % of the particles in pairs become 8 % with the slides' iterations, 27 % become 2 % with Brim's.
  EXPECT_LT(clumping("none", clamp).close, 0.6 * plain.close);
  EXPECT_LT(clumping("multilevel", clamp).close, 0.3 * own.close);
  // Four times the particles: 12 to 21 %, by the last digits of what a run begins with, 18 % on average over eight of them; so
  // that is no help. The average spreads by 0.07 of it.
  double fine = 0;
  for (int k = 0; k < 8; ++k)
    fine += clumping("none", [&](Scene& s) { s.resolution.spacing = 0.01, s.gravity[1] *= 1 + 1e-5 * k; }).close / 8;
  EXPECT_NEAR(fine, plain.close, 0.25 * plain.close);
  // A quarter of the step is no help: 0.056 becomes 0.057 with Brim's iterations, and the slides' move particles by so much of a
  // spacing a step, whatever the step.
  EXPECT_NEAR(clumping("multilevel", [](Scene& s) { s.time.dt = 1e-3; }).variance, own.variance, 0.15 * own.variance);
  // Here the slides' advice does not hold: with a support of 3 d the kernel's gradient falls off at the distance of the first
  // neighbours and they pair up, 62 %; a smaller one, 1.8 d, helps: 13 %.
  EXPECT_GT(clumping("none", [](Scene& s) { s.resolution.support = 3; }).close, 1.5 * plain.close);
  EXPECT_LT(clumping("none", [](Scene& s) { s.resolution.support = 1.8; }).close, 0.85 * plain.close);
}
