// A dam of 160 particles, as a scene file that tests complete and change.
#pragma once
#include <string>

namespace brim {

/// Up to the name of its solver.
inline const std::string smallDam = R"(version = 1
title = "A small dam"
dimension = 2

[domain]
min = [0, 0]
max = [2, 1]

[resolution]
spacing = 0.05

[[fluid.blocks]]
kind = "box"
min = [0, 0]
max = [0.5, 0.8]

[solver]
name = "pbf"
)";

}  // namespace brim
