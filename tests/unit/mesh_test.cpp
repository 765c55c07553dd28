#include "scene/mesh.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "scene/sampling.h"
#include "scene/shape.h"
#include "scene/vector.h"

using namespace brim;
using namespace brim::vectors;

namespace {

class MeshFile : public testing::Test {
 protected:
  std::filesystem::path folder = std::filesystem::temp_directory_path() / ("brim_mesh_test_" + std::to_string(getpid()));
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }

  // What reading the file is answered with; "" if it is accepted.
  std::string answer(const std::string& file) {
    try {
      readMesh(file, 1, {0, 0, 0}, {"tank.toml", 12, 8});
      return "";
    } catch (const SceneError& e) {
      EXPECT_EQ(e.mistakes().at(0).at.line, 12);
      return e.mistakes()[0].what;
    }
  }
};

Mesh cube(const Vector& half, double edge = 10) {
  Primitive<double> p;
  p.kind = Kind::box;
  for (int i = 0; i < 3; i++) p.size[i] = half[i];
  return triangulate(p, edge);
}

Mesh globe(double radius, double edge) {
  Primitive<double> p;
  p.size[0] = radius;
  return triangulate(p, edge);
}

std::string obj(const Mesh& m) {
  std::ostringstream out;
  out.precision(9);
  for (const Vector& p : m.points) out << "v " << p[0] << ' ' << p[1] << ' ' << p[2] << '\n';
  for (const auto& t : m.triangles) out << "f " << t[0] + 1 << ' ' << t[1] + 1 << ' ' << t[2] + 1 << '\n';
  return out.str();
}

std::string ply(const Mesh& m) {
  std::ostringstream out;
  out << "ply\nformat ascii 1.0\nelement vertex " << m.points.size() << "\nproperty float x\nproperty float y\nproperty float z\n"
      << "element face " << m.triangles.size() << "\nproperty list uchar int vertex_indices\nend_header\n";
  for (const Vector& p : m.points) out << p[0] << ' ' << p[1] << ' ' << p[2] << '\n';
  for (const auto& t : m.triangles) out << "3 " << t[0] << ' ' << t[1] << ' ' << t[2] << '\n';
  return out.str();
}

std::string stl(const Mesh& m) {
  std::ostringstream out;
  out << "solid thing\n";
  for (const auto& t : m.triangles) {
    out << "facet normal 0 0 0\nouter loop\n";
    for (const int v : t) out << "vertex " << m.points[v][0] << ' ' << m.points[v][1] << ' ' << m.points[v][2] << '\n';
    out << "endloop\nendfacet\n";
  }
  out << "endsolid thing\n";
  return out.str();
}

Vector randomPoint(Random& random, double reach) {
  return {reach * (2 * random.number() - 1), reach * (2 * random.number() - 1), reach * (2 * random.number() - 1)};
}

}  // namespace

TEST_F(MeshFile, ReadsObjPlyAndStlToTheSameSolid) {
  const Mesh m = cube({0.5, 0.25, 1}, 0.3);
  for (const auto& [name, text] : {std::pair{"a.obj", obj(m)}, {"a.ply", ply(m)}, {"a.stl", stl(m)}}) {
    const Mesh read = readMesh(write(name, text), 2, {5, 0, 0}, {});
    EXPECT_EQ(read.points.size(), m.points.size()) << name;  // STL repeats its points; equal ones are joined
    EXPECT_EQ(read.triangles.size(), m.triangles.size()) << name;
    EXPECT_NEAR(volume(read), 8, 1e-5) << name;  // 2^3 sides of 1 x 0.5 x 2; text of six digits
    EXPECT_NEAR(bounds(read.points)[0][0], 4, 1e-6) << name;
  }
}

TEST_F(MeshFile, MeshesThatAreInsideOutAreTurned) {
  Mesh m = cube({1, 1, 1});
  for (auto& t : m.triangles) std::swap(t[0], t[1]);
  EXPECT_LT(volume(m), 0);
  EXPECT_NEAR(volume(readMesh(write("a.obj", obj(m)), 1, {0, 0, 0}, {})), 8, 1e-6);
}

TEST_F(MeshFile, HolesAreCountedAndPlaced) {
  Mesh m = cube({1, 1, 1}, 0.5);
  // Two far triangles: two holes of three edges each.
  m.triangles.erase(m.triangles.begin());
  m.triangles.pop_back();
  const std::string what = answer(write("sieve.obj", obj(m)));
  EXPECT_NE(what.find("sieve.obj: the mesh has 2 holes (6 open edges, the first near ("), std::string::npos) << what;
}

TEST_F(MeshFile, BadFilesAreTheUsersMistakes) {
  EXPECT_NE(answer((folder / "none.obj").string()).find("no such mesh file"), std::string::npos);
  EXPECT_NE(answer(write("empty.obj", "")), "");
  EXPECT_NE(answer(write("words.stl", "hello there\n")), "");
  EXPECT_NE(answer(write("nothing.ply", ply({}))), "");

  Mesh folded = cube({1, 1, 1});
  std::swap(folded.triangles[0][0], folded.triangles[0][1]);
  EXPECT_NE(answer(write("folded.obj", obj(folded))).find("opposite ways"), std::string::npos);

  Mesh shared = cube({1, 1, 1});  // two cubes that share an edge
  for (const Vector& p : cube({1, 1, 1}).points) shared.points.push_back(p + Vector{2, 2, 0});
  for (auto t : cube({1, 1, 1}).triangles) shared.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  EXPECT_NE(answer(write("shared.obj", obj(shared))).find("more than two triangles"), std::string::npos);

  std::string text = obj(cube({1, 1, 1}));
  text.replace(text.find("v ") + 2, 2, "nan");
  EXPECT_NE(answer(write("nan.obj", text)), "");
}

TEST(ClosestPoint, MatchesTheExactDistanceOfABox_X02) {
  const Vector half = {0.5, 0.25, 1};
  const ClosestPoint tree(cube(half, 0.2));
  Primitive<double> box;
  box.kind = Kind::box;
  for (int i = 0; i < 3; i++) box.size[i] = half[i];
  Random random(3);
  for (int i = 0; i < 3000; i++) {
    const Vector x = randomPoint(random, 1.5);
    EXPECT_NEAR(tree.distance(x), box.distance(x.data()), 1e-12);  // rounding only
  }
  // At corners and edges a face's own normal would give the wrong sign.
  EXPECT_GT(tree.distance({0.6, 0.3, 1.1}), 0);
  EXPECT_GT(tree.distance({0.6, 0, 1.1}), 0);
  EXPECT_LT(tree.distance({0.499, 0.249, 0.999}), 0);
}

TEST(ClosestPoint, SignsAreRightBesideSharpEdgesAndTips) {
  // Beyond the tip of a needle the plane of a single face would call half of the outside inside.
  Random random(8);
  for (int trial = 0; trial < 20; trial++) {
    Mesh needle;
    needle.points = {{0, 0, 0}, {0.1, 0, 0}, {0.03, 0.1, 0}, randomPoint(random, 1)};
    needle.points[3][2] = 1 + random.number();
    needle.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    ASSERT_GT(volume(needle), 0);
    const ClosestPoint tree(needle);
    for (int i = 0; i < 500; i++) {
      const Vector x = (i % 2 ? needle.points[3] : needle.points[i % 3]) + randomPoint(random, 0.1);
      bool inside = true;  // of a convex solid: behind every face
      for (const auto& t : needle.triangles) {
        const Vector &a = needle.points[t[0]], &b = needle.points[t[1]], &c = needle.points[t[2]];
        inside = inside && dot(cross(b - a, c - a), x - a) < 0;
      }
      ASSERT_EQ(tree.distance(x) < 0, inside);
    }
  }
}

TEST(ClosestPoint, FindsWhatLookingAtEveryTriangleFinds) {
  const Mesh m = globe(1, 0.25);
  const ClosestPoint tree(m);
  Random random(4);
  // Points on the surface: no vertex, edge or face may be nearer than the answer, and the answer lies on the surface.
  const auto surface = samplePoissonDisk(m, 0.02, 5);
  for (int i = 0; i < 100; i++) {
    const Vector x = randomPoint(random, 1.5);
    double nearest = 1e300;
    for (const Vector& y : surface) nearest = std::min(nearest, length(x - y));
    const auto hit = tree.nearest(x);
    EXPECT_LE(std::abs(hit.distance), nearest + 1e-12);
    EXPECT_GE(std::abs(hit.distance), nearest - 0.021);  // a sample is at most 1.01 * 0.02 from the nearest point
    EXPECT_NEAR(length(x - hit.point), std::abs(hit.distance), 1e-12);
    EXPECT_EQ(tree.distance(x, 0.01), hit.distance);  // a bound that is too small does no harm
  }
}

TEST(BakedDistance, HasExactSignsAndIsExactAtNodesByTheSurface_X02) {
  for (const Mesh& m : {globe(1, 0.1), cube({1, 0.03, 0.4}), cube({0.04, 0.03, 0.05})}) {  // round, thinner than a cell, tiny
    const ClosestPoint tree(m);
    const DistanceGrid g = bake(tree, 0.05);
    std::size_t at = 0;
    for (int k = 0; k < g.nodes[2]; k++)
      for (int j = 0; j < g.nodes[1]; j++)
        for (int i = 0; i < g.nodes[0]; i++, at++) {
          if ((i + j + k) % 3) continue;  // a third of them, to be quick
          const double exact = tree.distance(g.origin + g.cell * Vector{double(i), double(j), double(k)});
          ASSERT_EQ(g.values[at] < 0, exact < 0);
          if (std::abs(exact) < 1.5 * g.cell) {
            ASSERT_FLOAT_EQ(g.values[at], float(exact));
          }
        }
  }
}

TEST(BakedDistance, IsCloseBetweenNodes_X02) {
  const ClosestPoint tree(globe(1, 0.1));
  const DistanceGrid g = bake(tree, 0.05);
  Primitive<double> p;
  p.kind = Kind::mesh;
  p.grid = g.values.data();
  p.cell = g.cell;
  for (int i = 0; i < 3; i++) p.nodes[i] = g.nodes[i], p.origin[i] = g.origin[i];
  Random random(6);
  for (int i = 0; i < 2000; i++) {
    const Vector x = randomPoint(random, 1.15);
    const double exact = tree.distance(x), baked = p.distance(x.data());
    // Within two cells all nodes around are exact: cell^2 / 8r per curved direction, and the facets' edges. Farther out, values
    // lie between the corners of blocks of 4 cells, where a distance can differ by the way to the block's middle.
    EXPECT_NEAR(baked, exact, std::abs(exact) < 2 * g.cell ? 0.003 : 2 * std::sqrt(3.0) * g.cell)
        << x[0] << ' ' << x[1] << ' ' << x[2];
  }
  EXPECT_LE(bake(tree, 0.001, 20000).values.size(), 20000u);
}

TEST_F(MeshFile, ASolidOfAMeshIsTheSolidOfItsPrimitive_X02) {
  write("box.obj", obj(cube({0.5, 0.25, 1}, 0.3)));
  Scene scene;
  scene.file = (folder / "scene.toml").string();
  scene.resolution.spacing = 0.1;
  Shape mesh, box;
  mesh.kind = "mesh";
  mesh.file = "box.obj";
  mesh.translate = {1, 2, 3};
  box.min = {0.5, 1.75, 2}, box.max = {1.5, 2.25, 4};
  mesh.rotate = box.rotate = {15, 25, 35};
  const SolidShape a(scene, mesh, "solids[0]"), b(scene, box, "solids[1]");
  EXPECT_NEAR(a.volume(), b.volume(), 1e-9);
  Random random(7);
  for (int i = 0; i < 500; i++) {
    const Vector x = Vector{1, 2, 3} + randomPoint(random, 1.5);
    EXPECT_NEAR(a.distance(x), b.distance(x), 1e-7);  // the file has nine digits, read as floats
    if (std::abs(b.distance(x)) > 1e-3) {
      EXPECT_NEAR(dot(a.normal(x), b.normal(x)), 1, 1e-3);
    }
  }
}
