#include "brim/error.h"

namespace brim {

std::string describe(const Mistake& m) {
  std::string place = m.at.file;
  if (m.at.line > 0) place += ":" + std::to_string(m.at.line) + ":" + std::to_string(m.at.column);
  return place.empty() ? m.what : place + ": " + m.what;
}

static std::string describeAll(const std::vector<Mistake>& mistakes) {
  std::string all;
  for (const Mistake& m : mistakes) all += (all.empty() ? "" : "\n") + describe(m);
  return all;
}

SceneError::SceneError(std::vector<Mistake> mistakes)
    : std::runtime_error(describeAll(mistakes)), mistakes_(std::move(mistakes)) {}

}  // namespace brim
