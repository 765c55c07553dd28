#include "render/camera.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>

#include "scene/vector.h"

namespace brim {

using namespace vectors;

namespace {

constexpr double distance = 2.4;  // of the eye from the middle, in diagonals of the box

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

Camera::Camera(int dimension, const Vector& min, const Vector& max, double left, double top, double width, double height,
               const Eye& from)
    : perspective_(dimension == 3) {
  const Vector middle = 0.5 * (min + max);
  const Vector sides = max - min;
  const double diagonal = std::sqrt(dot(sides, sides));
  eye_ = middle;
  if (perspective_) {
    const double azimuth = from.azimuth * std::numbers::pi / 180, elevation = from.elevation * std::numbers::pi / 180;
    const double ca = std::cos(azimuth), sa = std::sin(azimuth), ce = std::cos(elevation), se = std::sin(elevation);
    forward_ = {-sa * ce, -se, -ca * ce};
    right_ = {ca, 0, -sa};
    up_ = {-sa * se, ce, -ca * se};
    eye_ = middle - distance * diagonal * forward_;
  }
  // Projection is linear in zoom and offset, so one fit is exact.
  const Bounds b = boundsOf(*this, min, max);
  zoom_ = from.zoom * std::min(width / std::max(b.x1 - b.x0, 1e-300), height / std::max(b.y1 - b.y0, 1e-300));
  x0_ = left + width / 2 - zoom_ * (b.x0 + b.x1) / 2;
  y0_ = top + height / 2 - zoom_ * (b.y0 + b.y1) / 2;
}

Camera::Camera(const Vector& eye, const Vector& target, double fov, double width, double height)
    : perspective_(true), eye_(eye), x0_(width / 2), y0_(height / 2) {
  using namespace vectors;
  forward_ = unit(target - eye);
  // Straight up or down, the top of the picture is the far side.
  const Vector across = cross(forward_, Vector{0, 1, 0});
  right_ = length(across) > 1e-9 ? unit(across) : Vector{1, 0, 0};
  up_ = cross(right_, forward_);
  zoom_ = height / 2 / std::tan(fov * std::numbers::pi / 360);
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

Eye eyeFrom(const std::string& text) {
  static const std::map<std::string, Eye> names = {
      {"front", {0, 8, 1}}, {"side", {90, 8, 1}}, {"top", {0, 89.9, 1}}, {"iso", {38, 28, 1}}, {"", {}}};
  if (const auto found = names.find(text); found != names.end()) return found->second;
  Eye eye;
  int used = 0;
  const int numbers = std::sscanf(text.c_str(), "%lf,%lf%n,%lf%n", &eye.azimuth, &eye.elevation, &used, &eye.zoom, &used);
  if (numbers < 2 || std::size_t(used) != text.size() || !(std::abs(eye.elevation) <= 90) || !(std::abs(eye.azimuth) <= 360) ||
      !(eye.zoom > 0.01 && eye.zoom < 100))
    throw Failure(
        fmt::format("the view \"{}\" is not known; give front, side, top, iso, or AZIMUTH,ELEVATION[,ZOOM] in degrees, "
                    "for example 30,20 or 30,20,1.5",
                    text));
  return eye;
}

double aspect(int dimension, const Vector& min, const Vector& max) {
  const Bounds b = boundsOf(Camera(dimension, min, max, 0, 0, 1, 1), min, max);
  return (b.y1 - b.y0) / std::max(b.x1 - b.x0, 1e-300);
}

}  // namespace brim
