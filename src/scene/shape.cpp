#include "scene/shape.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>

#include "scene/rotation.h"

namespace brim {

using namespace vectors;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;

// The shortest turn that carries the unit vector `from` to the unit vector `to`.
Matrix turnTo(const Vector& from, const Vector& to) {
  const Vector axis = cross(from, to);
  if (length(axis) > 1e-12) return turn(unit(axis), std::atan2(length(axis), dot(from, to)));
  if (dot(from, to) > 0) return turn({0, 0, 1}, 0);
  return turn(std::abs(from[2]) < 0.5 ? Vector{0, 0, 1} : Vector{1, 0, 0}, pi);
}

Vector flat(Vector x, int dimension) {
  if (dimension == 2) x[2] = 0;
  return x;
}

}  // namespace

SolidShape::SolidShape(const Scene& scene, const Shape& s, const std::string& path) {
  auto data = std::make_shared<Data>();
  const int dim = scene.dimension;
  primitive_.dimension = dim;
  primitive_.insideOut = s.inside_out;
  double* size = primitive_.size;
  Vector centre = {0, 0, 0};
  Matrix own = turn({0, 0, 1}, 0);  // from the shape's own frame to the scene, before `rotate`

  if (s.kind == "box") {
    primitive_.kind = Kind::box;
    centre = 0.5 * (s.min + s.max);
    for (int i = 0; i < dim; i++) size[i] = 0.5 * std::abs(s.max[i] - s.min[i]);
  } else if (s.kind == "sphere") {
    primitive_.kind = Kind::sphere;
    centre = s.centre;
    size[0] = s.radius;
  } else if (s.kind == "cylinder" || s.kind == "capsule") {
    primitive_.kind = s.kind == "cylinder" ? Kind::cylinder : Kind::capsule;
    centre = 0.5 * (s.from + s.to);
    const Vector axis = flat(s.to - s.from, dim);
    size[0] = s.radius;
    size[1] = 0.5 * length(axis);
    if (size[1] > 0) own = turnTo({1, 0, 0}, unit(axis));
  } else if (s.kind == "plane") {
    primitive_.kind = Kind::plane;
    centre = s.point;
    own = turnTo({0, 1, 0}, unit(flat(s.normal, dim)));
  } else if (s.kind == "polygon") {
    centre = placePolygon(s, *data);
  } else if (s.kind == "mesh") {
    centre = placeMesh(scene, s, path, *data);
  } else {
    throw SceneError({Mistake{scene.at(path + ".kind"), fmt::format("shape \"{}\" is not known; box, sphere, cylinder, capsule, "
                                                                    "plane, polygon and mesh are",
                                                                    s.kind)}});
  }

  const Matrix m = turnByDegrees(dim == 2 ? Vector{0, 0, s.rotate[2]} : s.rotate) * own;
  centre = flat(centre, dim);
  std::copy(m.begin(), m.end(), pose_.rotation);
  std::copy(centre.begin(), centre.end(), pose_.position);
  data_ = std::move(data);
  setBounds();
  volume_ = s.inside_out ? inf : bareVolume();
}

Vector SolidShape::placePolygon(const Shape& s, Data& data) {
  primitive_.kind = Kind::polygon;
  const auto [low, high] = bounds(s.points);
  const Vector centre = 0.5 * (low + high);
  for (const Vector& p : s.points) data.points.insert(data.points.end(), {p[0] - centre[0], p[1] - centre[1]});
  primitive_.points = data.points.data();
  primitive_.count = int(s.points.size());
  return centre;
}

Vector SolidShape::placeMesh(const Scene& scene, const Shape& s, const std::string& path, Data& data) {
  primitive_.kind = Kind::mesh;
  const auto file = std::filesystem::path(scene.file).parent_path() / s.file;
  Mesh mesh = readMesh(file.string(), s.scale, s.translate, scene.at(path + ".file"));
  const auto [low, high] = bounds(mesh.points);
  const Vector centre = 0.5 * (low + high);
  for (Vector& p : mesh.points) p = p - centre;
  data.tree = std::make_unique<ClosestPoint>(mesh);
  data.grid = bake(*data.tree, scene.resolution.spacing / 2);
  const DistanceGrid& g = data.grid;
  primitive_.grid = g.values.data();
  primitive_.cell = g.cell;
  for (int i = 0; i < 3; i++) primitive_.nodes[i] = g.nodes[i], primitive_.origin[i] = g.origin[i];
  return centre;
}

void SolidShape::setBounds() {
  const double* size = primitive_.size;
  const double r = size[0], l = size[1];
  switch (primitive_.kind) {
    case Kind::box:
      bodyHigh_ = {size[0], size[1], size[2]};
      break;
    case Kind::sphere:
      bodyHigh_ = {r, r, r};
      break;
    case Kind::cylinder:
      bodyHigh_ = {l, r, r};
      break;
    case Kind::capsule:
      bodyHigh_ = {l + r, r, r};
      break;
    case Kind::plane:
      bodyHigh_ = {inf, inf, inf};
      break;
    case Kind::polygon: {
      std::vector<Vector> corners;
      for (int i = 0; i < primitive_.count; i++) corners.push_back({primitive_.points[2 * i], primitive_.points[2 * i + 1], 0});
      bodyHigh_ = bounds(corners)[1];
      break;
    }
    case Kind::mesh:
      bodyHigh_ = bounds(data_->tree->mesh().points)[1];
      break;
  }
  bodyHigh_ = flat(bodyHigh_, primitive_.dimension);
  bodyLow_ = -bodyHigh_;  // the origin is the middle of every bounded shape

  low_ = {-inf, -inf, -inf}, high_ = {inf, inf, inf};
  if (primitive_.insideOut || primitive_.kind == Kind::plane) return;
  for (int i = 0; i < 3; i++) {
    double half = 0;
    for (int j = 0; j < 3; j++) half += std::abs(pose_.rotation[3 * i + j]) * bodyHigh_[j];
    if (primitive_.kind == Kind::sphere) half = i < primitive_.dimension ? r : 0;
    low_[i] = pose_.position[i] - half;
    high_[i] = pose_.position[i] + half;
  }
}

double SolidShape::bareVolume() const {
  const bool flat = primitive_.dimension == 2;
  const double* size = primitive_.size;
  const double r = size[0], l = 2 * size[1];
  switch (primitive_.kind) {
    case Kind::box:
      return flat ? 4 * size[0] * size[1] : 8 * size[0] * size[1] * size[2];
    case Kind::sphere:
      return flat ? pi * r * r : 4 * pi / 3 * r * r * r;
    case Kind::cylinder:
      return flat ? 2 * r * l : pi * r * r * l;
    case Kind::capsule:
      return flat ? 2 * r * l + pi * r * r : pi * r * r * l + 4 * pi / 3 * r * r * r;
    case Kind::plane:
      return inf;
    case Kind::polygon: {
      double a = 0;
      const double* p = primitive_.points;
      for (int i = 0, j = primitive_.count - 1; i < primitive_.count; j = i++)
        a += 0.5 * (p[2 * j] * p[2 * i + 1] - p[2 * i] * p[2 * j + 1]);
      return std::abs(a);
    }
    case Kind::mesh:
      return brim::volume(data_->tree->mesh());
  }
  return 0;
}

double SolidShape::bodyDistance(const Vector& x) const {
  if (!data_->tree) return primitive_.distance(x.data());
  const double phi = data_->tree->distance(x);
  return primitive_.insideOut ? -phi : phi;
}

double SolidShape::distance(const Vector& x) const {
  Vector y;
  pose_.toBody(x.data(), y.data());
  return bodyDistance(y);
}

Vector SolidShape::normal(const Vector& x) const {
  Vector y, n;
  pose_.toBody(x.data(), y.data());
  if (data_->tree) {
    const auto hit = data_->tree->nearest(y);
    // Off the surface the gradient points along the way to the nearest point; on it, it is the pseudo-normal.
    const Vector away = y - hit.point;
    n = length(away) > 1e-9 * length(bodyHigh_) ? (hit.distance < 0 ? -unit(away) : unit(away)) : unit(hit.normal);
    if (primitive_.insideOut) n = -n;
  } else {
    const double extent = primitive_.kind == Kind::plane ? 1 : length(bodyHigh_);
    primitive_.normal(y.data(), 1e-6 * extent, n.data());
  }
  pose_.directionToWorld(n.data(), n.data());
  return n;
}

std::vector<SolidShape> solidShapes(const Scene& scene) {
  std::vector<SolidShape> shapes;
  for (std::size_t i = 0; i < scene.solids.size(); i++)
    shapes.emplace_back(scene, scene.solids[i].shape, fmt::format("solids[{}]", i));
  for (std::size_t i = 0; i < scene.bodies.size(); i++)
    shapes.emplace_back(scene, scene.bodies[i].shape, fmt::format("bodies[{}]", i));
  return shapes;
}

}  // namespace brim
