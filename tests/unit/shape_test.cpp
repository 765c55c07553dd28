#include "scene/shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scene/motion.h"
#include "scene/sampling.h"
#include "scene/vector.h"

using namespace brim;
using namespace brim::vectors;

namespace {

Scene flatScene() {
  Scene s;
  s.dimension = 2;
  return s;
}

Shape box(const Vector& low, const Vector& high) {
  Shape s;
  s.min = low, s.max = high;
  return s;
}

Shape ball(const Vector& centre, double radius) {
  Shape s;
  s.kind = "sphere";
  s.centre = centre, s.radius = radius;
  return s;
}

Shape rod(const std::string& kind, const Vector& from, const Vector& to, double radius) {
  Shape s;
  s.kind = kind;
  s.from = from, s.to = to, s.radius = radius;
  return s;
}

Shape corners(const std::vector<Vector>& points) {
  Shape s;
  s.kind = "polygon";
  s.points = points;
  return s;
}

const std::vector<Vector> letterL = {{0, 0, 0}, {1, 0, 0}, {1, 0.3, 0}, {0.4, 0.3, 0}, {0.4, 0.8, 0}, {0, 0.8, 0}};

std::vector<Shape> solidShapes3() {
  std::vector<Shape> all = {box({-0.2, 0.1, 0}, {0.3, 0.4, 0.7}), ball({0.1, 0.2, -0.3}, 0.35),
                            rod("cylinder", {0, 0, 0}, {0.3, 0.4, 0.2}, 0.2), rod("capsule", {0, 0, 0}, {-0.3, 0.4, 0.2}, 0.15)};
  for (Shape& s : all) s.rotate = {20, -35, 50};
  return all;
}

std::vector<Shape> solidShapes2() {
  std::vector<Shape> all = {box({-0.2, 0.1, 0}, {0.3, 0.4, 0}), ball({0.1, 0.2, 0}, 0.35),
                            rod("capsule", {0, 0, 0}, {-0.3, 0.4, 0}, 0.15), corners(letterL)};
  for (Shape& s : all) s.rotate = {0, 0, 50};
  return all;
}

Vector randomPoint(Random& random, int dimension, double reach) {
  Vector x = {0, 0, 0};
  for (int i = 0; i < dimension; i++) x[i] = reach * (2 * random.number() - 1);
  return x;
}

}  // namespace

TEST(Shape, DistancesAreThoseToTheNearestPointOfTheSurface) {
  Random random(1);
  for (const int dim : {2, 3}) {
    Scene scene;
    scene.dimension = dim;
    for (const Shape& s : dim == 2 ? solidShapes2() : solidShapes3()) {
      const SolidShape shape(scene, s, "");
      const double gap = 0.02;
      const auto surface = dim == 2 ? sampleCurve(outline(shape.primitive(), gap / 4), gap / 2)
                                    : samplePoissonDisk(triangulate(shape.primitive(), gap), gap / 2);
      for (int i = 0; i < 100; i++) {
        const Vector x = randomPoint(random, dim, 1);
        double nearest = 1e300;
        for (Vector y : surface) {
          shape.pose().toWorld(y.data(), y.data());
          nearest = std::min(nearest, length(x - y));
        }
        // The nearest sample is at most one gap from the nearest point, and chords lie gap^2 / 8r inside the curves.
        EXPECT_NEAR(std::abs(shape.distance(x)), nearest, gap / 2 + 0.001) << s.kind << " in " << dim << "D";
      }
    }
  }
}

TEST(Shape, VolumesAndBoundsAreThoseOfTheInside) {
  for (const int dim : {2, 3}) {
    Scene scene;
    scene.dimension = dim;
    for (const Shape& s : dim == 2 ? solidShapes2() : solidShapes3()) {
      const SolidShape shape(scene, s, "");
      const int n = dim == 2 ? 400 : 80;
      const double step = 3.0 / n;
      double inside = 0;
      for (int k = 0; k < (dim == 3 ? n : 1); k++)
        for (int j = 0; j < n; j++)
          for (int i = 0; i < n; i++) {
            const Vector x = {-1.5 + (i + 0.5) * step, -1.5 + (j + 0.5) * step, dim == 3 ? -1.5 + (k + 0.5) * step : 0};
            if (shape.distance(x) >= 0) continue;
            inside += std::pow(step, dim);
            for (int a = 0; a < dim; a++) {
              EXPECT_GE(x[a], shape.low()[a]);
              EXPECT_LE(x[a], shape.high()[a]);
            }
          }
      // Counting cells errs by a fraction of those on the surface; 3 % is three times what these shapes show.
      EXPECT_NEAR(inside, shape.volume(), 0.03 * shape.volume()) << s.kind << " in " << dim << "D";
    }
  }
}

TEST(Shape, NormalsAreUnitGradients) {
  Random random(2);
  for (const int dim : {2, 3}) {
    Scene scene;
    scene.dimension = dim;
    for (const Shape& s : dim == 2 ? solidShapes2() : solidShapes3()) {
      const SolidShape shape(scene, s, "");
      for (int i = 0; i < 50; i++) {
        const Vector x = randomPoint(random, dim, 1), n = shape.normal(x);
        const double step = 1e-4, up = shape.distance(x + step * n), down = shape.distance(x - step * n);
        // Along the gradient a distance grows by the way walked; 1e-3 allows for curvature over the step.
        EXPECT_NEAR((up - down) / (2 * step), 1, 1e-3) << s.kind << " in " << dim << "D";
      }
    }
  }
}

TEST(Shape, PlaneIsTheHalfSpaceItsNormalPointsAwayFrom) {
  Shape s;
  s.kind = "plane";
  s.point = {0, 0.5, 0}, s.normal = {3, 4, 0};
  const SolidShape shape(Scene{}, s, "");
  EXPECT_NEAR(shape.distance({0, 0, 7}), -0.4, 1e-12);
  EXPECT_NEAR(shape.distance({3, 4.5, -2}), 5, 1e-12);
  EXPECT_TRUE(std::isinf(shape.volume()));
}

TEST(Shape, RotatesAboutXThenYThenZAroundItsCentre) {
  Shape s = box({1, 1, 1}, {3, 2, 2});  // long in x, centre (2, 1.5, 1.5)
  s.rotate = {90, 90, 0};               // x turns it onto itself, then y carries its length to z
  const SolidShape shape(Scene{}, s, "");
  EXPECT_NEAR(shape.distance({2, 1.5, 2.4}), -0.1, 1e-12);
  EXPECT_NEAR(shape.distance({2.7, 1.5, 1.5}), 0.2, 1e-12);
}

TEST(Shape, InsideOutIsTheComplement) {
  Shape s = ball({0.1, 0.2, 0}, 0.3), t = s;
  t.inside_out = true;
  const SolidShape solid(flatScene(), s, ""), tank(flatScene(), t, "");
  Random random(4);
  for (int i = 0; i < 100; i++) {
    const Vector x = randomPoint(random, 2, 1);
    EXPECT_EQ(solid.distance(x), -tank.distance(x));
  }
  EXPECT_TRUE(std::isinf(tank.high()[0]));
}

TEST(Shape, SinglePrecisionAgreesWithDouble) {
  Random random(5);
  for (const Shape& s : solidShapes2()) {
    const SolidShape shape(flatScene(), s, "");
    const Primitive<float> single(shape.primitive());
    for (int i = 0; i < 100; i++) {
      const Vector x = randomPoint(random, 2, 1);
      const float y[3] = {float(x[0]), float(x[1]), 0};
      EXPECT_NEAR(single.distance(y), shape.primitive().distance(x.data()), 1e-6) << s.kind;  // a few float roundings of 1 m
    }
  }
}

TEST(Shape, UnknownKindsAreTheUsersMistake) {
  Shape s;
  s.kind = "blob";
  Scene scene;
  scene.where["solids[0].kind"] = {"a.toml", 7, 3};
  try {
    const SolidShape shape(scene, s, "solids[0]");
    FAIL() << "accepted";
  } catch (const SceneError& e) {
    EXPECT_EQ(e.mistakes().at(0).at.line, 7);
    EXPECT_NE(std::string(e.what()).find("blob"), std::string::npos);
  }
}

namespace {

Motion swing() {
  Motion m;
  m.velocity = {0.1, -0.2, 0.3};
  m.axis = {1, 2, -1};
  m.pivot = {0.5, 0, 0.2};
  m.rate = 1.7;
  m.displacement = {{0, {0, 0, 0}}, {1, {0.2, 0, 0}}, {2, {0.2, -0.4, 0}}};
  m.start = 0.3;
  m.stop = 1.8;
  return m;
}

Vector carried(const Motion& m, const Pose<double>& initial, const Vector& body, double t) {
  Vector x;
  poseAt(m, initial, t).toWorld(body.data(), x.data());
  return x;
}

}  // namespace

TEST(Motion, VelocityOfEveryPointIsTheDerivativeOfItsPath) {
  const Motion m = swing();
  Shape s = box({0, 0, 0}, {1, 2, 3});
  s.rotate = {10, 20, 30};
  const Pose<double> initial = SolidShape(Scene{}, s, "").pose();
  const double dt = 1e-5;
  for (const double t : {0.1, 0.35, 0.7, 1.2, 1.75, 2.5})
    for (const Vector& body : {Vector{0, 0, 0}, Vector{0.4, -0.3, 0.9}}) {
      const Vector x = carried(m, initial, body, t);
      const Vector slope = (1 / (2 * dt)) * (carried(m, initial, body, t + dt) - carried(m, initial, body, t - dt));
      Vector v;
      poseAt(m, initial, t).velocityAt(x.data(), v.data());
      // Central differences err by dt^2 rate^3 r / 6 < 1e-9 and by rounding, 1e-16 / dt.
      for (int i = 0; i < 3; i++) EXPECT_NEAR(v[i], slope[i], 1e-8) << "t = " << t;
    }
}

TEST(Motion, RestsBeforeStartAndAfterStop) {
  Motion m = swing();
  m.displacement.clear();
  const Pose<double> initial;
  EXPECT_EQ(carried(m, initial, {1, 1, 1}, 0.2), carried(m, initial, {1, 1, 1}, -5));
  EXPECT_EQ(carried(m, initial, {1, 1, 1}, 1.8), carried(m, initial, {1, 1, 1}, 9));
  EXPECT_NEAR(length(carried(m, initial, {1, 1, 1}, 0.3) - Vector{1, 1, 1}), 0, 1e-15);
  EXPECT_EQ(poseAt(m, initial, 2).velocity[0], 0);
  EXPECT_EQ(poseAt(m, initial, 2).spin[1], 0);
}

TEST(Motion, TheAxisStandsStillUnlessItIsCarried) {
  Motion m;
  m.pivot = {1, 2, 0};
  m.rate = std::numbers::pi;
  const Vector x = carried(m, Pose<double>(), {2, 2, 0}, 0.5);  // a quarter turn about (1, 2)
  EXPECT_NEAR(x[0], 1, 1e-12);
  EXPECT_NEAR(x[1], 3, 1e-12);
}
