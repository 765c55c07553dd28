#include "io/ply.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <sstream>

#include "io/file.h"
#include "io/frame_check.h"
#include "io/vtp.h"
#include "math/whole.h"

namespace brim {

namespace {

constexpr std::string_view opening = "ply\nformat binary_little_endian 1.0\ncomment ";

struct Property {
  std::string name, type;
  std::size_t offset;  // [bytes] in a row
};

std::size_t sizeOf(const std::string& type) {
  if (type == "char" || type == "uchar" || type == "int8" || type == "uint8") return 1;
  if (type == "short" || type == "ushort" || type == "int16" || type == "uint16") return 2;
  if (type == "int" || type == "uint" || type == "float" || type == "int32" || type == "uint32" || type == "float32") return 4;
  if (type == "double" || type == "float64") return 8;
  return 0;
}

template <class T>
T load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

double number(const char* at, const std::string& type) {
  if (type == "float" || type == "float32") return load<float>(at);
  if (type == "double" || type == "float64") return load<double>(at);
  if (type == "int" || type == "int32") return load<std::int32_t>(at);
  if (type == "uint" || type == "uint32") return load<std::uint32_t>(at);
  if (type == "short" || type == "int16") return load<std::int16_t>(at);
  if (type == "ushort" || type == "uint16") return load<std::uint16_t>(at);
  return type == "char" || type == "int8" ? double(load<std::int8_t>(at)) : double(load<std::uint8_t>(at));
}

}  // namespace

void writePly(const std::string& path, const Snapshot& s, double spacing) {
  const bool single = fitsFloat(s.position, spacing);
  // PLY has no 64-bit integers; doubles hold ids to 2^53.
  const bool small = s.id.empty() || *std::max_element(s.id.begin(), s.id.end()) <= std::numeric_limits<std::int32_t>::max();
  std::string header = fmt::format("\ncomment time {}\ncomment step {}\ncomment dimension {}\nelement vertex {}\n", s.time,
                                   s.step, s.dimension, s.size());
  std::size_t row = 0;
  const auto property = [&](const char* type, const char* name) {
    header += fmt::format("property {} {}\n", type, name);
    row += sizeOf(type);
  };
  for (const char* name : {"x", "y", "z"}) property(single ? "float" : "double", name);
  if (!s.velocity.empty())
    for (const char* name : {"vx", "vy", "vz"}) property("float", name);
  if (!s.density.empty()) property("float", "density");
  if (!s.pressure.empty()) property("float", "pressure");
  property(small ? "int" : "double", "id");
  header += "end_header\n";

  NewFile file(path, opening.size() + header.size() + row * s.size());
  file.write(opening);
  file.seal();
  file.write(header);
  std::vector<char> bytes(row);
  for (std::size_t i = 0; i < s.size(); ++i) {
    char* at = bytes.data();
    const auto put = [&](auto value) {
      std::memcpy(at, &value, sizeof value);
      at += sizeof value;
    };
    for (int a = 0; a < 3; ++a) single ? put(float(s.position[3 * i + a])) : put(s.position[3 * i + a]);
    if (!s.velocity.empty())
      for (int a = 0; a < 3; ++a) put(s.velocity[3 * i + a]);
    if (!s.density.empty()) put(s.density[i]);
    if (!s.pressure.empty()) put(s.pressure[i]);
    small ? put(std::int32_t(s.id[i])) : put(double(s.id[i]));
    file.write(bytes.data(), row);
  }
  file.commit();
}

Snapshot readPly(const std::string& path) {
  checkSeal(path, {opening}, {"ply\nformat binary_little_endian 1.0\ncomment time "});
  const std::string content = readFile(path);
  const auto damaged = [&](const std::string& what) { return Failure(fmt::format("{} cannot be read: {}", path, what)); };
  const auto end = content.find("end_header\n");
  if (content.compare(0, 4, "ply\n") != 0 || end == content.npos) throw damaged("it is no PLY file");

  Snapshot s;
  std::vector<Property> properties;
  std::size_t row = 0, n = 0;
  bool vertex = false, little = false, first = true;
  std::istringstream lines(content.substr(0, end));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word, type, name;
    words >> word >> type;
    if (word == "format") little = type == "binary_little_endian";
    if (word == "comment" && type == "time") words >> s.time;
    if (word == "comment" && type == "step") words >> s.step;
    if (word == "comment" && type == "dimension") words >> s.dimension;
    if (word == "element") {
      vertex = type == "vertex";
      if (vertex && !first) throw damaged("its vertices do not come first");
      if (vertex) words >> n;
      first = false;
    }
    if (word == "property" && vertex) {
      words >> name;
      if (sizeOf(type) == 0) throw damaged("property " + name + " of its vertices has the type " + type);
      properties.push_back({name, type, row});
      row += sizeOf(type);
    }
  }
  if (!little) throw damaged("only binary_little_endian is read");
  const char* data = content.data() + end + std::strlen("end_header\n");
  if (row == 0 || n > (content.size() - std::size_t(data - content.data())) / row) throw damaged("it ends too early");

  const auto fill = [&](const char* name, auto& values, int components, int component) {
    for (const auto& p : properties) {
      if (p.name != name) continue;
      values.resize(n * components);
      for (std::size_t i = 0; i < n; ++i) {
        using T = std::decay_t<decltype(values[0])>;
        const double x = number(data + i * row + p.offset, p.type);
        if constexpr (std::is_integral_v<T>)
          values[i * components + component] = whole<T>(x);
        else
          values[i * components + component] = T(x);
      }
      return true;
    }
    return false;
  };
  int found = 0, axis = 0;
  for (const char* name : {"x", "y", "z"}) found += fill(name, s.position, 3, axis++);
  if (found != 3) throw damaged("its vertices have no x, y, z");
  axis = 0;
  for (const char* name : {"vx", "vy", "vz"}) fill(name, s.velocity, 3, axis++);
  fill("density", s.density, 1, 0);
  fill("pressure", s.pressure, 1, 0);
  if (!fill("id", s.id, 1, 0)) {
    s.id.resize(n);
    for (std::size_t i = 0; i < n; ++i) s.id[i] = std::int64_t(i);
  }
  checkFrame(path, s);
  return s;
}

}  // namespace brim
