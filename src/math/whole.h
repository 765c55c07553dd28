// The one way from a double to a whole number. A plain cast of what the type cannot hold is undefined.
#pragma once
#include <limits>

namespace brim {

/// x without its fraction; 0 for what is no number. Beyond half of what I holds, that half: sums of a few hold too.
template <class I = int>
[[gnu::always_inline]] constexpr I whole(double x) {
  constexpr I low = std::numeric_limits<I>::min() / 2, high = std::numeric_limits<I>::max() / 2;
  if (!(x > double(low))) return x <= double(low) ? low : I(0);
  return x < double(high) ? I(x) : high;
}

/// Whether x is a whole number that I holds.
template <class I = int>
[[gnu::always_inline]] constexpr bool isWhole(double x) {
  return x >= double(std::numeric_limits<I>::min()) && x < double(std::numeric_limits<I>::max()) && double(I(x)) == x;
}

}  // namespace brim
