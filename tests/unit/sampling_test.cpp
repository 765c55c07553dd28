#include "scene/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scene/vector.h"

using namespace brim;
using namespace brim::vectors;

namespace {

Mesh meshOf(Kind kind, double edge) {
  Primitive<double> p;
  p.kind = kind;
  p.size[0] = 0.3, p.size[1] = 0.5, p.size[2] = 0.2;
  return triangulate(p, edge);
}

double leastDistance(const std::vector<Vector>& x) {
  double least = 1e300;
  for (std::size_t i = 0; i < x.size(); i++)
    for (std::size_t j = 0; j < i; j++) least = std::min(least, length(x[i] - x[j]));
  return least;
}

}  // namespace

TEST(PoissonDisk, SamplesKeepTheirDistance_PF18) {
  for (const Kind kind : {Kind::box, Kind::sphere, Kind::cylinder, Kind::capsule})
    for (const double edge : {0.02, 0.5})  // triangles smaller and larger than the disks
      EXPECT_GE(leastDistance(samplePoissonDisk(meshOf(kind, edge), 0.05)), 0.05);
}

TEST(PoissonDisk, NoPointOfTheSurfaceIsFarFromASample_PF18) {
  const double r = 0.05;
  Random random(8);
  for (const Kind kind : {Kind::box, Kind::sphere, Kind::cylinder, Kind::capsule})
    for (const double edge : {0.02, 0.5}) {
      const Mesh m = meshOf(kind, edge);
      PointGrid grid(2 * r);
      for (const Vector& s : samplePoissonDisk(m, r)) grid.add(s);
      for (int i = 0; i < 20000; i++) {
        const auto& t = m.triangles[random.below(m.triangles.size())];
        const double u = std::sqrt(random.number()), v = random.number();
        const Vector x = (1 - u) * m.points[t[0]] + (u * (1 - v)) * m.points[t[1]] + (u * v) * m.points[t[2]];
        ASSERT_TRUE(grid.anyWithin(x, 1.01 * r));  // gaps below 0.01 r are left, see samplePoissonDisk
      }
    }
}

TEST(PoissonDisk, TheSameSeedGivesTheSameBits) {
  const Mesh m = meshOf(Kind::capsule, 0.1);
  EXPECT_EQ(samplePoissonDisk(m, 0.05, 3), samplePoissonDisk(m, 0.05, 3));
  EXPECT_NE(samplePoissonDisk(m, 0.05, 3), samplePoissonDisk(m, 0.05, 4));
}

TEST(Triangulation, OfEveryPrimitiveIsClosedAndHasItsVolume) {
  const double pi = std::numbers::pi, r = 0.3, l = 1;
  const std::pair<Kind, double> solids[] = {{Kind::box, 8 * 0.3 * 0.5 * 0.2},
                                            {Kind::sphere, 4 * pi / 3 * r * r * r},
                                            {Kind::cylinder, pi * r * r * l},
                                            {Kind::capsule, pi * r * r * l + 4 * pi / 3 * r * r * r}};
  for (const auto& [kind, exact] : solids) {
    const Mesh m = meshOf(kind, 0.03);
    EXPECT_EQ(defect(m), "");
    EXPECT_NEAR(volume(m), exact, 0.005 * exact);  // chords: (edge / r)^2 / 6 of the cross-section
  }
}

TEST(Curve, SamplesAreEvenlySpacedByArcLength) {
  const std::vector<Vector> square = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  const auto s = sampleCurve(square, 0.1);
  ASSERT_EQ(s.size(), 40u);
  for (std::size_t i = 0; i < s.size(); i++) {
    const Vector step = s[(i + 1) % s.size()] - s[i];
    EXPECT_NEAR(std::abs(step[0]) + std::abs(step[1]), 0.1, 1e-12);  // around corners the way is the sum of both legs
  }
  EXPECT_EQ(sampleCurve(square, 0.3).size(), 13u);  // 4 / 0.3 = 13.3
}

TEST(PointGrid, FindsTheNearestPointAcrossCellsAndSigns) {
  Random random(9);
  PointGrid grid(0.2, 4);  // has to grow
  std::vector<Vector> all;
  for (int i = 0; i < 500; i++) {
    all.push_back({2 * random.number() - 1, 2 * random.number() - 1, 2 * random.number() - 1});
    grid.add(all.back());
  }
  for (int i = 0; i < 300; i++) {
    const Vector x = {2 * random.number() - 1, 2 * random.number() - 1, 2 * random.number() - 1};
    const auto nearest =
        std::min_element(all.begin(), all.end(), [&](const Vector& a, const Vector& b) { return length(a - x) < length(b - x); });
    const int expected = length(*nearest - x) < 0.2 ? int(nearest - all.begin()) : -1;
    EXPECT_EQ(grid.nearest(x), expected);
  }
}
