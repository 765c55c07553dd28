// Health checks: what ruins a run is told once, with time and number, and what is merely rough is not.
#include "brim/health.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "observe/health_json.h"
#include "observe/noise.h"

using namespace brim;

namespace {

Scene tank() {
  Scene s;
  s.dimension = 2;
  s.domain.boundary = {"walls", "walls", "walls"};
  s.solver.name = "pbf";
  return s;
}

StepReport step(std::int64_t k, double densityError = 0) {
  StepReport r;
  r.step = k, r.time = 0.01 * double(k), r.dt = 0.01;
  r.particles = 1000;
  r.density_error_mean = densityError;
  return r;
}

std::string kindsOf(const Health& h) {
  std::string all;
  for (const HealthWarning& w : h.warnings()) all += w.kind + " ";
  return all;
}

Snapshot cloud(int n, double d) {
  Snapshot s;
  s.dimension = 2;
  for (int i = 0; i < n * n; ++i) {
    s.id.push_back(i);
    s.position.insert(s.position.end(), {(i % n) * d, (i / n) * d, 0});
    s.velocity.insert(s.velocity.end(), {0, 0, 0});
  }
  return s;
}

}  // namespace

TEST(Health, ABadStepIsNoRuinAndManyAre) {
  Health h(tank());
  for (int k = 1; k < 50; ++k) h.step(step(k, k == 20 ? 0.2 : 0.001), {});
  EXPECT_TRUE(h.good()) << kindsOf(h);  // 20 % for one step of twenty is 1 % on average
  for (int k = 50; k < 100; ++k) h.step(step(k, 0.2), {});
  ASSERT_EQ(kindsOf(h), "density ");
  // 3 % are allowed. After the third of them the mean is 0.2 (1 - 0.95^3) = 2.85 %, with what is left of before 3.1 %.
  EXPECT_EQ(h.warnings()[0].step, 52);
  EXPECT_NE(h.warnings()[0].text.find("t = 0.52 s, step 52"), std::string::npos) << h.warnings()[0].text;
}

TEST(Health, EnergyFromNowhereIsToldAndEnergyThatIsGivenIsNot) {
  Health h(tank());
  h.step(step(1), {100, 0, false});
  for (int k = 2; k < 20; ++k) h.step(step(k), {100, 50, true});  // somebody stirs
  h.step(step(20), {60, -40, false});
  h.step(step(21), {69, 9, false});
  EXPECT_TRUE(h.good()) << kindsOf(h);
  h.step(step(22), {71, 2, false});  // 11 of 100 J above the least that there was
  ASSERT_EQ(kindsOf(h), "energy ");
  EXPECT_NEAR(h.warnings()[0].value, 0.11, 1e-12);
  h.step(step(23), {171, 100, false});
  EXPECT_EQ(kindsOf(h), "energy ") << "a kind is told once";
}

TEST(Health, ParticlesMayLeaveByOpenSidesAndSinksAlone) {
  for (const bool open : {false, true}) {
    Scene s = tank();
    if (open) s.domain.boundary[0] = "open";
    Health h(s);
    h.step(step(1), {});
    StepReport r = step(2);
    r.particles = 1003, r.emitted = 10, r.sunk = 7;
    h.step(r, {});
    EXPECT_TRUE(h.good()) << kindsOf(h);
    r = step(3);
    r.particles = 998, r.emitted = 10, r.sunk = 7, r.lost = 5;
    h.step(r, {});
    EXPECT_EQ(h.good(), open);
  }
  Health h(tank());
  h.step(step(1), {});
  StepReport r = step(2);
  r.particles = 999;  // and nobody took it
  h.step(r, {});
  EXPECT_EQ(kindsOf(h), "particles ");
}

TEST(Health, AVolumeIsNotJudgedFinerThanItIsMeasured) {
  EXPECT_EQ(judgedVolume(0.96, 0.01), 1);  // 3 %, and twice what is uncertain
  EXPECT_EQ(judgedVolume(0.94, 0.01), 0.94);
  EXPECT_EQ(judgedVolume(1.06, 0.01), 1.06);
  EXPECT_EQ(judgedVolume(0.5, 0.1), 0.5);
}

TEST(Health, VolumeIsHeldToThreePercentAtRestAndGoesOnInSummaries) {
  Health h(tank());
  h.step(step(1), {100, 0, false});
  h.frame(0.01, 1, 1.02, 0);
  EXPECT_TRUE(h.good());
  for (int k = 2; k < 30; ++k) {
    h.step(step(k), {100, 0, false});
    h.frame(0.01 * k, k, 0.5, 0);
  }
  ASSERT_EQ(kindsOf(h), "volume ");
  Health resumed(tank());
  resumed.restore(healthFrom(nlohmann::json::parse(toJson(h.sums()).dump())),
                  healthWarningsFrom(nlohmann::json::parse(toJson(h.warnings()).dump())));
  EXPECT_EQ(resumed.warnings()[0].text, h.warnings()[0].text);
  EXPECT_EQ(resumed.sums().energy_scale, 100);
}

TEST(Noise, AShearHasNoneAndRandomVelocitiesAreNothingElse) {
  const double d = 0.02;
  Snapshot s = cloud(60, d);
  Scene scene;
  scene.resolution.spacing = d;
  scene.domain.boundary = {"open", "open", "open"};
  for (std::size_t i = 0; i < s.size(); ++i) s.velocity[3 * i] = float(1 + s.position[3 * i + 1]);
  // The mean is exact inside; at the edge it is half a support of 0.8 spacings off: some 1e-4 of v^2.
  EXPECT_LT(roughnessOf(s, scene).noise, 1e-3);
  unsigned state = 1;
  for (float& v : s.velocity) {
    state = 1664525 * state + 1013904223;
    v = float(state >> 8) / float(1 << 23) - 1;
  }
  for (std::size_t i = 0; i < s.size(); ++i) s.velocity[3 * i + 2] = 0;
  // The mean has the particle itself with a weight of a = 0.455 in it, and its neighbours with sum w^2 = 0.054: what is left of
  // random velocities is (1 - a)^2 + 0.054 = 0.35.
  EXPECT_NEAR(roughnessOf(s, scene).noise, 0.35, 0.03);
  for (float& v : s.velocity) v = 0;
  EXPECT_EQ(roughnessOf(s, scene).noise, 0);
}
