#include "report/validation/curve.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "brim/run_folder.h"
#include "io/csv.h"
#include "report/csv.h"

namespace brim {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Rows in the order of x; digitised points may come in any, and twice.
void sortByX(Curve& c) {
  std::vector<std::size_t> order(c.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return c.x[a] < c.x[b]; });
  for (auto* column : {&c.x, &c.y, &c.low, &c.high}) {
    if (column->empty()) continue;
    std::vector<double> sorted;
    for (const std::size_t k : order) sorted.push_back((*column)[k]);
    *column = sorted;
  }
}

Curve columnOf(const std::string& file, const std::string& column) {
  Curve c;
  if (!std::filesystem::exists(file)) return c;
  const NumberTable table = readTable(file);
  const auto *x = table.find("time"), *y = table.find(column);
  if (!x || !y) throw Failure(file + " has no column \"" + column + "\", which the case compares");
  for (std::size_t k = 0; k < table.rows(); ++k)
    if (std::isfinite((*x)[k]) && std::isfinite((*y)[k]) && (c.x.empty() || (*x)[k] > c.x.back())) c.add((*x)[k], (*y)[k]);
  return c;
}

Curve extentOf(const CurveRule& rule, const PlannedRun& run, const RunFolder& frames) {
  const std::size_t k = rule.axis == "x" ? 0 : rule.axis == "y" ? 1 : 2;
  Curve c;
  for (const int number : frames.frames()) {
    const Snapshot s = frames.read(number);
    double low = 1e300, high = -1e300;
    for (std::size_t i = 0; i < s.size(); ++i) {
      low = std::min(low, s.position[3 * i + k]);
      high = std::max(high, s.position[3 * i + k]);
    }
    if (!(low <= high)) continue;
    // A particle stands for the fluid half a spacing around it.
    const double half = 0.5 * run.scene.resolution.spacing;
    c.add(s.time, rule.side == "max" ? high + half : rule.side == "min" ? low - half : 0.5 * (high - low) + half);
  }
  return c;
}

double quantityOf(const std::string& quantity, const Snapshot& s, std::size_t i) {
  if (quantity == "pressure") return s.pressure.empty() ? nan : double(s.pressure[i]);
  if (quantity == "density") return s.density.empty() ? nan : double(s.density[i]);
  const float* v = &s.velocity[3 * i];
  if (quantity == "speed") return std::hypot(v[0], v[1], v[2]);
  return v[quantity == "velocity_x" ? 0 : quantity == "velocity_y" ? 1 : 2];
}

// Means of stretches of one spacing, at the mean place of their particles: exact for what is linear along the line.
Curve profileOf(const CurveRule& rule, const Snapshot& s, double spacing) {
  Vector along = {rule.to[0] - rule.from[0], rule.to[1] - rule.from[1], rule.to[2] - rule.from[2]};
  const double length = std::hypot(along[0], along[1], along[2]);
  for (double& a : along) a /= length;
  struct Bin {
    double count = 0, x = 0, y = 0;
  };
  std::vector<Bin> bins(std::size_t(std::ceil(length / spacing)) + 1);
  for (std::size_t i = 0; i < s.size(); ++i) {
    double at = 0, square = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double r = s.position[3 * i + k] - rule.from[k];
      at += r * along[k], square += r * r;
    }
    const double value = quantityOf(rule.quantity, s, i);
    if (at < 0 || at > length || square - at * at > rule.width * rule.width || !std::isfinite(value)) continue;
    Bin& bin = bins[std::size_t(at / spacing)];
    bin.count += 1, bin.x += at, bin.y += value;
  }
  Curve c;
  for (const Bin& bin : bins)
    if (bin.count > 0) c.add(bin.x / bin.count, bin.y / bin.count);
  return c;
}

// The highest particle of each column of two spacings; columns without one have no height.
Curve surfaceOf(const CurveRule& rule, const Snapshot& s, double spacing) {
  const double begin = rule.from[0], width = 2 * spacing;
  std::vector<double> high(std::size_t(std::max(1.0, std::ceil((rule.to[0] - begin) / width))), -1e300);
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double column = (s.position[3 * i] - begin) / width;
    if (!(column >= 0 && column < double(high.size()))) continue;
    double& top = high[std::size_t(column)];
    top = std::max(top, s.position[3 * i + 1] + 0.5 * spacing);
  }
  Curve c;
  for (std::size_t k = 0; k < high.size(); ++k)
    if (high[k] > -1e299) c.add(begin + (double(k) + 0.5) * width, high[k]);
  return c;
}

Curve rawCurve(const CurveRule& rule, const PlannedRun& run, const std::string& folder) {
  if (rule.kind == "gauge") {  // one with a rate has a table of its own
    const std::string own = folder + "/gauges/" + rule.column.substr(0, rule.column.find('.')) + ".csv";
    return columnOf(std::filesystem::exists(own) ? own : folder + "/gauges.csv", rule.column);
  }
  if (rule.kind == "body") return columnOf(folder + "/bodies.csv", rule.column);
  if (rule.kind == "statistics") return columnOf(folder + "/statistics.csv", rule.column);
  if (!std::filesystem::exists(folder + "/summary.json")) return {};
  const RunFolder frames(folder);
  if (frames.frames().empty()) return {};
  if (rule.kind == "extent") return extentOf(rule, run, frames);
  const double fps = run.scene.output.frames_per_second, at = std::min(rule.at, run.scene.time.until);
  int nearest = frames.frames().front();
  for (const int k : frames.frames())
    if (std::abs(k / fps - at) < std::abs(nearest / fps - at)) nearest = k;
  const Snapshot s = frames.read(nearest);
  // A run that ended before has no such frame.
  if (std::abs(s.time - at) > 1 / fps) return {};
  const double spacing = run.scene.resolution.spacing;
  return rule.kind == "profile" ? profileOf(rule, s, spacing) : surfaceOf(rule, s, spacing);
}

// Of an outline that overhangs, the highest point of each fiftieth of its width: what a run's surface is, too.
Curve highest(const Curve& c) {
  Curve top;
  if (c.x.empty()) return top;
  const double begin = c.x.front(), width = (c.x.back() - begin) / 50;
  int last = -1;
  for (std::size_t k = 0; k < c.size(); ++k) {
    const int bin = width > 0 ? int((c.x[k] - begin) / width) : 0;
    if (bin != last) top.add(c.x[k], c.y[k]);
    if (c.y[k] > top.y.back()) top.x.back() = c.x[k], top.y.back() = c.y[k];
    last = bin;
  }
  return top;
}

}  // namespace

Curve referenceOf(const ValidationCase& what, const CurveRule& rule) {
  if (rule.reference.empty()) return {};
  const Csv csv = readCsv(what.folder + "/" + rule.reference);
  const auto column = [&](const std::string& name) { return name.empty() ? -1 : csv.column(name); };
  const int x = column(rule.x), y = column(rule.y), low = column(rule.low), high = column(rule.high), where = column(rule.where);
  Curve c;
  for (const auto& row : csv.rows) {
    const auto cell = [&](int k) {
      const auto value = k >= 0 && std::size_t(k) < row.size() ? number(row[std::size_t(k)]) : std::nullopt;
      return value.value_or(nan);
    };
    if (where >= 0 && (std::size_t(where) >= row.size() || row[std::size_t(where)] != rule.is)) continue;
    if (!std::isfinite(cell(x)) || !std::isfinite(cell(y))) continue;
    const double factor = rule.reference_y_scale;
    c.add(cell(x), factor * cell(y));
    if (low >= 0 && high >= 0) {
      c.low.push_back(std::min(factor * cell(low), factor * cell(high)));
      c.high.push_back(std::max(factor * cell(low), factor * cell(high)));
    } else if (rule.band > 0) {
      c.low.push_back(c.y.back() - rule.band);
      c.high.push_back(c.y.back() + rule.band);
    }
  }
  sortByX(c);
  return rule.kind == "surface" ? highest(c) : c;
}

Curve curveOf(const CurveRule& rule, const PlannedRun& run, const std::string& folder) {
  Curve c = rawCurve(rule, run, folder);
  for (double& x : c.x) x = rule.x_scale * (x + rule.x_offset);
  for (double& y : c.y) y = rule.y_scale * (y + rule.y_offset);
  if (rule.x_scale < 0) sortByX(c);
  return c;
}

}  // namespace brim
