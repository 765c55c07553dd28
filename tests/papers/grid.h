// Scenes of Kugelstadt et al. 2019 at any size, and what is measured in them.
#pragma once
#include <map>

#include "helpers.h"
#include "observe/volume.h"

namespace brim::test {

/// Two columns at the ends of a tank of n x n cells and 1 m, as in Fig. 3: 44/128 wide and 90/128 high.
inline Scene doubleDam(const std::string& solver, int n, double dt, bool projected) {
  Scene s = domain(solver, 2, {1, 1, 1}, 1.0 / (3 * n), "walls");
  fill(s, box({0, 0, 0}, {44. / 128, 90. / 128, 0}));
  fill(s, box({84. / 128, 0, 0}, {1, 90. / 128, 0}));
  s.solver.numbers["density_projection"] = projected;
  s.time.dt = dt;
  return s;
}

/// The level of settled water from its centre of mass, over the level it should have: particles times their volume per area.
inline double levelRatio(const Snapshot& now, const Scene& s) {
  double area = s.domain.max[0] - s.domain.min[0];
  if (s.dimension == 3) area *= s.domain.max[2] - s.domain.min[2];
  return 2 * (mean(now, 1) - s.domain.min[1]) / (double(now.size()) * std::pow(s.resolution.spacing, s.dimension) / area);
}

/// Volume where the density smoothed over half a cell exceeds rho0/2, over that of the particles at rest: `volume_ratio` of a
/// run.
inline double smoothedVolume(const Snapshot& now, const Scene& s) {
  const double particle = std::pow(s.resolution.spacing, s.dimension);
  return liquidVolume(now, s.domain, cellOf(s) / 2, s.fluid.density * particle, s.fluid.density) /
         (double(now.size()) * particle);
}

/// Mean and variance of the number of particles in the cells that lie within `low` and `high`.
struct Spread {
  double mean, variance;
};
inline Spread countsBetween(const Snapshot& now, const Scene& s, const Vector& low, const Vector& high) {
  const double cell = cellOf(s);
  std::array<int, 3> from{}, to{1, 1, 1};
  for (int k = 0; k < s.dimension; ++k) from[k] = int(std::ceil(low[k] / cell)), to[k] = int(high[k] / cell);
  std::map<std::array<int, 3>, int> count;
  for (std::size_t i = 0; i < now.size(); ++i) {
    std::array<int, 3> c{};
    for (int k = 0; k < s.dimension; ++k) c[k] = int(coordinate(now, i, k) / cell);
    ++count[c];
  }
  double n = 0, sum = 0, squares = 0;
  for (int z = from[2]; z < to[2]; ++z)
    for (int y = from[1]; y < to[1]; ++y)
      for (int x = from[0]; x < to[0]; ++x) {
        const auto at = count.find({x, y, z});
        const double c = at == count.end() ? 0 : at->second;
        n += 1, sum += c, squares += c * c;
      }
  return {sum / n, squares / n - sum * sum / (n * n)};
}

}  // namespace brim::test
