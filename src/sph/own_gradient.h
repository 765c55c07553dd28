// Kernels with their own gradients.
#pragma once
#include "step/context.h"

namespace brim::inline BRIM_FLAVOUR {

/// Calls body(W) with the scene's kernel; poly6 with its own gradient, where c.withKernel takes that of spiky.
template <int D, class F>
void withOwnGradient(const StepContext<D>& c, F body) {
  if (c.world.kernel == "poly6")
    body(Poly6<D>(c.world.support));
  else
    c.withKernel(body);
}

}  // namespace brim::inline BRIM_FLAVOUR
