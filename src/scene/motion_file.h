// What a scene reads from files with keyframes.
#pragma once
#include "brim/scene.h"
#include "scene/mistakes.h"

namespace brim {

/// The file of a motion: fills motion.resolved. Mistakes are told with line and column of the file, and count against
/// `path`.file, where `path` is the table of the motion in the scene ("solids[2].motion").
void readMotionFile(const Scene&, Motion&, const std::string& path, Mistakes&);

/// The file of the scene's gravity: fills gravity_keys.
void readGravityFile(Scene&, Mistakes&);

}  // namespace brim
