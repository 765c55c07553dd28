#include "scene/mesh_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>

#include "scene/mesh.h"

using namespace brim;

namespace {

const std::string tetrahedron =
    "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty "
    "uchar red\n"
    "element face 4\nproperty list uchar int vertex_indices\nend_header\n0 0 0 9\n1 0 0 9\n0 1 0 9\n0 0 1 9\n3 0 2 1\n3 0 1 3\n3 "
    "1 2 3\n3 0 3 2\n";

template <class T>
void put(std::string& to, T value, bool big) {
  char b[sizeof value];
  std::memcpy(b, &value, sizeof value);
  if (big == (std::endian::native == std::endian::little)) std::reverse(b, b + sizeof value);
  to.append(b, sizeof value);
}

std::string binaryTetrahedron(bool big) {
  std::string s = std::string("ply\nformat binary_") + (big ? "big" : "little") +
                  "_endian 1.0\nelement vertex 4\nproperty double x\nproperty double y\nproperty double z\nelement face 4\n"
                  "property list uchar ushort vertex_index\nend_header\n";
  for (const double x : {0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.}) put(s, x, big);
  for (const auto& t : {std::array{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}) {
    put(s, std::uint8_t(3), big);
    for (const int v : t) put(s, std::uint16_t(v), big);
  }
  return s;
}

}  // namespace

TEST(MeshFormats, PlyIsReadAsTextAndInBothByteOrders) {
  for (const std::string& text : {tetrahedron, binaryTetrahedron(false), binaryTetrahedron(true)}) {
    const Mesh m = parsePly(text);
    ASSERT_EQ(m.triangles.size(), 4u);
    EXPECT_DOUBLE_EQ(volume(m), 1. / 6);
    EXPECT_EQ(defect(m), "");
  }
}

TEST(MeshFormats, ObjCountsFromOneAndBackwardsAndIgnoresTheRest) {
  const Mesh m = parseObj(
      "# a tetrahedron\nmtllib other.mtl\no x\nv 0 0 0\nv 1 0 0 1.0\nv 0 1 \\\n 0\nv 0 0 1\r\nvn 0 0 1\nf 1/1/1 3//1 2 # note\n"
      "f -4 -3 -1\nf 2 3 4\nf 1 4 3\n");
  ASSERT_EQ(m.triangles.size(), 4u);
  EXPECT_DOUBLE_EQ(volume(m), 1. / 6);
}

TEST(MeshFormats, FacesThatAreNotConvexAreCutIntoTheirArea) {
  // An arrow's head seen from above, beginning at each of its corners: a fan would cover what lies outside.
  const std::string points = "v 0 0 0\nv 2 -1 0\nv 0 3 0\nv -2 -1 0\n";
  for (const char* face : {"f 1 2 3 4\n", "f 2 3 4 1\n", "f 3 4 1 2\n", "f 4 1 2 3\n"}) {
    const Mesh m = parseObj(points + face);
    ASSERT_EQ(m.triangles.size(), 2u);
    double area = 0;
    for (const auto& t : m.triangles) {
      const Vector &a = m.points[t[0]], &b = m.points[t[1]], &c = m.points[t[2]];
      const double twice = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
      EXPECT_GT(twice, 0);
      area += twice / 2;
    }
    EXPECT_DOUBLE_EQ(area, 6);
  }
}

TEST(MeshFormats, StlIsReadAsTextAndAsBytes) {
  std::string bytes(80, 's');
  bytes.replace(0, 5, "solid");
  put(bytes, std::uint32_t(1), false);
  for (const float x : {0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, 0.f}) put(bytes, x, false);
  put(bytes, std::uint16_t(0), false);
  const Mesh m = parseStl(bytes);
  ASSERT_EQ(m.triangles.size(), 1u);
  EXPECT_EQ(m.points[1], (Vector{1, 0, 0}));
  EXPECT_EQ(
      parseStl("solid a facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet endsolid").points,
      m.points);
  EXPECT_THROW(parseStl(bytes.substr(0, bytes.size() - 1)), MeshError);
}

TEST(MeshFormats, LiesAreToldAndNotFollowed) {
  const auto refused = [](const std::string& a, const std::string& b) {
    std::string text = tetrahedron;
    const auto at = text.find(a);
    ASSERT_NE(at, text.npos);
    text.replace(at, a.size(), b);
    EXPECT_THROW(parsePly(text), MeshError) << b;
  };
  refused("vertex 4", "vertex 18446744073709551615");
  refused("vertex 4", "vertex 9000000000000000000");
  refused("vertex 4", "vertex -1");
  refused("face 4", "face 5");
  refused("3 0 2 1", "3 0 2 4");
  refused("3 0 2 1", "3 0 2 -1");
  refused("3 0 2 1", "3 0 2 0.5");
  refused("3 0 2 1", "4000000000 0 2 1");
  refused("0 0 0 9", "0 0 nan 9");
  refused("0 0 0 9", "0 0 1e999 9");
  refused("property float z", "property float w");
  refused("list uchar int", "list float int");
  refused("end_header", "end");
  refused("ascii", "utf8");
  EXPECT_THROW(parsePly("ply\nformat ascii 1.0\nelement nothing 9000000000000000000\nend_header\n"), MeshError);
  EXPECT_THROW(parseObj("v 0 0 0\nf 1 1 99999999999999999999\n"), MeshError);
  EXPECT_THROW(parseObj("v 0 0 0\nf 0 1 1\n"), MeshError);
  EXPECT_THROW(parseObj("v 0 0 0\nf -2 1 1\n"), MeshError);
  std::string wide = "v 0 0 0\nf";
  for (int k = 0; k < 300000; ++k) wide += " 1";
  EXPECT_THROW(parseObj(wide), MeshError);
}

TEST(MeshFormats, NoChangeOfBytesDoesHarm) {
  // Every prefix, and 20,000 texts with a few bytes changed: read, or refused with a sentence.
  const std::string good[] = {tetrahedron, binaryTetrahedron(false), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 4 3\n",
                              "solid a vertex 0 0 0 vertex 1 0 0 vertex 0 1 0"};
  const auto attempt = [](const std::string& s) {
    for (const auto parse : {parseObj, parsePly, parseStl}) {
      try {
        const Mesh m = parse(s);
        for (const auto& t : m.triangles)
          for (const int v : t) ASSERT_TRUE(v >= 0 && v < int(m.points.size()));
      } catch (const MeshError& e) {
        ASSERT_STRNE(e.what(), "");
      }
    }
  };
  std::mt19937 random(7);
  for (const std::string& s : good) {
    for (std::size_t n = 0; n <= s.size(); ++n) attempt(s.substr(0, n));
    for (int k = 0; k < 5000; ++k) {
      std::string t = s;
      for (int changes = 1 + int(random() % 3); changes > 0; --changes) t[random() % t.size()] = char(random());
      attempt(t);
    }
  }
}
