// A checkpoint. Checksums would stop all that a fuzzer makes, so an input whose first byte is odd is the header alone and gets a
// preamble that fits.
#include "observe/checkpoint.h"

#include <cstring>

#include "brim/error.h"
#include "input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace brim;
  if (size == 0) return 0;
  const std::string_view text = fuzz::textOf(data + 1, size - 1);
  const fuzz::Removed file{fuzz::fileWith(data[0] % 2 ? sealedCheckpoint(text, "state") : std::string(text), ".brim")};
  try {
    const Checkpoint c = readCheckpoint(file.path);
    (void)difference(c.physics, c.sceneText);
  } catch (const Failure&) {
  }
  return 0;
}
