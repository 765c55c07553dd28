// ParaView's PolyData: one .vtp per frame, and a .pvd that lists the frames with their times.
#pragma once
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "brim/files.h"

namespace brim {

/// Reads what writeVtp wrote (any PolyData with appended raw arrays of the same names and types).
Snapshot readVtp(const std::string& path);

/// A further number of every particle.
struct PointColumn {
  std::string name;
  std::variant<std::vector<float>, std::vector<std::int32_t>> values;
};
/// writeVtp with further columns; and back, into those whose names and types are asked for. Throws Failure where one is missing.
void writeVtp(const std::string& path, const Snapshot&, double spacing, const std::vector<PointColumn>&);
Snapshot readVtp(const std::string& path, std::vector<PointColumn>&);

/// Sheets, ropes and skins of soft bodies as triangles or segments, with the arrays `part` (which surface, counted from 0).
void writeSurfaces(const std::string& path, const Snapshot&);

/// Reads what writeSurfaces wrote; names are those of `part`.
std::vector<Surface> readSurfaces(const std::string& path);

/// Times [s] and files, relative to the collection's folder.
void writePvd(const std::string& path, const std::vector<std::pair<double, std::string>>& frames);

/// Whether floats are good enough for these coordinates; see writeVtp.
bool fitsFloat(const std::vector<double>& position, double spacing);

}  // namespace brim
