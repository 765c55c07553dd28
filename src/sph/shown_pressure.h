// The pressure that users see.
#pragma once
#include <cmath>

#include "step/context.h"

namespace brim::inline BRIM_FLAVOUR {

/// Pressures of single steps alternate, as velocities carry what one step corrected too much into the next; and they jump with
/// the number of iterations. So solvers that correct densities show a mean over about 20 ms.
enum class Shown { averaged, ofThisStep };

/// A column of pressures [Pa], as a value for showPressure.
struct ColumnPressure {
  View<const Real> p;
  BRIM_DEVICE_FN Real operator()(int i) const { return p[i]; }
};

/// `value(i)` [Pa] of each particle becomes the pressure that is shown.
template <int D, class Value>
void showPressure(StepContext<D>& c, Shown how, Value value) {
  constexpr double window = 0.02;  // [s]
  const auto P = c.world.fluid.pressure.view();
  const Real part = how == Shown::averaged ? Real(1 - std::exp(-c.dt / window)) : Real(1);
  forEach(c.world.fluid.size(), [=] BRIM_KERNEL(int i) { P[i] += part * (value(i) - P[i]); });
}

}  // namespace brim::inline BRIM_FLAVOUR
