#include "render/palette.h"

#include <algorithm>
#include <cmath>

namespace brim {

Colour Palette::operator()(double fraction) const {
  const double at = std::clamp(std::isfinite(fraction) ? fraction : 0, 0., 1.) * double(last_);
  const std::size_t k = std::min(std::size_t(at), last_ - 1);
  const float s = float(at - double(k));
  Colour colour;
  for (std::size_t c = 0; c < 3; ++c) colour[c] = (1 - s) * stops_[k][c] + s * stops_[k + 1][c];
  return colour;
}

}  // namespace brim
