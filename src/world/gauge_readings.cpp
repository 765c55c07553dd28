#include "world/gauge_readings.h"

#include <algorithm>
#include <cmath>

#include "scene/declare.h"
#include "world/gauge_geometry.h"
#include "world/obstacles.h"
#include "world/ranks.h"

namespace brim::inline BRIM_FLAVOUR {

using namespace vectors;

namespace {

/// The part of the kernel that lies behind a plane z supports away: 1/2 at z = 0, 0 at z = 1.
template <int D>
double beyondPlane(double z) {
  constexpr int steps = 64;
  static const std::vector<double> table = [] {
    // The kernel summed over planes at k/steps of its support.
    std::vector<double> plane(steps + 1), sum(steps + 1, 0.0);
    for (int k = 0; k <= steps; ++k)
      for (int j = 0; j < steps; ++j) {
        const double r = (j + 0.5) / steps, q = std::hypot(r, double(k) / steps);
        plane[k] += (D == 2 ? 1 : r) * spline(q);
      }
    for (int k = steps - 1; k >= 0; --k) sum[k] = sum[k + 1] + (plane[k] + plane[k + 1]) / 2;
    for (int k = steps; k >= 0; --k) sum[k] /= 2 * sum[0];
    return sum;
  }();
  if (z < 0) return 1 - beyondPlane<D>(-z);
  const double at = std::min(z * steps, steps - 1e-9);
  return table[int(at)] + (at - int(at)) * (table[int(at) + 1] - table[int(at)]);
}

}  // namespace

// Volume V v.n of the particles within one spacing of the rectangle, over the two spacings.
template <int D>
double GaugeReadings<D>::flow(const World<D>& w, const Gauge& g) {
  const Opening<D> o(w, g);
  const Vec<D> n = narrowed<D>(o.ahead), s = narrowed<D>(o.side), u = narrowed<D>(o.up), centre = narrowed<D>(o.centre);
  const Real reach = Real(w.spacing), halfWidth = Real(o.halfWidth), halfHeight = Real(o.halfHeight);
  const auto p = w.fluid.p.read(), v = w.fluid.v.read();
  const double sum = sumAll(w, [=] BRIM_KERNEL(int i) {
    const Vec<D> r = p[i].x - centre;
    const Real a = dot(r, n), b = dot(r, s), c = dot(r, u);
    const bool inside = a > -reach && a < reach && b > -halfWidth && b < halfWidth && c > -halfHeight && c < halfHeight;
    return inside ? dot(v[i].x, n) : Real(0);
  });
  return sum * w.mass / w.rho0 / (2 * w.spacing);
}

// Every particle is a cube of the side of a spacing, cut by the box. A side of the box on the domain's own cuts nothing:
// particles come nearer to a wall than half a spacing.
template <int D>
double GaugeReadings<D>::volume(const World<D>& w, const Gauge& g) {
  Vec<D> low, high;
  for (int k = 0; k < D; ++k) {
    const double touch = w.spacing / 2, extent = w.extent[k];
    low[k] = Real(g.min[k] - w.origin[k] < touch ? -extent : g.min[k] - w.origin[k]);
    high[k] = Real(g.max[k] - w.origin[k] > extent - touch ? 2 * extent : g.max[k] - w.origin[k]);
  }
  const Real half = Real(w.spacing / 2), perSide = Real(1 / w.spacing);
  const auto p = w.fluid.p.read();
  const double count = sumAll(w, [=] BRIM_KERNEL(int i) {
    Real part = 1;
    for (int k = 0; k < D; ++k) {
      const Real from = max(p[i].x[k] - half, low[k]), to = min(p[i].x[k] + half, high[k]);
      part *= max(to - from, Real(0)) * perSide;
    }
    return part;
  });
  return count * w.mass / w.rho0;
}

// Along the line the density is smoothed, over more where a solver keeps the number of particles in a cell and not their
// distances, and divided by the part of the kernel that is free of walls. The fluid ends where that falls below half of rho0 (a
// run-up, which is a film, below a quarter) and stays there: what is shorter than four spacings is a hole between particles.
template <int D>
double GaugeReadings<D>::reach(const World<D>& w, const Gauge& g) {
  const SolverInfo* const solver = findSolver(w.scene().solver.name);
  const bool grid = solver && solver->capabilities.grid;
  const Vector start = flat<D>(g.from - w.origin), way = flat<D>(g.to - g.from);
  const double longest = length(way), h = (grid ? 5 : 2.5) * w.spacing, hole = 4 * w.spacing, step = w.spacing / 4;
  const double least = g.kind == "runup" ? 0.25 : 0.5;
  const Vector along = unit(way), end = start + way, all = {h, h, h};
  const int last = int(std::ceil(longest / step));
  std::vector<double> part(std::size_t(last) + 1, 0.0);  // of rho0
  const double perRho0 = Cubic<D>(h).weight / w.rho0;
  for (const NearParticle& one : near_.in(w, lower(start, end) - all, upper(start, end) + all)) {
    const Vector r = one.x - start;
    const double s = vectors::dot(r, along), across2 = vectors::dot(r, r) - s * s;
    if (across2 >= h * h || s < -h || s > longest + h) continue;
    const int low = std::max(0, int(std::ceil((s - h) / step))), high = std::min(last, int((s + h) / step));
    for (int k = low; k <= high; ++k) {
      const double a = s - k * step;
      part[k] += perRho0 * one.mass * spline(std::sqrt(std::max(across2 + a * a, 0.0)) / h);
    }
  }
  const Obstacles<D> obstacles(w);
  int wet = -1, seen = -1;  // the last place with fluid; the last with fluid or within a solid, where nobody knows
  for (int k = 0; k <= last; ++k) {
    const double free = obstacles.freePart(start + (k * step) * along, h, beyondPlane<D>);
    part[k] = free > 0.2 ? part[k] / free : -1;
    if (part[k] >= least)
      wet = seen = k;
    else if (part[k] < 0)
      seen = k;
    else if ((k - seen) * step > hole)
      break;
  }
  if (wet < 0) return 0;
  if (wet == last) return longest;
  const double next = std::max(part[wet + 1], 0.0);
  return std::min(longest, step * (wet + (part[wet] - least) / (part[wet] - next)));
}

// The mean of the particles around the sensor that it sees. A sensor on a wall has fluid on one side alone: what particles there
// tell of the pressure at the sensor is not their own.
template <int D>
std::vector<double> GaugeReadings<D>::sensor(const World<D>& w, const Gauge& g) {
  const bool pressure = g.kind == "pressure";
  const Vector at = flat<D>(g.point - w.origin), gravity = gravityThere(w, at);
  // Pressures of single particles scatter by some percent: two spacings around a sensor make them steady.
  const double radius = pressure ? std::max(g.radius, 2 * w.spacing) : g.radius, far = radius + w.support;
  const Obstacles<D> obstacles(w);
  const auto solids = obstacles.near(at, far);
  double sum[3] = {0, 0, 0}, weight = 0;
  for (const NearParticle& one : near_.in(w, at - Vector{far, far, far}, at + Vector{far, far, far})) {
    const Vector r = at - one.x;
    double wi = spline(std::max(length(r) - radius, 0.0) / w.support);
    if (!(wi > 0) || Obstacles<D>::between(solids, at, one.x)) continue;
    if (pressure) wi *= trustInPressure(obstacles.clearance(solids, one.x), w.spacing);
    const double p = pressureBeside(one.pressure, w.rho0, gravity, r);
    for (int k = 0; k < (pressure ? 1 : D); ++k) sum[k] += wi * (pressure ? p : one.v[k]);
    weight += wi;
  }
  std::vector<double> values;
  for (int k = 0; k < (pressure ? 1 : D); ++k) values.push_back(weight > 0 ? sum[k] / weight : 0);
  return values;
}

template <int D>
std::vector<double> GaugeReadings<D>::read(const World<D>& w, const Gauge& g) {
  if (g.kind == "level") return {vectors::dot(flat<D>(g.from), unit(flat<D>(g.to - g.from))) + reach(w, g)};
  if (g.kind == "runup") return {reach(w, g)};
  if (g.kind == "flow") return {flow(w, g)};
  if (g.kind == "volume") return {volume(w, g)};
  if (g.kind == "force" || g.kind == "patch") return force(w, g);
  return sensor(w, g);
}

template class GaugeReadings<2>;
template class GaugeReadings<3>;

}  // namespace brim::inline BRIM_FLAVOUR
