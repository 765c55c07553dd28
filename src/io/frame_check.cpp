#include "io/frame_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "brim/error.h"

namespace brim {

namespace {

constexpr double farthest = 1e15;  // [m] and [m/s]; a run has diverged long before

template <class T>
bool finite(const std::vector<T>& column) {
  return std::all_of(column.begin(), column.end(), [](T x) { return std::isfinite(x); });
}

bool different(std::vector<std::int64_t> ids) {
  if (std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end()) return true;  // ascending, as Brim writes
  std::sort(ids.begin(), ids.end());
  return std::adjacent_find(ids.begin(), ids.end()) == ids.end();
}

}  // namespace

void checkFrame(const std::string& path, const Snapshot& s) {
  const auto require = [&](bool good, const char* what) {
    if (!good) throw Failure(fmt::format("{} cannot be read: {}", path, what));
  };
  const std::size_t n = s.id.size();
  const auto fits = [&](const auto& column, std::size_t each) { return column.empty() || column.size() == each * n; };
  require(s.position.size() == 3 * n && fits(s.velocity, 3) && fits(s.density, 1) && fits(s.pressure, 1),
          "its points and columns do not match");
  require(s.dimension == 2 || s.dimension == 3, "its dimension is neither 2 nor 3");
  require(std::isfinite(s.time) && s.step >= 0, "its time or step is none");
  require(std::all_of(s.position.begin(), s.position.end(), [](double x) { return std::abs(x) < farthest; }) &&
              std::all_of(s.velocity.begin(), s.velocity.end(), [](float x) { return std::abs(x) < farthest; }),
          "a position or a velocity is not finite");
  require(finite(s.density) && finite(s.pressure), "a density or a pressure is not finite");
  require(n == 0 || *std::min_element(s.id.begin(), s.id.end()) >= 0, "an id is below 0");
  require(different(s.id), "two particles have the same id");
}

}  // namespace brim
