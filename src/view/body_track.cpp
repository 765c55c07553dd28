#include "view/body_track.h"

#include <cmath>
#include <filesystem>
#include <iterator>

#include "io/csv.h"

namespace brim::view {

namespace {

using Turn9 = std::array<double, 9>;

Turn9 turnOf(double w, double x, double y, double z) {
  return {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),    1 - 2 * (x * x + z * z),
          2 * (y * z - w * x),     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
}

}  // namespace

// The file has the centre of mass, a picture needs the origin of the shape's frame. What lies between them, in that frame, is
// known from the first row, where the body still is where the scene put it.
BodyTrack::BodyTrack(const std::string& file, const Scene& scene, const std::vector<SolidShape>& shapes) {
  if (scene.bodies.empty() || !std::filesystem::exists(file)) return;
  const NumberTable table = readTable(file);
  const std::vector<double>* const times = table.find("time");
  if (!times) return;
  std::vector<Vector> arm(scene.bodies.size());  // [m]
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto number = [&](const std::string& name) {
      const std::vector<double>* const column = table.find(name);
      return column ? (*column)[row] : NAN;
    };
    std::vector<BodyReport> bodies;
    for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
      BodyReport b;
      b.name = scene.bodies[k].name;
      const auto of = [&](const char* what) { return number(b.name + "." + what); };
      b.centre = {of("x"), of("y"), scene.dimension == 3 ? of("z") : 0};
      const double half = scene.dimension == 2 ? of("angle") / 2 : 0;
      b.rotation =
          scene.dimension == 2 ? turnOf(std::cos(half), 0, 0, std::sin(half)) : turnOf(of("qw"), of("qx"), of("qy"), of("qz"));
      if (rows_.empty())
        for (std::size_t i = 0; i < 3; ++i)
          for (std::size_t j = 0; j < 3; ++j)
            arm[k][i] += b.rotation[3 * j + i] * (b.centre[j] - shapes[scene.solids.size() + k].pose().position[j]);
      for (std::size_t i = 0; i < 3; ++i) {
        b.position[i] = b.centre[i];
        for (std::size_t j = 0; j < 3; ++j) b.position[i] -= b.rotation[3 * i + j] * arm[k][j];
      }
      bodies.push_back(b);
    }
    if (const double time = (*times)[row]; std::isfinite(time)) rows_.emplace(time, std::move(bodies));
  }
}

std::vector<BodyReport> BodyTrack::at(double t) const {
  if (rows_.empty()) return {};
  auto after = rows_.lower_bound(t);
  if (after == rows_.end()) return std::prev(after)->second;
  if (after != rows_.begin() && t - std::prev(after)->first < after->first - t) --after;
  return after->second;
}

}  // namespace brim::view
