// Drops, foam and bubbles as soft spots: small ones that add up to white.
#pragma once
#include "render/layers.h"
#include "render/stage.h"

namespace brim {

/// Draws stage.froth over a picture whose layers are known. Each spot has its own blur, of its motion and of the lens.
void drawFroth(Image&, const Layers&, const Shot&, const Stage&);

}  // namespace brim
