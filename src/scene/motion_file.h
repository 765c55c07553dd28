// Keyframes from CSV files: a header that names the columns, then rows of numbers; lines that begin with # are comments.
#pragma once
#include "brim/scene.h"
#include "scene/mistakes.h"

namespace brim {

constexpr std::size_t largestMotionFile = std::size_t(64) << 20;  // [bytes]

/// The file of a motion: fills motion.resolved. Mistakes are told with line and column of the file, and count against
/// `path`.file, where `path` is the table of the motion in the scene ("solids[2].motion").
void readMotionFile(const Scene&, Motion&, const std::string& path, Mistakes&);

/// The file of the scene's gravity: fills gravity_keys.
void readGravityFile(Scene&, Mistakes&);

}  // namespace brim
