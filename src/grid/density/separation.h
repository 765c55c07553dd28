// Separation of particles pair by pair, as methods before density projection do it: to compare with (Kugelstadt et al. 2019, Fig.
// 5).
#pragma once
#include "step/context.h"

namespace brim::inline BRIM_FLAVOUR {

/// Weak springs (Ando & Tsuruno 2011): x_i += dt k d sum_j (1 - r^2/d^2) r_ij/r over r < d, k the stiffness [1/s]. Explicit, so
/// stable only while dt k is well below 1. Sorts the particles by cells.
template <int D>
void springs(StepContext<D>&, double stiffness);

/// Distances of at least d (Sato et al. 2018), by position based dynamics: each of a pair takes half of what is missing, and a
/// particle the mean of what its pairs ask for; `passes` times. Sorts the particles by cells.
template <int D>
void distances(StepContext<D>&, int passes);

}  // namespace brim::inline BRIM_FLAVOUR
