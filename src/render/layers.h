// What a picture knows of each pixel besides its colour: for what is drawn over it and for the lens.
#pragma once
#include <array>
#include <limits>
#include <vector>

#include "io/png.h"
#include "render/camera.h"

namespace brim {

/// The picture as light, 0 to 1, and depths [m] along the view, infinite where nothing is.
struct Layers {
  int width, height;
  std::vector<float> solid, water;           // nearest of each
  std::vector<std::array<float, 2>> motion;  // [px] that what is seen moves while the shutter is open; empty: nothing moves
  Layers(int w, int h)
      : width(w),
        height(h),
        solid(std::size_t(w) * h, std::numeric_limits<float>::infinity()),
        water(std::size_t(w) * h, std::numeric_limits<float>::infinity()) {}
  std::size_t at(int x, int y) const { return std::size_t(y) * width + x; }
  float depth(std::size_t k) const { return water[k] < solid[k] ? water[k] : solid[k]; }
};

/// The cameras when the shutter opens, in the middle and when it closes.
struct Shot {
  Camera opens, camera, closes;
  double shutter = 0;   // [s]; 0: nothing is blurred
  double focus = 0;     // [m] depth that is sharp
  double aperture = 0;  // [m] diameter of the lens; 0: all is sharp

  /// [px] that a point of the scene moves while the shutter is open.
  std::array<float, 2> motion(const Vector& x, const Vector& v) const;
  /// [px] radius of the disc that a point of this depth is seen as.
  float blur(float depth) const;
};

/// Blurs what is out of focus, and then what moves while the shutter is open.
void seeThroughLens(Image&, const Layers&, const Shot&);

}  // namespace brim
