// Where a point of the scene is in a picture.
#pragma once
#include <array>
#include <string>

#include "brim/picture.h"
#include "brim/scene.h"

namespace brim {

/// A point in the picture: x to the right and y down [px], depth along the view [m].
struct Projected {
  double x, y, depth;
};

/// 3D scenes are seen in perspective from the front, a little from the right and above (y is up); 2D scenes as on paper.
class Camera {
 public:
  /// Fits the box into the rectangle from (left, top) of the size width x height [px].
  Camera(int dimension, const Vector& min, const Vector& max, double left, double top, double width, double height,
         const Eye& = {});

  /// In perspective, with `target` in the middle of a picture of this size [px], upright. `fov` [deg] from its top to its bottom.
  Camera(const Vector& eye, const Vector& target, double fov, double width, double height);

  Projected project(const Vector&) const;
  /// Pixels per metre at this depth.
  double scale(double depth) const { return perspective_ ? zoom_ / depth : zoom_; }
  /// The ray through a pixel: points eye + s * direction.
  struct Ray {
    Vector eye, direction;
  };
  Ray ray(double x, double y) const;

  /// The camera's axes and what a pixel is in them: the ray through (x, y) runs along a right + b up + forward with
  /// a = (x - x0)/zoom and b = (y0 - y)/zoom, from the eye; without perspective along `forward` from eye + a right + b up.
  bool perspective() const { return perspective_; }
  const Vector& eye() const { return eye_; }
  const Vector& right() const { return right_; }
  const Vector& up() const { return up_; }
  const Vector& forward() const { return forward_; }
  double zoom() const { return zoom_; }
  double x0() const { return x0_; }
  double y0() const { return y0_; }

  /// Unit vector towards the light in camera axes (right, up, towards the eye).
  static Vector light() { return {-0.37, 0.74, 0.56}; }

 private:
  bool perspective_;
  Vector eye_ = {0, 0, 0}, right_ = {1, 0, 0}, up_ = {0, 1, 0}, forward_ = {0, 0, -1};
  double zoom_ = 1;         // [px/m], in perspective at a depth of 1 m
  double x0_ = 0, y0_ = 0;  // [px] where the eye looks
};

/// Height over width of the box as it is seen, for choosing the shape of a picture.
double aspect(int dimension, const Vector& min, const Vector& max);

}  // namespace brim
