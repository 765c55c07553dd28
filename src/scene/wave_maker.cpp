#include "scene/wave_maker.h"

#include <cmath>
#include <numbers>
#include <random>

#include "scene/rotation.h"

namespace brim {

using namespace vectors;

namespace {

constexpr double pi = std::numbers::pi;

/// A wave of height [m], from trough to crest, and phase [deg].
Oscillation oscillationFor(const WaveMaker& w, double stroke, double period, double phase) {
  Oscillation o;
  if (w.kind == "flap")
    o.angle = std::atan(stroke / 2 / w.depth) / radians;
  else
    o.amplitude = stroke / 2 * unit(w.direction);
  o.period = period, o.phase = phase;
  o.ramp = w.ramp > 0 ? w.ramp : w.period;
  return o;
}

/// JONSWAP's density of the variance at a frequency over that of the peak, but for a factor (Hasselmann et al. 1973).
double jonswap(double f, double gamma) {
  const double sigma = f <= 1 ? 0.07 : 0.09, r = std::exp(-(f - 1) * (f - 1) / (2 * sigma * sigma));
  return std::pow(f, -5) * std::exp(-1.25 * std::pow(f, -4)) * std::pow(gamma, r);
}

}  // namespace

double waveNumber(double omega, double depth, double g) {
  const double deep = omega * omega * depth / g;  // kh of deep water
  double kh = deep / std::sqrt(std::tanh(std::min(deep, 1e3)));
  for (int n = 0; n < 30; ++n) {
    const double t = std::tanh(kh), step = (kh * t - deep) / (t + kh * (1 - t * t));
    kh -= step;
    if (std::abs(step) < 1e-14 * kh) break;
  }
  return kh / depth;
}

double heightOverStroke(const std::string& kind, double kh) {
  if (kh > 300) return kind == "flap" ? 2 * (1 - 1 / kh) : 2;  // where cosh overflows
  const double all = std::sinh(2 * kh) + 2 * kh;
  if (kind == "flap") return 4 * std::sinh(kh) / kh * (kh * std::sinh(kh) - std::cosh(kh) + 1) / all;
  return 2 * (std::cosh(2 * kh) - 1) / all;
}

std::vector<Oscillation> oscillationsOf(const WaveMaker& w, double g) {
  const auto strokeOf = [&](double height, double period) {
    return height / heightOverStroke(w.kind, waveNumber(2 * pi / period, w.depth, g) * w.depth);
  };
  if (w.spectrum != "jonswap") {
    const double stroke = w.stroke > 0 ? w.stroke : g > 0 ? strokeOf(w.height, w.period) : 0;
    return {oscillationFor(w, stroke, w.period, 0)};
  }
  if (!(g > 0)) return {};
  // Bins of equal width from half to three times the peak's frequency hold 99 % of the variance. Each has a wave at a random
  // place in it, so that the sum does not repeat.
  std::mt19937_64 random(static_cast<std::uint64_t>(w.seed));
  const auto uniform = [&] { return double(random() >> 11) * 0x1p-53; };
  const double low = 0.5, width = 2.5 / w.components;
  std::vector<double> frequency, phase, density;
  double sum = 0;
  for (int n = 0; n < w.components; ++n) {
    frequency.push_back(low + (n + uniform()) * width);
    phase.push_back(360 * uniform());
    density.push_back(jonswap(frequency.back(), w.gamma));
    sum += density.back();
  }
  std::vector<Oscillation> parts;
  for (int n = 0; n < w.components; ++n) {
    const double variance = w.height * w.height / 16 * density[n] / sum;  // of the level; that of all is (Hs/4)^2
    const double period = w.period / frequency[n];
    parts.push_back(oscillationFor(w, strokeOf(2 * std::sqrt(2 * variance), period), period, phase[n]));
  }
  return parts;
}

}  // namespace brim
