// Binary PLY point clouds, for tools that do not read ParaView's files.
#pragma once
#include <string>

#include "brim/snapshot.h"

namespace brim {

/// x y z, then vx vy vz, density, pressure (those that the snapshot has) and id; time and step are comments.
/// Positions are float or double by the rule of writeVtp.
void writePly(const std::string& path, const Snapshot&, double spacing);

/// Reads the vertices of any little-endian binary PLY whose vertex has no lists; unknown properties are skipped.
Snapshot readPly(const std::string& path);

}  // namespace brim
