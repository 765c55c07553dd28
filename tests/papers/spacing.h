// How evenly particles stand: the measures of clumping and of a drop's shape.
#pragma once
#include "helpers.h"

namespace brim::test {

struct Spacing {
  double mean = 0, variance = 0;  // of the distances to the nearest neighbour, in spacings and their square
  double close = 0;               // part of the particles with a neighbour nearer than half a spacing
};

/// Particles in free flight, with nobody within two spacings, are left out.
inline Spacing spacingOf(const Snapshot& s, double d) {
  Spacing r;
  double sum = 0, squares = 0, n = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    double nearest = 1e30;
    for (std::size_t j = 0; j < s.size(); ++j) {
      double r2 = 0;
      for (int k = 0; k < 3; ++k)
        r2 += (s.position[3 * i + k] - s.position[3 * j + k]) * (s.position[3 * i + k] - s.position[3 * j + k]);
      if (i != j) nearest = std::min(nearest, r2);
    }
    nearest = std::sqrt(nearest) / d;
    if (nearest > 2) continue;
    sum += nearest, squares += nearest * nearest, ++n;
    r.close += nearest < 0.5;
  }
  r.mean = sum / n;
  r.variance = squares / n - r.mean * r.mean;
  r.close /= n;
  return r;
}

struct Roundness {
  double reach;   // distance of the farthest particle from the centre over the radius of a ball of the same volume
  double moment;  // sum_k x_k^4 / r^4 over all: 3/4 for a disc, 3/5 for a ball; 0.64 and 0.47 for a square and a cube
};
inline Roundness roundnessOf(const Snapshot& s, double d) {
  const double n = double(s.size()), D = s.dimension, pi = 3.14159265358979;
  const double radius = D == 2 ? d * std::sqrt(n / pi) : d * std::cbrt(0.75 * n / pi);
  double farthest = 0, fourth = 0, all = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    double r2 = 0;
    for (int k = 0; k < s.dimension; ++k) {
      const double x = coordinate(s, i, k) - mean(s, k);
      r2 += x * x, fourth += x * x * x * x;
    }
    all += r2 * r2;
    farthest = std::max(farthest, std::sqrt(r2));
  }
  return {(farthest + d / 2) / radius, fourth / all};
}

}  // namespace brim::test
