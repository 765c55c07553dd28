// What the targets share.
#pragma once
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace brim::fuzz {

inline std::string_view textOf(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

/// A file with this content, in memory; the next one takes its place.
inline std::string fileWith(std::string_view content, const char* ending) {
  const std::string path = "/dev/shm/brim_fuzz_" + std::to_string(::getpid()) + ending;
  if (std::FILE* const file = std::fopen(path.c_str(), "wb")) {
    std::fwrite(content.data(), 1, content.size(), file);
    std::fclose(file);
  }
  return path;
}

/// Removes it; reading a file leaves nothing behind.
struct Removed {
  std::string path;
  ~Removed() { ::unlink(path.c_str()); }
};

}  // namespace brim::fuzz
