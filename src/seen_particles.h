// What users see of particles: a snapshot by id, a hash, and in words how a state was lost.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "brim/error.h"
#include "brim/snapshot.h"
#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

/// By id: each to the place of its id, then the gaps of those that left are closed.
template <int D>
void putParticles(Snapshot& s, int n, std::int64_t nextId, const Vector& origin, const Record<D>* p, const Record<D>* v,
                  const int* id, const Real* pressure) {
  std::vector<int> order;
  if (nextId / 16 <= n) {
    order.assign(nextId, -1);
    forEachOnHost(n, [&](int i) { order[id[i]] = i; });
    order.erase(std::remove(order.begin(), order.end(), -1), order.end());
  } else {  // most have left: a place for each id would be far more than the particles take
    order.resize(n);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) { return id[a] < id[b]; });
  }
  s.id.resize(n), s.density.resize(n), s.pressure.resize(n);
  s.position.resize(3 * std::size_t(n)), s.velocity.resize(3 * std::size_t(n));
  forEachOnHost(n, [&](int k) {
    const int i = order[k];
    s.id[k] = id[i];
    for (int d = 0; d < D; ++d) {
      s.position[3 * std::size_t(k) + d] = origin[d] + p[i].x[d];
      s.velocity[3 * std::size_t(k) + d] = float(v[i].x[d]);
    }
    s.density[k] = float(v[i].a);
    s.pressure[k] = float(pressure[i]);
  });
}

inline std::uint64_t mixInto(std::uint64_t h, std::uint64_t bits) {
  h = (h ^ bits) * 0x9e3779b97f4a7c15ull;
  return h ^ h >> 29;
}
/// A sum over particles, so that their order does not matter; each term mixes all bits of id, position and velocity.
template <int D>
std::uint64_t hashOfParticles(int n, const Record<D>* p, const Record<D>* v, const int* id) {
  std::uint64_t sum = 0;
  for (int i = 0; i < n; ++i) {
    std::uint64_t h = mixInto(0x243f6a8885a308d3ull, std::uint64_t(id[i]));
    for (int k = 0; k < D; ++k) {
      h = mixInto(h, std::bit_cast<std::uint64_t>(double(p[i].x[k])));
      h = mixInto(h, std::bit_cast<std::uint64_t>(double(v[i].x[k])));
    }
    sum += h;
  }
  return sum;
}

/// That particle i, which measure() named, is lost.
template <int D>
Diverged divergedAt(const World<D>& w, int i, double time, std::int64_t step, const char* limit) {
  const auto [x, m] = elementOf(w.fluid.p.data, i);
  const auto [v, rho] = elementOf(w.fluid.v.data, i);
  const double speed = std::sqrt(double(dot(v, v)));
  const std::string what = !std::isfinite(double(dot(x, x))) ? "position"
                           : !std::isfinite(speed)           ? "velocity"
                           : !std::isfinite(double(rho))     ? "density"
                                                             : "pressure";
  const std::string wrong =
      speed > absurdSpeed && std::isfinite(speed) ? fmt::format("has reached {:.3g} m/s", speed) : "is not finite";
  std::string place;
  for (int k = 0; k < D; ++k) place += fmt::format("{}{:.3g}", k ? ", " : "", w.origin[k] + x[k]);
  const int id = elementOf(w.fluid.id.data, i);
  return Diverged(time, step, id,
                  fmt::format("diverged at t = {:.4g} s, step {}: {} of particle {} near ({}) {}; last dt {:.3g} ms, "
                              "limited by {}",
                              time, step, speed > absurdSpeed ? "velocity" : what, id, place, wrong, 1e3 * w.dt, limit));
}

}  // namespace brim::inline BRIM_FLAVOUR
