#include "render/camera.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace brim {

namespace {

Vector operator+(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vector operator-(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vector operator*(double s, const Vector& a) { return {s * a[0], s * a[1], s * a[2]}; }
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

constexpr double azimuth = 24 * std::numbers::pi / 180;    // to the right of the front
constexpr double elevation = 17 * std::numbers::pi / 180;  // above the horizon
constexpr double distance = 2.4;                           // of the eye from the middle, in diagonals of the box

struct Bounds {
  double x0 = 1e300, x1 = -1e300, y0 = 1e300, y1 = -1e300;
};

Bounds boundsOf(const Camera& camera, const Vector& min, const Vector& max) {
  Bounds b;
  for (int corner = 0; corner < 8; ++corner) {
    const Vector x = {corner & 1 ? max[0] : min[0], corner & 2 ? max[1] : min[1], corner & 4 ? max[2] : min[2]};
    const auto p = camera.project(x);
    b.x0 = std::min(b.x0, p.x), b.x1 = std::max(b.x1, p.x);
    b.y0 = std::min(b.y0, p.y), b.y1 = std::max(b.y1, p.y);
  }
  return b;
}

}  // namespace

Camera::Camera(int dimension, const Vector& min, const Vector& max, double left, double top, double width, double height)
    : perspective_(dimension == 3) {
  const Vector middle = 0.5 * (min + max);
  const Vector sides = max - min;
  const double diagonal = std::sqrt(dot(sides, sides));
  eye_ = middle;
  if (perspective_) {
    const double ca = std::cos(azimuth), sa = std::sin(azimuth), ce = std::cos(elevation), se = std::sin(elevation);
    forward_ = {-sa * ce, -se, -ca * ce};
    right_ = {ca, 0, -sa};
    up_ = {-sa * se, ce, -ca * se};
    eye_ = middle - distance * diagonal * forward_;
  }
  // Projection is linear in zoom and offset, so one fit is exact.
  const Bounds b = boundsOf(*this, min, max);
  zoom_ = std::min(width / std::max(b.x1 - b.x0, 1e-300), height / std::max(b.y1 - b.y0, 1e-300));
  x0_ = left + width / 2 - zoom_ * (b.x0 + b.x1) / 2;
  y0_ = top + height / 2 - zoom_ * (b.y0 + b.y1) / 2;
}

Projected Camera::project(const Vector& x) const {
  const Vector r = x - eye_;
  const double depth = dot(r, forward_), s = scale(depth);
  return {x0_ + s * dot(r, right_), y0_ - s * dot(r, up_), depth};
}

Camera::Ray Camera::ray(double x, double y) const {
  const double a = (x - x0_) / zoom_, b = (y0_ - y) / zoom_;
  if (perspective_) return {eye_, forward_ + a * right_ + b * up_};
  return {eye_ + a * right_ + b * up_, forward_};
}

double aspect(int dimension, const Vector& min, const Vector& max) {
  const Bounds b = boundsOf(Camera(dimension, min, max, 0, 0, 1, 1), min, max);
  return (b.y1 - b.y0) / std::max(b.x1 - b.x0, 1e-300);
}

}  // namespace brim
