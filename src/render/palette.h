// The colours of values, the same in pictures, reports and the viewer: apps/view/colours.js reads its stops from this file.
#pragma once
#include <string_view>

#include "render/text.h"

namespace brim {

/// Evenly spaced colours from the least value to the largest.
class Palette {
 public:
  constexpr explicit Palette(std::string_view stops) : last_(stops.size() / letters) {
    for (std::size_t k = 0; k <= last_; ++k)
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t at = letters * k + 1 + 2 * c;
        stops_[k][c] = float(16 * digit(stops[at]) + digit(stops[at + 1])) / 255;
      }
  }

  /// The colour at a fraction of 0 to 1; what lies outside has the colour of that end, what is no number the first one.
  Colour operator()(double fraction) const;

 private:
  static constexpr std::size_t letters = 8;  // of a stop and the space behind it
  static constexpr int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }
  std::array<Colour, 8> stops_ = {};
  std::size_t last_;
};

inline constexpr Palette speedColours("#10367d #1f6fc9 #59aef0 #b9e0fb #ffffff");    // at rest blue, fast white
inline constexpr Palette densityColours("#ffffff #fdd9c8 #f79a76 #df4a3b #a30f26");  // at rest white, compressed red
inline constexpr Palette pressureColours("#28114f #6b1d81 #b63679 #f1695c #fec287 #fbfcbf");

}  // namespace brim
