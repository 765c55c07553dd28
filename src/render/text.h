// Letters for pictures: strokes with round ends, drawn smoothly at any size.
#pragma once
#include <array>
#include <string_view>

#include "io/png.h"

namespace brim {

using Colour = std::array<float, 3>;  // 0..1, sRGB

/// Draws with the baseline's left end at (x, y) [px]; `size` is the height of digits [px]. Knows digits, small
/// letters and . , : - + = / ( ); others are boxes.
void drawText(Image&, std::string_view, double x, double y, double size, const Colour&);

/// [px]
double textWidth(std::string_view, double size);

}  // namespace brim
