#include "io/vtp.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <string_view>
#include <type_traits>

#include "io/file.h"
#include "io/frame_check.h"
#include "math/whole.h"

namespace brim {

static_assert(std::endian::native == std::endian::little, "the writers put memory into files as it is");

namespace {

constexpr std::string_view opening = "<?xml version=\"1.0\"?>\n<!-- ";

void checkVtp(const std::string& path) {
  checkSeal(path, {opening}, {"<?xml version=\"1.0\"?>\n<VTKFile ", "<?xml version=\"1.0\"?>\n<!-- parts: "});
}

/// One DataArray: how it is announced in the header and how its bytes are written.
struct Array {
  std::string name, type;
  int components;
  std::size_t bytes;
  std::function<void(NewFile&)> write;
  std::size_t offset = 0;  // in the appended data
};

template <class T>
Array column(const char* name, const char* type, int components, const std::vector<T>& values) {
  const std::size_t bytes = values.size() * sizeof(T);
  return {name, type, components, bytes, [&values, bytes](NewFile& file) { file.write(values.data(), bytes); }};
}

// Computed values, in pieces: a frame of many particles needs no second copy in memory.
template <class T, class F>
Array computed(const char* name, const char* type, int components, std::size_t count, F value) {
  return {name, type, components, count * sizeof(T), [count, value](NewFile& file) {
            std::vector<T> piece;
            for (std::size_t begin = 0; begin < count; begin += piece.size()) {
              piece.resize(std::min<std::size_t>(count - begin, 1 << 14));
              for (std::size_t k = 0; k < piece.size(); ++k) piece[k] = T(value(begin + k));
              file.write(piece.data(), piece.size() * sizeof(T));
            }
          }};
}

std::string announce(const Array& a) {
  return fmt::format("        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n",
                     a.type, a.name, a.components, a.offset);
}

std::string attribute(std::string_view tag, std::string_view name) {
  const std::string key = fmt::format(" {}=\"", name);
  const auto begin = tag.find(key);
  if (begin == tag.npos) return {};
  const auto end = tag.find('"', begin + key.size());
  return std::string(tag.substr(begin + key.size(), end - begin - key.size()));
}

template <class T, class Stored>
std::vector<T> convert(std::string_view bytes) {
  std::vector<T> values(bytes.size() / sizeof(Stored));
  for (std::size_t k = 0; k < values.size(); ++k) {
    Stored s;
    std::memcpy(&s, bytes.data() + k * sizeof(Stored), sizeof(Stored));
    if constexpr (std::is_integral_v<T> && std::is_floating_point_v<Stored>)
      values[k] = whole<T>(s);
    else
      values[k] = T(s);
  }
  return values;
}

template <class T>
std::vector<T> convert(std::string_view bytes, const std::string& type, const std::string& path) {
  if (type == "Float32") return convert<T, float>(bytes);
  if (type == "Float64") return convert<T, double>(bytes);
  if (type == "Int32") return convert<T, std::int32_t>(bytes);
  if (type == "Int64") return convert<T, std::int64_t>(bytes);
  throw Failure(fmt::format("{}: arrays of type {} are not read; write Float32, Float64, Int32 or Int64", path, type));
}

}  // namespace

bool fitsFloat(const std::vector<double>& position, double spacing) {
  double largest = 0;  // [m]
  for (double x : position) largest = std::max(largest, std::abs(x));
  return largest * std::numeric_limits<float>::epsilon() / 2 <= 1e-4 * spacing;
}

void writeVtp(const std::string& path, const Snapshot& s, double spacing) { writeVtp(path, s, spacing, {}); }

void writeVtp(const std::string& path, const Snapshot& s, double spacing, const std::vector<PointColumn>& more) {
  const std::size_t n = s.size();
  std::vector<Array> data;
  if (!s.velocity.empty()) data.push_back(column("velocity", "Float32", 3, s.velocity));
  if (!s.density.empty()) data.push_back(column("density", "Float32", 1, s.density));
  if (!s.pressure.empty()) data.push_back(column("pressure", "Float32", 1, s.pressure));
  data.push_back(column("id", "Int64", 1, s.id));
  for (const PointColumn& c : more)
    if (const auto* floats = std::get_if<std::vector<float>>(&c.values))
      data.push_back(column(c.name.c_str(), "Float32", 1, *floats));
    else
      data.push_back(column(c.name.c_str(), "Int32", 1, std::get<std::vector<std::int32_t>>(c.values)));
  Array points = fitsFloat(s.position, spacing)
                     ? computed<float>("Points", "Float32", 3, 3 * n, [&](std::size_t k) { return s.position[k]; })
                     : column("Points", "Float64", 3, s.position);
  const bool small = n < std::size_t(std::numeric_limits<std::int32_t>::max());
  const auto count = [&](const char* name, std::size_t first) {
    const auto value = [first](std::size_t k) { return k + first; };
    return small ? computed<std::int32_t>(name, "Int32", 1, n, value) : computed<std::int64_t>(name, "Int64", 1, n, value);
  };
  Array connectivity = count("connectivity", 0), offsets = count("offsets", 1);

  std::vector<Array*> order;
  for (auto& a : data) order.push_back(&a);
  order.insert(order.end(), {&points, &connectivity, &offsets});
  std::size_t size = 0;
  for (auto* a : order) {
    a->offset = size;
    size += sizeof(std::uint64_t) + a->bytes;
  }

  std::string header = fmt::format(
      " -->\n"
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "  <PolyData>\n"
      "    <FieldData>\n"
      "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>\n"
      "      <DataArray type=\"Int64\" Name=\"step\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>\n"
      "      <DataArray type=\"Int32\" Name=\"dimension\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>\n"
      "    </FieldData>\n"
      "    <Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n",
      s.time, s.step, s.dimension, n, n);
  header += s.velocity.empty() ? "      <PointData>\n" : "      <PointData Vectors=\"velocity\">\n";
  for (const auto& a : data) header += announce(a);
  header += "      </PointData>\n      <Points>\n" + announce(points) + "      </Points>\n      <Verts>\n" +
            announce(connectivity) + announce(offsets) +
            "      </Verts>\n    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_";
  const std::string_view footer = "\n  </AppendedData>\n</VTKFile>\n";

  NewFile file(path, opening.size() + header.size() + size + footer.size());
  file.write(opening);
  file.seal();
  file.write(header);
  for (const auto* a : order) {
    const std::uint64_t bytes = a->bytes;
    file.write(&bytes, sizeof bytes);
    a->write(file);
  }
  file.write(footer);
  file.commit();
}

// Array by array: a frame of many particles is never in memory as bytes and as numbers at once.
Snapshot readVtp(const std::string& path) {
  std::vector<PointColumn> none;
  return readVtp(path, none);
}

Snapshot readVtp(const std::string& path, std::vector<PointColumn>& more) {
  const auto damaged = [&](const char* what) -> Failure { return Failure(fmt::format("{} cannot be read: {}", path, what)); };
  checkVtp(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) readFile(path);  // says why
  std::string header;
  std::size_t appended = header.npos, mark = header.npos;
  for (std::string more(1 << 14, '\0'); mark == header.npos && file;) {
    file.read(more.data(), std::streamsize(more.size()));
    header.append(more, 0, std::size_t(file.gcount()));
    appended = header.find("<AppendedData encoding=\"raw\"");
    if (appended != header.npos) mark = header.find('_', std::min(header.find('>', appended), header.size()));
  }
  if (mark == header.npos || header.find("type=\"PolyData\"") > appended || header.find("header_type=\"UInt64\"") > appended)
    throw damaged("it is no .vtp file with raw appended data");
  header.resize(appended);
  file.clear();
  file.seekg(0, std::ios::end);
  const std::size_t first = mark + 1, size = std::size_t(file.tellg()) - first;
  // What is not read counts too: a file without its end was not written to the end.
  constexpr std::string_view closing = "</VTKFile>";
  std::string end(std::min<std::size_t>(size, closing.size() + 1), '\0');
  file.seekg(-std::streamoff(end.size()), std::ios::end);
  file.read(end.data(), std::streamsize(end.size()));
  if (end.find(closing) == end.npos) throw damaged("it ends too early");

  Snapshot s;
  const auto bytesAt = [&](std::size_t offset) {
    std::uint64_t bytes = 0;
    if (offset > size || sizeof bytes > size - offset) throw damaged("it ends too early");
    file.seekg(std::streamoff(first + offset));
    file.read(reinterpret_cast<char*>(&bytes), sizeof bytes);
    if (bytes > size - offset - sizeof bytes) throw damaged("it ends too early");
    std::string data(bytes, '\0');
    file.read(data.data(), std::streamsize(bytes));
    if (!file) throw damaged("it ends too early");
    return data;
  };
  for (auto at = header.find("<DataArray "); at != header.npos; at = header.find("<DataArray ", at + 1)) {
    const auto end = header.find('>', at);
    if (end == header.npos) throw damaged("its header is broken");
    const auto tag = header.substr(at, end - at);
    const std::string name = attribute(tag, "Name"), type = attribute(tag, "type");
    if (attribute(tag, "format") == "ascii") {
      const std::string value = header.substr(end + 1, header.find('<', end) - end - 1);
      if (name == "TimeValue") s.time = std::strtod(value.c_str(), nullptr);
      if (name == "step") s.step = std::strtoll(value.c_str(), nullptr, 10);
      if (name == "dimension") s.dimension = int(std::strtol(value.c_str(), nullptr, 10));
      continue;
    }
    if (name == "connectivity" || name == "offsets") continue;
    const std::string bytes = bytesAt(std::strtoull(attribute(tag, "offset").c_str(), nullptr, 10));
    if (name == "Points") s.position = convert<double>(bytes, type, path);
    if (name == "velocity") s.velocity = convert<float>(bytes, type, path);
    if (name == "density") s.density = convert<float>(bytes, type, path);
    if (name == "pressure") s.pressure = convert<float>(bytes, type, path);
    if (name == "id") s.id = convert<std::int64_t>(bytes, type, path);
    for (PointColumn& c : more)
      if (c.name == name)
        std::visit([&](auto& values) { values = convert<std::decay_t<decltype(values[0])>>(bytes, type, path); }, c.values);
  }
  checkFrame(path, s);
  for (const PointColumn& c : more)
    if (std::visit([](const auto& values) { return values.size(); }, c.values) != s.size())
      throw damaged(("it has no array \"" + c.name + "\" of a number for every point").c_str());
  return s;
}

void writeSurfaces(const std::string& path, const Snapshot& s) {
  std::vector<double> points;
  std::vector<std::int32_t> connectivity, offsets, part;
  const int corners = s.surfaces.empty() ? 3 : s.surfaces[0].corners;
  for (std::size_t k = 0; k < s.surfaces.size(); ++k) {
    const Surface& surface = s.surfaces[k];
    const auto first = std::int32_t(points.size() / 3);
    points.insert(points.end(), surface.vertex.begin(), surface.vertex.end());
    for (const int e : surface.element) connectivity.push_back(first + e);
    part.resize(connectivity.size() / std::size_t(corners), std::int32_t(k));
  }
  for (std::size_t e = 1; e <= part.size(); ++e) offsets.push_back(std::int32_t(e) * corners);
  std::vector<Array> all = {column("part", "Int32", 1, part), column("Points", "Float64", 3, points),
                            column("connectivity", "Int32", 1, connectivity), column("offsets", "Int32", 1, offsets)};
  std::size_t size = 0;
  for (auto& a : all) {
    a.offset = size;
    size += sizeof(std::uint64_t) + a.bytes;
  }
  std::string names;
  for (const Surface& surface : s.surfaces) names += (names.empty() ? "" : ", ") + surface.name;
  for (std::size_t at; (at = names.find("--")) != names.npos;) names.replace(at, 2, "- -");  // ends no comment
  const char* const cells = corners == 3 ? "Polys" : "Lines";
  const std::string header = fmt::format(
      " -->\n<!-- parts: {} -->\n"
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "  <PolyData>\n    <FieldData>\n"
      "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>\n"
      "    </FieldData>\n"
      "    <Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n"
      "      <CellData>\n{}      </CellData>\n      <Points>\n{}      </Points>\n      <{}>\n{}{}      </{}>\n"
      "    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_",
      names, s.time, points.size() / 3, corners == 2 ? part.size() : 0, corners == 3 ? part.size() : 0, announce(all[0]),
      announce(all[1]), cells, announce(all[2]), announce(all[3]), cells);
  const std::string_view footer = "\n  </AppendedData>\n</VTKFile>\n";
  NewFile file(path, opening.size() + header.size() + size + footer.size());
  file.write(opening);
  file.seal();
  file.write(header);
  for (const auto& a : all) {
    const std::uint64_t bytes = a.bytes;
    file.write(&bytes, sizeof bytes);
    a.write(file);
  }
  file.write(footer);
  file.commit();
}

std::vector<Surface> readSurfaces(const std::string& path) {
  checkVtp(path);
  const std::string content = readFile(path);
  const auto appended = content.find("<AppendedData encoding=\"raw\"");
  const auto mark =
      appended == content.npos ? appended : content.find('_', std::min(content.find('>', appended), content.size()));
  if (mark == content.npos) throw Failure(fmt::format("{} cannot be read: it is no .vtp file with raw appended data", path));
  const std::string_view header(content.data(), appended), data(content.data() + mark + 1, content.size() - mark - 1);
  std::vector<double> points;
  std::vector<int> connectivity, part;
  for (auto at = header.find("<DataArray "); at != header.npos; at = header.find("<DataArray ", at + 1)) {
    const auto tag = header.substr(at, header.find('>', at) - at);
    if (attribute(tag, "format") == "ascii") continue;
    const std::size_t offset = std::strtoull(attribute(tag, "offset").c_str(), nullptr, 10);
    std::uint64_t bytes = 0;
    const bool there = offset <= data.size() && sizeof bytes <= data.size() - offset;
    if (there) std::memcpy(&bytes, data.data() + offset, sizeof bytes);
    if (!there || bytes > data.size() - offset - sizeof bytes)
      throw Failure(fmt::format("{} cannot be read: it ends too early", path));
    const auto values = data.substr(offset + sizeof bytes, bytes);
    const std::string name = attribute(tag, "Name"), type = attribute(tag, "type");
    if (name == "Points") points = convert<double>(values, type, path);
    if (name == "connectivity") connectivity = convert<int>(values, type, path);
    if (name == "part") part = convert<int>(values, type, path);
  }
  const int corners = header.find("<Lines>") != header.npos ? 2 : 3;
  if (connectivity.size() != std::size_t(corners) * part.size())
    throw Failure(fmt::format("{} cannot be read: its cells and parts do not match", path));
  for (const double x : points)
    if (!std::isfinite(x)) throw Failure(fmt::format("{} cannot be read: a point is not finite", path));
  std::vector<Surface> all;
  std::map<int, int> known;  // vertex of the file -> of its surface
  for (std::size_t e = 0; e < part.size(); ++e) {
    const int last = int(all.size()) - 1;
    if (part[e] != last && (part[e] <= last || std::size_t(part[e]) > part.size()))
      throw Failure(fmt::format("{} cannot be read: its parts do not follow each other", path));
    if (part[e] > last) {
      all.resize(std::size_t(part[e]) + 1);
      known.clear();
    }
    Surface& s = all[std::size_t(part[e])];
    s.name = fmt::format("part_{}", part[e]);
    s.corners = corners;
    for (int k = 0; k < corners; ++k) {
      const int v = connectivity[e * std::size_t(corners) + std::size_t(k)];
      if (v < 0 || 3 * std::size_t(v) + 2 >= points.size())
        throw Failure(fmt::format("{} cannot be read: a cell names a point that is not there", path));
      const auto [at, fresh] = known.try_emplace(v, int(s.vertex.size() / 3));
      if (fresh) s.vertex.insert(s.vertex.end(), points.begin() + 3 * v, points.begin() + 3 * v + 3);
      s.element.push_back(at->second);
    }
  }
  return all;
}

void writePvd(const std::string& path, const std::vector<std::pair<double, std::string>>& frames) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  <Collection>\n";
  for (const auto& [time, file] : frames)
    text += fmt::format("    <DataSet timestep=\"{}\" group=\"\" part=\"0\" file=\"{}\"/>\n", time, file);
  writeFile(path, text + "  </Collection>\n</VTKFile>\n");
}

}  // namespace brim
