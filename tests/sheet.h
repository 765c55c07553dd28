// A sheet of cloth, in 2D a rope, across a tank.
#pragma once
#include "helpers.h"

namespace brim::test {

/// Held at all sides of a tank of that width and depth [m], 0.4 m above the floor.
inline Cloth sheetAcross(int D, double width, double depth) {
  Cloth c;
  c.name = "sheet";
  c.kind = D == 2 ? "rope" : "rectangle";
  c.from = {0, 0.4, 0}, c.to = {width, 0.4, 0};
  c.hold = {D == 2 ? "from" : "along_low", D == 2 ? "to" : "along_high"};
  if (D == 3) c.hold.insert(c.hold.end(), {"across_low", "across_high"});
  c.corner = {0, 0.4, 0}, c.along = {width, 0, 0}, c.across = {0, 0, depth};
  c.density = 1, c.stretch = 1e4;
  return c;
}

}  // namespace brim::test
