// Scalars of the whole fluid, reduced where the data lives.
#pragma once
#include <functional>

#include "brim/snapshot.h"
#include "step/context.h"

namespace brim::inline BRIM_FLAVOUR {

/// Fills in energies, momentum, speeds and density errors. Returns the index of a particle that is not finite, or
/// faster than 100 km/s, or -1. queued() is called when the work is under way and not yet waited for.
/// `moment` becomes the sum of m x [kg m], x from the domain's corner.
template <int D>
int measure(
    const World<D>&, double pairs, StepReport&, Vector& moment, const std::function<void()>& queued = [] {});

}  // namespace brim::inline BRIM_FLAVOUR
