#include "brim/scene.h"

namespace brim {

bool Motion::moves() const { return velocity != Vector{0, 0, 0} || !displacement.empty() || hasCourse(); }

bool Motion::hasCourse() const {
  return rate != 0 || !rotation.empty() || !file.empty() || !oscillations.empty() || !waves.empty();
}

Location Scene::at(const std::string& path) const {
  for (std::string p = path; !p.empty();) {
    if (const auto found = where.find(p); found != where.end()) return found->second;
    const auto cut = p.find_last_of(".[");
    p.resize(cut == std::string::npos ? 0 : cut);
  }
  return {file, 0, 0};
}

}  // namespace brim
