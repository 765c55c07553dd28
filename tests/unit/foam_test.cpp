// Foam: where it is made, what it is and how it moves (Ihmsen et al. 2012).
#include "brim/foam.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <filesystem>

#include "foam/motion.h"
#include "foam/obstacles.h"
#include "foam/potentials.h"
#include "helpers.h"

using namespace brim;

namespace {

constexpr double d = 0.02;  // [m]

Scene tank(int dimension, const Vector& size) {
  Scene s;
  s.dimension = dimension;
  s.domain.max = size;
  s.resolution.spacing = d;
  return s;
}

template <class Inside, class Velocity>
Snapshot liquid(int dimension, const Vector& size, Inside inside, Velocity velocity) {
  Snapshot s;
  s.dimension = dimension;
  for (double z = d / 2; z < (dimension == 3 ? size[2] : d); z += d)
    for (double y = d / 2; y < size[1]; y += d)
      for (double x = d / 2; x < size[0]; x += d) {
        const Vector p = {x, y, dimension == 3 ? z : 0};
        if (!inside(p)) continue;
        s.id.push_back(std::int64_t(s.id.size()));
        const Vector v = velocity(p);
        for (std::size_t a = 0; a < 3; ++a) s.position.push_back(p[a]), s.velocity.push_back(float(v[a]));
      }
  return s;
}

std::size_t nearest(const Cloud& cloud, const Snapshot& s, const Vector& x) {
  std::size_t best = 0;
  double least = 1e30;
  for (std::size_t k = 0; k < std::size_t(cloud.size()); ++k) {
    const double* p = &s.position[3 * std::size_t(cloud.order()[k])];
    const double r = std::hypot(p[0] - x[0], p[1] - x[1], p[2] - x[2]);
    if (r < least) least = r, best = k;
  }
  return best;
}

// Two halves that run into each other with 2 m/s; the same apart.
TEST(FoamPotentials, AirIsTrappedWhereLiquidRunsIntoLiquidAndNotWhereItPartsOrMovesAlike) {
  for (const int D : {2, 3}) {
    const Vector size = {0.4, 0.2, 0.2};
    const auto all = [](const Vector&) { return true; };
    const auto at = [&](auto velocity, const Vector& x) {
      const Snapshot s = liquid(D, size, all, velocity);
      const Cloud cloud(s, d, foam::support);
      return foam::surroundings(cloud, s.velocity, D).approach[nearest(cloud, s, x)];
    };
    const Vector seam = {0.19, 0.1, D == 3 ? 0.1 : 0}, bulk = {0.05, 0.1, D == 3 ? 0.1 : 0};
    const auto meet = [](const Vector& x) { return Vector{x[0] < 0.2 ? 1. : -1., 0, 0}; };
    const auto part = [](const Vector& x) { return Vector{x[0] < 0.2 ? -1. : 1., 0, 0}; };
    const auto alike = [](const Vector&) { return Vector{3, 0, 0}; };
    // About 0.3 of the weights lies across the seam, half a spacing away; |v_ij| = 2 m/s, and 1 - v^.x^ is 1 to 2.
    EXPECT_GT(at(meet, seam), 0.6);
    EXPECT_LT(at(meet, seam), 2);
    // 1 - v^.x^ is 0 to 1 here: head-on 0, beside 1.
    EXPECT_LT(at(part, seam), 0.35 * at(meet, seam));
    EXPECT_EQ(at(meet, bulk), 0);
    EXPECT_EQ(at(alike, seam), 0);
  }
}

TEST(FoamPotentials, CrestsAreConvexSurfacesThatMoveOutwards) {
  // A ridge of 45 degrees to both sides, along z.
  const Vector size = {0.6, 0.4, 0.2};
  const auto ridge = [](const Vector& x) { return x[1] < 0.35 - std::abs(x[0] - 0.3); };
  const auto pool = [](const Vector& x) { return x[1] < 0.2; };
  const auto valley = [](const Vector& x) { return x[1] < 0.1 + std::abs(x[0] - 0.3); };
  const auto crest = [&](auto inside, double up, const Vector& x) {
    const Snapshot s = liquid(3, size, inside, [&](const Vector&) { return Vector{0, up, 0}; });
    const Cloud cloud(s, d, foam::support);
    return foam::surroundings(cloud, s.velocity, 3).crest[nearest(cloud, s, x)];
  };
  EXPECT_GT(crest(ridge, 1, {0.3, 0.35, 0.1}), 0.05);
  EXPECT_EQ(crest(ridge, -1, {0.3, 0.35, 0.1}), 0);       // it sinks: delta^vn = 0
  EXPECT_NEAR(crest(pool, 1, {0.3, 0.2, 0.1}), 0, 1e-5);  // flat: all normals are the same
  EXPECT_LT(crest(valley, 1, {0.3, 0.1, 0.1}), 0.25 * crest(ridge, 1, {0.3, 0.35, 0.1}));
}

TEST(FoamPotentials, AreClampedBetweenTheirLimits) {
  EXPECT_EQ(foam::clamped(1, 2, 4), 0);
  EXPECT_EQ(foam::clamped(3, 2, 4), 0.5);
  EXPECT_EQ(foam::clamped(9, 2, 4), 1);
}

TEST(FoamKinds, ATankFullOfWaterHasBubblesBelowFoamInTheSurfaceAndSprayAbove) {
  const Vector size = {0.4, 0.4, 0.4};
  const Scene scene = tank(3, size);
  const Snapshot s = liquid(
      3, size, [](const Vector& x) { return x[1] < 0.2; }, [](const Vector&) { return Vector{}; });
  const Cloud cloud(s, d, foam::support);
  const foam::Obstacles obstacles(scene);
  const auto now = obstacles.at(s);
  const auto kind = [&](const Vector& x) {
    const double full = foam::fullCount(3) * obstacles.openPart(now, x, foam::support * d);
    return foam::kindOf(foam::around(cloud, s, x, full).part, {});
  };
  EXPECT_EQ(kind({0.2, 0.1, 0.2}), Foam::bubble);
  EXPECT_EQ(kind({0.2, 0.2, 0.2}), Foam::foam);
  EXPECT_EQ(kind({0.2, 0.24, 0.2}), Foam::spray);
  // Walls hide neighbours, and change nothing.
  EXPECT_EQ(kind({0.001, 0.001, 0.001}), Foam::bubble);
  EXPECT_EQ(kind({0.001, 0.2, 0.2}), Foam::foam);
}

TEST(FoamMotion, SprayFliesAsAStoneDoes) {
  const Vector g = {0, -9.81, 0};
  Vector x = {0, 1, 0}, v = {2, 3, -1};
  for (int k = 0; k < 40; ++k) foam::advance(x, v, Foam::spray, {5, 5, 5}, g, 0.01, {});
  // Each step is exact for a constant g: rounding alone.
  EXPECT_NEAR(x[0], 0.8, 1e-12);
  EXPECT_NEAR(x[1], 1 + 3 * 0.4 - 9.81 * 0.08, 1e-12);
  EXPECT_NEAR(v[1], 3 - 9.81 * 0.4, 1e-12);
}

// dv/dt = -k_b g - v/tau from rest: v = v_b (1 - e^(-t/tau)), y = v_b (t - tau (1 - e^(-t/tau))), whatever the step.
TEST(FoamMotion, BubblesComeToRiseAtTheirSpeedWhateverTheStep) {
  FoamOptions o;
  o.bubble_speed = 0.25;
  const double tau = 0.25 / (2 * 9.81);
  for (const double h : {0.001, 0.01, 0.1}) {
    Vector x = {0, 0, 0}, v = {0, 0, 0};
    for (int k = 0; k < std::lround(0.2 / h); ++k) foam::advance(x, v, Foam::bubble, {0.5, 0, 0}, {0, -9.81, 0}, h, o);
    EXPECT_NEAR(v[1], 0.25 * (1 - std::exp(-0.2 / tau)), 1e-12);
    EXPECT_NEAR(x[1], 0.25 * (0.2 - tau * (1 - std::exp(-0.2 / tau))), 1e-12);
    EXPECT_NEAR(v[0], 0.5 * (1 - std::exp(-0.2 / tau)), 1e-12);  // and go with the liquid
  }
}

// Foam in a liquid that turns as a whole stays on its circle. Frames 1/30 s apart, 3 rad/s: a tenth of a turn and more between
// them.
TEST(FoamMotion, FoamGoesRoundWithTheLiquid) {
  const Vector size = {1, 1, 0};
  Scene scene = tank(2, size);
  scene.gravity = {0, 0, 0};
  FoamOptions o;
  o.speed = 1;
  o.lifetime = 1e6;
  o.trapped_air_rate = o.crest_rate = 0;
  o.bubbles_above = 10;  // all that is not spray is foam
  const double spin = 3;
  const auto frame = [&](double t) {
    Snapshot s = liquid(
        2, size, [](const Vector& x) { return std::hypot(x[0] - 0.5, x[1] - 0.5) < 0.4; },
        [](const Vector&) { return Vector{}; });
    s.time = t;
    for (std::size_t k = 0; k < s.size(); ++k) {
      const double x = s.position[3 * k] - 0.5, y = s.position[3 * k + 1] - 0.5, c = std::cos(spin * t), q = std::sin(spin * t);
      s.position[3 * k] = 0.5 + c * x - q * y, s.position[3 * k + 1] = 0.5 + q * x + c * y;
      s.velocity[3 * k] = float(-spin * (q * x + c * y)), s.velocity[3 * k + 1] = float(spin * (c * x - q * y));
    }
    return s;
  };
  const FoamMaker maker(scene, o, {frame(0)});
  Foam f = maker.none(frame(0));
  f.id = {1}, f.position = {0.7, 0.5, 0}, f.velocity = {0, 0.6f, 0}, f.kind = {Foam::foam}, f.age = {0}, f.left = {1e6f};
  const double turn = 2 * M_PI / spin;
  constexpr int frames = 60;
  for (int k = 0; k < frames; ++k) f = maker.next(f, frame(turn * k / frames), frame(turn * (k + 1) / frames), k);
  ASSERT_EQ(f.size(), 1u);
  // The mean over the neighbours is of a linear field, and exact where they lie evenly; they do within a tenth of a spacing,
  // which is a tenth of a spacing times 3 rad/s, either way, on a path of 1.26 m.
  EXPECT_NEAR(std::hypot(f.position[0] - 0.5, f.position[1] - 0.5), 0.2, d);
  EXPECT_NEAR(f.position[0], 0.7, d);
  EXPECT_NEAR(f.position[1], 0.5, 2 * d);
}

// Two streams that meet, half a second of it.
struct Splash {
  Scene scene = tank(3, {0.6, 0.3, 0.2});
  Snapshot frame(double t) const {
    Snapshot s = liquid(
        3, {0.6, 0.1, 0.2}, [](const Vector&) { return true; },
        [](const Vector& x) {
          return Vector{x[0] < 0.3 ? 2. : -2., 0.5, 0};
        });
    s.time = t;
    return s;
  }
};

TEST(FoamMaker, MakesTheSameBitsForAnyNumberOfThreadsAndFromAFile) {
  const Splash splash;
  FoamOptions o;
  o.trapped_air_rate = 600;
  const FoamMaker maker(splash.scene, o, {splash.frame(0)});
  const auto run = [&](int threads, bool file) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
    const auto path = std::filesystem::path(testing::TempDir()) / "brim_foam.vtp";
    Foam f = maker.none(splash.frame(0));
    for (int k = 0; k < 3; ++k) {
      f = maker.next(f, splash.frame(k / 30.), splash.frame((k + 1) / 30.), k);
      if (!file) continue;
      writeFoam(path.string(), f, d);
      EXPECT_EQ(timeOfFoam(path.string()), f.time);
      f = readFoam(path.string());
      std::filesystem::remove(path);
    }
    return f;
  };
  const Foam one = run(1, false);
  ASSERT_GT(one.size(), 100u);
  for (const Foam& other : {run(3, false), run(2, true)}) {
    EXPECT_EQ(other.id, one.id);
    EXPECT_EQ(other.position, one.position);
    EXPECT_EQ(other.velocity, one.velocity);
    EXPECT_EQ(other.kind, one.kind);
    EXPECT_EQ(other.age, one.age);
    EXPECT_EQ(other.left, one.left);
  }
}

TEST(FoamMaker, NeverHoldsMoreThanItsBoundNorWhatIsOutsideTheTank) {
  const Splash splash;
  FoamOptions o;
  o.most = 500;
  o.trapped_air_rate = 1e5;
  o.lifetime = 0.2;
  const FoamMaker maker(splash.scene, o, {splash.frame(0)});
  Foam f = maker.none(splash.frame(0));
  std::size_t largest = 0;
  for (int k = 0; k < 6; ++k) {
    f = maker.next(f, splash.frame(k / 30.), splash.frame((k + 1) / 30.), k);
    largest = std::max(largest, f.size());
    for (std::size_t i = 0; i < f.size(); ++i) {
      EXPECT_GT(f.left[i], 0);
      for (std::size_t a = 0; a < 3; ++a) {
        EXPECT_GE(f.position[3 * i + a], -1e-6);
        EXPECT_LE(f.position[3 * i + a], splash.scene.domain.max[a] + 1e-6);  // as a float
      }
    }
  }
  EXPECT_EQ(largest, 500u);
}

TEST(FoamMaker, StillWaterMakesNoFoam) {
  const Scene scene = tank(3, {0.2, 0.2, 0.2});
  const Snapshot still = liquid(
      3, {0.2, 0.1, 0.2}, [](const Vector&) { return true; }, [](const Vector&) { return Vector{}; });
  Snapshot later = still;
  later.time = 0.1;
  const FoamMaker maker(scene, {}, {still});
  EXPECT_EQ(maker.next(maker.none(still), still, later, 0).size(), 0u);
}

}  // namespace
