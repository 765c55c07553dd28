#include "bodies/broad_phase.h"

#include <algorithm>
#include <cmath>

namespace brim {

std::vector<std::pair<int, int>> overlapping(const std::vector<Ball>& balls) {
  Vector low = {1e300, 1e300, 1e300}, high = {-1e300, -1e300, -1e300};
  std::vector<int> order;
  for (int b = 0; b < int(balls.size()); ++b) {
    if (balls[b].radius < 0) continue;
    order.push_back(b);
    for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], balls[b].centre[k]), high[k] = std::max(high[k], balls[b].centre[k]);
  }
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
  const auto begin = [&](int b) { return balls[b].centre[axis] - balls[b].radius; };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return std::pair(begin(a), a) < std::pair(begin(b), b); });
  const auto near = [&](int a, int b) {
    for (int k = 0; k < 3; ++k)
      if (std::abs(balls[a].centre[k] - balls[b].centre[k]) > balls[a].radius + balls[b].radius) return false;
    return true;
  };
  std::vector<std::pair<int, int>> pairs;
  std::vector<int> open;  // those whose interval along the axis has begun and not ended
  for (const int b : order) {
    std::erase_if(open, [&](int a) { return balls[a].centre[axis] + balls[a].radius < begin(b); });
    for (const int a : open)
      if (near(a, b)) pairs.emplace_back(std::min(a, b), std::max(a, b));
    open.push_back(b);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace brim
