#include "scene/mesh_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>

#include "scene/vector.h"

namespace brim {

using namespace vectors;

namespace {

// Words of a text, one after the other.
class Words {
 public:
  explicit Words(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  /// The next word; empty at the end.
  std::string_view next() {
    while (at_ < end_ && blank(*at_)) ++at_;
    const char* const first = at_;
    while (at_ < end_ && !blank(*at_)) ++at_;
    return {first, std::size_t(at_ - first)};
  }
  std::string_view rest() const { return {at_, std::size_t(end_ - at_)}; }

 private:
  static bool blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  const char *at_, *end_;
};

/// Takes the first line off `text`, without its end. A backslash joins a line with the next one.
std::string_view takeLine(std::string_view& text) {
  std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

double number(std::string_view word, const char* what) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error == std::errc::invalid_argument || end != word.data() + word.size())
    throw MeshError(fmt::format("{} \"{}\" is no number", what, word.substr(0, 20)));
  if (error != std::errc() || !std::isfinite(value))
    throw MeshError(fmt::format("{} {} is not finite", what, word.substr(0, 20)));
  return value;
}

std::int64_t integer(std::string_view word, const char* what) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size())
    throw MeshError(fmt::format("{} \"{}\" is no whole number", what, word.substr(0, 20)));
  return value;
}

int cornerOf(std::int64_t index, std::size_t points) {
  if (index < 0 || std::uint64_t(index) >= points) throw MeshError(fmt::format("a face names point {} of {}", index, points));
  return int(index);
}

void addPoint(Mesh& m, const Vector& x) {
  if (m.points.size() >= std::size_t(std::numeric_limits<int>::max())) throw MeshError("it has more points than can be counted");
  if (!std::isfinite(x[0]) || !std::isfinite(x[1]) || !std::isfinite(x[2]))
    throw MeshError(fmt::format("the coordinates of point {} are not finite numbers", m.points.size() + 1));
  m.points.push_back(x);
}

// Cuts ears off a face (Meisters 1975), seen along its mean normal (Newell): right for faces that are not convex too.
void addFace(Mesh& m, std::vector<int>& corner) {
  if (corner.size() < 3) return;  // a point or a line bounds nothing
  if (corner.size() > mostCorners)
    throw MeshError(fmt::format("a face has {} corners, more than {}; cut it into triangles", corner.size(), mostCorners));
  if (corner.size() > 3) {
    Vector normal = {0, 0, 0};
    for (std::size_t k = 0; k < corner.size(); ++k)
      normal = normal +
               cross(m.points[corner[k]] - m.points[corner[0]], m.points[corner[(k + 1) % corner.size()]] - m.points[corner[0]]);
    const auto left = [&](int a, int b, int c) {  // of the line from a to b
      return dot(normal, cross(m.points[b] - m.points[a], m.points[c] - m.points[a]));
    };
    while (corner.size() > 3) {
      const std::size_t n = corner.size();
      std::size_t ear = 1;  // where no corner is an ear (a face that crosses itself), any does
      for (std::size_t k = 0; k < n; ++k) {
        const int a = corner[(k + n - 1) % n], b = corner[k], c = corner[(k + 1) % n];
        if (left(a, b, c) <= 0) continue;
        const bool empty = std::none_of(corner.begin(), corner.end(), [&](int p) {
          return p != a && p != b && p != c && left(a, b, p) >= 0 && left(b, c, p) >= 0 && left(c, a, p) >= 0;
        });
        if (!empty) continue;
        ear = k;
        break;
      }
      m.triangles.push_back({corner[(ear + n - 1) % n], corner[ear], corner[(ear + 1) % n]});
      corner.erase(corner.begin() + std::ptrdiff_t(ear));
    }
  }
  m.triangles.push_back({corner[0], corner[1], corner[2]});
}

// PLY's header.
struct Property {
  std::string name;
  int type = 0, count = -1;  // index into plyTypes; `count` is that of a list's length
};
struct Element {
  std::string name;
  std::uint64_t rows = 0;
  std::vector<Property> properties;
};

constexpr struct {
  const char *name, *other;
  std::size_t bytes;
} plyTypes[] = {{"char", "int8", 1}, {"uchar", "uint8", 1}, {"short", "int16", 2},   {"ushort", "uint16", 2},
                {"int", "int32", 4}, {"uint", "uint32", 4}, {"float", "float32", 4}, {"double", "float64", 8}};

int plyType(std::string_view word) {
  for (int k = 0; k < int(std::size(plyTypes)); ++k)
    if (word == plyTypes[k].name || word == plyTypes[k].other) return k;
  throw MeshError(fmt::format("\"{}\" is no type of PLY", word.substr(0, 20)));
}

// Values of a PLY file's body, as text or as bytes of either order.
class PlyValues {
 public:
  PlyValues(std::string_view body, bool text, bool swapped) : body_(body), words_(body), text_(text), swapped_(swapped) {}

  double next(int type) {
    if (text_) {
      const std::string_view word = words_.next();
      if (word.empty()) throw MeshError("it ends too early");
      return number(word, "the value");
    }
    const std::size_t n = plyTypes[type].bytes;
    if (n > body_.size()) throw MeshError("it ends too early");
    char b[8];
    std::memcpy(b, body_.data(), n);
    if (swapped_) std::reverse(b, b + n);
    body_.remove_prefix(n);
    switch (type) {
      case 0:
        return as<std::int8_t>(b);
      case 1:
        return as<std::uint8_t>(b);
      case 2:
        return as<std::int16_t>(b);
      case 3:
        return as<std::uint16_t>(b);
      case 4:
        return as<std::int32_t>(b);
      case 5:
        return as<std::uint32_t>(b);
      case 6:
        return as<float>(b);
      default:
        return as<double>(b);
    }
  }
  std::int64_t whole(int type, const char* what) {
    const double v = next(type);
    if (!(std::abs(v) < 0x1p53) || v != std::floor(v)) throw MeshError(fmt::format("{} {} is no whole number", what, v));
    return std::int64_t(v);
  }
  std::size_t bytesLeft() const { return text_ ? words_.rest().size() : body_.size(); }

 private:
  template <class T>
  static double as(const char* b) {
    T value;
    std::memcpy(&value, b, sizeof value);
    return double(value);
  }
  std::string_view body_;
  Words words_;
  bool text_, swapped_;
};

struct PlyHeader {
  std::vector<Element> elements;
  bool text = false, swapped = false;
};

PlyHeader takePlyHeader(std::string_view& bytes) {
  PlyHeader header;
  bool format = false;
  if (takeLine(bytes) != "ply") throw MeshError("it does not begin with \"ply\"");
  while (true) {
    if (bytes.empty()) throw MeshError("its header has no end");
    Words words(takeLine(bytes));
    const std::string_view word = words.next();
    if (word == "end_header") break;
    if (word == "format") {
      const std::string_view name = words.next();
      format = header.text = name == "ascii";
      if (name == "binary_little_endian" || name == "binary_big_endian")
        format = true, header.swapped = (name == "binary_big_endian") == (std::endian::native == std::endian::little);
      if (!format) throw MeshError(fmt::format("\"{}\" is no format of PLY", name.substr(0, 20)));
    } else if (word == "element") {
      Element e;
      e.name = words.next();
      const std::int64_t rows = integer(words.next(), "the number of rows");
      if (rows < 0) throw MeshError("it has a negative number of rows");
      e.rows = std::uint64_t(rows);
      header.elements.push_back(std::move(e));
    } else if (word == "property") {
      if (header.elements.empty()) throw MeshError("it has a property before the first element");
      Property p;
      std::string_view type = words.next();
      if (type == "list") {
        p.count = plyType(words.next());
        if (p.count > 5) throw MeshError("the length of a list is no whole number");
        type = words.next();
      }
      p.type = plyType(type);
      p.name = words.next();
      header.elements.back().properties.push_back(std::move(p));
    }
  }
  if (!format) throw MeshError("it has no line \"format\"");
  return header;
}

}  // namespace

Mesh parseObj(std::string_view text) {
  Mesh m;
  std::vector<int> corner;
  while (!text.empty()) {
    std::string_view line = takeLine(text);
    std::string joined;
    while (line.ends_with('\\') && !text.empty()) {
      joined =
          std::string(joined.empty() ? line.substr(0, line.size() - 1) : std::string_view(joined).substr(0, joined.size() - 1));
      joined += ' ';
      joined += takeLine(text);
      line = joined;
    }
    Words words(line);
    const std::string_view word = words.next();
    if (word == "v") {
      Vector x;
      for (double& c : x) c = number(words.next(), "the coordinate");
      addPoint(m, x);
    } else if (word == "f") {
      corner.clear();
      for (std::string_view w = words.next(); !w.empty() && !w.starts_with('#'); w = words.next()) {
        const std::int64_t index = integer(w.substr(0, w.find('/')), "the corner");
        if (index == 0) throw MeshError("a face names point 0; the first one is 1");
        corner.push_back(cornerOf(index > 0 ? index - 1 : std::int64_t(m.points.size()) + index, m.points.size()));
        if (corner.size() > mostCorners) break;
      }
      addFace(m, corner);
    }
  }
  return m;
}

Mesh parsePly(std::string_view bytes) {
  const PlyHeader header = takePlyHeader(bytes);
  PlyValues values(bytes, header.text, header.swapped);
  Mesh m;
  bool faces = false;
  std::vector<int> corner;
  for (const Element& e : header.elements) {
    if (e.properties.empty()) throw MeshError(fmt::format("its element {} has no properties", e.name.substr(0, 20)));
    if (e.rows > values.bytesLeft()) throw MeshError("it ends too early");  // a row has at least a byte
    const bool vertex = e.name == "vertex", face = e.name == "face";
    if (vertex)
      for (const char* axis : {"x", "y", "z"})
        if (std::none_of(e.properties.begin(), e.properties.end(),
                         [&](const Property& p) { return p.name == axis && p.count < 0; }))
          throw MeshError("its vertices have no x, y, z");
    for (std::uint64_t row = 0; row < e.rows; ++row) {
      Vector x = {0, 0, 0};
      for (const Property& p : e.properties) {
        if (p.count < 0) {
          const double v = values.next(p.type);
          if (p.name.size() == 1 && p.name[0] >= 'x' && p.name[0] <= 'z') x[std::size_t(p.name[0] - 'x')] = v;
          continue;
        }
        const std::int64_t n = values.whole(p.count, "the length of a list");
        if (n < 0 || std::uint64_t(n) > values.bytesLeft()) throw MeshError("it ends too early");
        const bool indices = face && (p.name == "vertex_indices" || p.name == "vertex_index");
        if (indices && std::size_t(n) > mostCorners)
          throw MeshError(fmt::format("a face has {} corners, more than {}; cut it into triangles", n, mostCorners));
        corner.clear();
        for (std::int64_t k = 0; k < n; ++k)
          if (indices)
            corner.push_back(cornerOf(values.whole(p.type, "the corner"), m.points.size()));
          else
            values.next(p.type);
        if (indices) addFace(m, corner), faces = true;
      }
      if (vertex) addPoint(m, x);
    }
  }
  if (!faces) throw MeshError("it has no faces");
  return m;
}

Mesh parseStl(std::string_view bytes) {
  Mesh m;
  constexpr std::size_t header = 84, row = 50;
  std::uint32_t n = 0;
  if (bytes.size() >= header)
    std::memcpy(&n, bytes.data() + header - sizeof n, sizeof n);     // little-endian, as Brim's machines are
  if (bytes.size() >= header && bytes.size() == header + row * n) {  // exact, since some binary files begin with "solid" too
    for (std::uint32_t k = 0; k < n; ++k)
      for (int c = 0; c < 3; ++c) {
        float x[3];
        std::memcpy(x, bytes.data() + header + row * k + 12 * std::size_t(c + 1), sizeof x);
        addPoint(m, {x[0], x[1], x[2]});
      }
  } else {
    Words words(bytes);
    if (words.next() != "solid") throw MeshError("it is neither an STL text nor binary STL of the length that it tells");
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      if (word != "vertex") continue;
      Vector x;
      for (double& c : x) c = number(words.next(), "the coordinate");
      addPoint(m, x);
    }
    if (m.points.size() % 3) throw MeshError("its last triangle has no end");
  }
  for (int k = 0; k + 2 < int(m.points.size()); k += 3) m.triangles.push_back({k, k + 1, k + 2});
  return m;
}

Mesh readTriangles(const std::string& file) {
  std::string ending = std::filesystem::path(file).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  if (ending != ".obj" && ending != ".ply" && ending != ".stl") throw MeshError("its name does not end with .obj, .ply or .stl");

  // Not blocking: opening a pipe that nobody writes would wait for ever.
  const int fd = open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) throw MeshError(errno == ENOENT ? "there is no such mesh file" : std::strerror(errno));
  struct Closer {
    int fd;
    ~Closer() { close(fd); }
  } closer{fd};
  struct stat about {};
  if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
    throw MeshError("there is no such mesh file; only regular files are read");
  if (std::size_t(about.st_size) > largestMeshFile)
    throw MeshError(fmt::format("it has {} bytes, more than {}", about.st_size, largestMeshFile));
  std::string bytes(std::size_t(about.st_size), '\0');
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t n = read(fd, bytes.data() + got, bytes.size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw MeshError("it cannot be read to its end");
    got += std::size_t(n);
  }
  return ending == ".obj" ? parseObj(bytes) : ending == ".ply" ? parsePly(bytes) : parseStl(bytes);
}

}  // namespace brim
