// A mesh file; its first byte says which of the three formats.
#include "scene/mesh.h"

#include <cstdlib>

#include "input.h"
#include "scene/mesh_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace brim;
  if (size == 0) return 0;
  const std::string_view text = fuzz::textOf(data + 1, size - 1);
  try {
    Mesh m = data[0] % 3 == 0 ? parseObj(text) : data[0] % 3 == 1 ? parsePly(text) : parseStl(text);
    for (const auto& t : m.triangles)
      for (const auto corner : t)
        if (corner < 0 || std::size_t(corner) >= m.points.size()) std::abort();
    joinEqualPoints(m);
    defect(m);
    volume(m);
  } catch (const MeshError&) {
  }
  return 0;
}
