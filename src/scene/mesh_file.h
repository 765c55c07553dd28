// Triangles from OBJ, PLY and STL files, whoever wrote them: every count, index and number is checked before it is used, no other
// file is opened, and memory stays in proportion to the file.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

#include "brim/mesh.h"

namespace brim {

/// Why a file is no mesh, in words for its user.
class MeshError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

constexpr std::size_t largestMeshFile = std::size_t(2) << 30;  // [bytes]
constexpr std::size_t mostCorners = 256;                       // of one face

/// Points and triangles as the file has them; faces with more corners are cut into triangles. The name's ending tells the format.
Mesh readTriangles(const std::string& file);

// The formats, from the bytes of a file.
Mesh parseObj(std::string_view);
Mesh parsePly(std::string_view);
Mesh parseStl(std::string_view);

}  // namespace brim
