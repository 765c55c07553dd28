// Many small tanks in one world.
#pragma once
#include "world/particles.h"

namespace brim::inline BRIM_FLAVOUR {

/// Independent tanks that share a domain, solids and a solver and go on together: positions count from each tank's own corner, so
/// that each has the floats that it has alone. The particles of tank t are first[t] .. first[t + 1] - 1, before and after every
/// sort: which tank a place belongs to never changes.
template <int D>
struct ManyTanks {
  int count = 1;
  Array<int> of;             // of each particle its tank; empty with one tank
  Array<int> first;          // of each tank, and one more for the end
  Array<Record<D>> gravity;  // {g, -} [m/s^2] of each tank

  bool several() const { return count > 1; }
  /// For kernels; no data with one tank.
  View<const int> tankOf() const { return several() ? of.read() : View<const int>{nullptr}; }
};

}  // namespace brim::inline BRIM_FLAVOUR
