#include "dataset/trajectory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scene/motion.h"
#include "scene/shape.h"

namespace brim {

namespace {

enum Type { fluid = 0, wall = 1, movingWall = 2, rigidBody = 3 };

/// A particle that follows a solid or a body.
struct Follower {
  int shape;     // of solidShapes
  Vector local;  // [m] in the shape's frame
};

struct Boundary {
  std::vector<SolidShape> shapes;
  std::vector<Vector> walls;  // [m] of the domain, at rest
  std::vector<Follower> followers;
  std::vector<int> types;  // of the walls, then of the followers
};

// Calls f(x) for the points of the lattice (i + 1/2) d from the domain's corner, between two cells of it.
template <class F>
void lattice(const Scene& s, const std::array<long, 3>& from, const std::array<long, 3>& to, const F& f) {
  const double d = s.resolution.spacing;
  std::array<long, 3> i;
  for (i[2] = from[2]; i[2] < to[2]; ++i[2])
    for (i[1] = from[1]; i[1] < to[1]; ++i[1])
      for (i[0] = from[0]; i[0] < to[0]; ++i[0]) {
        Vector x = {0, 0, 0};
        for (int k = 0; k < s.dimension; ++k) x[k] = s.domain.min[k] + (i[k] + 0.5) * d;
        f(x);
      }
}

Boundary boundaryOf(const Scene& s, int layers) {
  Boundary b;
  if (layers == 0) return b;
  const double d = s.resolution.spacing;
  const int D = s.dimension;
  b.shapes = solidShapes(s);
  std::array<long, 3> low = {0, 0, 0}, high = {1, 1, 1};
  for (int k = 0; k < D; ++k) {
    const long cells = std::lround((s.domain.max[k] - s.domain.min[k]) / d);
    const long more = s.domain.boundary[k] == "walls" ? layers : 0;
    low[k] = -more, high[k] = cells + more;
  }
  const auto inDomain = [&](const Vector& x) {
    for (int k = 0; k < D; ++k)
      if (x[k] < s.domain.min[k] || x[k] > s.domain.max[k]) return false;
    return true;
  };
  lattice(s, low, high, [&](const Vector& x) {
    if (!inDomain(x)) b.walls.push_back(x);
  });
  b.types.assign(b.walls.size(), wall);
  for (std::size_t n = 0; n < b.shapes.size(); ++n) {
    const SolidShape& shape = b.shapes[n];
    const bool body = n >= s.solids.size();
    std::array<long, 3> from = low, to = high;
    for (int k = 0; k < D; ++k)
      if (std::isfinite(shape.low()[k]) && std::isfinite(shape.high()[k])) {
        from[k] = long(std::floor((shape.low()[k] - s.domain.min[k]) / d)) - 1;
        to[k] = long(std::ceil((shape.high()[k] - s.domain.min[k]) / d)) + 1;
      }
    lattice(s, from, to, [&](const Vector& x) {
      const double distance = shape.distance(x);
      // Of what is unbounded, the part within the domain is enough.
      if (distance >= 0 || distance < -layers * d || (!inDomain(x) && !std::isfinite(shape.volume()))) return;
      Follower f{int(n), {0, 0, 0}};
      shape.pose().toBody(x.data(), f.local.data());
      b.followers.push_back(f);
      b.types.push_back(body ? rigidBody : s.solids[n].motion.moves() ? movingWall : wall);
    });
  }
  return b;
}

// The particles of a boundary at the present time.
void appendBoundary(const Boundary& b, const Scene& s, double t, const std::vector<BodyReport>& bodies, std::vector<float>& out) {
  const auto append = [&](const Vector& x) {
    for (int k = 0; k < s.dimension; ++k) out.push_back(float(x[k]));
  };
  for (const Vector& x : b.walls) append(x);
  std::vector<Pose<double>> poses;
  for (std::size_t n = 0; n < b.shapes.size(); ++n) {
    if (n < s.solids.size()) {
      poses.push_back(poseAt(s.solids[n].motion, b.shapes[n].pose(), t));
      continue;
    }
    const BodyReport& report = bodies[n - s.solids.size()];
    Pose<double>& p = poses.emplace_back();
    std::copy(report.rotation.begin(), report.rotation.end(), p.rotation);
    std::copy(report.position.begin(), report.position.end(), p.position);
  }
  for (const Follower& f : b.followers) {
    Vector x;
    poses[f.shape].toWorld(f.local.data(), x.data());
    append(x);
  }
}

}  // namespace

std::optional<Trajectory> simulate(const Scene& scene, const DatasetSpec& spec, const Options& options,
                                   const std::atomic<bool>& stop) {
  Trajectory t;
  t.dimension = scene.dimension;
  t.frames = std::size_t(spec.frames);
  try {
    Simulation sim(scene, options);
    const Boundary boundary = boundaryOf(scene, spec.walls);
    std::size_t fluids = 0;
    for (std::size_t k = 0; k < t.frames; ++k) {
      const double time = double(k) * spec.every;
      while (sim.time() < time) {
        if (stop) return std::nullopt;
        sim.advance(time);
      }
      const Snapshot s = sim.snapshot();
      if (k == 0) {
        fluids = s.size();
        t.type.assign(fluids, fluid);
        t.type.insert(t.type.end(), boundary.types.begin(), boundary.types.end());
        t.particles = t.type.size();
        t.position.reserve(t.frames * t.particles * std::size_t(t.dimension));
      }
      if (s.size() != fluids) t.ruined = fmt::format("{} of {} particles at t = {:g} s", s.size(), fluids, s.time);
      if (const double error = sim.report().density_error_mean; error > spec.densityErrorMax)
        t.ruined = fmt::format("mean density error {:.3g} at t = {:g} s", error, s.time);
      if (!sim.health().good()) t.ruined = sim.health().warnings().front().text;
      if (!t.ruined.empty()) return t;
      for (std::size_t i = 0; i < fluids; ++i)
        for (int a = 0; a < t.dimension; ++a) t.position.push_back(float(s.position[3 * i + std::size_t(a)]));
      appendBoundary(boundary, scene, s.time, s.bodies, t.position);
    }
    t.hash = sim.stateHash();
  } catch (const SceneError& e) {
    t.ruined = describe(e.mistakes().front());
  } catch (const Diverged& e) {
    t.ruined = e.what();
  }
  return t;
}

}  // namespace brim
