#include "report/series.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "io/csv.h"
#include "io/file.h"
#include "report/csv.h"

namespace brim {

namespace {

// Wall time over simulated time in stretches of equal time: a single step's is mostly the machine's noise.
Series costOf(const std::vector<std::pair<double, double>>& dtAndMs, const Series& dt, std::size_t stretches) {
  Series cost;
  if (dt.empty()) return cost;
  const double end = dt.back().first;
  double simulated = 0, ms = 0;
  for (std::size_t k = 0; k < dtAndMs.size(); ++k) {
    simulated += dtAndMs[k].first, ms += dtAndMs[k].second;
    if ((simulated >= end / double(stretches) || k + 1 == dtAndMs.size()) && simulated > 0) {
      cost.emplace_back(dt[k].first, ms / simulated);
      simulated = ms = 0;
    }
  }
  return cost;
}

}  // namespace

Series thinned(const Series& all, std::size_t points) {
  if (all.size() <= points || points < 2) return all;
  const double begin = all.front().first, width = (all.back().first - begin) / double(points / 2);
  if (!(width > 0)) return all;
  Series kept;
  for (std::size_t k = 0; k < all.size();) {
    const double stretch = std::floor((all[k].first - begin) / width);
    std::size_t low = k, high = k, end = k;
    for (; end < all.size() && std::floor((all[end].first - begin) / width) == stretch; ++end) {
      if (all[end].second < all[low].second) low = end;
      if (all[end].second > all[high].second) high = end;
    }
    kept.push_back(all[std::min(low, high)]);
    if (low != high) kept.push_back(all[std::max(low, high)]);
    k = end;
  }
  return kept;
}

std::map<std::string, Series> readSeries(const std::string& file, std::size_t points) {
  std::map<std::string, Series> series;
  if (!std::filesystem::exists(file)) return series;
  const std::string text = readFile(file);
  std::vector<std::string_view> header;
  Series uncut, steps;                             // dt without and with the steps cut by a frame
  std::vector<std::pair<double, double>> dtAndMs;  // of every step
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
    const auto row = csvCells(std::string_view(text).substr(begin, end - begin));
    if (header.empty()) {
      for (const std::string_view heading : row) header.push_back(columnName(heading));
      continue;
    }
    const auto word = [&](std::string_view name) {
      const auto at = std::size_t(std::find(header.begin(), header.end(), name) - header.begin());
      return at < row.size() ? row[at] : std::string_view();
    };
    const auto time = number(word("time"));
    if (!time) continue;
    for (const char* name : {"density_error_mean", "density_error_max", "density_error_p999", "kinetic_energy",
                             "potential_energy", "iterations", "volume_ratio", "volume_ratio_eq19", "residual"})
      if (const auto x = number(word(name))) series[name].emplace_back(*time, *x);
    const auto kinetic = number(word("kinetic_energy")), potential = number(word("potential_energy"));
    if (kinetic && potential) series["total_energy"].emplace_back(*time, *kinetic + *potential);
    if (const auto dt = number(word("dt")), ms = number(word("ms_step")); dt && ms) {
      steps.emplace_back(*time, *dt);
      if (word("dt_limit") != "frame") uncut.emplace_back(*time, *dt);
      dtAndMs.emplace_back(*dt, *ms);
    }
  }
  if (auto& ratio = series["volume_ratio"]; !ratio.empty() && ratio.front().first > 0) ratio.insert(ratio.begin(), {0, 1});
  series["dt"] = uncut.empty() ? steps : uncut;
  for (auto& [name, values] : series) values = thinned(values, points);
  series["cost"] = costOf(dtAndMs, steps, std::min<std::size_t>(points, 200));
  return series;
}

}  // namespace brim
