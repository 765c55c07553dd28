// Scalars of the whole fluid, reduced where the data lives.
#pragma once
#include <functional>

#include "brim/snapshot.h"
#include "step/context.h"

namespace brim::inline BRIM_FLAVOUR {

/// Whether a particle is not finite, or faster than 100 km/s.
template <int D>
BRIM_FN bool isLost(const Record<D>& p, const Record<D>& v, Real pressure) {
  const bool finite = dot(p.x, p.x) < Real(1e24) && v.a < Real(1e24) && pressure < Real(1e30) && pressure > Real(-1e30);
  return !(double(dot(v.x, v.x)) < absurdSpeed * absurdSpeed && finite);
}

/// Fills in energies, momentum, speeds and density errors. Returns the index of a particle that is not finite, or
/// faster than 100 km/s, or -1. queued() is called when the work is under way and not yet waited for.
/// `moment` becomes the sum of m x [kg m], x from the domain's corner.
template <int D>
int measure(
    const World<D>&, double pairs, StepReport&, Vector& moment, const std::function<void()>& queued = [] {});
/// The same of the particles first .. first + n - 1 alone, with gravity g.
template <int D>
int measure(const World<D>&, int first, int n, const Vec<D>& g, double pairs, StepReport&, Vector& moment,
            const std::function<void()>& queued);

}  // namespace brim::inline BRIM_FLAVOUR
