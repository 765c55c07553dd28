#include "observe/noise.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace brim {

namespace {

constexpr std::size_t sampled = 20000;
constexpr std::size_t chunk = 1 << 10;  // of samples that one thread takes at a time

using Cell = std::array<std::int64_t, 3>;

/// Particles sorted by the hashes of their cells, which are a support wide.
class Cells {
 public:
  Cells(const Snapshot& s, double width) : s_(s), width_(width) {
    for (slots_ = 1; slots_ < s.size();) slots_ *= 2;
    first_.assign(slots_ + 1, 0);
    std::vector<std::uint32_t> slot(s.size());
    for (std::size_t i = 0; i < s.size(); ++i) slot[i] = slotOf(cellOf(i)), ++first_[slot[i] + 1];
    for (std::size_t k = 0; k < slots_; ++k) first_[k + 1] += first_[k];
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    particle_.resize(s.size());
    for (std::size_t i = 0; i < s.size(); ++i) particle_[next[slot[i]]++] = std::uint32_t(i);
  }

  Cell cellOf(std::size_t i) const {
    Cell c;
    for (int k = 0; k < 3; ++k) {
      const double at = std::floor(s_.position[3 * i + std::size_t(k)] / width_);
      c[std::size_t(k)] = std::abs(at) < 1e15 ? std::int64_t(at) : 0;
    }
    return c;
  }
  /// Calls f(j) for all particles of the cell and for some others that share its hash.
  template <class F>
  void each(const Cell& c, const F& f) const {
    const std::uint32_t k = slotOf(c);
    for (std::uint32_t at = first_[k]; at < first_[k + 1]; ++at)
      if (cellOf(particle_[at]) == c) f(particle_[at]);
  }

 private:
  std::uint32_t slotOf(const Cell& c) const {
    std::uint64_t h = 0x243f6a8885a308d3ull;
    for (const std::int64_t one : c) h = (h ^ std::uint64_t(one)) * 0x9e3779b97f4a7c15ull, h ^= h >> 29;
    return std::uint32_t(h & (slots_ - 1));
  }
  const Snapshot& s_;
  double width_;
  std::size_t slots_;
  std::vector<std::uint32_t> first_, particle_;
};

}  // namespace

Roughness roughnessOf(const Snapshot& s, const Scene& scene) {
  if (s.size() == 0) return {};
  const double spacing = scene.resolution.spacing, h = 2 * spacing;
  const Domain& domain = scene.domain;
  const auto atWall = [&](const double* x) {
    for (int k = 0; k < s.dimension; ++k)
      if (domain.boundary[k] == "walls" && std::min(x[k] - domain.min[k], domain.max[k] - x[k]) < spacing) return true;
    return false;
  };
  const Cells cells(s, h);
  const std::size_t every = (s.size() + sampled - 1) / sampled, samples = (s.size() + every - 1) / every;
  struct Sums {
    double noise = 0, all = 0, surface = 0;
  };
  std::vector<Sums> parts((samples + chunk - 1) / chunk);
  const int depth = s.dimension == 3 ? 1 : 0;
  // d^D W(0) of the cubic spline of 2 spacings.
  const double own = s.dimension == 3 ? 1 / std::numbers::pi : 10 / (7 * std::numbers::pi);
  tbb::parallel_for(std::size_t(0), parts.size(), [&](std::size_t part) {
    for (std::size_t k = part * chunk; k < std::min(samples, (part + 1) * chunk); ++k) {
      const std::size_t i = k * every;
      const double* const x = &s.position[3 * i];
      const float* const v = &s.velocity[3 * i];
      double weight = 0, mean[3] = {0, 0, 0};
      const Cell here = cells.cellOf(i);
      for (int dz = -depth; dz <= depth; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx)
            cells.each({here[0] + dx, here[1] + dy, here[2] + dz}, [&](std::size_t j) {
              double r2 = 0;
              for (std::size_t a = 0; a < 3; ++a) r2 += (s.position[3 * j + a] - x[a]) * (s.position[3 * j + a] - x[a]);
              if (r2 >= h * h) return;
              const double q = std::sqrt(r2) / h, outer = 1 - q, inner = std::max(1 - 2 * q, 0.0);
              const double w = 2 * outer * outer * outer - inner * inner * inner;
              weight += w;
              for (std::size_t a = 0; a < 3; ++a) mean[a] += w * double(s.velocity[3 * j + a]);
            });
      if (!atWall(x)) parts[part].surface += std::clamp((0.95 - own * weight) / 0.2, 0.0, 2.0);
      for (std::size_t a = 0; a < 3; ++a) {
        const double rest = weight > 0 ? double(v[a]) - mean[a] / weight : 0;
        parts[part].noise += rest * rest, parts[part].all += double(v[a]) * double(v[a]);
      }
    }
  });
  // A quarter of a layer, of as many particles in a heap.
  const double layer = 0.25 * std::pow(double(s.size()), -1.0 / s.dimension);
  Sums sum;
  for (const Sums& one : parts) sum.noise += one.noise, sum.all += one.all, sum.surface += one.surface;
  return {sum.all > 0 ? sum.noise / sum.all : 0, sum.surface / double(samples) + layer};
}

double judgedVolume(double ratio, double surface, double limit) { return std::abs(ratio - 1) <= limit + 2 * surface ? 1 : ratio; }

}  // namespace brim
