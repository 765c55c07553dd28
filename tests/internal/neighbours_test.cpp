#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "cloud.h"

using namespace brim;

namespace {

template <class N>
struct NeighbourSearch : testing::Test {
  static constexpr int D = N::value;
  static constexpr double d = 0.05, h = 2 * d;

  using Positions = std::vector<Vec<D>>;

  // One particle's list, with the claims that hold for every list: padding comes last, after all neighbours, and is far away.
  static Positions listOf(const Lists& lists, int i, View<const Record<D>> p, int padding) {
    const Lists::Slice s = lists.slice[i / Lists::width];
    Positions found;
    bool ended = false;
    std::vector<int> index;
    for (int m = 0; m < s.length; ++m) {
      const int j = s.first[m * Lists::width + i % Lists::width];
      EXPECT_TRUE(!ended || j == padding) << "a neighbour after the ended of particle " << i;
      ended = ended || j == padding;
      if (j == padding) continue;
      index.push_back(j);
      found.push_back(p[j].x);
    }
    EXPECT_EQ(p[padding].x[0], farAway);
    std::sort(index.begin(), index.end());
    EXPECT_EQ(std::adjacent_find(index.begin(), index.end()), index.end()) << "a neighbour twice in the list of particle " << i;
    return found;
  }

  // `all` within reach of x are those found, each once. Pairs within rounding of the support may be on either side.
  static void expectSame(const Vec<D>& x, const Positions& all, Positions found, double shiftRounding) {
    const double rounding = (isDouble ? 1e-14 : 1e-6) * h + shiftRounding;
    for (const Vec<D>& y : all) {
      double r2 = 0;
      for (int k = 0; k < D; ++k) r2 += (double(x[k]) - y[k]) * (double(x[k]) - y[k]);
      const double r = std::sqrt(r2);
      if (r > h + rounding) continue;
      const auto at = std::find_if(found.begin(), found.end(), [&](const Vec<D>& f) {
        for (int k = 0; k < D; ++k)
          if (std::abs(double(f[k]) - y[k]) > shiftRounding) return false;
        return true;
      });
      if (at != found.end())
        found.erase(at);
      else
        ASSERT_GT(r, h - rounding) << "a neighbour is missing at distance " << r / h << " h";
    }
    EXPECT_TRUE(found.empty()) << found.size() << " listed that are no neighbours";
  }

  static void expectBruteForce(StepContext<D>& c) {
    c.search();
    World<D>& w = c.world;
    const auto p = w.fluid.p.read(), s = w.solids.p();
    const int n = w.fluid.size();
    Positions fluid, solid;
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < (D == 3 ? 27 : 9); ++c) {
        Vec<D> y = p[i].x;
        bool wanted = true;
        for (int k = 0, rest = c; k < D; ++k, rest /= 3) {
          wanted = wanted && (rest % 3 == 1 || w.periodic[k]);
          y[k] += Real(rest % 3 - 1) * w.extent[k];
        }
        if (wanted) fluid.push_back(y);
      }
    for (int j = 0; j < w.solids.size(); ++j) solid.push_back(s[j].x);
    const NeighbourView nb = c.nb();
    for (int i = 0; i < n; ++i) {
      expectSame(p[i].x, fluid, listOf(nb.fluid, i, p, w.fluid.padding()), w.hasPeriodic() ? 1e-6 * h : 0);
      expectSame(p[i].x, solid, listOf(nb.solid, i, s, w.solids.padding()), 0);
      if (testing::Test::HasFailure()) return;
    }
    double pairs = 0;
    for (int i = 0; i < n; ++i)
      pairs += double(listOf(nb.fluid, i, p, w.fluid.padding()).size() - 1 + listOf(nb.solid, i, s, w.solids.padding()).size());
    EXPECT_EQ(c.neighbourhood().pairs(), pairs);
  }

  static Scene open(const Vector& low = {0, 0, 0}, double side = 1) {
    return emptyScene<D>(d, low, {low[0] + side, low[1] + side, low[2] + side}, "open");
  }
  static World<D> world(const Scene& s, const std::vector<Vector>& x) { return World<D>(setupOf<D>(s, x)); }
};

using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(NeighbourSearch, Dimensions);

}  // namespace

TYPED_TEST(NeighbourSearch, OfARandomCloudEqualsBruteForce_PF17) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    auto w = this->world(this->open(), randomPoints<TestFixture::D>(1100, {0, 0, 0}, {0.6, 0.5, 0.4}, seed));
    Searched<TestFixture::D> now(w);
    this->expectBruteForce(now.c);
    EXPECT_TRUE(now.c.neighbourhood().window().dense);
  }
}

TYPED_TEST(NeighbourSearch, StaysRightWhenTheFluidMoves_PF17) {
  auto w = this->world(this->open(), randomPoints<TestFixture::D>(700, {0.1, 0.1, 0.1}, {0.5, 0.5, 0.5}));
  Searched<TestFixture::D> now(w);
  for (int move = 0; move < 3; ++move) {
    this->expectBruteForce(now.c);
    for (int i = 0; i < w.fluid.size(); ++i)
      for (int k = 0; k < TestFixture::D; ++k) w.fluid.p.data[i].x[k] += Real(0.21 * (k + 1) - 0.01 * (w.fluid.id.data[i] % 7));
  }
}

TYPED_TEST(NeighbourSearch, EqualsBruteForceFarFromTheOrigin_PF17) {
  const Vector far = {1e6, -2e6, 3e5};
  auto w = this->world(this->open(far), randomPoints<TestFixture::D>(500, far, {far[0] + 0.4, far[1] + 0.4, far[2] + 0.4}));
  Searched<TestFixture::D> now(w);
  this->expectBruteForce(now.c);
}

TYPED_TEST(NeighbourSearch, EqualsBruteForceAtNegativeCoordinates_PF17) {  // also of fluid that has just left an open domain
  auto w = this->world(this->open({-0.5, -0.5, -0.5}), randomPoints<TestFixture::D>(600, {-0.8, -0.7, -0.9}, {-0.3, -0.4, -0.5}));
  Searched<TestFixture::D> now(w);
  this->expectBruteForce(now.c);
}

TYPED_TEST(NeighbourSearch, WithOneParticleAKilometreAwayNeedsLittleMemory_PF17) {
  auto x = randomPoints<TestFixture::D>(600, {0, 0, 0}, {0.4, 0.4, 0.4});
  x.push_back({1000, 1000, TestFixture::D == 3 ? 1000.0 : 0});
  auto w = this->world(this->open({0, 0, 0}, 2000), x);
  Searched<TestFixture::D> now(w);
  this->expectBruteForce(now.c);
  EXPECT_FALSE(now.c.neighbourhood().window().dense);
  EXPECT_LT(w.bytes() + now.memory.bytes(),
            4u << 20);  // lists of 600 crowded particles are 1 MB; a table of all cells would be 10^9 bytes and more
}

TYPED_TEST(NeighbourSearch, OfParticlesThatAreLostDoesNotSpoilTheOthers_X05) {
  const auto x = randomPoints<TestFixture::D>(600, {0, 0, 0}, {0.4, 0.4, 0.4});
  auto w = this->world(this->open(), x), all = this->world(this->open(), {x.begin() + 3, x.end()});
  const Real lost[] = {std::numeric_limits<Real>::quiet_NaN(), Real(1e30), -std::numeric_limits<Real>::infinity()};
  for (int i = 0; i < w.fluid.size(); ++i)
    if (const int id = w.fluid.id.data[i]; id < 3) w.fluid.p.data[i].x[1] = lost[id];
  Searched<TestFixture::D> now(w), rest(all);
  EXPECT_EQ(now.c.neighbourhood().pairs() + 3,
            rest.c.neighbourhood().pairs());  // the three are not even their own neighbours, which pairs() counts on
}

TYPED_TEST(NeighbourSearch, OfNothingIsNothing_PF17) {
  auto w = this->world(this->open(), {});
  Searched<TestFixture::D> now(w);
  this->expectBruteForce(now.c);
  EXPECT_EQ(now.c.neighbourhood().pairs(), 0);
}

TYPED_TEST(NeighbourSearch, OfOneParticleIsItself_PF17) {
  auto w = this->world(this->open(), {{0.3, 0.3, 0.3}});
  Searched<TestFixture::D> now(w);
  this->expectBruteForce(now.c);
  EXPECT_EQ(this->listOf(now.c.nb().fluid, 0, w.fluid.p.read(), w.fluid.padding()).size(), 1u);
}

TYPED_TEST(NeighbourSearch, HoldsCoincidentParticlesOnceEach_PF17) {
  const int n = 77;
  auto w = this->world(this->open(), std::vector<Vector>(n, {0.25, 0.5, 0.75}));
  Searched<TestFixture::D> now(w);
  for (int i = 0; i < n; ++i)
    EXPECT_EQ(this->listOf(now.c.nb().fluid, i, w.fluid.p.read(), w.fluid.padding()).size(), std::size_t(n));
}

TYPED_TEST(NeighbourSearch, ReachesAcrossPeriodicFaces_PF17) {
  constexpr int D = TestFixture::D;
  Scene s = this->open({-3, 5, 1}, 0.5);
  s.domain.boundary = {"periodic", "periodic", "periodic"};
  auto w = this->world(s, randomPoints<D>(500, s.domain.min, s.domain.max));
  Searched<TestFixture::D> now(w);
  this->expectBruteForce(now.c);
  EXPECT_GT(w.fluid.periodicGhosts(), 0);
}

TYPED_TEST(NeighbourSearch, ReachesAcrossOnePeriodicAxisBetweenWalls_PF17) {
  constexpr int D = TestFixture::D;
  Scene s = emptyScene<D>(TestFixture::d, {0, 0, 0}, {0.5, 0.5, 0.5}, "walls");
  s.domain.boundary[0] = "periodic";
  auto w = this->world(s, randomPoints<D>(400, s.domain.min, s.domain.max));
  Searched<TestFixture::D> now(w);
  ASSERT_GT(w.solids.size(), 0);
  this->expectBruteForce(now.c);
}

TYPED_TEST(NeighbourSearch, FindsSamplesOfSolids_PF17) {
  constexpr int D = TestFixture::D;
  Scene s = emptyScene<D>(TestFixture::d, {0, 0, 0}, {0.6, 0.6, 0.6}, "walls");
  Solid ball;
  ball.shape.kind = "sphere";
  ball.shape.centre = {0.3, 0.3, 0.3};
  ball.shape.radius = 0.12;
  ball.motion.velocity = {1, 0.5, 0};
  s.solids.push_back(ball);
  auto w = this->world(s, randomPoints<D>(500, {0, 0, 0}, {0.6, 0.6, 0.6}));
  Searched<TestFixture::D> now(w);
  this->expectBruteForce(now.c);
  w.solids.moveTo(0.1);  // samples of a moving solid are sorted again
  this->expectBruteForce(now.c);
}
