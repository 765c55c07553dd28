// Rotations on the host: unit quaternions, and what they are as matrices.
#pragma once
#include <array>
#include <cmath>

#include "scene/rotation.h"

namespace brim {

using Quaternion = std::array<double, 4>;  // {w, x, y, z}, unit length

namespace vectors {

/// The inverse of a symmetric positive matrix.
inline Matrix inverse(const Matrix& m) {
  const Vector a = {m[0], m[3], m[6]}, b = {m[1], m[4], m[7]}, c = {m[2], m[5], m[8]};
  const Vector x = cross(b, c), y = cross(c, a), z = cross(a, b);
  const double d = 1 / dot(a, x);
  return {d * x[0], d * x[1], d * x[2], d * y[0], d * y[1], d * y[2], d * z[0], d * z[1], d * z[2]};
}

inline Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}
inline Quaternion conjugate(const Quaternion& q) { return {q[0], -q[1], -q[2], -q[3]}; }
inline Quaternion normalised(Quaternion q) {
  const double s = 1 / std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (double& e : q) e *= s;
  return q;
}

/// The turn by |angle| [rad] about the direction of `angle`.
inline Quaternion turnBy(const Vector& angle) {
  const double a = length(angle), half = a / 2, s = a > 1e-8 ? std::sin(half) / a : 0.5;
  return {std::cos(half), s * angle[0], s * angle[1], s * angle[2]};
}
/// The vector of turnBy, for turns below half a circle; the sines of larger ones.
inline Vector turnOf(const Quaternion& q) {
  const double s = q[0] < 0 ? -2 : 2;
  return {s * q[1], s * q[2], s * q[3]};
}

inline Matrix matrixOf(const Quaternion& q) {
  const auto [w, x, y, z] = q;
  return {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),    1 - 2 * (x * x + z * z),
          2 * (y * z - w * x),     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
}

/// The quaternion of a rotation matrix, by the largest of its four numbers (Shepperd 1978).
inline Quaternion quaternionOf(const double* m) {
  const double t[4] = {m[0] + m[4] + m[8], m[0] - m[4] - m[8], m[4] - m[0] - m[8], m[8] - m[0] - m[4]};
  int k = 0;
  for (int i = 1; i < 4; ++i)
    if (t[i] > t[k]) k = i;
  const double l = std::sqrt(1 + t[k]), s = 0.5 / l;
  const double a = m[7] - m[5], b = m[2] - m[6], c = m[3] - m[1], d = m[3] + m[1], e = m[2] + m[6], f = m[7] + m[5];
  if (k == 0) return normalised({l / 2, s * a, s * b, s * c});
  if (k == 1) return normalised({s * a, l / 2, s * d, s * e});
  if (k == 2) return normalised({s * b, s * d, l / 2, s * f});
  return normalised({s * c, s * e, s * f, l / 2});
}

/// A unit vector at right angles to n.
inline Vector acrossOf(const Vector& n) { return unit(cross(n, std::abs(n[2]) < 0.9 ? Vector{0, 0, 1} : Vector{1, 0, 0})); }

}  // namespace vectors
}  // namespace brim
