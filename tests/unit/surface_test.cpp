#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "brim/simulation.h"
#include "helpers.h"
#include "io/mesh_files.h"
#include "scene/sampling.h"
#include "surface/cloud.h"
#include "surface/ellipsoids.h"
#include "surface/vdb.h"

using namespace brim;

namespace {

constexpr double d = 0.05;  // [m] spacing

// Particles on a lattice where `inside` says so, moved by up to `jitter` spacings.
template <class F>
Snapshot liquid(F inside, double jitter = 0) {
  Snapshot s;
  Random random(7);
  for (int z = 0; z < 20; ++z)
    for (int y = 0; y < 20; ++y)
      for (int x = 0; x < 20; ++x) {
        const Vector p = {(x + 0.5) * d, (y + 0.5) * d, (z + 0.5) * d};
        if (!inside(p)) continue;
        for (const double c : p) s.position.push_back(c + jitter * d * (2 * random.number() - 1));
        s.velocity.insert(s.velocity.end(), {float(p[1]), 2, 0});
        s.id.push_back(std::int64_t(s.id.size()));
      }
  return s;
}

bool inBall(const Vector& p) { return std::hypot(p[0] - 0.5, p[1] - 0.5, p[2] - 0.5) < 0.4; }
bool inBox(const Vector& p) { return p[0] < 0.7 && p[1] < 0.5; }
bool inSheet(const Vector& p) { return p[1] > 0.45 && p[1] < 0.55; }
bool inOneLayer(const Vector& p) { return p[1] > 0.45 && p[1] < 0.5; }

// Every side of a triangle is met by one that runs the other way, and the triangles around each point form one ring.
void expectManifold(const Mesh& m) {
  std::map<std::pair<int, int>, int> next;  // directed side -> the corner across it
  for (const auto& t : m.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      ASSERT_NE(t[k], t[(k + 1) % 3]);
      ASSERT_TRUE(next.emplace(std::pair(t[k], t[(k + 1) % 3]), t[(k + 2) % 3]).second) << "two triangles on one side of an edge";
    }
  std::vector<int> degree(m.points.size(), 0), start(m.points.size(), -1);
  for (const auto& [side, across] : next) {
    ASSERT_TRUE(next.count({side.second, side.first})) << "an open edge";
    ++degree[std::size_t(side.first)];
    start[std::size_t(side.first)] = side.second;
  }
  for (std::size_t p = 0; p < m.points.size(); ++p) {
    ASSERT_GT(degree[p], 2) << "a point without triangles";
    int steps = 0, at = start[p];
    do {
      at = next.at({int(p), at});
      ++steps;
    } while (at != start[p] && steps <= degree[p]);
    ASSERT_EQ(steps, degree[p]) << "two surfaces touch in a point";
  }
}

double volumeOver(const LiquidSurface& s, const Snapshot& of, double spacing = d) {
  return volume(s.mesh) / (double(of.size()) * spacing * spacing * spacing);
}

}  // namespace

class SurfaceMethod : public testing::TestWithParam<std::string> {};

// The level is shifted to the volume; what is left is where the search stops, 0.2 %, and what lone drops keep it from reaching.
TEST_P(SurfaceMethod, IsAManifoldWithTheVolumeOfTheLiquid) {
  for (const double jitter : {0., 0.3})
    for (const auto& shape : {inBall, inBox, inSheet, inOneLayer}) {
      const Snapshot s = liquid(shape, jitter);
      const LiquidSurface surface = surfaceOf(s, d, {GetParam()});
      expectManifold(surface.mesh);
      EXPECT_EQ(defect(surface.mesh), "");
      EXPECT_NEAR(volumeOver(surface, s), 1, 0.03) << s.size() << " particles, jitter " << jitter;
    }
}

INSTANTIATE_TEST_SUITE_P(EveryMethod, SurfaceMethod, testing::ValuesIn(surfaceMethods()),
                         [](const auto& info) { return info.param; });

TEST(LiquidSurface, OfABreakingDamIsAManifoldWithItsVolume_CF29) {
  Scene scene = test::domain("pbf", 3, {1, 1, 0.5}, 0.04, "walls");
  test::fill(scene, test::box({0, 0, 0}, {0.4, 0.6, 0.5}));
  Simulation sim(scene);
  test::advanced(sim, 0.45);  // it has hit the wall and splashes
  const Snapshot s = sim.snapshot();
  const LiquidSurface surface = surfaceOf(s, 0.04);
  expectManifold(surface.mesh);
  EXPECT_NEAR(volumeOver(surface, s, 0.04), 1, 0.03);
}

TEST(LiquidSurface, DoesNotDependOnThreadsOrThePlace) {
  const Snapshot s = liquid(inBall, 0.3);
  const LiquidSurface a = surfaceOf(s, d), b = surfaceOf(s, d);
  EXPECT_EQ(a.mesh.points, b.mesh.points);
  EXPECT_EQ(a.mesh.triangles, b.mesh.triangles);
  Snapshot far = s;
  for (double& x : far.position) x += 1e5;
  const LiquidSurface c = surfaceOf(far, d);
  ASSERT_EQ(c.mesh.points.size(), a.mesh.points.size());
  // Differences of doubles at 1e5 m round at 1e-11 m, single-precision places at 1e-6 spacings.
  for (std::size_t k = 0; k < a.mesh.points.size(); ++k) EXPECT_NEAR(c.mesh.points[k][0] - 1e5, a.mesh.points[k][0], 1e-5);
}

// A linear field of velocities is reproduced where neighbours lie evenly; at the surface they lie within, by less than a spacing.
TEST(LiquidSurface, CarriesTheVelocitiesOfTheLiquid) {
  const LiquidSurface s = surfaceOf(liquid(inBall), d);
  for (std::size_t k = 0; k < s.mesh.points.size(); ++k) {
    EXPECT_NEAR(s.velocity[k][0], s.mesh.points[k][1], 1.2 * d);
    EXPECT_NEAR(s.velocity[k][1], 2, 1e-4);
  }
}

TEST(LiquidSurface, OfNothingIsNothingAndOfFlatFramesIsRefused) {
  EXPECT_TRUE(surfaceOf(Snapshot(), d).mesh.triangles.empty());
  Snapshot flat;
  flat.dimension = 2;
  EXPECT_THROW(surfaceOf(flat, d), Failure);
  Snapshot broken = liquid(inSheet);
  broken.position[4] = std::nan("");
  EXPECT_EQ(defect(surfaceOf(broken, d).mesh), "");
  for (const double lost : {-1e9, 1e9}) {  // a drop a million kilometres away is one drop more, and blurs nothing
    Snapshot drops = liquid(inBall);
    drops.position[0] = lost;
    EXPECT_NEAR(volumeOver(surfaceOf(drops, d), drops), 1, 0.03);
  }
}

TEST(Ellipsoids, AreFlatAtTheSurfaceAndRoundWithin_PB18) {
  const Snapshot s = liquid(inBox);
  const Cloud cloud(s, d, ellipsoidReach);
  const auto all = ellipsoids(cloud, 3);
  int top = 0, inner = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double* x = &s.position[3 * std::size_t(cloud.order()[k])];
    const auto& e = all[k];
    // Half the bodies of the ellipsoids along y and along x. All have the same volume.
    const double high = e.extent[1], wide = e.extent[0];
    if (x[1] > 0.47 && x[0] > 0.2 && x[0] < 0.5 && std::abs(x[2] - 0.5) < 0.3) {
      EXPECT_LT(high, 0.75 * wide);
      // The surface stays where it is: the centre moves by less than a tenth of a spacing.
      EXPECT_NEAR(e.centre[1], cloud.places()[k][1], 0.1);
      ++top;
    }
    if (std::abs(x[0] - 0.35) < 0.1 && std::abs(x[1] - 0.25) < 0.05 && std::abs(x[2] - 0.5) < 0.2) {
      EXPECT_NEAR(high / wide, 1, 0.02);
      ++inner;
    }
  }
  EXPECT_GT(top, 30);
  EXPECT_GT(inner, 10);
}

TEST(Ellipsoids, EigenvectorsRebuildTheMatrix) {
  const std::array<double, 6> m = {2, 1.5, 0.3, 0.4, -0.7, 0.2};
  std::array<double, 3> values;
  std::array<std::array<double, 3>, 3> v;
  eigen(m, values, v);
  EXPECT_GE(values[0], values[1]);
  EXPECT_GE(values[1], values[2]);
  const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  for (std::size_t c = 0; c < 6; ++c) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += values[k] * v[std::size_t(row[c])][k] * v[std::size_t(column[c])][k];
    EXPECT_NEAR(sum, m[c], 1e-12);
  }
}

TEST(SurfaceFiles, AreReadBack) {
  const auto folder = std::filesystem::path(testing::TempDir()) / ("brim_surface_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const Snapshot particles = liquid(inBall);
  const LiquidSurface s = surfaceOf(particles, d);
  writeSurfacePly(folder / "a.ply", s, 0.25);
  const LiquidSurface b = readSurfacePly(folder / "a.ply");
  EXPECT_EQ(b.mesh.triangles, s.mesh.triangles);
  EXPECT_EQ(b.velocity, s.velocity);
  for (std::size_t k = 0; k < s.mesh.points.size(); ++k) EXPECT_EQ(b.mesh.points[k][2], double(float(s.mesh.points[k][2])));
  // A mesh file reads both, joined and closed, with the volume.
  writeSurfaceObj(folder / "a.obj", s, 0.25);
  for (const char* name : {"a.ply", "a.obj"})
    EXPECT_NEAR(volume(readMesh(folder / name, 1, {0, 0, 0}, {})), volume(s.mesh), 1e-5);
  if (vdbAvailable()) {
    writeSurfaceVdb(folder / "a.vdb", s, d / 2, 0.25);
    const VdbFacts facts = readSurfaceVdb(folder / "a.vdb");
    EXPECT_EQ(facts.name, "surface");
    EXPECT_NEAR(facts.volume / volume(s.mesh), 1, 0.01);  // measured over cells of half a spacing
  } else {
    EXPECT_THROW(writeSurfaceVdb(folder / "a.vdb", s, d / 2, 0.25), Failure);
  }
  std::filesystem::remove_all(folder);
}
