// What a scene means, checked: ranges, then how its parts fit together.
#pragma once
#include "brim/scene.h"
#include "scene/mistakes.h"

namespace brim {

/// Adds to `mistakes`; parts that are already known to be wrong are left alone, and so is what depends on them.
void checkMeaning(const Scene&, Mistakes& mistakes);

}  // namespace brim
