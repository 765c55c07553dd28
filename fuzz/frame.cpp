// Frames and cloth; the first byte says which. The formats without a checksum are read, of which earlier versions left files.
#include <cstdlib>

#include "brim/error.h"
#include "input.h"
#include "io/ply.h"
#include "io/vtp.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace brim;
  if (size == 0) return 0;
  const bool ply = data[0] % 3 == 0;
  const std::string start = ply ? "ply\nformat binary_little_endian 1.0\ncomment time " : "<?xml version=\"1.0\"?>\n<VTKFile ";
  const fuzz::Removed file{fuzz::fileWith(start + std::string(fuzz::textOf(data + 1, size - 1)), ply ? ".ply" : ".vtp")};
  try {
    if (data[0] % 3 == 2) {
      for (const Surface& s : readSurfaces(file.path))
        for (const int v : s.element)
          if (v < 0 || 3 * std::size_t(v) + 2 >= s.vertex.size()) std::abort();
    } else {
      const Snapshot s = ply ? readPly(file.path) : readVtp(file.path);
      if (s.position.size() != 3 * s.size()) std::abort();
    }
  } catch (const Failure&) {
  }
  return 0;
}
