#include "io/mesh_files.h"

#include <fmt/format.h>

#include <cstring>
#include <iterator>

#include "io/file.h"

namespace brim {

namespace {

constexpr std::size_t pointBytes = 6 * sizeof(float), triangleBytes = 1 + 3 * sizeof(std::int32_t);

std::size_t countAfter(const std::string& header, const std::string& words) {
  const auto at = header.find(words);
  return at == header.npos ? 0 : std::strtoull(header.c_str() + at + words.size(), nullptr, 10);
}

}  // namespace

void writeSurfacePly(const std::string& path, const LiquidSurface& s, double time) {
  std::string content = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment time {}\nelement vertex {}\n"
      "property float x\nproperty float y\nproperty float z\nproperty float vx\nproperty float vy\nproperty float vz\n"
      "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
      time, s.mesh.points.size(), s.mesh.triangles.size());
  const std::size_t header = content.size();
  content.resize(header + pointBytes * s.mesh.points.size() + triangleBytes * s.mesh.triangles.size());
  char* at = content.data() + header;
  for (std::size_t k = 0; k < s.mesh.points.size(); ++k, at += pointBytes) {
    const Vector& x = s.mesh.points[k];
    const auto& v = s.velocity[k];
    const float row[6] = {float(x[0]), float(x[1]), float(x[2]), v[0], v[1], v[2]};
    std::memcpy(at, row, sizeof row);
  }
  for (const auto& t : s.mesh.triangles) {
    *at++ = 3;
    const std::int32_t corners[3] = {t[0], t[1], t[2]};
    std::memcpy(at, corners, sizeof corners);
    at += sizeof corners;
  }
  writeFile(path, content);
}

LiquidSurface readSurfacePly(const std::string& path) {
  const std::string content = readFile(path);
  const auto end = content.find("end_header\n");
  if (end == content.npos || content.find("property float vz\n") > end)
    throw Failure(fmt::format("{} is no surface that Brim wrote", path));
  const std::string header = content.substr(0, end);
  const std::size_t points = countAfter(header, "element vertex "), triangles = countAfter(header, "element face ");
  const std::size_t begin = end + std::strlen("end_header\n"), bytes = content.size() - begin;
  if (points > bytes / pointBytes || triangles > (bytes - points * pointBytes) / triangleBytes)
    throw Failure(fmt::format("{} ends too early", path));
  LiquidSurface s;
  s.mesh.points.resize(points);
  s.velocity.resize(points);
  s.mesh.triangles.resize(triangles);
  const char* at = content.data() + begin;
  for (std::size_t k = 0; k < points; ++k, at += pointBytes) {
    float row[6];
    std::memcpy(row, at, sizeof row);
    s.mesh.points[k] = {row[0], row[1], row[2]};
    s.velocity[k] = {row[3], row[4], row[5]};
  }
  for (auto& t : s.mesh.triangles) {
    std::memcpy(t.data(), at + 1, sizeof t);
    at += triangleBytes;
  }
  return s;
}

void writeSurfaceObj(const std::string& path, const LiquidSurface& s, double time) {
  fmt::memory_buffer text;
  const auto to = std::back_inserter(text);
  fmt::format_to(to, "# time {} s\no liquid\n", time);
  for (const Vector& x : s.mesh.points) fmt::format_to(to, "v {:.6g} {:.6g} {:.6g}\n", x[0], x[1], x[2]);
  for (const auto& t : s.mesh.triangles) fmt::format_to(to, "f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  writeFile(path, {text.data(), text.size()});
}

}  // namespace brim
