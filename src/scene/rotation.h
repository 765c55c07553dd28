// Turns as matrices, row by row, for geometry on the host.
#pragma once
#include <array>
#include <cmath>
#include <numbers>

#include "scene/vector.h"

namespace brim {

using Matrix = std::array<double, 9>;  // row-major
constexpr double radians = std::numbers::pi / 180;

namespace vectors {

inline Vector operator*(const Matrix& m, const Vector& a) {
  return {m[0] * a[0] + m[1] * a[1] + m[2] * a[2], m[3] * a[0] + m[4] * a[1] + m[5] * a[2],
          m[6] * a[0] + m[7] * a[1] + m[8] * a[2]};
}
inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c = {};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) c[3 * i + j] += a[3 * i + k] * b[3 * k + j];
  return c;
}
inline Matrix transposed(const Matrix& m) { return {m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}; }

}  // namespace vectors

/// [a]x: the matrix of the cross product with a.
inline Matrix crossing(const Vector& a) { return {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0}; }

/// Rodrigues: Q = cos I + sin [n]x + (1 - cos) n n^T, for a unit axis n.
inline Matrix turn(const Vector& n, double angle) {
  const double c = std::cos(angle), s = std::sin(angle), u = 1 - c;
  return {c + u * n[0] * n[0],        u * n[0] * n[1] - s * n[2], u * n[0] * n[2] + s * n[1],
          u * n[1] * n[0] + s * n[2], c + u * n[1] * n[1],        u * n[1] * n[2] - s * n[0],
          u * n[2] * n[0] - s * n[1], u * n[2] * n[1] + s * n[0], c + u * n[2] * n[2]};
}

/// About x, then y, then z.
inline Matrix turnByDegrees(const Vector& rotate) {
  using namespace vectors;
  const Matrix z = turn({0, 0, 1}, radians * rotate[2]);
  if (rotate[0] == 0 && rotate[1] == 0) return z;
  return z * (turn({0, 1, 0}, radians * rotate[1]) * turn({1, 0, 0}, radians * rotate[0]));
}

/// Its angular velocity where the angles change by `rate` [deg/s]: the later turns carry the axes of the earlier ones.
inline Vector spinByDegrees(const Vector& rotate, const Vector& rate) {
  using namespace vectors;
  const Vector aboutX = turn({0, 1, 0}, radians * rotate[1]) * Vector{radians * rate[0], 0, 0};
  const Vector spin = turn({0, 0, 1}, radians * rotate[2]) * (aboutX + Vector{0, radians * rate[1], 0});
  return spin + Vector{0, 0, radians * rate[2]};
}

}  // namespace brim
