// Triangles.
#pragma once
#include <array>
#include <vector>

#include "brim/scene.h"

namespace brim {

struct Mesh {
  std::vector<Vector> points;                 // [m]
  std::vector<std::array<int, 3>> triangles;  // anticlockwise seen from outside
};

}  // namespace brim
