// The viscous solve: what it keeps, what it takes, and that its matrix is the one of the quadratic form.
#include "sph/implicit_viscosity.h"

#include <gtest/gtest.h>

#include "cloud.h"

using namespace brim;

namespace {

constexpr double d = 0.05, dt = 5e-3;  // [m], [s]

template <class N>
struct ImplicitViscosity : testing::Test {
  static constexpr int D = N::value;
  using V = Vec<D, double>;

  static World<D> blob(double viscosity) {
    Scene s = emptyScene<D>(d, {0, 0, 0}, {1, 1, 1}, "open");
    s.fluid.viscosity = viscosity;
    return World<D>(setupOf<D>(s, shakenLattice<D>(D == 3 ? 7 : 16, {0.05, 0.05, 0.05}, d, 0.2 * d)));
  }
  template <class F>
  static void setVelocities(World<D>& w, F field) {
    Searched<D> sorted(w);
    for (int i = 0; i < w.fluid.size(); ++i) w.fluid.v.data[i].x = field(i, w.fluid.p.data[i].x);
  }
  static void noise(World<D>& w) {
    const auto v = randomPoints<D>(w.fluid.size(), {-1, -1, -1}, {1.5, 1, 1}, 9);
    setVelocities(w, [&](int i, const Vec<D>&) {
      Vec<D> u;
      for (int k = 0; k < D; ++k) u[k] = Real(v[i][k]);
      return u;
    });
  }
  static void solve(World<D>& w) {
    SolverState<D> state(w.fluid);
    FluidViscosity<D> viscous(w.scene());
    viscous.declareState(state);
    Searched<D> now(w, dt);
    viscous.solve(now.c);
  }
  static V momentum(const Plain<D>& f) {
    V p{};
    for (const V& v : f.v) p += f.m * v;
    return p;
  }
  static double spin(const Plain<D>& f) {  // about the third axis [kg m^2/s]
    double l = 0;
    for (std::size_t i = 0; i < f.v.size(); ++i) l += f.m * (f.x[i][0] * f.v[i][1] - f.x[i][1] * f.v[i][0]);
    return l;
  }
  static double energy(const Plain<D>& f) {
    double e = 0;
    for (const V& v : f.v) e += 0.5 * f.m * dot(v, v);
    return e;
  }
};

using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(ImplicitViscosity, Dimensions);

}  // namespace

// At any viscosity, in one step of noise, which is the worst there is.
TYPED_TEST(ImplicitViscosity, KeepsMomentumAndTakesEnergyOnly) {
  constexpr int D = TestFixture::D;
  double last = 1e30;
  for (const double viscosity : {1.0, 10.0, 1e3, 1e4}) {
    World<D> w = this->blob(viscosity);
    this->noise(w);
    const Plain<D> before(w);
    this->solve(w);
    const Plain<D> after(w);
    const auto p = this->momentum(after) - this->momentum(before);
    const double size = before.m * double(before.v.size());  // speeds are about 1 m/s
    EXPECT_LT(std::sqrt(dot(p, p)), (isDouble ? 1e-10 : 2e-5) * size) << viscosity;
    // With 1e-4 of its trace added to A, the gradient of a rotation is not quite antisymmetric.
    EXPECT_NEAR(this->spin(after), this->spin(before), 2e-4 * size) << viscosity;
    const double e = this->energy(after);
    EXPECT_LT(e, this->energy(before)) << viscosity;
    EXPECT_LT(e, 1.001 * last) << viscosity;  // more viscosity takes more
    last = e;
  }
}

// The gradient is exact for linear fields, however disordered the particles are: a rigid motion has no strain.
TYPED_TEST(ImplicitViscosity, LeavesARigidMotionAlone) {
  constexpr int D = TestFixture::D;
  World<D> w = this->blob(100);
  this->setVelocities(w, [](int, const Vec<D>& x) {
    Vec<D> u{};
    u[0] = Real(0.3) - 2 * x[1], u[1] = Real(-0.1) + 2 * x[0];
    return u;
  });
  const Plain<D> before(w);
  this->solve(w);
  const Plain<D> after(w);
  for (std::size_t i = 0; i < before.v.size(); ++i)
    for (int k = 0; k < D; ++k) EXPECT_NEAR(after.v[i][k], before.v[i][k], 2e-3);  // 1e-4 of A's trace is added to it
}

// v_x = sin(k y) in a disordered fluid without walls loses nu k^2/(1 + dt nu k^2) of itself per second.
TYPED_TEST(ImplicitViscosity, OfAShearWaveIsItsLaplacian) {
  constexpr int D = TestFixture::D;
  const int n = D == 3 ? 16 : 24;
  const double side = n * d, k = 2 * pi / side, mu = 10;
  for (const double jitter : {0.0, 0.2}) {
    Scene s = emptyScene<D>(d, {0, 0, 0}, {side, side, side}, "periodic");
    s.fluid.viscosity = mu;
    World<D> w(setupOf<D>(s, shakenLattice<D>(n, {0, 0, 0}, d, jitter * d)));
    this->setVelocities(w, [=](int, const Vec<D>& x) {
      Vec<D> u{};
      u[0] = Real(std::sin(k * x[1]));
      return u;
    });
    const Plain<D> before(w);
    this->solve(w);
    const Plain<D> after(w);
    double kept = 0, had = 0;
    for (std::size_t i = 0; i < before.v.size(); ++i)
      kept += after.v[i][0] * before.v[i][0], had += before.v[i][0] * before.v[i][0];
    const double rate = mu / 1000 * k * k;
    // The errors in (k d)^2 cancel on a lattice; disorder adds noise that decays faster.
    EXPECT_NEAR((1 - kept / had) / dt, rate / (1 + dt * rate), (jitter > 0 ? 0.04 : 0.01) * rate) << "jitter " << jitter;
  }
}

// Fluid in motion around a body at rest, which may be light and the fluid stiff: what one loses the other gets.
TYPED_TEST(ImplicitViscosity, GivesABodyWhatTheFluidLoses) {
  constexpr int D = TestFixture::D;
  for (const double density : {10.0, 5000.0})
    for (const double viscosity : {1.0, 1e4}) {
      Scene s = emptyScene<D>(d, {0, 0, 0}, {1, 1, 1}, "open");
      s.fluid.viscosity = viscosity;
      RigidBody body;
      body.name = "body";
      body.shape.min = {0.4, 0.4, 0.4}, body.shape.max = {0.6, 0.6, 0.6};
      body.density = density;
      s.bodies.push_back(body);
      std::vector<Vector> points;
      for (const Vector& p : shakenLattice<D>(D == 3 ? 10 : 16, {0.25, 0.1, 0.25}, d, 0.2 * d)) {
        bool inside = true;
        for (int k = 0; k < D; ++k) inside = inside && p[k] > 0.385 && p[k] < 0.615;
        if (!inside) points.push_back(p);
      }
      World<D> w(setupOf<D>(s, points));
      this->setVelocities(w, [](int, const Vec<D>& x) {
        Vec<D> u{};
        u[0] = 1 + Real(0.5) * x[1];
        return u;
      });
      const Plain<D> before(w);
      this->solve(w);
      const Plain<D> after(w);
      const BodyState& b = w.bodies->body(0);
      const auto lost = this->momentum(before) - this->momentum(after);
      const double all = this->momentum(before)[0];
      EXPECT_GT(b.u.v[0], 0) << density << " kg/m^3, " << viscosity << " Pa s";
      // To rounding; a body of 1/100 of the fluid's density in pitch to the tolerance of the solve.
      const double share = density < 100 && viscosity > 100 ? 1e-3 : isDouble ? 1e-8 : 3e-5;
      for (int k = 0; k < D; ++k)
        EXPECT_NEAR(b.u.v[k] / b.perMass, lost[k], share * all) << density << " kg/m^3, " << viscosity << " Pa s";
      EXPECT_LT(b.u.v[0], 1.5) << "no faster than the fluid";
      EXPECT_LT(this->energy(after) + 0.5 * b.u.v[0] * b.u.v[0] / b.perMass, this->energy(before));
    }
}
