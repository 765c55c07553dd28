// What a scene means, checked: ranges, then how its parts fit together.
#pragma once
#include "brim/scene.h"
#include "scene/mistakes.h"

namespace brim {

/// Resolves what the scene's motions name, then checks all of it. Adds to `mistakes`; parts that are already known to be wrong
/// are left alone, and so is what depends on them.
void checkMeaning(Scene&, Mistakes& mistakes);

}  // namespace brim
