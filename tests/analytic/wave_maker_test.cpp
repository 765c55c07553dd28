// A flume: the height of its waves over the piston's stroke by linear theory, and how much comes back from a sponge layer.
#include "scene/wave_maker.h"

#include <complex>
#include <numbers>

#include "helpers.h"

using namespace brim;
using namespace brim::test;

namespace {

constexpr double depth = 0.2, period = 0.8, stroke = 0.02;  // [m], [s], [m]
constexpr double omega = 2 * std::numbers::pi / period;     // [rad/s]
double kh() { return waveNumber(omega, depth, g) * depth; }

// 2.2 m long with 20 layers of particles; a sponge of 1 m, 1.1 wave lengths, at its end.
Scene flume(const std::string& solver) {
  Scene s = domain(solver, 2, {2.2, 0.35, 0}, 0.01, "walls");
  s.domain.min = {-0.2, 0, 0};
  s.gravity = {0, -g, 0};
  fill(s, box({0, 0, 0}, {2.2, depth, 0}));
  Solid piston{"piston", box({-0.1, -0.05, 0}, {0, 0.4, 0}), {}};
  WaveMaker w;
  w.stroke = stroke, w.period = period, w.depth = depth;
  piston.motion.waves = {w};
  s.solids.push_back(piston);
  s.fluid.absorbers = {{{1.2, 0, 0}, {2.2, 0, 0}, 8}};
  for (const double x : {0.6, 0.822}) {  // a quarter of a wave length apart
    Gauge level;
    level.name = std::to_string(x), level.from = {x, depth / 2, 0}, level.to = {x, 0.35, 0};
    s.gauges.push_back(level);
  }
  return s;
}

/// Waves that run to the end and back, by their levels at both gauges over two periods from `start` on.
struct Waves {
  double out, back;  // [m] heights
};
Waves wavesAfter(Simulation& sim, double start) {
  using Complex = std::complex<double>;
  const Complex i(0, 1);
  Complex z[2] = {0, 0};
  const int n = 80;
  for (int k = 1; k <= n; ++k) {
    advanced(sim, start + 2 * period * k / n);
    const Snapshot s = sim.snapshot();
    for (int at : {0, 1}) z[at] += 2.0 / n * s.gauges[at].value * std::exp(i * omega * sim.time());
  }
  // z = out exp(i k x) + back exp(-i k x) at x and at x + l.
  const double kl = kh() / depth * 0.222;
  const Complex turn = std::exp(i * kl), det = 1.0 / turn - turn;
  return {2 * std::abs((z[0] / turn - z[1]) / det), 2 * std::abs((z[1] - z[0] * turn) / det)};
}

// Those that keep short waves of 2.7 spacings in height; the others lose 5 to 30 % on the way (docs/motions.md).
class Flume : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Solvers, Flume, testing::Values("pbf", "projective", "flip", "apic"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace

TEST_P(Flume, HasTheWavesThatThePistonShouldMake) {
  Simulation sim(flume(GetParam()));
  const Waves w = wavesAfter(sim, 2.4);  // the ramp, and the way there at 0.7 m/s
  const double expected = stroke * heightOverStroke("piston", kh());
  RecordProperty("ratio", std::to_string(w.out / expected));
  EXPECT_NEAR(w.out / expected, 1, 0.1);
}

TEST(Flume, SendsHardlyAnyWavesBackFromItsSponge) {
  Simulation sim(flume("flip"));
  const Waves w = wavesAfter(sim, 6.4);  // there and back and there
  RecordProperty("reflection", std::to_string(w.back / w.out));
  EXPECT_LT(w.back / w.out, 0.08);  // 2 % were found; without the sponge more come back than go out
}
