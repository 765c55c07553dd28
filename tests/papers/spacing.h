// The shape of a drop, and how evenly its particles stand.
#pragma once
#include "helpers.h"
#include "observe/spacing.h"

namespace brim::test {

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
