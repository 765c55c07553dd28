#include "scene/walls.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "scene/sampling.h"
#include "scene/vector.h"

using namespace brim;
using namespace brim::vectors;

namespace {

constexpr double d = 0.1;

std::function<double(double)> cubicSpline(int dimension, double h) {
  const double pi = std::numbers::pi, sigma = dimension == 3 ? 8 / (pi * h * h * h) : 40 / (7 * pi * h * h);
  return [=](double r) {
    const double q = r / h, a = std::max(0.0, 1 - q), b = std::max(0.0, 1 - 2 * q);
    return sigma * (2 * a * a * a - b * b * b);
  };
}

Scene tank(int dimension, double side, double support = 2) {
  Scene s;
  s.dimension = dimension;
  s.resolution = {d, support};
  s.domain.max = {side, side, side};
  return s;
}

// Densities over rho0 in a scene: samples of its walls and any fluid.
class Densities {
 public:
  Densities(const Scene& scene, const std::vector<Vector>& fluid)
      : cellVolume_(std::pow(d, scene.dimension)),
        h_(scene.resolution.support * d),
        W_(cubicSpline(scene.dimension, h_)),
        shapes_(solidShapes(scene)),
        walls(sampleWalls(scene, shapes_, W_)),
        wall_(h_),
        fluid_(h_) {
    for (std::size_t j = 0; j < walls.position.size(); j++) {
      Vector x = walls.position[j];
      if (walls.solid[j] >= 0) shapes_[walls.solid[j]].pose().toWorld(x.data(), x.data());
      wall_.add(x);
    }
    setFluid(fluid);
  }

  void setFluid(const std::vector<Vector>& fluid) {
    fluid_ = PointGrid(h_, fluid.size());
    for (const Vector& x : fluid) fluid_.add(x);
  }

  double ofWalls(const Vector& x) const {
    double rho = 0;
    wall_.visitWithin(x, h_, [&](int j, double r2) {
      rho += walls.volume[j] * W_(std::sqrt(r2));
      return false;
    });
    return rho;
  }
  double at(const Vector& x) const {
    double rho = ofWalls(x);
    fluid_.visitWithin(x, h_, [&](int, double r2) {
      rho += cellVolume_ * W_(std::sqrt(r2));
      return false;
    });
    return rho;
  }
  const SolidShape& solid(int i) const { return shapes_[i]; }
  const std::vector<Vector>& wallPlaces() const { return wall_.points(); }

 private:
  double cellVolume_, h_;
  std::function<double(double)> W_;
  std::vector<SolidShape> shapes_;

 public:
  WallSamples walls;

 private:
  PointGrid wall_, fluid_;
};

double ofInfiniteLattice(int dimension, double support) {
  const auto W = cubicSpline(dimension, support * d);
  const int n = 5;
  double rho = 0;
  for (int i = -n; i <= n; i++)
    for (int j = -n; j <= n; j++)
      for (int k = dimension == 3 ? -n : 0; k <= (dimension == 3 ? n : 0); k++)
        rho += std::pow(d, dimension) * W(d * std::sqrt(i * i + j * j + k * k));
  return rho;
}

// Lattice points with spacing s from `low` to `high` per axis, first at low + s / 2, for which `wanted` holds.
template <class F>
std::vector<Vector> lattice(int dimension, double low, double high, double s, F&& wanted) {
  std::vector<Vector> x;
  const int n = int(std::lround((high - low) / s));
  for (int k = 0; k < (dimension == 3 ? n : 1); k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        const Vector p = {low + (i + 0.5) * s, low + (j + 0.5) * s, dimension == 3 ? low + (k + 0.5) * s : 0};
        if (wanted(p)) x.push_back(p);
      }
  return x;
}

Shape ball(double radius) {
  Shape s;
  s.kind = "sphere";
  s.radius = radius;
  return s;
}

}  // namespace

TEST(Walls, RestingFluidHasItsDensityAtFacesEdgesAndCorners_PF19_CS10) {
  for (const int dim : {2, 3})
    for (const double support : {2.0, 2.5, 3.0}) {
      const auto fluid = lattice(dim, 0, 10 * d, d, [](const Vector&) { return true; });
      const Densities rho(tank(dim, 10 * d, support), fluid);
      // Samples continue the lattice: rounding only.
      for (const Vector& x : fluid) EXPECT_NEAR(rho.at(x), ofInfiniteLattice(dim, support), 1e-9);
    }
}

TEST(Walls, SidesThatAreNoMultipleOfTheSpacingKeepTheirPlace) {
  const double side = 30.3 * d, s = side / 30;
  const auto fluid = lattice(3, 0, side, s, [](const Vector&) { return true; });
  const Densities rho(tank(3, side), fluid);
  const double middle = rho.at({14.5 * s, 14.5 * s, 14.5 * s});
  // The fluid is stretched by 1 % and its inside reads 3 % less; wall samples stay at d/2 and weigh as the rest, so a face reads
  // 1 % more than the inside and a corner 1.5 %.
  for (const Vector& x : fluid) EXPECT_NEAR(rho.at(x), middle, 0.015);
  double least = 1e300;
  for (const Vector& x : rho.walls.position)
    least = std::min(least, length(lower(x, {0, 0, 0}) - upper(x - Vector{side, side, side}, {0, 0, 0})));
  EXPECT_NEAR(least, d / 2, 1e-12);
}

TEST(Walls, RestingFluidHasItsDensityAroundABoxEdgesAndCornersIncluded_PF19) {
  for (const int dim : {2, 3})
    for (const double support : {2.0, 3.0})
      for (const double turn : {0.0, 30.0}) {
        Scene scene = tank(dim, 30 * d, support);
        scene.domain.boundary = {"open", "open", "open"};
        Shape box;
        box.min = {10 * d, 10 * d, 10 * d}, box.max = {18 * d, 16 * d, 17 * d};
        box.rotate = {0, 0, turn};
        scene.solids.push_back({"", box, {}});
        // The fluid is laid out in the frame of the box, so that it turns with it.
        const SolidShape shape(scene, box, "");
        const Vector half = 0.5 * (box.max - box.min);
        std::vector<Vector> fluid;
        for (Vector x : lattice(dim, -13 * d, 13 * d, d, [](const Vector&) { return true; })) {
          for (int i = 0; i < dim; i++) x[i] -= half[i];  // in phase with the faces
          if (shape.bodyDistance(x) < 0 || length(x) > 11 * d) continue;
          shape.pose().toWorld(x.data(), x.data());
          fluid.push_back(x);
        }
        const Densities rho(scene, fluid);
        int near = 0;
        for (const Vector& x : fluid) {
          if (shape.distance(x) > d) continue;
          near++;
          EXPECT_NEAR(rho.at(x), ofInfiniteLattice(dim, support), 1e-9);  // the lattice goes on inside the box
        }
        EXPECT_GT(near, dim == 2 ? 20 : 100);
      }
}

TEST(Walls, ABoxAddsItsVolumeWhateverItsSides) {
  for (const double side : {0.3, 0.9, 1.0, 1.3, 2.0, 2.7, 3.0}) {  // in spacings: all of it lies in the layers
    Scene scene = tank(3, 2);
    scene.resolution.support = 3;
    Shape box;
    box.min = {1, 1, 1}, box.max = {1 + side * d, 1 + 3.2 * d, 1 + 3.6 * d};
    scene.solids.push_back({"", box, {}});
    const Densities rho(scene, {});
    double volume = 0;
    for (std::size_t j = 0; j < rho.walls.volume.size(); j++)
      if (rho.walls.solid[j] == 0) volume += rho.walls.volume[j];
    EXPECT_NEAR(volume, side * 3.2 * 3.6 * d * d * d, 1e-12) << side;
  }
}

// What a point `off` a ball (or inside a hollow one) sees of its first layer if that is spread evenly over its sphere.
double ofEvenSphere(double radius, int out, double off, double calibration) {
  const double pi = std::numbers::pi, depth = radius - out * d / 2, x = radius + out * off;
  const double shell = 4 * pi / 3 * std::abs(std::pow(radius, 3) - std::pow(radius - out * d, 3));
  const auto W = cubicSpline(3, 2 * d);
  double mean = 0;
  const int n = 4000;
  for (int i = 0; i < n; i++) {
    const double c = -1 + (i + 0.5) * 2 / n;  // equal areas for equal steps of the cosine
    mean += W(std::sqrt(depth * depth + x * x - 2 * depth * x * c)) / n;
  }
  return calibration * shell * mean;
}

TEST(Walls, CurvedWallsGiveTheSameEverywhere_PF19) {
  for (const double radius : {5 * d, 10 * d})
    for (const bool hollow : {false, true}) {
      Scene scene = tank(3, 1);
      scene.domain = {{-2, -2, -2}, {2, 2, 2}, {"open", "open", "open"}};
      scene.solids.push_back({"", ball(radius), {}});
      scene.solids[0].shape.inside_out = hollow;
      const Densities rho(scene, {});
      const int out = hollow ? -1 : 1;
      const double expected = ofEvenSphere(radius, out, d / 2, wallCalibration(3, d, 2, cubicSpline(3, 2 * d)));
      Random random(1);
      double mean = 0, square = 0;
      const int n = 2000;
      for (int i = 0; i < n; i++) {
        const Vector x = unit({random.number() - 0.5, random.number() - 0.5, random.number() - 0.5});
        const double seen = rho.ofWalls((radius + out * d / 2) * x);
        EXPECT_NEAR(seen, expected, 0.02);  // of rho0, at the worst place; 0.3 % is the standard deviation
        mean += seen / n, square += (seen - expected) * (seen - expected) / n;
      }
      EXPECT_NEAR(mean, expected, 0.002);
      EXPECT_LT(std::sqrt(square), 0.004);
    }
}

// What particles of a lattice, cut at any phase by a ball, see on average at 0.3 d to 0.7 d from it: of their lattice what the
// ball leaves, and of the ball its first layer. (An integral over the fluid would forget that no neighbour is nearer than d.)
double ofCutLattice(double radius, double calibration) {
  const auto W = cubicSpline(3, 2 * d);
  Random random(3);
  double sum = 0, weight = 0;
  for (int i = 0; i < 40000; i++) {  // a standard error of 2e-4
    Vector n;
    do n = {2 * random.number() - 1, 2 * random.number() - 1, 2 * random.number() - 1};
    while (dot(n, n) > 1 || dot(n, n) < 1e-4);
    const double r = radius + (0.3 + 0.4 * random.number()) * d;
    double rho = 0;
    for (int c = 0; c < 125; c++) {
      const Vector v = {d * (c % 5 - 2), d * (c / 5 % 5 - 2), d * (c / 25 - 2)};
      if (length(v) < 2 * d && length(r * unit(n) + v) > radius) rho += d * d * d * W(length(v));
    }
    sum += r * r * rho, weight += r * r;
  }
  double layer = 0, area = 0;
  for (int i = 0; i < 20; i++) {
    const double off = (0.3 + 0.4 * (i + 0.5) / 20) * d, r = radius + off;
    layer += r * r * ofEvenSphere(radius, 1, off, calibration), area += r * r;
  }
  return sum / weight + layer / area;
}

TEST(Walls, FluidCutOutAroundABallHasTheDensityItsLatticeLeaves_PF19) {
  for (const double radius : {5 * d, 10 * d}) {
    Scene scene = tank(3, 1);
    scene.domain = {{-2, -2, -2}, {2, 2, 2}, {"open", "open", "open"}};
    scene.solids.push_back({"", ball(radius), {}});
    Densities rho(scene, {});
    double mean = 0;
    int n = 0;
    Random random(2);
    const int phases = 40;
    for (int phase = 0; phase < phases; phase++) {
      const Vector shift = {d * random.number(), d * random.number(), d * random.number()};
      std::vector<Vector> fluid;
      for (const Vector& x : lattice(3, -1.5, 1.5, d, [](const Vector&) { return true; }))
        if (const double r = length(x + shift); r > radius && r < radius + 2.8 * d) fluid.push_back(x + shift);
      rho.setFluid(fluid);
      for (const Vector& x : fluid)
        if (std::abs(length(x) - radius - d / 2) < 0.2 * d) mean += rho.at(x), n++;
    }
    const double expected = ofCutLattice(radius, wallCalibration(3, d, 2, cubicSpline(3, 2 * d)));
    // Phases differ by 0.5 % (standard deviation, 5 d): three standard errors of 40 are 0.0024; the samples' own mean is within
    // 0.001.
    EXPECT_NEAR(mean / n, expected, 0.0035);
    // What is left of the walls' aim: 3 % too little, at flat walls too where the fluid is not laid out along them.
    EXPECT_NEAR(expected, 0.97, 0.002);
  }
}

TEST(Walls, SamplesLieHalfASpacingInsideTheirSolid) {
  for (const int dim : {2, 3})
    for (const std::string kind : {"sphere", "capsule", "cylinder"}) {
      if (dim == 2 && kind == "cylinder") continue;
      Scene scene = tank(dim, 4);
      Shape s = ball(4 * d);
      s.kind = kind;
      s.centre = {2, 2, 2}, s.from = {1.5, 2, 2}, s.to = {2.5, 2.2, 2};
      if (dim == 2) s.centre[2] = s.from[2] = s.to[2] = 0;
      scene.solids.push_back({"", s, {}});
      const Densities rho(scene, {});
      int n = 0;
      for (std::size_t j = 0; j < rho.walls.solid.size(); j++) {
        if (rho.walls.solid[j] < 0) continue;
        EXPECT_NEAR(rho.solid(0).distance(rho.wallPlaces()[j]), -d / 2, 0.01 * d);  // to where the gradient is followed
        n++;
      }
      EXPECT_GT(n, 20);
    }
}

TEST(Walls, SolidsThinnerThanALayerKeepTheirVolume) {
  for (const int dim : {2, 3}) {
    Scene scene = tank(dim, 2);
    scene.solids.push_back({"", ball(0.3 * d), {}});
    scene.solids[0].shape.centre = {1, 1, dim == 3 ? 1.0 : 0.0};
    const Densities rho(scene, {});
    double volume = 0;
    for (std::size_t j = 0; j < rho.walls.volume.size(); j++)
      if (rho.walls.solid[j] == 0) volume += rho.walls.volume[j];
    // Three grains across a spacing see a ball of 0.6 spacings roughly.
    EXPECT_NEAR(volume, rho.solid(0).volume(), 0.35 * rho.solid(0).volume());
  }
}

TEST(Walls, WhatSolidsShareIsCountedOnce_PF19) {
  // A wall that stands on the floor and one that goes through it give the fluid in their corner the same density.
  for (const double below : {0.0, 0.13, 0.5}) {
    Scene scene = tank(3, 20 * d);
    Shape box;
    box.min = {10 * d, -below, 0}, box.max = {20 * d, 10 * d, 20 * d};
    scene.solids.push_back({"", box, {}});
    const auto fluid = lattice(3, 0, 20 * d, d, [](const Vector& x) { return x[0] < 10 * d; });
    const Densities rho(scene, fluid);
    const double exact = ofInfiniteLattice(3, 2);
    // Where the box is in phase with the floor its samples continue the lattice. Else the one that the floor cuts keeps its place
    // when it loses its lower part: 1.5 % in the corner.
    for (const Vector& x : fluid)
      if (x[1] < 8 * d) {
        EXPECT_NEAR(rho.at(x), exact, below == 0.13 ? 0.02 : 1e-9) << x[1] << ' ' << below;
      }
  }
}

TEST(Walls, PeriodicAxesHaveOnePeriodAndNoWall) {
  Scene scene = tank(2, 10.3 * d);
  scene.domain.boundary = {"periodic", "walls", "walls"};
  const Densities rho(scene, {});
  ASSERT_EQ(rho.walls.position.size(), 20u);  // ten below, ten above
  double volume = 0;
  for (const double v : rho.walls.volume) volume += v;
  EXPECT_NEAR(volume, 2 * 10.3 * d * d, 1e-12);
  for (const Vector& x : rho.walls.position) EXPECT_TRUE(x[0] > 0 && x[0] < 10.3 * d);
}

TEST(Walls, APlaneIsAWall) {
  for (const int dim : {2, 3})
    for (const double slope : {0.0, 0.5}) {
      Scene scene = tank(dim, 20 * d);
      scene.domain.boundary = {"open", "open", "open"};
      Shape plane;
      plane.kind = "plane";
      plane.point = {10 * d, 10 * d, 0};
      plane.normal = {slope, 1, 0};
      scene.solids.push_back({"", plane, {}});
      const Densities rho(scene, {});
      const double expected = wallCalibration(dim, d, 2, cubicSpline(dim, 2 * d));
      EXPECT_NEAR(expected, 1, 0.01);
      const Vector n = unit(plane.normal), t = {n[1], -n[0], 0};
      double mean = 0;
      for (int i = 0; i < 50; i++)
        mean += rho.ofWalls(plane.point + (d / 2) * n + (0.02 * i * d) * t + Vector{0, 0, dim == 3 ? 1.0 : 0}) / 50;
      // d times the integral of W over the plane at distance d: 0.15 in 3D, 0.1593 in 2D (by hand, cubic spline, h = 2 d).
      EXPECT_NEAR(mean, dim == 3 ? 0.15 : 0.1593, 0.001);
    }
}

TEST(Walls, WhatNoFluidCanFeelIsLeftOut) {
  Scene scene = tank(2, 20 * d);
  Shape box;
  box.min = {-40 * d, 5 * d, 0}, box.max = {40 * d, 60 * d, 0};
  scene.solids.push_back({"", box, {}});
  const Densities rho(scene, {});
  for (const Vector& x : rho.wallPlaces()) {
    EXPECT_GT(x[0], -2.1 * d);
    EXPECT_LT(x[0], 22.1 * d);
    EXPECT_LT(x[1], 7.1 * d);  // the domain's walls inside the box, deeper than the support
  }
  scene.solids[0].motion.velocity = {0, 1, 0};  // what moves may come back
  EXPECT_GT(Densities(scene, {}).walls.position.size(), rho.walls.position.size());
}

TEST(Walls, SamplesAreTheSameBitsForAnyNumberOfThreads) {
  Scene scene = tank(3, 2);
  scene.solids.push_back({"", ball(4 * d), {}});
  scene.solids[0].shape.centre = {1, 1, 1};
  const auto with = [&](std::size_t threads) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return Densities(scene, {}).walls;
  };
  const WallSamples a = with(1), b = with(2), c = with(7);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.volume, b.volume);
  EXPECT_EQ(a.position, c.position);
  EXPECT_EQ(a.volume, c.volume);
}

TEST(Walls, AFlatMeshIsAsGoodAWallAsABox_PF18_PF19_X02) {
  const auto folder = std::filesystem::temp_directory_path() / ("brim_walls_test_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  Primitive<double> box;
  box.kind = Kind::box;
  box.size[0] = 8 * d, box.size[1] = 4 * d, box.size[2] = 8 * d;
  const Mesh m = triangulate(box, 1);
  {
    std::ofstream out(folder / "slab.obj");
    for (const Vector& p : m.points) out << "v " << p[0] << ' ' << p[1] << ' ' << p[2] << '\n';
    for (const auto& t : m.triangles) out << "f " << t[0] + 1 << ' ' << t[1] + 1 << ' ' << t[2] + 1 << '\n';
  }
  Scene scene = tank(3, 1);
  scene.file = (folder / "scene.toml").string();
  scene.domain = {{-2, -2, -2}, {2, 2, 2}, {"open", "open", "open"}};
  Shape slab;
  slab.kind = "mesh", slab.file = "slab.obj";
  scene.solids.push_back({"", slab, {}});
  const Densities rho(scene, {});
  std::filesystem::remove_all(folder);
  double mean = 0, worst = 0;
  for (int i = 0; i < 2000; i++) {
    const Vector x = {(i % 50 - 25) * 0.2 * d, 4.5 * d, (i / 50 - 20) * 0.25 * d};  // over the middle of the upper face
    const double seen = rho.ofWalls(x);
    mean += seen / 2000, worst = std::max(worst, std::abs(seen - 0.15));
  }
  EXPECT_NEAR(mean, 0.15, 0.002);  // of rho0; 0.15 is what the lattice behind the face would give
  EXPECT_LT(worst, 0.015);         // between irregular samples; the standard deviation is 0.3 %
}
