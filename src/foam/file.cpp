#include <cstdlib>
#include <fstream>

#include "brim/foam.h"
#include "io/vtp.h"

namespace brim {

void writeFoam(const std::string& path, const Foam& f, double spacing) {
  Snapshot s;
  s.dimension = f.dimension;
  s.time = f.time;
  s.id = f.id;
  s.position = f.position;
  s.velocity = f.velocity;
  writeVtp(path, s, spacing, {{"kind", f.kind}, {"age", f.age}, {"left", f.left}});
}

Foam readFoam(const std::string& path) {
  std::vector<PointColumn> more = {
      {"kind", std::vector<std::int32_t>()}, {"age", std::vector<float>()}, {"left", std::vector<float>()}};
  Snapshot s = readVtp(path, more);
  Foam f;
  f.dimension = s.dimension;
  f.time = s.time;
  f.id = std::move(s.id);
  f.position = std::move(s.position);
  f.velocity = std::move(s.velocity);
  f.velocity.resize(f.position.size());  // a file without particles has no array of them
  f.kind = std::move(std::get<std::vector<std::int32_t>>(more[0].values));
  f.age = std::move(std::get<std::vector<float>>(more[1].values));
  f.left = std::move(std::get<std::vector<float>>(more[2].values));
  return f;
}

double timeOfFoam(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(1024, '\0');
  file.read(head.data(), std::streamsize(head.size()));
  const auto name = head.find("\"TimeValue\""), at = head.find('>', std::min(name, head.size()));
  if (name == head.npos || at == head.npos) throw Failure(path + " cannot be read: it holds no time");
  return std::strtod(head.c_str() + at + 1, nullptr);
}

void writeFoamCollection(const std::string& path, const std::vector<std::pair<double, std::string>>& frames) {
  writePvd(path, frames);
}

}  // namespace brim
