#include "world/gauges.h"

#include <cmath>

#include "math/kernels.h"
#include "scene/declare.h"
#include "scene/vector.h"
#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
static Vec<D> narrowed(const Vector& a) {
  Vec<D> r;
  for (int k = 0; k < D; ++k) r[k] = Real(a[k]);
  return r;
}

// Volume V v.n of the particles within one spacing of the rectangle, over the two spacings.
template <int D>
static double flowNow(const World<D>& w, const Gauge& g) {
  using namespace vectors;
  const Vector ahead = unit(g.direction), side = D == 2 ? Vector{-ahead[1], ahead[0], 0} : unit(vectors::cross(ahead, g.up));
  const Vector up = D == 2 ? Vector{0, 0, 0} : vectors::cross(side, ahead);
  const Vec<D> n = narrowed<D>(ahead), s = narrowed<D>(side), u = narrowed<D>(up), centre = narrowed<D>(g.centre - w.origin);
  const Real reach = Real(w.spacing), halfWidth = Real(g.width / 2), halfHeight = Real(D == 2 ? 1 : g.height / 2);
  const auto p = w.fluid.p.read(), v = w.fluid.v.read();
  const double sum = sumOf(w.fluid.size(), [=] BRIM_KERNEL(int i) {
    const Vec<D> r = p[i].x - centre;
    const Real a = dot(r, n), b = dot(r, s), c = dot(r, u);
    const bool inside = a > -reach && a < reach && b > -halfWidth && b < halfWidth && c > -halfHeight && c < halfHeight;
    return inside ? dot(v[i].x, n) : Real(0);
  });
  return sum * w.mass / w.rho0 / (2 * w.spacing);
}

// The first place from the line's start on where the density, smoothed over two spacings, falls below half that at rest: at a
// level surface exactly there. A grid keeps the number of particles in a cell and not their distances: there it is smoothed over
// five spacings, and the domain's walls mirror the particles, or a wall would take half of such a kernel.
template <int D>
double Gauges<D>::level(const World<D>& w, const Gauge& g) const {
  using namespace vectors;
  const Vector start = g.from - w.origin, way = g.to - g.from;
  const SolverInfo* const solver = findSolver(w.scene().solver.name);
  const bool grid = solver && solver->capabilities.grid;
  const double longest = length(way), h = (grid ? 5 : 2) * w.spacing, step = w.spacing / 4;
  const Vector along = unit(way);
  const Cubic<D> W(h);
  std::vector<double> rho(std::size_t(longest / step) + 2, 0.0);
  const auto p = onHost(w.fluid.p.data, w.fluid.size());
  const auto add = [&](const Record<D>& one) {
    Vector r = {0, 0, 0};
    for (int k = 0; k < D; ++k) r[k] = one.x[k] - start[k];
    const double s = vectors::dot(r, along);
    const Vector across = r - s * along;
    if (vectors::dot(across, across) >= h * h || s < -h || s > longest + h) return;
    const int low = std::max(0, int(std::ceil((s - h) / step))), high = std::min(int(rho.size()) - 1, int((s + h) / step));
    for (int k = low; k <= high; ++k) rho[k] += one.a * W(narrowed<D>(r - (k * step) * along));
  };
  // Bit k of `mirror`: the image of axis k.
  for (const Record<D>& one : p)
    for (int mirror = 0; mirror < (grid ? 1 << D : 1); ++mirror) {
      Record<D> image = one;
      bool near = true;
      for (int k = 0; k < D && near; ++k) {
        if (!(mirror >> k & 1)) continue;
        const bool low = one.x[k] < w.extent[k] / 2;
        near = w.walled[k] && (low ? one.x[k] : w.extent[k] - one.x[k]) < h;
        image.x[k] = (low ? Real(0) : 2 * w.extent[k]) - one.x[k];
      }
      if (near) add(image);
    }
  const double half = w.rho0 / 2;
  for (std::size_t k = 0; k < rho.size(); ++k)
    if (rho[k] < half) return k == 0 ? 0 : step * (double(k) - (half - rho[k]) / (rho[k - 1] - rho[k]));
  return longest;
}

// The mean of the particles around the point, by their weights there.
template <int D>
double Gauges<D>::pressure(World<D>& w, const Gauge& g) const {
  using namespace vectors;
  const Vec<D> at = narrowed<D>(g.point - w.origin);
  const Cubic<D> W(w.support);
  const auto p = onHost(w.fluid.p.data, w.fluid.size());
  const auto P = onHost(w.fluid.pressure.data, w.fluid.size());
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vec<D> r = p[i].x - at;
    if (!(dot(r, r) < w.support * w.support)) continue;
    const double wi = W(r);
    sum += wi * P[i], weight += wi;
  }
  return weight > 0 ? sum / weight : 0;
}

template <int D>
void Gauges<D>::step(const World<D>& w, double dt) {
  for (std::size_t k = 0; k < declared_.size(); ++k) {
    const double flow = declared_[k].kind == "flow" ? flowNow(w, declared_[k]) : 0;
    flow_[k].add(flow, dt);
    total_[k] += dt * flow;
  }
}

template <int D>
std::vector<GaugeReport> Gauges<D>::read(World<D>& w) const {
  std::vector<GaugeReport> all;
  for (std::size_t k = 0; k < declared_.size(); ++k) {
    const Gauge& g = declared_[k];
    if (g.kind == "flow")
      all.push_back({g.name, flow_[k].empty() ? flowNow(w, g) : flow_[k].mean(), total_[k]});
    else
      all.push_back({g.name, g.kind == "level" ? level(w, g) : pressure(w, g), 0});
  }
  return all;
}

template <int D>
void Gauges<D>::restartAverages() {
  for (TimeAverage<double>& flow : flow_) flow.restart();
}

template <int D>
std::vector<double> Gauges<D>::save() const {
  std::vector<double> all = {flow_.empty() ? 0 : flow_[0].window()};
  for (const TimeAverage<double>& flow : flow_) all.push_back(flow.integral());
  all.insert(all.end(), total_.begin(), total_.end());
  return all;
}

template <int D>
void Gauges<D>::restore(const std::vector<double>& all) {
  const std::size_t n = declared_.size();
  if (all.size() != 1 + 2 * n) return;
  for (std::size_t k = 0; k < n; ++k) flow_[k].restore(all[1 + k], all[0]);
  std::copy_n(all.begin() + 1 + n, n, total_.begin());
}

template class Gauges<2>;
template class Gauges<3>;

}  // namespace brim::inline BRIM_FLAVOUR
