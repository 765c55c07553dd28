// Which scenes can go together as tanks of one state.
#pragma once
#include <string>
#include <vector>

#include "brim/scene.h"

namespace brim {

/// What keeps a scene from it, each at its key; none: nothing does. All that would need a number of its own for each tank in the
/// middle of a step (a step's size, an iteration's error, what flows in and out) is not there, and neither are bodies.
std::vector<Mistake> apartBecause(const Scene&);

/// Equal for scenes that differ only in what tanks of one state may differ in: the blocks of fluid, title, time.until and output,
/// and with pbf gravity.
std::string togetherKey(const Scene&);

}  // namespace brim
