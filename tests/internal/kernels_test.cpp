#include "math/kernels.h"

#include <gtest/gtest.h>

#include "exec/exec.h"

using namespace brim;

namespace {

constexpr bool isDouble = sizeof(Real) == 8;
constexpr double h = 0.3;  // [m] not a power of two, so that scaling errors show

template <template <int> class K, int D>
struct Case {
  static constexpr int dimension = D;
  K<D> W{h};
  static Vec<D> along(double r, double angle = 0) {  // a point at distance r, off the axes for angle != 0
    Vec<D> x{};
    x[0] = Real(r * std::cos(angle));
    x[1] = Real(r * std::sin(angle) * (D == 3 ? 0.6 : 1));
    if constexpr (D == 3) x[2] = Real(r * std::sin(angle) * 0.8);
    return x;
  }
};

template <class C>
class Kernel : public testing::Test, public C {};
using Cases =
    testing::Types<Case<Cubic, 2>, Case<Cubic, 3>, Case<Quintic, 2>, Case<Quintic, 3>, Case<Slepian, 2>, Case<Slepian, 3>,
                   Case<Wendland, 2>, Case<Wendland, 3>, Case<Poly6, 2>, Case<Poly6, 3>, Case<Spiky, 2>, Case<Spiky, 3>>;
TYPED_TEST_SUITE(Kernel, Cases);

}  // namespace

TYPED_TEST(Kernel, IntegratesToOneOverItsSupport_PB02_PF20) {
  double sum = 0;
  const int n = 20000;
  for (int k = 0; k < n; ++k) {
    const double r = (k + 0.5) * h / n, shell = TypeParam::dimension == 2 ? 2 * pi * r : 4 * pi * r * r;
    sum += double(this->W(TypeParam::along(r))) * shell * h / n;
  }
  EXPECT_NEAR(sum, 1, isDouble ? 1e-7 : 2e-6);  // the midpoint rule errs by 1e-9; the rest is rounding of sigma, h and q
}

// Sums of k are weights of the rates of strain (sph/strain.h): with the other sign the friction of smooth flow is not left out.
TYPED_TEST(Kernel, BareSlopesAreNeverPositive) {
  for (double q = 0.01; q < 1.2; q += 0.01) {
    const auto [w, k] = this->W.bare(Real(q * q * h * h));
    EXPECT_LE(k, 0) << q;
    EXPECT_GE(w, 0) << q;
  }
}

TYPED_TEST(Kernel, GradientMatchesCentralDifferences_PB03_PF20) {
  const auto W = this->W;
  const double step = isDouble ? 1e-5 * h : 2e-3 * h, scale = double(W(TypeParam::along(0))) / h;
  for (const double q : {0.1, 0.2, 0.45, 0.55, 0.8, 0.97})
    for (const double angle : {0.0, 0.7, 2.5}) {
      const auto x = TypeParam::along(q * h, angle);
      const auto g = W.grad(x).vec();
      for (int k = 0; k < TypeParam::dimension; ++k) {
        auto up = x, down = x;
        up[k] += Real(step), down[k] -= Real(step);
        const double width = double(up[k]) - double(down[k]);
        // Of W(0)/h: rounding of W over the step (6e-8/2e-3 in float, 1e-16/1e-5 in double) and the third derivative, 3 W(0)/(h
        // r^2) across r near the centre of the spiky kernel, times step^2/6.
        EXPECT_NEAR(g[k], (double(W(up)) - double(W(down))) / width, (isDouble ? 1e-7 : 5e-4) * scale) << q << " h, axis " << k;
      }
    }
}

TYPED_TEST(Kernel, DependsOnDistanceAlone) {
  for (const double q : {0.1, 0.5, 0.9}) {
    const double straight = this->W(TypeParam::along(q * h)), turned = this->W(TypeParam::along(q * h, 0.9));
    EXPECT_NEAR(turned, straight, (isDouble ? 1e-13 : 1e-5) * straight);  // rounding of (1 - q)^4 at q = 0.9
  }
}

TYPED_TEST(Kernel, IsZeroFromTheSupportOnAndAtTheGhost) {
  const double whole = this->W(TypeParam::along(0));
  // h itself is rounded, so (1 - q) may be one unit of rounding there; its third power is nothing beside W(0). The kernel slepian
  // begins with the second power of 1 - q^2: 0.024 (2 x 1.2e-7)^2 = 1.4e-15.
  EXPECT_LE(double(this->W(TypeParam::along(h))),
            (std::is_same_v<decltype(this->W), Slepian<TypeParam::dimension>> ? 2e-15 : 1e-18) * whole);
  Vec<TypeParam::dimension> ghost;
  for (auto& e : ghost.e) e = farAway;
  for (const auto& x : {TypeParam::along(1.001 * h), TypeParam::along(3 * h, 0.7), ghost}) {
    EXPECT_EQ(this->W(x), 0);
    const auto g = this->W.grad(x).vec();
    EXPECT_EQ(dot(g, g), 0);
  }
}

TYPED_TEST(Kernel, HasNoGradientAtItsCentre) {
  const auto g = this->W.grad(TypeParam::along(0)).vec();
  EXPECT_EQ(dot(g, g), 0);
}

TYPED_TEST(Kernel, PushesAway) {  // the gradient by x_i points to the neighbour; the slides print the spiky one reversed
  for (const double q : {0.01, 0.3, 0.9}) {
    const auto x = TypeParam::along(q * h, 0.4);
    EXPECT_LT(dot(this->W.grad(x).vec(), x), 0);
  }
}

#if !BRIM_CUDA  // a GPU has one lane
TYPED_TEST(Kernel, GivesEveryLaneWhatItGivesOne) {
  constexpr int D = TypeParam::dimension;
  if constexpr (lanes > 1) {
    Vec<D, Reals> x;
    for (int l = 0; l < lanes; ++l) {
      const auto one = TypeParam::along(h * (0.1 + 0.15 * l), 0.3 * l);
      for (int k = 0; k < D; ++k) x[k].v[l] = one[k];
    }
    const Reals w = this->W(x);
    const auto g = this->W.grad(x).vec();
    const double whole = this->W(TypeParam::along(0)), rounding = isDouble ? 1e-14 : 1e-6;
    for (int l = 0; l < lanes; ++l) {
      const auto one = TypeParam::along(h * (0.1 + 0.15 * l), 0.3 * l);
      EXPECT_NEAR(w[l], this->W(one), rounding * whole);
      for (int k = 0; k < D; ++k) EXPECT_NEAR(g[k][l], this->W.grad(one).vec()[k], 10 * rounding * whole / h);
    }
  }
}
#endif

TEST(Kernels, Poly6IsTheSlidesFormula_PB02) {
  const Poly6<3> W(h);
  for (const double r : {0.0, 0.1, 0.2, 0.29}) {
    const double expected = 315 / (64 * pi * std::pow(h, 9)) * std::pow(h * h - r * r, 3);
    EXPECT_NEAR(W(Case<Poly6, 3>::along(r)), expected, (isDouble ? 1e-12 : 1e-5) * 315 / (64 * pi * h * h * h));
  }
}

TEST(Kernels, SpikyGradientHasTheSlidesSizeAndTheOtherSign_PB03) {
  const Spiky<3> W(h);
  for (const double r : {0.01, 0.1, 0.2, 0.29}) {
    const auto g = W.grad(Case<Spiky, 3>::along(r)).vec();
    const double size = 45 / (pi * std::pow(h, 6)) * (h - r) * (h - r);
    EXPECT_NEAR(g[0], -size, (isDouble ? 1e-12 : 1e-5) * 45 / (pi * std::pow(h, 4)));
  }
}

TEST(Kernels, ALatticeHasRestDensityWithTheCubicKernel_PF05) {
  const double d = h / 2;
  const auto lattice = [&](auto W, auto point) {
    double sum = 0;
    for (int a = -2; a <= 2; ++a)
      for (int b = -2; b <= 2; ++b)
        for (int c = -2; c <= 2; ++c) sum += double(W(point(a * d, b * d, c * d)));
    return sum;
  };
  const double volume = lattice(Cubic<3>(h), [](double x, double y, double z) { return Vec<3>{Real(x), Real(y), Real(z)}; });
  // In the plane every point was counted for five values of c.
  const double plane = lattice(Cubic<2>(h), [](double x, double y, double) { return Vec<2>{Real(x), Real(y)}; }) / 5;
  // 0.1 %: masses are exactly rho0 d^D, so this is the error of a resting lattice; exact sums are 0.99996 and 1.00088.
  EXPECT_NEAR(volume * d * d * d, 1, 1e-3);
  EXPECT_NEAR(plane * d * d, 1, 1e-3);
}

// What strain at constant volume makes of a lattice's density is an elastic energy of it, p/rho a kg and percent: with the cubic
// and a support of 2 d it is larger than that of low waves, and holds them back.
TEST(WideKernels, DoNotSeeHowALatticeIsStrained) {
  const auto range = [](auto W) {
    double least = 1e300, most = -1e300;
    const auto consider = [&](double ax, double bx, double by) {  // lattice vectors (ax, 0) and (bx, by), ax by = 1
      double sum = 0;
      for (int i = -6; i <= 6; ++i)
        for (int j = -6; j <= 6; ++j) sum += W(Vec<2>{Real(ax * i + bx * j), Real(by * j)});
      least = std::min(least, sum), most = std::max(most, sum);
    };
    for (const double stretch : {1.0, 1.06, 1.1, 1.15, 1.2}) consider(stretch, 0, 1 / stretch);
    for (const double shear : {0.15, 0.3, 0.5}) consider(1, shear, 1);
    const double hexagon = std::sqrt(2 / std::sqrt(3.0));
    consider(hexagon, hexagon / 2, 1 / hexagon);
    return most - least;
  };
  EXPECT_NEAR(range(Cubic<2>(2)), 0.0105, 0.0005);
  EXPECT_LT(range(Quintic<2>(3)), 0.0005);
  EXPECT_LT(range(Slepian<2>(2.2)), 0.002);  // 0.19 %, from the lattice stretched by 1.2; 0.12 % of those less deformed
}
