#include "io/bgeo.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <limits>

#include "io/file.h"

namespace brim {

namespace {

constexpr std::int32_t floatType = 0, intType = 1, indexType = 4, vectorType = 5;
constexpr std::uint32_t particleSystem = 0x8000;

class Out {
 public:
  std::string bytes;
  void u8(int x) { bytes += char(x); }
  void u16(unsigned x) { u8(int(x >> 8 & 255)), u8(int(x & 255)); }
  void u32(std::uint32_t x) { u16(x >> 16), u16(x & 0xffff); }
  void i32(std::int64_t x) { u32(std::uint32_t(std::int32_t(x))); }
  void f32(double x) { u32(std::bit_cast<std::uint32_t>(float(x))); }
  void attribute(std::string_view name, int components, std::int32_t type) {
    u16(unsigned(name.size()));
    bytes += name;
    u16(unsigned(components));
    i32(type);
    for (int k = 0; k < components; ++k) u32(0);
  }
};

class In {
 public:
  In(const std::string& path, const std::string& bytes) : path_(path), bytes_(bytes) {}
  std::uint32_t u32() { return u16() << 16 | u16(); }
  unsigned u16() { return u8() << 8 | u8(); }
  unsigned u8() {
    if (at_ >= bytes_.size()) throw Failure(fmt::format("{} ends too early", path_));
    return static_cast<unsigned char>(bytes_[at_++]);
  }
  float f32() { return std::bit_cast<float>(u32()); }
  std::string text(std::size_t n) {
    if (n > left()) throw Failure(fmt::format("{} ends too early", path_));
    at_ += n;
    return bytes_.substr(at_ - n, n);
  }
  std::size_t left() const { return bytes_.size() - at_; }

 private:
  const std::string& path_;
  const std::string& bytes_;
  std::size_t at_ = 0;
};

}  // namespace

void writeBgeo(const std::string& path, const Snapshot& s) {
  const std::size_t n = s.size();
  if (n >= std::size_t(std::numeric_limits<std::int32_t>::max()))
    throw Failure(fmt::format("cannot write {}: {} particles are more than a .bgeo file of version 5 counts", path, n));
  Out out;
  out.bytes.reserve(256 + n * 48);
  out.bytes += "BgeoV";
  const int attributes = !s.velocity.empty() + !s.density.empty() + !s.pressure.empty() + 1;
  for (const std::int64_t number : {std::int64_t(5), std::int64_t(n), std::int64_t(n > 0), std::int64_t(0), std::int64_t(0),
                                    std::int64_t(attributes), std::int64_t(0), std::int64_t(0), std::int64_t(0)})
    out.i32(number);
  if (!s.velocity.empty()) out.attribute("v", 3, vectorType);
  if (!s.density.empty()) out.attribute("density", 1, floatType);
  if (!s.pressure.empty()) out.attribute("pressure", 1, floatType);
  out.attribute("id", 1, intType);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t a = 0; a < 3; ++a) out.f32(s.position[3 * i + a]);
    out.f32(1);
    if (!s.velocity.empty())
      for (std::size_t a = 0; a < 3; ++a) out.f32(s.velocity[3 * i + a]);
    if (!s.density.empty()) out.f32(s.density[i]);
    if (!s.pressure.empty()) out.f32(s.pressure[i]);
    out.i32(s.id[i]);
  }
  if (n > 0) {
    // One particle system of all points; indices are short where they fit.
    out.u32(particleSystem);
    out.i32(std::int64_t(n));
    for (std::size_t i = 0; i < n; ++i) n > 0xffff ? out.u32(std::uint32_t(i)) : out.u16(unsigned(i));
  }
  out.u8(0), out.u8(255);
  writeFile(path, out.bytes);
}

Snapshot readBgeo(const std::string& path) {
  const std::string content = readFile(path);
  In in(path, content);
  if (content.size() < 5 || in.text(5) != "BgeoV") throw Failure(fmt::format("{} is no .bgeo file of the classic kind", path));
  std::uint32_t head[9];
  for (auto& number : head) number = in.u32();
  if (head[0] != 5) throw Failure(fmt::format("{} has version {}; version 5 is read", path, head[0]));
  struct Attribute {
    std::string name;
    unsigned components;
    std::uint32_t type;
  };
  std::vector<Attribute> attributes;
  std::size_t row = 4;
  for (std::uint32_t k = 0; k < head[5]; ++k) {
    Attribute a;
    a.name = in.text(in.u16());
    a.components = in.u16();
    a.type = in.u32();
    if (a.type == std::uint32_t(indexType)) {
      for (std::uint32_t words = in.u32(); words > 0; --words) in.text(in.u16());
    } else {
      for (unsigned c = 0; c < a.components; ++c) in.u32();
    }
    row += a.components;
    attributes.push_back(a);
  }
  const std::size_t n = head[1];
  if (n > in.left() / (4 * row)) throw Failure(fmt::format("{} ends too early", path));
  Snapshot s;
  for (std::size_t i = 0; i < n; ++i) {
    for (int a = 0; a < 3; ++a) s.position.push_back(in.f32());
    in.f32();
    bool named = false;
    for (const Attribute& a : attributes)
      for (unsigned c = 0; c < a.components; ++c) {
        const std::uint32_t bits = in.u32();
        if (a.name == "v") s.velocity.push_back(std::bit_cast<float>(bits));
        if (a.name == "density") s.density.push_back(std::bit_cast<float>(bits));
        if (a.name == "pressure") s.pressure.push_back(std::bit_cast<float>(bits));
        if (a.name == "id" && !named) s.id.push_back(std::int32_t(bits)), named = true;
      }
    if (!named) s.id.push_back(std::int64_t(i));
  }
  return s;
}

}  // namespace brim
