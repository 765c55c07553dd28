// Values of a scene as TOML.
#pragma once
#include <string>

#include "brim/toml.h"
#include "scene/declare.h"

namespace brim {

/// One value in TOML; `dimension` says how many numbers a vector has.
std::string tomlValue(const Value&, int dimension);

}  // namespace brim
