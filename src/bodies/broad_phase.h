// Which bodies may touch: the pairs of balls that overlap, found by sorting (sweep and prune).
#pragma once
#include <utility>
#include <vector>

#include "bodies/body.h"

namespace brim {

struct Ball {
  Vector centre;  // [m]
  double radius;  // [m] negative: overlaps nothing
};

/// Pairs (a, b) with a < b whose intervals overlap along every axis, in the order of a, then b. The sweep goes along the axis on
/// which the centres are farthest apart.
std::vector<std::pair<int, int>> overlapping(const std::vector<Ball>&);

}  // namespace brim
