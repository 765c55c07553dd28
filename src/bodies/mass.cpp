#include "bodies/mass.h"

#include <numbers>

namespace brim {

using namespace vectors;

namespace {

constexpr double pi = std::numbers::pi;

Matrix diagonal(double x, double y, double z) { return {x, 0, 0, 0, y, 0, 0, 0, z}; }

// Sums over the sides of the outline: area, first and second moments (Green's theorem).
MassProperties ofPolygon(const Primitive<double>& p, double density) {
  double area = 0, x = 0, y = 0, second = 0;
  for (int i = 0, j = p.count - 1; i < p.count; j = i++) {
    const double ax = p.points[2 * j], ay = p.points[2 * j + 1], bx = p.points[2 * i], by = p.points[2 * i + 1];
    const double c = ax * by - bx * ay;
    area += c / 2;
    x += c * (ax + bx) / 6, y += c * (ay + by) / 6;
    second += c * (ax * ax + ax * bx + bx * bx + ay * ay + ay * by + by * by) / 12;
  }
  const double m = density * std::abs(area);
  const Vector centre = {x / area, y / area, 0};
  return {m, centre, diagonal(0, 0, density * std::abs(second) - m * dot(centre, centre))};
}

// Sums over the tetrahedra between the origin and the triangles: of each, the integral of x x^T is
// V/20 (sum_c v_c v_c^T + s s^T) with s = sum_c v_c over the three corners.
MassProperties ofMesh(const Mesh& mesh, double density) {
  double volume = 0;
  Vector first = {0, 0, 0};
  Matrix second = {};
  for (const auto& t : mesh.triangles) {
    const Vector corner[3] = {mesh.points[t[0]], mesh.points[t[1]], mesh.points[t[2]]};
    const double v = dot(corner[0], cross(corner[1], corner[2])) / 6;
    const Vector s = corner[0] + corner[1] + corner[2];
    volume += v;
    first = first + (v / 4) * s;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double sum = s[i] * s[j];
        for (const Vector& c : corner) sum += c[i] * c[j];
        second[3 * i + j] += v / 20 * sum;
      }
  }
  const Vector centre = (1 / volume) * first;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) second[3 * i + j] -= volume * centre[i] * centre[j];
  const double trace = second[0] + second[4] + second[8];
  Matrix inertia;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) inertia[3 * i + j] = density * ((i == j ? trace : 0) - second[3 * i + j]);
  return {density * volume, centre, inertia};
}

}  // namespace

MassProperties massOf(const SolidShape& shape, double density) {
  const Primitive<double>& p = shape.primitive();
  const bool flat = p.dimension == 2;
  const double m = density * shape.volume();
  const double a = p.size[0] * p.size[0], b = p.size[1] * p.size[1], c = p.size[2] * p.size[2];
  switch (p.kind) {
    case Kind::box:
      return {m, {0, 0, 0}, flat ? diagonal(0, 0, m * (a + b) / 3) : diagonal(m * (b + c) / 3, m * (a + c) / 3, m * (a + b) / 3)};
    case Kind::sphere:
      return {m, {0, 0, 0}, flat ? diagonal(0, 0, m * a / 2) : diagonal(0.4 * m * a, 0.4 * m * a, 0.4 * m * a)};
    case Kind::cylinder:
      return {m, {0, 0, 0}, diagonal(m * a / 2, m * (a / 4 + b / 3), m * (a / 4 + b / 3))};
    case Kind::capsule: {
      const double r = p.size[0], l = p.size[1];  // a middle part of half length l and two half balls
      if (flat) {
        const double middle = density * 4 * l * r, ends = density * pi * a;
        return {m, {0, 0, 0}, diagonal(0, 0, middle * (a + b) / 3 + ends * (a / 2 + b + 8 * l * r / (3 * pi)))};
      }
      const double middle = density * 2 * pi * a * l, ends = density * 4 * pi / 3 * a * r;
      const double across = middle * (a / 4 + b / 3) + ends * (0.4 * a + b + 0.75 * l * r);
      return {m, {0, 0, 0}, diagonal(middle * a / 2 + 0.4 * ends * a, across, across)};
    }
    case Kind::polygon:
      return ofPolygon(p, density);
    case Kind::mesh:
      return ofMesh(*shape.mesh(), density);
    case Kind::plane:
      break;
  }
  return {m, {0, 0, 0}, diagonal(m, m, m)};
}

}  // namespace brim
