#include "observe/spacing.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "math/whole.h"

namespace brim {

namespace {

using Cell = std::array<std::int64_t, 3>;

Cell cellOf(const Snapshot& s, std::size_t i, double side) {
  Cell c = {0, 0, 0};
  for (int k = 0; k < s.dimension; ++k) c[k] = whole<std::int64_t>(std::floor(s.position[3 * i + k] / side));
  return c;
}

}  // namespace

Spacing spacingOf(const Snapshot& s, double spacing) {
  // Particles sorted by cells of two spacings: the nearest within reach is in one of the 3^D around a particle.
  const double side = 2 * spacing;
  std::vector<Cell> cell(s.size());
  std::vector<std::size_t> order(s.size());
  for (std::size_t i = 0; i < s.size(); ++i) cell[i] = cellOf(s, i, side);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return std::tie(cell[a], a) < std::tie(cell[b], b); });
  std::vector<double> nearest(s.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, s.size(), 1024), [&](const auto& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      double least = side * side;
      const int depth = s.dimension == 3 ? 1 : 0;
      for (std::int64_t x = -1; x <= 1; ++x)
        for (std::int64_t y = -1; y <= 1; ++y) {
          // Cells that differ in the last axis alone follow each other in the order.
          const Cell first = {cell[i][0] + x, cell[i][1] + y, cell[i][2] - depth},
                     last = {first[0], first[1], cell[i][2] + depth};
          auto at =
              std::lower_bound(order.begin(), order.end(), first, [&](std::size_t a, const Cell& c) { return cell[a] < c; });
          for (; at != order.end() && cell[*at] <= last; ++at) {
            if (*at == i) continue;
            double r2 = 0;
            for (int k = 0; k < s.dimension; ++k) {
              const double r = s.position[3 * i + k] - s.position[3 * *at + k];
              r2 += r * r;
            }
            least = std::min(least, r2);
          }
        }
      nearest[i] = std::sqrt(least) / spacing;
    }
  });
  Spacing r;
  double n = 0, squares = 0;
  for (const double d : nearest)
    if (d < 2) ++n, r.mean += d, squares += d * d, r.close += d < 0.5;
  if (n == 0) return {};
  r.mean /= n, r.close /= n;
  r.variance = std::max(0., squares / n - r.mean * r.mean);
  return r;
}

}  // namespace brim
