// A message of the viewer's page.
#include "view/command.h"

#include "input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    brim::view::parseCommand(brim::fuzz::textOf(data, size));
  } catch (const brim::view::BadMessage&) {
  }
  return 0;
}
