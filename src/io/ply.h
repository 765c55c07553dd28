// Binary PLY point clouds, for tools that do not read ParaView's files.
#pragma once
#include <string>

#include "brim/files.h"

namespace brim {

/// Reads the vertices of any little-endian binary PLY whose vertex has no lists; unknown properties are skipped.
Snapshot readPly(const std::string& path);

}  // namespace brim
