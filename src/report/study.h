// What readers of studies and of validation cases share.
#pragma once
#include <string>
#include <vector>

#include "brim/scene.h"
#include "scene/reader.h"

namespace brim {

/// The table `name` of values of a scene, `solver.iterations = 4`, as settings with their places in `file`.
void readSet(Reader&, const char* name, const std::string& file, std::vector<Setting>& set);

}  // namespace brim
