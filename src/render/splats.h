// Particles as ellipsoids, seen exactly: rays against quadrics (Sigg et al. 2006), not billboards.
#pragma once
#include "render/canvas.h"
#include "surface/ellipsoids.h"

namespace brim {

/// y with (y - centre)^T M (y - centre) <= 1, in the camera's axes (right, up, away from the eye).
struct Splat {
  float x, y, depth;       // [m] of the middle, from the eye
  std::array<float, 6> M;  // [1/m^2] xx yy zz xy xz yz
  Extent extent;           // [samples]
  int particle;
};

/// A particle's ellipsoid in the scene: middle [m] and M [1/m^2].
struct Blob {
  Place middle;
  std::array<float, 6> M;
};

/// Nearest first. Those that reach behind the eye are left out.
std::vector<Splat> splatsOf(const std::vector<Blob>&, const Camera&, const Canvas&);

/// Where a ray meets a splat: depths of the near and the far side.
struct Hit {
  float near, far;
  std::array<float, 3> normal;  // at the near side, unit length: right, up, towards the eye
};
bool hit(const Splat&, const Canvas&, int x, int y, Hit&);

/// Draws the nearest splat of every sample that is nearer than canvas.depth: depth and particle (-1: none).
struct Seen {
  std::vector<float> depth;
  std::vector<int> splat;
};
Seen drawSplats(const std::vector<Splat>&, const Canvas&);

}  // namespace brim
