#include "dataset/npz.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "brim/error.h"

namespace brim {

namespace {

std::uint32_t crc32(std::string_view data) {  // of ISO 3309, as zip files have it
  static const auto table = [] {
    std::array<std::uint32_t, 256> t;
    for (std::uint32_t n = 0; n < 256; ++n) {
      std::uint32_t c = n;
      for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
      t[n] = c;
    }
    return t;
  }();
  std::uint32_t c = ~0u;
  for (const char byte : data) c = table[(c ^ static_cast<unsigned char>(byte)) & 255] ^ (c >> 8);
  return ~c;
}

void put(std::string& out, std::uint32_t value, int bytes) {
  for (int k = 0; k < bytes; ++k) out += char(value >> (8 * k));
}
std::uint32_t get(std::string_view in, std::size_t at, int bytes) {
  std::uint32_t value = 0;
  if (at + bytes > in.size()) throw Failure("an npz file ends too early");
  for (int k = 0; k < bytes; ++k) value |= std::uint32_t(static_cast<unsigned char>(in[at + k])) << (8 * k);
  return value;
}

constexpr std::uint32_t local = 0x04034b50, central = 0x02014b50, end = 0x06054b50;

// What a local and a central header have in common: version, flags, stored, time and day (1980-01-01), checksum, sizes, lengths.
void putCommon(std::string& out, std::uint32_t crc, std::size_t size, std::size_t name) {
  put(out, 20, 2), put(out, 0, 2), put(out, 0, 2), put(out, 0, 2), put(out, 0x21, 2);
  put(out, crc, 4), put(out, std::uint32_t(size), 4), put(out, std::uint32_t(size), 4), put(out, std::uint32_t(name), 2),
      put(out, 0, 2);
}

}  // namespace

void NpzWriter::add(const std::string& name, const char* type, const std::vector<std::size_t>& shape, const void* data,
                    std::size_t bytes) {
  std::string numbers;
  for (const std::size_t n : shape) numbers += fmt::format("{}, ", n);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, numbers);
  header.append(64 - (10 + header.size() + 1) % 64, ' ') += '\n';
  std::string content = "\x93NUMPY\x01";
  put(content, 0, 1), put(content, std::uint32_t(header.size()), 2);
  content += header;
  content.append(static_cast<const char*>(data), bytes);
  entries_.push_back({name + ".npy", std::move(content)});
}

std::string NpzWriter::file() const {
  std::string out, directory;
  for (const Entry& e : entries_) {
    if (out.size() + e.content.size() > 0xf0000000u)
      throw Failure("a trajectory takes more than 4 GB; use fewer frames or particles");
    const std::uint32_t crc = crc32(e.content), at = std::uint32_t(out.size());
    put(out, local, 4);
    putCommon(out, crc, e.content.size(), e.name.size());
    out += e.name + e.content;
    put(directory, central, 4), put(directory, 20, 2);
    putCommon(directory, crc, e.content.size(), e.name.size());
    put(directory, 0, 2), put(directory, 0, 2), put(directory, 0, 2), put(directory, 0, 4), put(directory, at, 4);
    directory += e.name;
  }
  const std::uint32_t at = std::uint32_t(out.size()), n = std::uint32_t(entries_.size());
  out += directory;
  put(out, end, 4), put(out, 0, 4), put(out, n, 2), put(out, n, 2), put(out, std::uint32_t(directory.size()), 4), put(out, at, 4);
  put(out, 0, 2);
  return out;
}

std::map<std::string, NpzArray> readNpz(std::string_view file) {
  std::map<std::string, NpzArray> all;
  std::size_t at = 0;
  while (get(file, at, 4) == local) {
    const std::size_t size = get(file, at + 18, 4), name = get(file, at + 26, 2), begin = at + 30 + name;
    if (begin + size > file.size() || name < 4) throw Failure("an npz file ends too early");
    const std::string_view content = file.substr(begin, size);
    const std::size_t header = 10 + get(content, 8, 2);
    NpzArray a;
    const std::string_view words = content.substr(0, header);
    std::size_t k = words.find("'shape': (");
    if (k == words.npos || header > size) throw Failure("an npz file is damaged");
    for (k += 10; k < words.size() && words[k] != ')'; ++k)
      if (words[k] >= '0' && words[k] <= '9') {
        std::size_t n = 0;
        for (; words[k] >= '0' && words[k] <= '9'; ++k) n = 10 * n + std::size_t(words[k] - '0');
        a.shape.push_back(n);
        --k;
      }
    a.data = content.substr(header);
    if (crc32(content) != get(file, at + 14, 4)) throw Failure("an npz file is damaged");
    all[std::string(file.substr(at + 30, name - 4))] = a;
    at = begin + size;
  }
  return all;
}

}  // namespace brim
