// Solids as plain data that every machine can read: a signed distance in the solid's own frame, and where that frame is.
#pragma once
#include <cmath>

#include "math/qualifiers.h"

namespace brim {

/// Where a body is and how it moves. `rotation` is row-major and turns body directions into scene directions.
template <class R>
struct Pose {
  R rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  R position[3] = {0, 0, 0};  // [m] of the body frame's origin
  R velocity[3] = {0, 0, 0};  // [m/s] of the body frame's origin
  R spin[3] = {0, 0, 0};      // [rad/s]

  Pose() = default;
  template <class S>
  explicit Pose(const Pose<S>& o) {
    for (int i = 0; i < 9; i++) rotation[i] = R(o.rotation[i]);
    for (int i = 0; i < 3; i++) position[i] = R(o.position[i]), velocity[i] = R(o.velocity[i]), spin[i] = R(o.spin[i]);
  }

  BRIM_FN void toWorld(const R x[3], R out[3]) const {
    directionToWorld(x, out);
    for (int i = 0; i < 3; i++) out[i] += position[i];
  }
  BRIM_FN void toBody(const R x[3], R out[3]) const {
    const R y[3] = {x[0] - position[0], x[1] - position[1], x[2] - position[2]};
    directionToBody(y, out);
  }
  BRIM_FN void directionToWorld(const R n[3], R out[3]) const {
    const R a = n[0], b = n[1], c = n[2];
    for (int i = 0; i < 3; i++) out[i] = rotation[3 * i] * a + rotation[3 * i + 1] * b + rotation[3 * i + 2] * c;
  }
  BRIM_FN void directionToBody(const R n[3], R out[3]) const {
    const R a = n[0], b = n[1], c = n[2];
    for (int i = 0; i < 3; i++) out[i] = rotation[i] * a + rotation[3 + i] * b + rotation[6 + i] * c;
  }
  /// v + spin x (x - position), for a point x of the scene.
  BRIM_FN void velocityAt(const R x[3], R v[3]) const {
    const R a = x[0] - position[0], b = x[1] - position[1], c = x[2] - position[2];
    v[0] = velocity[0] + spin[1] * c - spin[2] * b;
    v[1] = velocity[1] + spin[2] * a - spin[0] * c;
    v[2] = velocity[2] + spin[0] * b - spin[1] * a;
  }
};

enum class Kind : int { box, sphere, cylinder, capsule, plane, polygon, mesh };

/// A shape in its own frame, as a signed distance that is negative inside the solid. The frame's origin is the shape's centre
/// (plane: its point). Two-dimensional shapes ignore the third coordinate. The baked data belong to the SolidShape it came from.
template <class R>
struct Primitive {
  Kind kind = Kind::sphere;
  int dimension = 3;
  bool insideOut = false;
  R size[3] = {0, 0, 0};           // [m] box: half sides; sphere: radius; cylinder, capsule: radius, half length along x
  const double* points = nullptr;  // [m] polygon: x, y of each corner
  int count = 0;                   // corners of the polygon
  const float* grid = nullptr;     // [m] mesh: distances at nodes, x fastest
  int nodes[3] = {0, 0, 0};        // of the grid
  R origin[3] = {0, 0, 0};         // [m] of the grid
  R cell = 0;                      // [m] of the grid

  Primitive() = default;
  template <class S>
  explicit Primitive(const Primitive<S>& o)
      : kind(o.kind),
        dimension(o.dimension),
        insideOut(o.insideOut),
        points(o.points),
        count(o.count),
        grid(o.grid),
        cell(R(o.cell)) {
    for (int i = 0; i < 3; i++) size[i] = R(o.size[i]), nodes[i] = o.nodes[i], origin[i] = R(o.origin[i]);
  }

  BRIM_FN R distance(const R x[3]) const { return insideOut ? -shapeDistance(x) : shapeDistance(x); }

  /// Unit gradient of the distance by central differences over 2 eps; 0 where there is none (a centre, a medial plane).
  BRIM_FN void normal(const R x[3], R eps, R n[3]) const {
    R y[3] = {x[0], x[1], x[2]}, l2 = 0;
    n[2] = 0;
    for (int i = 0; i < dimension; i++) {
      y[i] = x[i] + eps;
      const R up = distance(y);
      y[i] = x[i] - eps;
      n[i] = (up - distance(y)) / (2 * eps);
      y[i] = x[i];
      l2 += n[i] * n[i];
    }
    const R s = l2 > R(1e-4) ? 1 / std::sqrt(l2) : R(0);
    for (int i = 0; i < 3; i++) n[i] *= s;
  }

 private:
  BRIM_FN static R larger(R a, R b) { return a > b ? a : b; }
  BRIM_FN static R smaller(R a, R b) { return a < b ? a : b; }
  BRIM_FN static R norm(R a, R b) { return std::sqrt(a * a + b * b); }
  BRIM_FN static R norm(R a, R b, R c) { return std::sqrt(a * a + b * b + c * c); }
  BRIM_FN R z(const R x[3]) const { return dimension == 3 ? x[2] : R(0); }

  BRIM_FN R shapeDistance(const R x[3]) const {
    switch (kind) {
      case Kind::box:
        return box(x);
      case Kind::sphere:
        return norm(x[0], x[1], z(x)) - size[0];
      case Kind::cylinder: {
        const R a = std::abs(x[0]) - size[1], b = norm(x[1], z(x)) - size[0];
        return norm(larger(a, 0), larger(b, 0)) + smaller(larger(a, b), 0);
      }
      case Kind::capsule:
        return norm(larger(std::abs(x[0]) - size[1], 0), x[1], z(x)) - size[0];
      case Kind::plane:
        return x[1];
      case Kind::polygon:
        return polygon(x);
      case Kind::mesh:
        return mesh(x);
    }
    return 0;
  }

  BRIM_FN R box(const R x[3]) const {
    R out2 = 0, in = R(-1e30);
    for (int i = 0; i < dimension; i++) {
      const R q = std::abs(x[i]) - size[i];
      in = larger(in, q);
      if (q > 0) out2 += q * q;
    }
    return in > 0 ? std::sqrt(out2) : in;
  }

  // Nearest side, and inside where a ray towards +x crosses the outline an odd number of times.
  BRIM_FN R polygon(const R x[3]) const {
    R best = R(1e30);
    bool inside = false;
    for (int i = 0, j = count - 1; i < count; j = i++) {
      const R ax = R(points[2 * j]), ay = R(points[2 * j + 1]), bx = R(points[2 * i]), by = R(points[2 * i + 1]);
      const R ex = bx - ax, ey = by - ay, px = x[0] - ax, py = x[1] - ay;
      const R e2 = ex * ex + ey * ey;
      const R t = e2 > 0 ? smaller(larger((px * ex + py * ey) / e2, 0), 1) : R(0);
      const R dx = px - t * ex, dy = py - t * ey;
      best = smaller(best, dx * dx + dy * dy);
      if ((ay > x[1]) != (by > x[1]) && px < py * ex / ey) inside = !inside;
    }
    return inside ? -std::sqrt(best) : std::sqrt(best);
  }

  // Trilinear in the grid; outside it, the value at the nearest point of the grid plus the way there.
  BRIM_FN R mesh(const R x[3]) const {
    int k[3];
    R f[3], out2 = 0;
    for (int i = 0; i < 3; i++) {
      const R u = (x[i] - origin[i]) / cell, v = smaller(larger(u, 0), R(nodes[i] - 1));
      out2 += (u - v) * (u - v);
      k[i] = int(v) < nodes[i] - 2 ? int(v) : nodes[i] - 2;
      f[i] = v - R(k[i]);
    }
    const long long row = nodes[0], slab = row * nodes[1];
    const float* g = grid + k[2] * slab + k[1] * row + k[0];
    const R a = lerp(lerp(g[0], g[1], f[0]), lerp(g[row], g[row + 1], f[0]), f[1]);
    g += slab;
    const R b = lerp(lerp(g[0], g[1], f[0]), lerp(g[row], g[row + 1], f[0]), f[1]);
    return lerp(a, b, f[2]) + cell * std::sqrt(out2);
  }
  BRIM_FN static R lerp(R a, R b, R f) { return a + f * (b - a); }
};

}  // namespace brim
