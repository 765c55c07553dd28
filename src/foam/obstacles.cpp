#include "foam/obstacles.h"

#include <cmath>

#include "foam/potentials.h"
#include "scene/motion.h"

namespace brim::foam {

Obstacles::Obstacles(const Scene& scene) : scene_(scene), shapes_(solidShapes(scene)) {
  for (std::size_t a = 0; a < std::size_t(scene.dimension); ++a)
    if (scene.domain.boundary[a] == "periodic") period_[a] = scene.domain.max[a] - scene.domain.min[a];
}

Obstacles::Now Obstacles::at(const Snapshot& s) const {
  Now now;
  for (std::size_t k = 0; k < shapes_.size(); ++k) {
    Pose<double>& pose = now.poses.emplace_back(shapes_[k].pose());
    if (k < scene_.solids.size()) {
      pose = poseAt(scene_.solids[k].motion, pose, s.time);
    } else if (const std::size_t b = k - scene_.solids.size(); b < s.bodies.size()) {
      for (std::size_t c = 0; c < 9; ++c) pose.rotation[c] = s.bodies[b].rotation[c];
      for (std::size_t a = 0; a < 3; ++a) {
        pose.position[a] = s.bodies[b].position[a];
        pose.velocity[a] = s.bodies[b].velocity[a];
      }
    }
  }
  return now;
}

double Obstacles::openPart(const Now& now, const Vector& x, double radius) const {
  double part = 1;
  for (std::size_t a = 0; a < std::size_t(scene_.dimension); ++a) {
    if (scene_.domain.boundary[a] == "open") continue;
    part *= partAbove((x[a] - scene_.domain.min[a]) / radius, scene_.dimension);
    part *= partAbove((scene_.domain.max[a] - x[a]) / radius, scene_.dimension);
  }
  for (std::size_t k = 0; k < shapes_.size(); ++k) {
    double body[3];
    now.poses[k].toBody(x.data(), body);
    part *= partAbove(shapes_[k].primitive().distance(body) / radius, scene_.dimension);
  }
  return part;
}

bool Obstacles::keepOut(const Now& now, Vector& x, Vector& v) const {
  const double eps = 0.05 * scene_.resolution.spacing;
  for (std::size_t k = 0; k < shapes_.size(); ++k) {
    double body[3], normal[3], out[3], of[3];
    now.poses[k].toBody(x.data(), body);
    const double away = shapes_[k].primitive().distance(body);
    if (away >= 0) continue;
    shapes_[k].primitive().normal(body, eps, normal);
    now.poses[k].directionToWorld(normal, out);
    now.poses[k].velocityAt(x.data(), of);
    double into = 0;
    for (std::size_t a = 0; a < 3; ++a) into += (v[a] - of[a]) * out[a];
    for (std::size_t a = 0; a < 3; ++a) {
      x[a] -= away * out[a];
      if (into < 0) v[a] -= into * out[a];
    }
  }
  for (std::size_t a = 0; a < std::size_t(scene_.dimension); ++a) {
    const double low = scene_.domain.min[a], high = scene_.domain.max[a];
    if (x[a] >= low && x[a] <= high) continue;
    if (period_[a] > 0) {
      x[a] -= period_[a] * std::floor((x[a] - low) / period_[a]);
    } else if (scene_.domain.boundary[a] == "open") {
      return false;
    } else {
      v[a] = x[a] < low ? std::max(v[a], 0.) : std::min(v[a], 0.);
      x[a] = std::clamp(x[a], low, high);
    }
  }
  return std::isfinite(x[0] + x[1] + x[2]);
}

}  // namespace brim::foam
