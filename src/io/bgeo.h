// Houdini's classic binary geometry (.bgeo, version 5): points with attributes, one particle system.
#pragma once
#include <string>

#include "brim/files.h"

namespace brim {

// What writeBgeo (brim/files.h) writes, big-endian:
//   "Bgeo" 'V' and nine int32: 5, points, primitives, point groups, primitive groups, attributes of points, vertices,
//   primitives, whole; every attribute as name (uint16 length, letters), uint16 components, int32 type (0 float, 1 int, 5
//   vector), defaults; every point as x y z w and its attributes; then the primitives and the bytes 0 and 255.

/// Reads the points of such a file, attributes of other names skipped.
Snapshot readBgeo(const std::string& path);

}  // namespace brim
