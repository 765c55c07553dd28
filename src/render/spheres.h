// Shaded spheres in a box: a rasteriser of its own that needs no graphics card and gives the same picture everywhere.
#pragma once
#include <vector>

#include "render/camera.h"
#include "render/text.h"

namespace brim {

/// The fluid at one time, small: positions relative to the middle of the box.
struct Panel {
  int dimension = 3;
  double time = 0;              // [s]
  std::vector<float> position;  // [m] three a particle
  std::vector<float> speed;     // [m/s]
  std::vector<float> solids;    // [m] three a sample
  std::vector<float> sheets;    // [m] three a point: cloth and soft bodies, as dense as they are drawn
};

struct Look {
  Vector min, max;     // [m] the box to draw, in the panel's coordinates
  double radius = 0;   // [m] of a sphere
  double solid = 0;    // [m] of a sphere of a solid
  double fastest = 1;  // [m/s] the end of the colours
};

/// Spheres with depth, light from above left, darker where something is in front; the edges of the box; a floor. Antialiased
/// by 2 x 2 samples a pixel. Draws into the rectangle of the image that the camera was made for.
void drawPanel(Image&, int left, int top, int width, int height, const Camera&, const Panel&, const Look&);

}  // namespace brim
