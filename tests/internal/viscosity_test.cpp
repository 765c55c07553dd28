#include "sph/viscosity.h"

#include <gtest/gtest.h>

#include "cloud.h"

using namespace brim;

namespace {

constexpr double d = 0.05, dt = 2e-3;  // [m], [s]

template <class N>
struct Viscosity : testing::Test {
  static constexpr int D = N::value;
  using V = Vec<D, double>;

  World<D> blob{setupOf<D>(emptyScene<D>(d, {0, 0, 0}, {1, 1, 1}, "open"),
                           shakenLattice<D>(D == 3 ? 7 : 18, {0.05, 0.05, 0.05}, d, 0.2 * d))};

  void SetUp() override {
    World<D>& w = blob;
    const auto v = randomPoints<D>(w.fluid.size(), {-1, -1, -1}, {1.5, 1, 1}, 9);
    for (int i = 0; i < w.fluid.size(); ++i)
      for (int k = 0; k < D; ++k) w.fluid.v.data[i].x[k] = Real(v[i][k]);
    Searched<D> sorted(w);
  }
  static V momentum(const Plain<D>& f) {
    V p{};
    for (const V& v : f.v) p += f.m * v;
    return p;
  }
  static double energy(const Plain<D>& f) {
    double e = 0;
    for (const V& v : f.v) e += 0.5 * f.m * dot(v, v);
    return e;
  }
  // Momentum stays to rounding: 1e-7 per particle, growing as a random walk; relative motion falls by more than a hundredth.
  static void expectCalms(const Plain<D>& before, const Plain<D>& after) {
    double size = 0;
    for (const V& v : before.v) size += before.m * std::sqrt(dot(v, v));
    const V change = momentum(after) - momentum(before);
    EXPECT_LT(std::sqrt(dot(change, change)), (isDouble ? 1e-13 : 1e-6) * size);
    const double mass = before.m * double(before.v.size());
    const double still = dot(momentum(before), momentum(before)) / (2 * mass);  // energy of the common motion
    EXPECT_LT(energy(after) - still, 0.99 * (energy(before) - still));
  }
};

using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(Viscosity, Dimensions);

}  // namespace

TYPED_TEST(Viscosity, XsphKeepsMomentumAndCalmsRelativeMotion_PF21) {
  auto& w = this->blob;
  const Plain<TestFixture::D> before(w);
  Searched<TestFixture::D> now(w, dt);
  viscosity(now.c, Cubic<TestFixture::D>(w.support), 0, 0.1);
  this->expectCalms(before, Plain<TestFixture::D>(w));
}

TYPED_TEST(Viscosity, OfTheFluidKeepsMomentumAndCalmsRelativeMotion_PF21) {
  auto& w = this->blob;
  const Plain<TestFixture::D> before(w);
  Searched<TestFixture::D> now(w, dt);
  viscosity(now.c, Cubic<TestFixture::D>(w.support), 0.02 * d * d / dt, 0);
  this->expectCalms(before, Plain<TestFixture::D>(w));
}

TYPED_TEST(Viscosity, LeavesTheDensitiesOfAllPairsBehind_CF01) {
  constexpr int D = TestFixture::D;
  auto& w = this->blob;
  const Plain<D> f(w);
  Searched<D> now(w, dt);
  viscosity(now.c, Cubic<D>(w.support), 0, 0);
  for (int i = 0; i < w.fluid.size(); ++i)
    EXPECT_NEAR(w.fluid.v.data[i].a, f.density(f.x[w.fluid.id.data[i]]),
                (isDouble ? 1e-10 : 1e-5) * f.rho0);  // rounding of 30 terms
}

TYPED_TEST(Viscosity, OfAShearFlowIsItsLaplacian_CF02) {
  // v_x = sin(k y) loses nu k^2 of itself per second. The sum is calibrated on the lattice for long waves; at 24 spacings a wave
  // the finite support takes 1 % (h = 2 d) and 4 % (4 d). The bare sum would be a third off with 2 d.
  for (const double support : {2.0, 4.0}) {
    constexpr int D = TestFixture::D;
    const double side = 24 * d, nu = 1e-3, k = 2 * pi / side;
    Scene s = emptyScene<D>(d, {0, 0, 0}, {side, side, side}, "periodic");
    s.resolution.support = support;
    World<D> w(setupOf<D>(s, shakenLattice<D>(24, {0, 0, 0}, d, 0)));
    for (int i = 0; i < w.fluid.size(); ++i) w.fluid.v.data[i].x[0] = Real(std::sin(k * w.fluid.p.data[i].x[1]));
    Searched<D> now(w, dt);
    const Plain<D> before(w);
    viscosity(now.c, Cubic<D>(w.support), nu, 0);
    const Plain<D> after(w);
    double lost = 0, had = 0;
    for (std::size_t i = 0; i < before.v.size(); ++i) {
      lost += (before.v[i][0] - after.v[i][0]) * before.v[i][0];
      had += before.v[i][0] * before.v[i][0];
    }
    EXPECT_NEAR(lost / had / dt, nu * k * k, 0.05 * nu * k * k);
  }
}
