// How near a curve is to its reference.
#include <algorithm>
#include <cmath>
#include <optional>

#include "report/validation/curve.h"

namespace brim {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The window of a rule, cut to what the reference covers.
struct Window {
  double begin, end;
  bool has(double x) const { return x >= begin && x <= end; }
};

std::optional<double> arrivalIn(const Curve& c, double level, Window w) {
  for (std::size_t k = 1; k < c.size(); ++k) {
    if (!w.has(c.x[k]) || (c.y[k - 1] < level) == (c.y[k] < level)) continue;
    return c.x[k - 1] + (level - c.y[k - 1]) / (c.y[k] - c.y[k - 1]) * (c.x[k] - c.x[k - 1]);
  }
  return std::nullopt;
}

std::optional<std::size_t> peakIn(const Curve& c, Window w) {
  std::optional<std::size_t> best;
  for (std::size_t k = 0; k < c.size(); ++k)
    if (w.has(c.x[k]) && (!best || c.y[k] > c.y[*best])) best = k;
  return best;
}

// By the trapezoidal rule, for points need not be even.
double meanIn(const Curve& c, Window w) {
  double sum = 0, length = 0;
  for (std::size_t k = 1; k < c.size(); ++k) {
    if (!w.has(c.x[k - 1]) || !w.has(c.x[k])) continue;
    const double h = c.x[k] - c.x[k - 1];
    sum += 0.5 * h * (c.y[k - 1] + c.y[k]), length += h;
  }
  return length > 0 ? sum / length : nan;
}

double slopeIn(const Curve& c, Window w) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t k = 0; k < c.size(); ++k) {
    if (!w.has(c.x[k])) continue;
    n += 1, x += c.x[k], y += c.y[k], xx += c.x[k] * c.x[k], xy += c.x[k] * c.y[k];
  }
  const double below = n * xx - x * x;
  return n > 1 && below > 0 ? (n * xy - x * y) / below : nan;
}

struct Pairs {
  std::vector<double> run, reference, low, high;
};

// Both curves at the reference's points; nothing where the run covers not all of the window.
std::optional<Pairs> pairsOf(const Curve& run, const Curve& reference, Window w) {
  Pairs p;
  for (std::size_t k = 0; k < reference.size(); ++k) {
    if (!w.has(reference.x[k])) continue;
    const double value = valueAt(run.x, run.y, reference.x[k]);
    if (!std::isfinite(value)) return std::nullopt;
    p.run.push_back(value);
    p.reference.push_back(reference.y[k]);
    if (!reference.low.empty()) p.low.push_back(reference.low[k]), p.high.push_back(reference.high[k]);
  }
  if (p.run.empty()) return std::nullopt;
  return p;
}

double rmsOf(const Pairs& p) {
  double sum = 0;
  for (std::size_t k = 0; k < p.run.size(); ++k) sum += (p.run[k] - p.reference[k]) * (p.run[k] - p.reference[k]);
  return std::sqrt(sum / double(p.run.size()));
}

double correlationOf(const Pairs& p) {
  const double n = double(p.run.size());
  double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  for (std::size_t k = 0; k < p.run.size(); ++k) a += p.run[k] / n, b += p.reference[k] / n;
  for (std::size_t k = 0; k < p.run.size(); ++k) {
    aa += (p.run[k] - a) * (p.run[k] - a), bb += (p.reference[k] - b) * (p.reference[k] - b);
    ab += (p.run[k] - a) * (p.reference[k] - b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

double insideOf(const Pairs& p) {
  double count = 0;
  for (std::size_t k = 0; k < p.low.size(); ++k) count += p.run[k] >= p.low[k] && p.run[k] <= p.high[k];
  return p.low.empty() ? nan : count / double(p.low.size());
}

// The square sum that c + exp(-damping x)(a cos + b sin) leaves, with the best c, a and b.
double residual(const Curve& c, double begin, double end, double rate, double damping) {
  double m[3][4] = {}, square = 0;
  for (std::size_t k = 0; k < c.size(); ++k) {
    if (c.x[k] < begin || c.x[k] > end) continue;
    const double x = c.x[k] - begin, decay = std::exp(-damping * x);
    const double f[4] = {1, decay * std::cos(rate * x), decay * std::sin(rate * x), c.y[k]};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 4; ++j) m[i][j] += f[i] * f[j];
    square += c.y[k] * c.y[k];
  }
  const double right[3] = {m[0][3], m[1][3], m[2][3]};
  for (int i = 0; i < 3; ++i) {
    if (!(m[i][i] > 1e-300)) return square;
    for (int j = i + 1; j < 3; ++j) {
      const double q = m[j][i] / m[i][i];
      for (int k = i; k < 4; ++k) m[j][k] -= q * m[i][k];
    }
  }
  double s[3];
  for (int i = 2; i >= 0; --i) {
    s[i] = m[i][3];
    for (int k = i + 1; k < 3; ++k) s[i] -= m[i][k] * s[k];
    s[i] /= m[i][i];
  }
  return square - s[0] * right[0] - s[1] * right[1] - s[2] * right[2];
}

// Where a run must have come to for a window to count.
double lastOf(const Curve& reference, double end) { return reference.x.empty() ? end : std::min(end, reference.x.back()); }

double keptAfter(const DampedWave& o, double periods, double rate) {
  return o.found ? std::exp(-o.damping * periods * 2 * M_PI / rate) : nan;
}

// The scores that compare one number of each curve.
std::optional<double> numberOf(const ScoreRule& rule, const Curve& c, Window w) {
  if (rule.kind == "arrival") return arrivalIn(c, rule.level, w);
  if (rule.kind == "peak" || rule.kind == "peak_time") {
    const auto k = peakIn(c, w);
    if (!k) return std::nullopt;
    return rule.kind == "peak" ? c.y[*k] : c.x[*k];
  }
  if (rule.kind == "mean") return meanIn(c, w);
  if (rule.kind == "value") return valueAt(c.x, c.y, rule.at);
  if (rule.kind == "slope") return slopeIn(c, w);
  return std::nullopt;
}

}  // namespace

double valueAt(const std::vector<double>& x, const std::vector<double>& y, double at) {
  if (x.empty() || at < x.front() || at > x.back()) return nan;
  const std::size_t k = std::size_t(std::upper_bound(x.begin(), x.end(), at) - x.begin());
  if (k == x.size()) return y.back();
  const double width = x[k] - x[k - 1];
  return width > 0 ? y[k - 1] + (y[k] - y[k - 1]) * (at - x[k - 1]) / width : y[k];
}

DampedWave oscillationOf(const Curve& c, double begin, double end) {
  if (c.size() < 8) return {};
  begin = std::max(begin, c.x.front()), end = std::min(end, c.x.back());
  const double length = end - begin;
  if (!(length > 0)) return {};
  // From one period to a quarter as many as there are points, in steps that cannot miss the best one's valley.
  const double step = 0.25 * M_PI / length;
  double rate = 0, damping = 0, best = 1e300;
  for (double r = 2 * M_PI / length; r < 0.5 * M_PI * double(c.size()) / length; r += step)
    if (const double e = residual(c, begin, end, r, 0); e < best) best = e, rate = r;
  if (!(rate > 0)) return {};
  double dr = step, dd = 0.5 / length;
  for (int k = 0; k < 400 && dr > 1e-9 * rate; ++k) {
    bool better = false;
    for (const auto& [a, b] : {std::pair(dr, 0.0), {-dr, 0.0}, {0.0, dd}, {0.0, -dd}})
      if (const double e = residual(c, begin, end, rate + a, damping + b); e < best && rate + a > 0)
        best = e, rate += a, damping += b, better = true;
    if (!better) dr *= 0.5, dd *= 0.5;
  }
  return {rate, damping, rate > M_PI / length};
}

double bestShift(const CurveRule& rule, const Curve& run, const Curve& reference) {
  if (!(rule.shift > 0) || run.size() < 2) return 0;
  Window all = {1e300, -1e300};
  for (const ScoreRule& s : rule.scores) all = {std::min(all.begin, s.begin), std::max(all.end, s.end)};
  double best = 1e300, found = 0;
  constexpr int steps = 200;
  for (int k = -steps; k <= steps; ++k) {
    Curve moved = run;
    const double shift = rule.shift * k / steps;
    for (double& x : moved.x) x += shift;
    // Ends that the move uncovers do not count.
    const Window covered = {std::max(all.begin, moved.x.front()), std::min(all.end, moved.x.back())};
    if (const auto p = pairsOf(moved, reference, covered))
      if (const double rms = rmsOf(*p); rms < best * (1 - 1e-9)) best = rms, found = shift;
  }
  return found;
}

std::vector<Score> scoresOf(const CurveRule& rule, const Curve& run, const Curve& reference) {
  Curve moved = run;
  const double shift = bestShift(rule, run, reference);
  for (double& x : moved.x) x += shift;
  std::vector<Score> all;
  for (const ScoreRule& r : rule.scores) {
    Score s;
    s.curve = rule.name, s.kind = r.kind, s.tolerance = r.tolerance;
    const Window w = {r.begin, r.end};
    s.value = s.expected = s.error = nan;
    if (r.kind == "rms" || r.kind == "correlation" || r.kind == "inside") {
      s.expected = r.kind == "rms" ? 0 : 1;
      // A shift uncovers an end of the window; that end does not count.
      Window inner = w;
      if (shift != 0 && !run.x.empty() && !reference.x.empty()) {
        inner = {std::max(w.begin, reference.x.front()), std::min(w.end, reference.x.back())};
        if (run.x.front() <= inner.begin) inner.begin = std::max(inner.begin, moved.x.front());
        if (run.x.back() >= inner.end) inner.end = std::min(inner.end, moved.x.back());
      }
      if (const auto p = pairsOf(moved, reference, inner)) {
        const auto [low, high] = std::minmax_element(p->reference.begin(), p->reference.end());
        s.value = r.kind == "rms"           ? rmsOf(*p) / (r.of > 0 ? r.of : *high - *low)
                  : r.kind == "correlation" ? correlationOf(*p)
                                            : insideOf(*p);
        s.error = r.kind == "rms" ? s.value : 1 - s.value;
      }
    } else if (r.kind == "period" || r.kind == "kept") {
      const DampedWave a = oscillationOf(run, r.begin, r.end), b = oscillationOf(reference, r.begin, r.end);
      const bool whole = !run.x.empty() && run.x.back() >= lastOf(reference, r.end) - 1e-9;
      if (b.found) s.expected = r.kind == "period" ? 2 * M_PI / b.rate : keptAfter(b, r.periods, b.rate);
      if (std::isfinite(r.expected)) s.expected = r.expected;
      if (a.found && whole) s.value = r.kind == "period" ? 2 * M_PI / a.rate : keptAfter(a, r.periods, b.rate);
      s.error = r.kind == "period" ? s.value / s.expected - 1 : s.value - s.expected;
    } else {
      const bool early = r.kind == "arrival" || r.kind == "peak" || r.kind == "peak_time";
      s.expected = std::isfinite(r.expected) ? r.expected : numberOf(r, reference, w).value_or(nan);
      s.value = numberOf(r, r.kind == "arrival" || r.kind == "peak_time" ? run : moved, w).value_or(nan);
      // Half of a window is no window; a run that has arrived may end as it likes.
      if (!early && r.kind != "value" && !run.x.empty() && moved.x.back() + rule.shift < lastOf(reference, w.end)) s.value = nan;
      s.error = r.kind == "arrival" || r.kind == "peak_time" ? s.value - s.expected : s.value / s.expected - 1;
    }
    s.good = std::isfinite(s.error) && std::abs(s.error) <= s.tolerance;
    all.push_back(s);
  }
  return all;
}

std::vector<Score> scoresOf(const ValidationCase& what, const PlannedRun& run, const std::string& folder) {
  std::vector<Score> all;
  for (const CurveRule& c : what.curves) {
    const auto some = scoresOf(c, curveOf(c, run, folder), referenceOf(what, c));
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace brim
