// Force and moment of the fluid's pressure on a solid, a body or a rectangle of a wall: a sum over pieces of the surface.
#include "scene/sampling.h"
#include "world/gauge_geometry.h"
#include "world/gauge_readings.h"
#include "world/obstacles.h"

namespace brim::inline BRIM_FLAVOUR {

using namespace vectors;

namespace {

/// Pieces of a triangle with sides of at most `edge` [m].
void addTriangle(std::vector<SurfaceElement>& all, const Vector& a, const Vector& b, const Vector& c, double edge) {
  const double ab = length(b - a), bc = length(c - b), ca = length(a - c), longest = std::max({ab, bc, ca});
  if (longest <= edge) {
    all.push_back({(1 / 3.0) * (a + b + c), 0.5 * vectors::cross(b - a, c - a)});
    return;
  }
  const auto halves = [&](const Vector& p, const Vector& q, const Vector& r) {  // pq is the longest side
    const Vector middle = 0.5 * (p + q);
    addTriangle(all, p, middle, r, edge);
    addTriangle(all, middle, q, r, edge);
  };
  if (ab == longest)
    halves(a, b, c);
  else if (bc == longest)
    halves(b, c, a);
  else
    halves(c, a, b);
}

/// The surface of a shape in its own frame. `edge` [m] is how long the sides of pieces are at most.
std::vector<SurfaceElement> surfaceOf(const SolidShape& shape, int dimension, double edge) {
  std::vector<SurfaceElement> all;
  const Primitive<double>& bare = shape.primitive();
  if (dimension == 2) {
    const std::vector<Vector> corner = outline(bare, edge / 2);
    double turn = 0;  // twice the area, positive if anticlockwise
    for (std::size_t i = 0; i < corner.size(); ++i) turn += vectors::cross(corner[i], corner[(i + 1) % corner.size()])[2];
    for (std::size_t i = 0; i < corner.size(); ++i) {
      const Vector a = corner[i], way = corner[(i + 1) % corner.size()] - a;
      const int pieces = std::max(1, int(std::ceil(length(way) / edge)));
      const double sign = (turn > 0 ? 1.0 : -1.0) / pieces;
      for (int k = 0; k < pieces; ++k) all.push_back({a + ((k + 0.5) / pieces) * way, sign * Vector{way[1], -way[0], 0}});
    }
  } else {
    const Mesh made = shape.mesh() ? Mesh() : triangulate(bare, bare.kind == Kind::box ? edge : edge / 2);
    const Mesh& mesh = shape.mesh() ? *shape.mesh() : made;
    for (const auto& t : mesh.triangles) addTriangle(all, mesh.points[t[0]], mesh.points[t[1]], mesh.points[t[2]], 1.5 * edge);
  }
  if (bare.insideOut)
    for (SurfaceElement& e : all) e.area = -e.area;
  return all;
}

}  // namespace

template <int D>
std::vector<SurfaceElement> GaugeReadings<D>::elements(const World<D>& w, const Gauge& g) {
  std::vector<SurfaceElement> all;
  if (g.kind == "patch") {
    const Opening<D> o(w, g);
    const double wide = 2 * o.halfWidth, high = D == 2 ? 1 : 2 * o.halfHeight;
    const int m = std::max(1, int(std::ceil(wide / w.spacing))), n = D == 2 ? 1 : std::max(1, int(std::ceil(high / w.spacing)));
    const double area = wide * high / (double(m) * n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i)
        all.push_back(
            {o.centre + (((i + 0.5) / m - 0.5) * wide) * o.side + (((j + 0.5) / n - 0.5) * high) * o.up, area * o.ahead});
    return all;
  }
  const Scene& scene = w.scene();
  std::size_t k = 0;
  for (std::size_t i = 0; i < scene.solids.size(); ++i)
    if (scene.solids[i].name == g.on) k = i;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    if (scene.bodies[i].name == g.on) k = scene.solids.size() + i;
  auto& surface = surface_[g.on];
  if (surface.empty()) surface = surfaceOf(w.setup->solids[k], D, w.spacing);
  const Pose<double> pose(w.solids.hostPlaced()[k].pose);
  for (const SurfaceElement& e : surface) {
    SurfaceElement placed;
    pose.toWorld(e.x.data(), placed.x.data());
    pose.directionToWorld(e.area.data(), placed.area.data());
    all.push_back(placed);
  }
  return all;
}

// The pressure on a piece is the mean of what the particles in front of it tell; where there are next to none it is dry.
template <int D>
std::vector<double> GaugeReadings<D>::force(const World<D>& w, const Gauge& g) {
  const std::vector<SurfaceElement> surface = elements(w, g);
  const double h = 1.5 * w.support, unitWeight = Cubic<D>(h).weight / w.rho0, wet = 0.1;
  Vector low = surface[0].x, high = low;
  for (const SurfaceElement& e : surface) low = lower(low, e.x), high = upper(high, e.x);
  const std::vector<NearParticle>& fluid = near_.in(w, low - Vector{h, h, h}, high + Vector{h, h, h});
  PointGrid grid(h, fluid.size() + 1);
  for (const NearParticle& one : fluid) grid.add(one.x);
  const Obstacles<D> obstacles(w);
  std::vector<double> trust(fluid.size());
  forEachOnHost(int(fluid.size()), [&](int j) {
    trust[j] = trustInPressure(obstacles.clearance(obstacles.near(fluid[j].x, w.spacing), fluid[j].x), w.spacing);
  });
  std::vector<double> pressure(surface.size(), 0.0);  // [Pa]
  forEachOnHost(int(surface.size()), [&](int e) {
    const auto& [x, area] = surface[e];
    const Vector gravity = gravityThere(w, x);
    double sum = 0, weight = 0, presence = 0;
    grid.visitWithin(x, h, [&](int j, double r2) {
      const Vector r = x - fluid[j].x;
      if (vectors::dot(r, area) >= 0) return false;
      const double here = unitWeight * fluid[j].mass * spline(std::sqrt(r2) / h), wj = trust[j] * here;
      presence += here;
      sum += wj * pressureBeside(fluid[j].pressure, w.rho0, gravity, r);
      weight += wj;
      return false;
    });
    if (weight > 0) pressure[e] = sum / weight * std::min(presence / wet, 1.0);
  });
  Vector force = {0, 0, 0}, torque = {0, 0, 0};
  for (std::size_t e = 0; e < surface.size(); ++e) {
    const Vector f = -pressure[e] * surface[e].area;
    force = force + f;
    torque = torque + vectors::cross(surface[e].x + w.origin - flat<D>(g.about), f);
  }
  std::vector<double> values(force.begin(), force.begin() + D);
  values.insert(values.end(), torque.begin() + (D == 2 ? 2 : 0), torque.end());
  return values;
}

template std::vector<double> GaugeReadings<2>::force(const World<2>&, const Gauge&);
template std::vector<double> GaugeReadings<3>::force(const World<3>&, const Gauge&);

}  // namespace brim::inline BRIM_FLAVOUR
