#include "dataset/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "brim/files.h"
#include "dataset/hdf5.h"
#include "dataset/npz.h"

namespace brim {

using nlohmann::ordered_json;

namespace {

/// Means over trajectories of the means over particles and frames, as LagrangeBench makes them: of displacements from frame to
/// frame
/// ("velocities") and of their differences ("accelerations") [m].
class Moments {
 public:
  explicit Moments(const Scene& s) : scene_(s) {}

  void add(const float* x, std::size_t frames, std::size_t particles, const int* type) {
    const std::size_t D = std::size_t(scene_.dimension);
    for (std::size_t a = 0; a < D; ++a) {
      const double box = scene_.domain.boundary[a] == "periodic" ? scene_.domain.max[a] - scene_.domain.min[a] : 0;
      const auto step = [&](std::size_t k, std::size_t i) {
        const double u = double(x[((k + 1) * particles + i) * D + a]) - double(x[(k * particles + i) * D + a]);
        return box > 0 ? u - box * std::round(u / box) : u;
      };
      double sums[4] = {0, 0, 0, 0};
      std::size_t fluid = 0;
      for (std::size_t i = 0; i < particles; ++i) {
        if (type[i] != 0) continue;
        ++fluid;
        for (std::size_t k = 0; k + 1 < frames; ++k) {
          const double u = step(k, i);
          sums[0] += u, sums[1] += u * u;
          if (k + 2 >= frames) continue;
          const double b = step(k + 1, i) - u;
          sums[2] += b, sums[3] += b * b;
        }
      }
      const double n = double(std::max<std::size_t>(fluid, 1));
      for (int m = 0; m < 4; ++m) means_[a][m] += sums[m] / (n * double(frames - (m < 2 ? 1 : 2)));
    }
    ++count_;
  }

  ordered_json mean(int first) const {
    return list([&](const auto& m) { return m[first] / count_; });
  }
  /// Where nothing moves, 1: who divides by it divides by no zero.
  ordered_json deviation(int first) const {
    return list([&](const auto& m) {
      const double mean = m[first] / count_, s = std::sqrt(std::max(0.0, m[first + 1] / count_ - mean * mean));
      return s < 1e-7 ? 1 : s;
    });
  }

 private:
  template <class F>
  ordered_json list(const F& f) const {
    ordered_json all = ordered_json::array();
    for (int a = 0; a < scene_.dimension; ++a) all.push_back(f(means_[std::size_t(a)]));
    return all;
  }
  const Scene& scene_;
  std::array<std::array<double, 4>, 3> means_ = {};
  double count_ = 0;
};

}  // namespace

std::string pathOf(const std::string& out, const std::string& split, int k) {
  return fmt::format("{}/npz/{}/{:05}", out, split, k);
}

void writeLayout(const DatasetSpec& spec, const Scene& base, const std::string& out) {
  Moments moments(base);
  std::size_t most = 0;
  for (const auto& [split, n] : {std::pair("train", spec.train), {"valid", spec.valid}, {"test", spec.test}}) {
    std::optional<Hdf5File> file;
    if (spec.hdf5) file.emplace(fmt::format("{}/{}.h5", out, split));
    for (int k = 0; k < n; ++k) {
      const std::string content = readFile(pathOf(out, split, k) + ".npz");
      const auto arrays = readNpz(content);
      const NpzArray &position = arrays.at("position"), &type = arrays.at("particle_type");
      // Out of the file's bytes, which are aligned to nothing.
      std::vector<float> x(position.data.size() / sizeof(float));
      std::memcpy(x.data(), position.data.data(), position.data.size());
      std::vector<int> t(type.data.size() / sizeof(int));
      std::memcpy(t.data(), type.data.data(), type.data.size());
      moments.add(x.data(), position.shape[0], position.shape[1], t.data());
      most = std::max(most, position.shape[1]);
      if (file) file->add(fmt::format("{:05}", k), x.data(), position.shape[0], position.shape[1], position.shape[2], t.data());
    }
    if (file) file->finish();
  }
  const double d = base.resolution.spacing;
  ordered_json periodic = ordered_json::array(), bounds = ordered_json::array();
  for (int a = 0; a < base.dimension; ++a) {
    const auto k = std::size_t(a);
    periodic.push_back(base.domain.boundary[k] == "periodic");
    const double more = base.domain.boundary[k] == "walls" ? spec.walls * d : 0;
    bounds.push_back({base.domain.min[k] - more, base.domain.max[k] + more});
  }
  const auto& g = base.gravity;
  const ordered_json metadata = {
      {"case", spec.title.empty() ? std::filesystem::path(spec.scene).stem().string() : spec.title},
      {"solver", base.solver.name},
      {"dim", base.dimension},
      {"dx", d},
      {"dt", spec.every},
      {"write_every", 1},
      {"t_end", spec.every * (spec.frames - 1)},
      {"viscosity", base.fluid.viscosity},
      {"density", base.fluid.density},
      {"g_ext_magnitude", std::sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])},
      {"sequence_length_train", int(spec.frames) - 1},
      {"num_trajs_train", spec.train},
      {"sequence_length_test", int(spec.frames) - 1},
      {"num_trajs_test", spec.test},
      {"num_particles_max", most},
      {"periodic_boundary_conditions", periodic},
      {"bounds", bounds},
      {"default_connectivity_radius", std::round(145 * d * 1e4) / 1e6},
      {"vel_mean", moments.mean(0)},
      {"vel_std", moments.deviation(0)},
      {"acc_mean", moments.mean(2)},
      {"acc_std", moments.deviation(2)},
  };
  writeFile(out + "/metadata.json", metadata.dump(2) + "\n");
}

}  // namespace brim
