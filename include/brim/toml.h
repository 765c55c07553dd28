// A scene as text.
#pragma once
#include <string>

#include "brim/scene.h"

namespace brim {

/// A scene as TOML that reads back to the same scene: all keys that are read, also those with their default.
std::string toToml(const Scene&);

}  // namespace brim
