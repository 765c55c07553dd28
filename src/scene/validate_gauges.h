// What gauges must fulfil beyond the ranges of their numbers.
#pragma once
#include "brim/scene.h"
#include "scene/mistakes.h"
#include "scene/shape.h"

namespace brim {

/// Names, sizes, and places: a gauge outside the domain or inside a solid measures nothing. Solids and bodies were checked
/// before.
void checkGauges(const Scene&, Mistakes&);

/// The same for sensors in solids whose shapes are meshes, which only now were read: those of solidShapes(scene). Throws
/// SceneError.
void checkSensors(const Scene&, const std::vector<SolidShape>& shapes);

}  // namespace brim
