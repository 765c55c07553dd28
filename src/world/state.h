// The state of a world as bytes: what a checkpoint keeps.
#pragma once
#include <string>
#include <vector>

#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

/// Columns in their sorted order, counters, emitters, and the speed that bounds the next step.
template <int D>
std::vector<char> saveState(World<D>&, const std::string& solver, double maxSpeed);

/// Returns the speed that bounds the next step. Throws Failure if the bytes are of another precision or dimension, or
/// damaged. Columns of another solver are left out: the run then goes on from positions and velocities.
template <int D>
double restoreState(World<D>&, const std::string& solver, const std::vector<char>&);

}  // namespace brim::inline BRIM_FLAVOUR
