// What acts on velocities besides gravity and the fluid itself, at the start of a step, whatever the solver: a tank that turns,
// sponge layers.
#pragma once
#include "step/context.h"

namespace brim::inline BRIM_FLAVOUR {

/// Velocities of the fluid and of rigid bodies, by what acts during the step.
template <int D>
void applyForcing(StepContext<D>&);

// Steps of the above; here because nvcc wants functions with kernels to be seen from outside.
template <int D>
void turnWithTank(StepContext<D>&);
template <int D>
void absorb(StepContext<D>&, const Absorber&);

}  // namespace brim::inline BRIM_FLAVOUR
