// Rigid bodies, joints, motors and contacts, without fluid.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "bodies/broad_phase.h"
#include "bodies/system.h"
#include "brim/simulation.h"
#include "scene/motion.h"

using namespace brim;
using namespace brim::vectors;

namespace {

constexpr double g = 9.81;  // [m/s^2]

Scene emptyScene(int dimension, bool walls = false) {
  Scene s;
  s.dimension = dimension;
  s.domain.min = {-50, -50, -50}, s.domain.max = {50, 50, 50};
  const std::string side = walls ? "walls" : "open";
  s.domain.boundary = {side, side, side};
  return s;
}

RigidBody& addBox(Scene& s, const std::string& name, const Vector& centre, const Vector& half, double density = 1000) {
  RigidBody b;
  b.name = name;
  b.shape.min = centre - half, b.shape.max = centre + half;
  b.density = density;
  s.bodies.push_back(b);
  return s.bodies.back();
}

RigidBody& addBall(Scene& s, const std::string& name, const Vector& centre, double radius, double density = 1000) {
  RigidBody b;
  b.name = name;
  b.shape.kind = "sphere";
  b.shape.centre = centre, b.shape.radius = radius;
  b.density = density;
  s.bodies.push_back(b);
  return s.bodies.back();
}

Joint& addJoint(Scene& s, const std::string& kind, const std::string& a, const std::string& b, const Vector& point) {
  Joint j;
  j.name = "j" + std::to_string(s.joints.size());
  j.kind = kind, j.a = a, j.b = b, j.point = point;
  s.joints.push_back(j);
  return s.joints.back();
}

struct Made {
  Scene scene;
  BodySystem system;
  explicit Made(const Scene& s) : scene(s), system(s, solidShapes(s)) {}
  void run(double seconds, double dt, const Vector& gravity = {0, -g, 0}, int sweeps = 60) {
    const int steps = int(std::lround(seconds / dt));
    for (int k = 0; k < steps; ++k) step(k * dt, dt, gravity, sweeps);
  }
  void step(double time, double dt, const Vector& gravity, int sweeps = 60) {
    const std::vector<SolidShape> shapes = solidShapes(scene);
    BodySystem::SolidPoses solids;
    for (std::size_t k = 0; k < scene.solids.size(); ++k)
      solids.push_back(poseAt(scene.solids[k].motion, shapes[k].pose(), time));
    system.step(time, dt, gravity, solids, sweeps);
  }
};

double massOf(const Made& m, int b) { return 1 / m.system.body(b).perMass; }
Vector spinMomentum(const Made& m, int b) {
  const BodyState& s = m.system.body(b);
  if (s.flat) return {0, 0, s.u.w[2] / s.perInertiaHere[8]};
  return inverse(s.perInertiaHere) * s.u.w;
}
double energyOf(const Made& m) {
  double e = 0;
  for (int b = 0; b < m.system.size(); ++b) {
    const BodyState& s = m.system.body(b);
    e += 0.5 * massOf(m, b) * dot(s.u.v, s.u.v) + 0.5 * dot(s.u.w, spinMomentum(m, b)) + massOf(m, b) * g * s.x[1];
  }
  return e;
}

TEST(Spook, AViolationFallsByTheRootsOfTheScalarProblem_CF03_CF04) {
  // lambda^2 - (1 - 3 xi) lambda + xi = 0, its larger root; x_k is a sum of two powers, whose ratio settles in some steps.
  const double expected[][2] = {{3, 0.651}, {4, 0.745}, {5, 0.797}};
  for (const auto& [damping, root] : expected) {
    const Spook spook(0.01, damping);
    double x = 1, v = 0, ratio = 0;
    for (int k = 0; k < 60; ++k) {
      v = spook.target(x, v);
      const double next = x + spook.dt * v;
      ratio = next / x;
      x = next;
    }
    EXPECT_NEAR(ratio, root, 1e-3) << damping;
  }
  // At tau = 2 dt the root 1/3 is double, x_k = (1 + k) / 3^k times the start up to the velocity's part; below 2 it swings.
  const auto crossings = [](double damping) {
    const Spook spook(0.01, damping);
    double x = 1, v = 0;
    int signs = 0;
    for (int k = 0; k < 40; ++k) {
      v = spook.target(x, v);
      const double next = x + spook.dt * v;
      signs += (next > 0) != (x > 0);
      x = next;
    }
    return signs;
  };
  EXPECT_EQ(crossings(2), 0);
  EXPECT_GT(crossings(1.5), 2);
}

TEST(Bodies, AHangingWeightSagsByComplianceTimesForce_CF03) {
  Scene s = emptyScene(2);
  addBox(s, "weight", {0, -1, 0}, {0.1, 0.1, 0}, 1000);  // 40 kg
  Joint& j = addJoint(s, "distance", "weight", "", {0, -1, 0});
  j.to = {0, 0, 0};
  j.compliance = 1e-4;
  Made m(s);
  m.run(20, 0.01);
  const double f = massOf(m, 0) * g;
  EXPECT_NEAR(f, 40 * g, 1e-9);
  // Sigma lambda = -4 xi/dt g at rest, so the sag is exactly eps f; what is left is the decay of 2000 steps.
  EXPECT_NEAR(-1 - m.system.body(0).x[1], 1e-4 * f, 1e-10 * f);
  EXPECT_NEAR(m.system.jointReports()[0].force[1], f, 1e-2 * f);  // a mean from the start on
}

TEST(Bodies, TheErrorOfAJointFallsWithTheSquareOfTheStep_CF06) {
  const auto worst = [](double dt) {
    Scene s = emptyScene(2);
    addBox(s, "rod", {0.5, 0, 0}, {0.5, 0.05, 0});
    addJoint(s, "hinge", "rod", "", {0, 0, 0});
    Made m(s);
    double most = 0;
    for (int k = 0; k * dt < 2; ++k) {
      m.step(k * dt, dt, {0, -g, 0}, 100);
      most = std::max(most, m.system.jointReports()[0].error);
    }
    return most;
  };
  const double a = worst(0.004), b = worst(0.002), c = worst(0.001);
  // A slope of 2 within what the swing's sampling moves.
  EXPECT_NEAR(std::log2(a / b), 2, 0.15);
  EXPECT_NEAR(std::log2(b / c), 2, 0.15);
}

TEST(Bodies, APendulumKeepsEnergyAndJointOverAHundredThousandSteps_CF05) {
  Scene s = emptyScene(2);
  addBox(s, "rod", {0.5, 0, 0}, {0.5, 0.02, 0});
  addJoint(s, "hinge", "rod", "", {0, 0, 0});
  Made m(s);
  const double start = energyOf(m), depth = massOf(m, 0) * g * 0.5;  // what it can lose
  double drift = 0, highest = -1e30;
  for (int k = 0; k < 100000; ++k) {
    m.step(k * 1e-3, 1e-3, {0, -g, 0}, 30);
    drift = std::max(drift, m.system.jointReports()[0].error);
    if (k % 100 == 0) highest = std::max(highest, energyOf(m));
  }
  EXPECT_LT(drift, 1e-4);                        // of a rod of 1 m; O(dt^2), see above
  EXPECT_LT(highest - start, 0.01 * depth);      // never gains more than the first-order wobble of a step
  EXPECT_GT(energyOf(m) - start, -0.6 * depth);  // 100 s, 60 swings: the damping of the constraint takes its part
}

TEST(Bodies, GaussSeidelFindsWhatADenseSolveFinds_CF12) {
  Scene s = emptyScene(3);
  addBox(s, "a", {0, 0, 0}, {0.5, 0.1, 0.2});
  addBox(s, "b", {1, 0, 0}, {0.5, 0.1, 0.1}).velocity = {0, 1, 0.3};
  addBall(s, "c", {1.5, -0.7, 0}, 0.2);
  s.joints.reserve(3);
  addJoint(s, "ball", "a", "", {-0.5, 0, 0});
  addJoint(s, "hinge", "b", "a", {0.5, 0, 0}).axis = {0, 0, 1};
  addJoint(s, "distance", "c", "b", {1.5, -0.7, 0}).to = {1.5, 0, 0};
  Made m(s);
  m.run(0.3, 0.01, {0.5, -g, 1});
  BodySystem& sys = m.system;
  sys.begin(0.3, 0.01, {0.5, -g, 1}, {});
  const std::vector<Row> rows = sys.rows();
  const int n = int(rows.size());
  ASSERT_EQ(n, 3 + 5 + 1);
  // S lambda = c - G v, both from the velocities before any impulse: the warm start is taken back.
  std::vector<BodyVelocity> v;
  for (int b = 0; b < sys.size(); ++b) v.push_back(sys.velocity(b));
  const auto apply = [&](const Row& r, double l) {
    for (int side = 0; side < 2; ++side) {
      const int b = side ? r.b : r.a;
      if (b < 0) continue;
      v[b].v = v[b].v + ((side ? -l : l) * sys.body(b).perMass) * r.linear;
      v[b].w = v[b].w + l * (sys.body(b).perInertiaHere * (side ? r.armB : r.armA));
    }
  };
  const auto rate = [&](const Row& r) {
    double sum = dot(r.linear, v[r.a].v) + dot(r.armA, v[r.a].w);
    if (r.b >= 0) sum += dot(r.armB, v[r.b].w) - dot(r.linear, v[r.b].v);
    return sum;
  };
  for (const Row& r : rows) apply(r, -r.lambda);
  std::vector<std::vector<double>> S(n, std::vector<double>(n + 1));
  const auto free = v;
  for (int k = 0; k < n; ++k) {
    v = free;
    S[k][n] = rows[k].c - rate(rows[k]);
  }
  for (int k = 0; k < n; ++k) {
    v.assign(sys.size(), {});
    apply(rows[k], 1);
    for (int i = 0; i < n; ++i) S[i][k] = rate(rows[i]) + (i == k ? rows[k].sigma : 0);
  }
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const double f = S[i][k] / S[k][k];
      for (int j = k; j <= n; ++j) S[i][j] -= f * S[k][j];
    }
  for (int k = 0; k < 3000; ++k) sys.sweep();
  EXPECT_LT(sys.residual(), 1e-9);
  double size = 0;
  for (int k = 0; k < n; ++k) size = std::max(size, std::abs(S[k][n] / S[k][k]));
  for (int k = 0; k < n; ++k) EXPECT_NEAR(sys.rows()[k].lambda, S[k][n] / S[k][k], 1e-8 * size) << k;
}

TEST(Bodies, MomentumOfAFreeChainIsKeptToRounding_CF08) {
  for (int D : {2, 3}) {
    Scene s = emptyScene(D);
    s.bodies.reserve(5), s.joints.reserve(5);
    for (int k = 0; k < 5; ++k) {
      RigidBody& b = addBox(s, "b" + std::to_string(k), {double(k), 0, 0}, {0.4, 0.1, 0.15});
      b.velocity = {0.1 * k, 1.0 - 0.3 * k, D == 3 ? 0.2 * k : 0.0};
      b.spin = {D == 3 ? 0.5 : 0.0, 0, 2.0 - k};
    }
    const char* kinds[] = {"ball", "hinge", "distance", "fixed"};
    for (int k = 0; k < 4; ++k)
      addJoint(s, kinds[k], "b" + std::to_string(k), "b" + std::to_string(k + 1), {k + 0.5, 0, 0}).to = {k + 0.6, 0.05, 0};
    Made m(s);
    const auto momentum = [&] {
      std::pair<Vector, Vector> sum;
      for (int b = 0; b < m.system.size(); ++b) {
        const Vector p = massOf(m, b) * m.system.body(b).u.v;
        sum.first = sum.first + p;
        sum.second = sum.second + cross(m.system.body(b).x, p) + spinMomentum(m, b);
      }
      return sum;
    };
    const auto before = momentum();
    m.run(2, 0.005, {0, 0, 0});
    const auto after = momentum();
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(after.first[k], before.first[k], 1e-10 * massOf(m, 0));
      EXPECT_NEAR(after.second[k], before.second[k], 1e-9 * massOf(m, 0)) << D << " " << k;
    }
  }
}

TEST(Bodies, MassPropertiesAreThoseOfTheVolume) {
  // Against a fine lattice of points inside the shape; its steps of 1/100 of the size leave about a percent.
  const auto check = [](const Scene& s, const RigidBody& b) {
    const SolidShape shape(s, b.shape, "bodies[0]");
    const MassProperties m = brim::massOf(shape, 2.0);
    const int D = s.dimension, n = 120;
    double mass = 0;
    Vector first = {0, 0, 0};
    Matrix I = {};
    const Vector low = shape.bodyLow(), side = shape.bodyHigh() - low;
    const double cell = 2.0 * side[0] / n * side[1] / n * (D == 3 ? side[2] / n : 1);
    std::vector<Vector> inside;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < (D == 3 ? n : 1); ++k) {
          const Vector x = {low[0] + (i + 0.5) / n * side[0], low[1] + (j + 0.5) / n * side[1],
                            D == 3 ? low[2] + (k + 0.5) / n * side[2] : 0};
          if (shape.primitive().distance(x.data()) >= 0) continue;
          mass += cell;
          first = first + cell * x;
          inside.push_back(x);
        }
    for (Vector x : inside) {
      x = x - (1 / mass) * first;
      for (int a = 0; a < 3; ++a)
        for (int c = 0; c < 3; ++c) I[3 * a + c] += cell * ((a == c ? dot(x, x) : 0) - x[a] * x[c]);
    }
    EXPECT_NEAR(m.mass, mass, 0.02 * mass) << b.shape.kind;
    for (int k = 0; k < D; ++k) EXPECT_NEAR(m.centre[k], first[k] / mass, 0.01 * length(side)) << b.shape.kind;
    for (int k = D == 2 ? 8 : 0; k < 9; k += 4) EXPECT_NEAR(m.inertia[k], I[k], 0.03 * I[8]) << b.shape.kind << D << k;
  };
  for (int D : {2, 3}) {
    Scene s = emptyScene(D);
    RigidBody b;
    b.shape.min = {0, 0, 0}, b.shape.max = {1, 0.5, 0.8};
    check(s, b);
    b.shape.kind = "sphere";
    b.shape.radius = 0.4;
    check(s, b);
    b.shape.kind = "capsule";
    b.shape.to = {1, 0, 0};
    check(s, b);
    b.shape.kind = D == 3 ? "cylinder" : "polygon";
    b.shape.points = {{0, 0, 0}, {1, 0, 0}, {1, 0.3, 0}, {0.3, 0.3, 0}, {0.3, 1, 0}, {0, 1, 0}};
    check(s, b);
  }
}

TEST(Bodies, TheBroadPhaseFindsWhatAllPairsFind) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(0, 1), size(0.01, 0.12);
  for (const double height : {0.0, 1.0, 5.0}) {  // flat, a cube, a tower
    std::vector<Ball> balls;
    for (int b = 0; b < 300; ++b)
      balls.push_back({{place(random), height * place(random), place(random)}, b % 17 == 0 ? -1 : size(random)});
    std::vector<std::pair<int, int>> all;
    for (int a = 0; a < 300; ++a)
      for (int b = a + 1; b < 300; ++b) {
        bool near = balls[a].radius >= 0 && balls[b].radius >= 0;
        for (int k = 0; k < 3; ++k)
          near = near && std::abs(balls[a].centre[k] - balls[b].centre[k]) <= balls[a].radius + balls[b].radius;
        if (near) all.emplace_back(a, b);
      }
    EXPECT_GT(all.size(), 100u);
    EXPECT_EQ(overlapping(balls), all);
  }
}

TEST(Bodies, ABoxComesToRestOnTheFloorAndStaysThere) {
  for (int D : {2, 3}) {
    Scene s = emptyScene(D, true);
    s.bodies.reserve(3);
    for (int k = 0; k < 3; ++k) addBox(s, "b" + std::to_string(k), {0.02 * k, -49.4 + 1.05 * k, 0}, {0.5, 0.5, 0.5});
    Made m(s);
    m.run(3, 0.005);
    // A pile: gaps of the fall are closed, and contacts hold within a ten-thousandth of a side.
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(m.system.body(k).x[1], -49.5 + k, 2e-3) << D << k;
      EXPECT_LT(length(m.system.body(k).u.v), 0.01) << D << k;
    }
  }
}

TEST(Bodies, APileOfTenBoxesStands_CF30) {
  // 60 sweeps do not find the weight of ten: starting from nothing in every step, the pile leans by 0.06 after 4 s (3D: 0.02),
  // and falls with 20 sweeps. From what held it a step ago it sways by millimetres.
  for (int D : {2, 3})
    for (const int sweeps : {20, 60}) {
      Scene s = emptyScene(D, true);
      s.bodies.reserve(10);
      for (int k = 0; k < 10; ++k) addBox(s, "b" + std::to_string(k), {0.01 * (k % 3), -49.5 + k, 0}, {0.5, 0.5, 0.5});
      Made m(s);
      m.run(4, 0.005, {0, -g, 0}, sweeps);
      for (int k = 0; k < 10; ++k) {
        EXPECT_NEAR(m.system.body(k).x[1], -49.5 + k, 5e-3) << D << " " << k;
        EXPECT_NEAR(m.system.body(k).x[0], 0.01 * (k % 3), sweeps == 60 ? 0.015 : 0.07) << D << " " << k;
      }
    }
}

TEST(Bodies, FrictionHoldsOnSlopesBelowItsAngle) {
  for (int D : {2, 3})
    for (double mu : {0.2, 0.6}) {
      Scene s = emptyScene(D, true);
      addBox(s, "b", {0, -49.5, 0}, {0.5, 0.5, 0.5}).friction = mu;
      Made m(s);
      // A slope of 0.4 as gravity that leans; below 0.4 the box slides with g (sin - mu cos).
      m.run(1, 0.002, {0.4 * g, -g, 0});
      const double expected = mu > 0.4 ? 0 : (0.4 - mu) * g;
      EXPECT_NEAR(m.system.body(0).u.v[0], expected, 0.02 * g * 0.4) << D << " " << mu;
    }
}

TEST(Bodies, AMotorTurnsNoStrongerAndNoFasterThanItMay_CF31) {
  Scene s = emptyScene(2);
  addBall(s, "wheel", {0, 0, 0}, 0.5);
  Joint& j = addJoint(s, "hinge", "wheel", "", {0, 0, 0});
  j.motor_speed = 3, j.motor_limit = 50;
  Made m(s);
  const double I = 1 / m.system.body(0).perInertiaHere[8];
  m.run(1, 0.005);
  EXPECT_NEAR(m.system.body(0).u.w[2], 50 / I, 1e-6);  // T t / I
  m.system.restartAverages();
  m.step(1, 0.005, {0, -g, 0});
  EXPECT_NEAR(m.system.jointReports()[0].motor, 50, 1e-6);
  m.run(3 * I / 50, 0.005);
  EXPECT_NEAR(m.system.body(0).u.w[2], 3, 1e-6);
}

TEST(Bodies, LimitsStopAFlapAndASlider_CF31) {
  Scene s = emptyScene(3);
  s.bodies.reserve(2), s.joints.reserve(2);
  addBox(s, "flap", {0.5, 0, 0}, {0.5, 0.02, 0.3});
  addBox(s, "piston", {5, 0, 0}, {0.2, 0.2, 0.2});
  Joint& hinge = addJoint(s, "hinge", "flap", "", {0, 0, 0});
  hinge.low = -0.5, hinge.high = 0.5;
  Joint& slider = addJoint(s, "slider", "piston", "", {5, 0, 0});
  slider.axis = {0, 1, 0}, slider.low = -0.3, slider.high = 1;
  Made m(s);
  m.run(3, 0.005);
  const auto joints = m.system.jointReports();
  EXPECT_NEAR(joints[0].position, -0.5, 1e-3);
  EXPECT_NEAR(joints[1].position, -0.3, 1e-3);
  EXPECT_LT(std::abs(m.system.body(1).u.w[0]) + std::abs(m.system.body(1).u.w[2]), 1e-6);
}

TEST(Bodies, ATumblingBodyKeepsItsAngularMomentumAndNearlyItsEnergy) {
  Scene s = emptyScene(3);
  addBox(s, "brick", {0, 0, 0}, {0.5, 0.3, 0.1}).spin = {0.1, 4, 0.1};  // about the middle axis: it turns over
  Made m(s);
  const Vector L = spinMomentum(m, 0);
  const double energy = 0.5 * dot(L, m.system.body(0).u.w);
  double least = 1;
  for (int k = 0; k < 5000; ++k) {
    m.step(0, 2e-3, {0, 0, 0});
    least = std::min(least, m.system.body(0).rotation[4]);
  }
  EXPECT_LT(least, -0.9);  // it did
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(spinMomentum(m, 0)[k], L[k], 1e-9 * length(L));
  EXPECT_NEAR(0.5 * dot(spinMomentum(m, 0), m.system.body(0).u.w), energy, 0.01 * energy);
}

TEST(Bodies, AStateComesBackToTheBit) {
  Scene s = emptyScene(2, true);
  s.bodies.reserve(3), s.joints.reserve(2);
  addBox(s, "a", {0.5, 0, 0}, {0.5, 0.05, 0});
  addBox(s, "b", {1.5, 0, 0}, {0.5, 0.05, 0});
  Joint& j = addJoint(s, "hinge", "a", "", {0, 0, 0});
  j.motor_speed = 2, j.motor_limit = 1e4;
  addJoint(s, "hinge", "b", "a", {1, 0, 0});
  addBox(s, "c", {-3, -49.45, 0}, {0.5, 0.5, 0});  // on the floor: contacts start from what they were
  Made m(s), other(s);
  m.run(0.5, 0.005);
  ASSERT_TRUE(other.system.restore(m.system.save()));
  m.run(0.5, 0.005);
  other.run(0.5, 0.005);
  EXPECT_EQ(m.system.save(), other.system.save());
  EXPECT_FALSE(other.system.restore({1, 2, 3}));
  EXPECT_EQ(m.system.save(), other.system.save());
}

TEST(Bodies, AreCarriedByASolidThatTakesAnotherCourse) {
  // A box lies on a table that sinks slowly. From 0.1 s on the table rises instead, and the box must rise with it.
  Scene s;
  s.dimension = 2;
  s.resolution.spacing = 0.05;
  s.domain.min = {0, 0, 0}, s.domain.max = {1, 2, 0};
  s.gravity = {0, -g, 0};
  s.solver.name = "constraint";
  s.time.dt = 0.005;
  Block drop;  // of fluid, away from the table
  drop.shape.min = {0.05, 0, 0}, drop.shape.max = {0.15, 0.1, 0};
  s.fluid.blocks.push_back(drop);
  Solid table;
  table.name = "table";
  table.shape.min = {0.4, 0.5, 0}, table.shape.max = {0.8, 0.6, 0};
  table.motion.velocity = {0, -0.05, 0};
  s.solids.push_back(table);
  addBox(s, "box", {0.6, 0.7, 0}, {0.1, 0.1, 0}, 500);
  Simulation sim(s);
  sim.advanceTo(0.1);
  const double before = sim.snapshot().bodies[0].centre[1];
  EXPECT_NEAR(before, 0.7 - 0.1 * 0.05, 2e-3);
  Motion rise = table.motion;
  rise.velocity = {0, 0, 0};
  rise.displacement = {{0.1, {0, -0.005, 0}}, {0.6, {0, 0.195, 0}}};
  sim.setMotion(0, rise);
  sim.advanceTo(0.6);
  // Within what a contact gives way: a millimetre.
  EXPECT_NEAR(sim.snapshot().bodies[0].centre[1], 0.7 + 0.195, 2e-3);
}

TEST(TimeAverage, IsTheMeanSinceTheLastRestart) {
  TimeAverage<double> a;
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(a.mean(), 0);
  a.add(2, 0.5);
  a.add(4, 1.5);
  EXPECT_DOUBLE_EQ(a.mean(), 3.5);
  a.addIntegral(1);  // an impulse, which takes no time
  EXPECT_DOUBLE_EQ(a.mean(), 4);
  TimeAverage<double> b;
  b.restore(a.integral(), a.window());
  EXPECT_EQ(b.mean(), a.mean());
  a.restart();
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(b.mean(), 4);
}

}  // namespace
