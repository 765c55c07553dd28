// The state of a world as bytes: what a checkpoint keeps.
#pragma once
#include <string>
#include <vector>

#include "step/solver_state.h"
#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

/// Columns in their sorted order, counters, emitters, what the solver declared, and the speed that bounds the next step.
template <int D>
std::vector<char> saveState(World<D>&, SolverState<D>&, double maxSpeed);

/// Returns the speed that bounds the next step. Throws Failure if the bytes are of another precision or dimension, or
/// damaged. Columns of another solver are left out: the run then goes on from positions and velocities.
template <int D>
double restoreState(World<D>&, SolverState<D>&, Scratch<D>&, const std::vector<char>&);

}  // namespace brim::inline BRIM_FLAVOUR
