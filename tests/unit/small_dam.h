// A scene file that tests change to see what is told.
#pragma once
#include <string>

namespace brim {

inline const std::string dam = R"(version = 1
title = "A dam"
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
iterations = 4

[time]
until = 1
)";

}  // namespace brim
