// Scalars of the whole fluid, reduced where the data lives.
#pragma once
#include "brim/snapshot.h"
#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

/// Fills in energies, momentum, speeds and density errors. Returns the index of a particle that is not finite, or
/// faster than 100 km/s, or -1.
template <int D>
int measure(const World<D>&, StepReport&);

}  // namespace brim::inline BRIM_FLAVOUR
