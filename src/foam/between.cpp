#include "foam/between.h"

#include <tbb/parallel_for.h>

#include <cmath>

namespace brim::foam {

Between::Between(const Snapshot& from, const Snapshot& to, const Vector& period)
    : from_(from), to_(to), period_(period), duration_(to.time - from.time) {
  // Snapshots are ordered by id.
  for (std::size_t i = 0, j = 0; i < from.size() || j < to.size();) {
    const bool first = j == to.size() || (i < from.size() && from.id[i] < to.id[j]);
    const bool second = !first && (i == from.size() || to.id[j] < from.id[i]);
    pairs_.push_back({second ? -1 : int(i), first ? -1 : int(j)});
    i += !second, j += !first;
  }
}

Snapshot Between::at(double part) const {
  std::vector<std::pair<int, int>> there;
  for (const auto& p : pairs_)
    if (p.first >= 0 && p.second >= 0)
      there.push_back(p);
    else if (p.first >= 0 ? part < 0.5 : part >= 0.5)
      there.push_back(p);
  Snapshot s;
  s.dimension = from_.dimension;
  s.time = from_.time + part * duration_;
  s.id.resize(there.size());
  s.position.resize(3 * there.size());
  s.velocity.resize(3 * there.size());
  const double h = duration_, u = part;
  tbb::parallel_for(std::size_t(0), there.size(), [&](std::size_t k) {
    const auto [i, j] = there[k];
    s.id[k] = i >= 0 ? from_.id[std::size_t(i)] : to_.id[std::size_t(j)];
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t p = 3 * std::size_t(std::max(i, 0)) + a, q = 3 * std::size_t(std::max(j, 0)) + a, o = 3 * k + a;
      if (j < 0) {
        s.position[o] = from_.position[p] + u * h * from_.velocity[p];
        s.velocity[o] = from_.velocity[p];
      } else if (i < 0) {
        s.position[o] = to_.position[q] - (1 - u) * h * to_.velocity[q];
        s.velocity[o] = to_.velocity[q];
      } else {
        const double x0 = from_.position[p], v0 = from_.velocity[p], v1 = to_.velocity[q];
        double way = to_.position[q] - x0;
        if (period_[a] > 0) way -= period_[a] * std::round(way / period_[a]);
        // Hermite: x0 + u (h v0 + u (b + u c)) meets both ends.
        const double b = 3 * way - h * (2 * v0 + v1), c = h * (v0 + v1) - 2 * way;
        s.position[o] = x0 + u * (h * v0 + u * (b + u * c));
        s.velocity[o] = float(v0 + (h > 0 ? u / h * (2 * b + 3 * u * c) : 0));
      }
    }
  });
  // Bodies: straight from place to place; they turn little between two frames.
  s.bodies = part < 0.5 || from_.bodies.size() != to_.bodies.size() ? from_.bodies : to_.bodies;
  for (std::size_t k = 0; k < s.bodies.size() && from_.bodies.size() == to_.bodies.size(); ++k)
    for (std::size_t a = 0; a < 3; ++a)
      s.bodies[k].position[a] = (1 - u) * from_.bodies[k].position[a] + u * to_.bodies[k].position[a];
  return s;
}

}  // namespace brim::foam
