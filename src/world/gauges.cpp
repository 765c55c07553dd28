#include "world/gauges.h"

#include <cmath>

#include "scene/gauge_columns.h"
#include "world/gauge_readings.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
Gauges<D>::Gauges() = default;
template <int D>
Gauges<D>::~Gauges() = default;

template <int D>
void Gauges<D>::make(const Scene& scene) {
  declared_ = scene.gauges;
  state_.assign(declared_.size(), {});
  readings_ = std::make_unique<GaugeReadings<D>>();
}

// Whether a tick k/rate lies in (t - dt, t]. A step that lands on a tick may miss it by rounding.
static bool due(double rate, double t, double dt) {
  constexpr double rounding = 1e-6;  // of a tick
  return rate > 0 && std::floor(t * rate + rounding) > std::floor((t - dt) * rate + rounding);
}

// The mean over the window; of its first step only what the window still holds.
template <class Steps>
static std::vector<double> meanOf(const Steps& window, double average) {
  double left = average, weights = 0;
  std::vector<double> sum(window.back().values.size(), 0.0);
  for (auto s = window.rbegin(); s != window.rend() && left > 0; ++s) {
    const double weight = std::min(s->dt, left);
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += weight * s->values[k];
    left -= weight, weights += weight;
  }
  for (double& x : sum) x /= weights;
  return sum;
}

template <int D>
std::vector<double> Gauges<D>::values(const World<D>& w, std::size_t k) const {
  const Gauge& g = declared_[k];
  const State& s = state_[k];
  std::vector<double> now = !s.window.empty()                     ? meanOf(s.window, g.average)
                            : g.kind == "flow" && !s.flow.empty() ? std::vector<double>{s.flow.mean()}
                                                                  : readings_->read(w, g);
  if (g.kind == "flow") now.push_back(s.total);
  return now;
}

template <int D>
std::vector<StepReport::Sample> Gauges<D>::step(const World<D>& w, double dt) {
  std::vector<StepReport::Sample> samples;
  for (std::size_t k = 0; k < declared_.size(); ++k) {
    const Gauge& g = declared_[k];
    State& s = state_[k];
    if (g.kind == "flow" || g.average > 0) {
      const std::vector<double> now = readings_->read(w, g);
      if (g.kind == "flow") s.flow.add(now[0], dt), s.total += dt * now[0];
      if (g.average > 0) {
        s.window.push_back({dt, now});
        double length = 0;
        for (const Step& one : s.window) length += one.dt;
        while (length - s.window.front().dt >= g.average) length -= s.window.front().dt, s.window.pop_front();
      }
    }
    if (!due(g.rate, w.time, dt)) continue;
    samples.push_back({k, values(w, k)});
    s.flow.restart();
  }
  return samples;
}

template <int D>
std::vector<GaugeReport> Gauges<D>::read(const World<D>& w) const {
  std::vector<GaugeReport> all;
  for (std::size_t k = 0; k < declared_.size(); ++k) all.push_back({declared_[k].name, values(w, k)});
  return all;
}

template <int D>
void Gauges<D>::restartAverages() {
  for (std::size_t k = 0; k < declared_.size(); ++k)
    if (declared_[k].rate == 0) state_[k].flow.restart();
}

// A list of numbers: of each gauge the flow's two, its sum, and how many steps follow with how many values.
template <int D>
std::vector<double> Gauges<D>::save() const {
  std::vector<double> all = {double(declared_.size())};
  for (const State& s : state_) {
    const double width = s.window.empty() ? 0 : double(s.window.front().values.size());
    all.insert(all.end(), {s.flow.integral(), s.flow.window(), s.total, double(s.window.size()), width});
    for (const Step& one : s.window) {
      all.push_back(one.dt);
      all.insert(all.end(), one.values.begin(), one.values.end());
    }
  }
  return all;
}

template <int D>
void Gauges<D>::restore(const std::vector<double>& all) {
  std::size_t at = 0;
  const auto left = [&](std::size_t n) { return n <= all.size() - at; };
  if (!left(1) || all[at++] != double(declared_.size())) return;
  std::vector<State> restored;
  for (const Gauge& g : declared_) {
    if (!left(5)) return;
    State s;
    s.flow.restore(all[at], all[at + 1]);
    s.total = all[at + 2];
    const double steps = all[at + 3], width = all[at + 4];
    at += 5;
    if (!(steps >= 0 && width >= 0 && steps * (width + 1) <= double(all.size() - at))) return;
    // A branch may have given this gauge no average, or another kind.
    const bool wanted = g.average > 0 && width == double(gaugeColumns(g, D).size() - (g.kind == "flow"));
    for (int k = 0; k < int(steps); ++k, at += 1 + std::size_t(width))
      if (wanted) s.window.push_back({all[at], {all.begin() + long(at) + 1, all.begin() + long(at + 1 + std::size_t(width))}});
    restored.push_back(std::move(s));
  }
  state_ = std::move(restored);
}

template class Gauges<2>;
template class Gauges<3>;

}  // namespace brim::inline BRIM_FLAVOUR
