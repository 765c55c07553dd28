#include "scene/periodic_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scene/declare.h"
#include "scene/motion.h"
#include "scene/shape.h"

namespace brim {

namespace {

constexpr const char* axisName[] = {"x", "y", "z"};

class Check {
 public:
  Check(const Scene& scene, Mistakes& mistakes)
      : s_(scene), D_(scene.dimension), cell_((D_ == 2 ? 3 : 2) * scene.resolution.spacing), mistakes_(mistakes) {}

  // The sparse grid has tiles of 8 cells, and the last along a periodic axis is followed by the first.
  void tiles(int k) {
    const double side = sideOf(k), tile = 8 * cell_, count = side / tile;
    const double whole = std::max(1.0, std::round(count));
    if (std::abs(count - whole) * 8 < 1e-3) return;
    const double fewer = std::max(1.0, std::floor(count)), perTile = tile / s_.resolution.spacing;
    mistakes_.add(
        "domain.boundary", s_.at("domain.boundary"),
        fmt::format("the domain is periodic along {} and {:g} m wide there, which is {:.3g} tiles of the grid of {} and "
                    "must be a whole number: a tile has {:g} spacings, so resolution.spacing = {:.9g} or {:.9g} would do",
                    axisName[k], side, count, s_.solver.name, perTile, side / (perTile * fewer), side / (perTile * (fewer + 1))));
  }

  // Distances to solids do not reach across the sides.
  void solid(std::size_t i, int k) {
    const std::string path = fmt::format("solids[{}]", i);
    if (!mistakes_.trusts(path)) return;
    const SolidShape shape(s_, s_.solids[i].shape, path);
    const Motion& motion = s_.solids[i].motion;
    for (int n = 0; n < (motion.moves() ? moments : 1); ++n)
      if (!looksTheSame(shape, poseAt(motion, shape.pose(), s_.time.until * n / moments), k))
        return mistakes_.add(
            path, s_.at(path),
            fmt::format("with solver \"{}\" a solid either ends two cells, {:g} m, before the periodic sides along "
                        "{} or goes on past both; this one does not look the same from both",
                        s_.solver.name, 2 * cell_, axisName[k]));
  }

 private:
  static constexpr int moments = 64;  // of a course
  double sideOf(int k) const { return s_.domain.max[k] - s_.domain.min[k]; }

  bool looksTheSame(const SolidShape& shape, const Pose<double>& pose, int k) const {
    int points[3] = {1, 1, 1};
    for (int a = 0; a < D_; ++a)
      if (a != k) points[a] = std::clamp(int(2 * sideOf(a) / cell_), 2, D_ == 2 ? 1024 : 48);
    const auto distance = [&](const Vector& x) {
      double y[3];
      pose.toBody(x.data(), y);
      return std::clamp(shape.bodyDistance({y[0], y[1], y[2]}), -2 * cell_, 2 * cell_);
    };
    for (int z = 0; z < points[2]; ++z)
      for (int y = 0; y < points[1]; ++y)
        for (int x = 0; x < points[0]; ++x) {
          const int at[3] = {x, y, z};
          Vector low = {0, 0, 0};
          for (int a = 0; a < D_; ++a) low[a] = s_.domain.min[a] + (a == k ? 0 : sideOf(a) * at[a] / (points[a] - 1));
          Vector high = low;
          high[k] = s_.domain.max[k];
          if (std::abs(distance(low) - distance(high)) > 0.1 * cell_) return false;
        }
    return true;
  }

  const Scene& s_;
  const int D_;
  const double cell_;  // [m]
  Mistakes& mistakes_;
};

}  // namespace

void checkPeriodicGrid(const Scene& s, Mistakes& mistakes) {
  const SolverInfo* const solver = findSolver(s.solver.name);
  if (!solver || !solver->capabilities.grid) return;
  Check check(s, mistakes);
  for (int k = 0; k < s.dimension; ++k) {
    if (s.domain.boundary[k] != "periodic") continue;
    if (!mistakes.trusts("domain") || !mistakes.trusts("domain.boundary") || !mistakes.trusts("resolution")) return;
    check.tiles(k);
    for (std::size_t i = 0; i < s.solids.size(); ++i) check.solid(i, k);
  }
}

}  // namespace brim
