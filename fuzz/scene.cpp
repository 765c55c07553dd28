// A scene's text: parsed and checked; a scene that is good and small is also sampled, as a run would.
#include <cmath>

#include "brim/error.h"
#include "brim/estimate.h"
#include "input.h"
#include "scene/parse.h"
#include "scene/setup.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace brim;
  try {
    const Scene scene = parseScene(std::string(fuzz::textOf(data, size)), "fuzz.toml", {});
    (void)warnings(scene);
    const Estimate e = estimate(scene);
    if (e.particles + e.samples < 2e4) prepare(scene, [](double r) { return std::exp(-r * r); });
  } catch (const SceneError&) {
  } catch (const Failure&) {
  }
  return 0;
}
