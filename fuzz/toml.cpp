// What a scene is written as reads back as the same scene: resumed runs compare these texts.
#include <cstdlib>

#include "brim/error.h"
#include "input.h"
#include "scene/parse.h"
#include "scene/write.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace brim;
  std::string once;
  try {
    once = toToml(parseScene(std::string(fuzz::textOf(data, size)), "fuzz.toml", {}));
  } catch (const SceneError&) {
    return 0;
  } catch (const Failure&) {
    return 0;
  }
  try {
    const std::string twice = toToml(parseScene(once, "fuzz.toml", {}));
    if (once == twice) return 0;
    std::fprintf(stderr, "written once:\n%s\ntwice:\n%s\n", once.c_str(), twice.c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "written as:\n%s\nwhich is refused: %s\n", once.c_str(), e.what());
  }
  std::abort();
}
