#include "observe/spacing.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include "math/whole.h"

namespace brim {

namespace {

using Cell = std::array<std::int64_t, 3>;

/// A particle in the order of the cells: x slowest, z fastest.
struct Placed {
  Cell cell;
  std::array<double, 3> x;  // [m]
};

bool before(const Placed& p, const Cell& c) { return p.cell < c; }

/// The first particle from `at` on that is not before the cell, which is near: steps that double, then halves.
std::vector<Placed>::const_iterator further(std::vector<Placed>::const_iterator at, std::vector<Placed>::const_iterator end,
                                            const Cell& c) {
  std::ptrdiff_t step = 8;
  while (end - at > step && before(at[step], c)) at += step, step *= 2;
  return std::lower_bound(at, end - at > step ? at + step + 1 : end, c, before);
}

}  // namespace

Spacing spacingOf(const Snapshot& s, double spacing) {
  // Particles sorted by cells of two spacings: the nearest within reach is in one of the 3^D around a particle.
  const double side = 2 * spacing;
  std::vector<Placed> all(s.size());
  tbb::parallel_for(std::size_t(0), s.size(), [&](std::size_t i) {
    all[i] = {};
    for (int k = 0; k < s.dimension; ++k) {
      all[i].x[k] = s.position[3 * i + k];
      all[i].cell[k] = whole<std::int64_t>(std::floor(all[i].x[k] / side));
    }
  });
  tbb::parallel_sort(all, [](const Placed& a, const Placed& b) { return std::tie(a.cell, a.x) < std::tie(b.cell, b.x); });
  std::vector<double> nearest(s.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, s.size(), 1024), [&](const auto& range) {
    // Cells that differ in the last axis alone follow each other, so each of the nine (or three) columns of cells around a
    // particle is one stretch, which only moves on with the particles.
    using Place = std::vector<Placed>::const_iterator;
    std::array<Place, 9> from, to;
    from.fill(all.end()), to.fill(all.end());
    const int depth = s.dimension == 3 ? 1 : 0;
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      const Cell& c = all[i].cell;
      const bool moved = i == range.begin() || c != all[i - 1].cell;
      double least = side * side;
      for (int column = 0; column < 9; ++column) {
        if (moved) {
          const Cell first = {c[0] + column / 3 - 1, c[1] + column % 3 - 1, c[2] - depth},
                     past = {first[0], first[1], c[2] + depth + 1};
          const bool onwards = i != range.begin();
          from[column] =
              onwards ? further(from[column], all.end(), first) : std::lower_bound(all.begin(), all.end(), first, before);
          to[column] = further(from[column], all.end(), past);
        }
        for (Place at = from[column]; at != to[column]; ++at) {
          if (at == all.begin() + std::ptrdiff_t(i)) continue;
          double r2 = 0;
          for (int k = 0; k < 3; ++k) r2 += (all[i].x[k] - at->x[k]) * (all[i].x[k] - at->x[k]);
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
