// Every declared value against its declaration, for scenes from files and from code alike.
#pragma once
#include "brim/scene.h"
#include "scene/mistakes.h"

namespace brim {

void checkRanges(const Scene&, Mistakes&);

}  // namespace brim
