#include "brim/surface.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "scene/vector.h"
#include "surface/field.h"

namespace brim {

namespace {

double areaOf(const Mesh& m) {
  using namespace vectors;
  double sum = 0;
  for (const auto& t : m.triangles) {
    const Vector &a = m.points[std::size_t(t[0])], &b = m.points[std::size_t(t[1])], &c = m.points[std::size_t(t[2])];
    sum += length(cross(b - a, c - a)) / 2;
  }
  return sum;
}

// The surface whose volume is that of the particles. V falls with the level by the area over the field's slope, which is first
// guessed and then taken from the last two levels.
Mesh withVolume(const Field& field, float start, float slope, double volumeWanted) {
  const float least = 0.6f * start, most = 1.5f * start;
  float iso = start, isoBefore = 0;
  double volumeBefore = 0;
  Mesh mesh = isosurface(field, iso);
  for (int attempt = 0; attempt < 3 && !mesh.triangles.empty(); ++attempt) {
    const double now = volume(mesh);
    if (std::abs(now - volumeWanted) < 2e-3 * volumeWanted) break;
    double rate = areaOf(mesh) / slope;  // -dV/diso
    if (attempt > 0 && iso != isoBefore) rate = std::max(0.2 * rate, -(now - volumeBefore) / double(iso - isoBefore));
    volumeBefore = now;
    isoBefore = iso;
    iso = std::clamp(float(iso + (now - volumeWanted) / rate), least, most);
    if (iso == isoBefore) break;
    mesh = isosurface(field, iso);
  }
  return mesh;
}

// The mean of the particles' velocities, weighted by their nearness.
std::vector<std::array<float, 3>> velocities(const Mesh& mesh, const Cloud& cloud, const Snapshot& s) {
  std::vector<std::array<float, 3>> v(mesh.points.size(), {0, 0, 0});
  if (s.velocity.size() != s.position.size()) return v;
  tbb::parallel_for(std::size_t(0), v.size(), [&](std::size_t k) {
    const Place at = {float(mesh.points[k][0]), float(mesh.points[k][1]), float(mesh.points[k][2])};
    const auto ranges = cloud.around(at);
    float sum = 0;
    for (std::size_t r = 0; r < std::size_t(ranges.count); ++r)
      for (int j = ranges.begin[r]; j < ranges.end[r]; ++j) {
        const Place& x = cloud.places()[std::size_t(j)];
        const float dx = x[0] - at[0], dy = x[1] - at[1], dz = x[2] - at[2];
        const float q = 1 - (dx * dx + dy * dy + dz * dz) / (ellipsoidReach * ellipsoidReach);
        if (q <= 0) continue;
        const float w = q * q * q;
        sum += w;
        for (std::size_t a = 0; a < 3; ++a) v[k][a] += w * s.velocity[3 * std::size_t(cloud.order()[std::size_t(j)]) + a];
      }
    if (sum > 0)
      for (float& component : v[k]) component /= sum;
  });
  return v;
}

}  // namespace

const std::vector<std::string>& surfaceMethods() {
  static const std::vector<std::string> names = {"anisotropic", "spheres", "levelset"};
  return names;
}

LiquidSurface surfaceOf(const Snapshot& s, double spacing, const SurfaceOptions& options) {
  if (s.dimension != 3) throw Failure("a 2D frame has no surface of triangles");
  const Cloud cloud(s, spacing, ellipsoidReach);
  LiquidSurface out;
  if (cloud.size() == 0) return out;
  const auto particles = options.method == "anisotropic" ? ellipsoids(cloud, 3) : roundOnes(cloud, 3);
  const float voxel = float(options.voxel);
  // Levels and slopes at a flat surface with half a spacing of liquid above the outermost particles.
  if (options.method == "levelset")
    out.mesh = withVolume(Field::distance(particles, voxel), 0.45f, 1, cloud.size());
  else
    out.mesh = withVolume(Field::density(particles, voxel, 3), 0.5f, 0.6f, cloud.size());
  out.velocity = velocities(out.mesh, cloud, s);
  for (Vector& x : out.mesh.points)
    for (std::size_t a = 0; a < 3; ++a) x[a] = cloud.origin()[a] + spacing * x[a];
  return out;
}

}  // namespace brim
