// A scene as TOML text that reads back to the same scene.
#pragma once
#include <string>

#include "scene/declare.h"

namespace brim {

std::string toToml(const Scene&);

/// One value in TOML; `dimension` says how many numbers a vector has.
std::string tomlValue(const Value&, int dimension);

}  // namespace brim
