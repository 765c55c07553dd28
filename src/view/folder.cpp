#include "view/folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "io/file.h"

namespace brim::view {

std::optional<std::string> decodePath(std::string_view text) {
  if (text.size() > 1024) return std::nullopt;
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  std::string path;
  for (std::size_t k = 0; k < text.size(); ++k) {
    char c = text[k];
    if (c == '%') {
      if (k + 2 >= text.size() || digit(text[k + 1]) < 0 || digit(text[k + 2]) < 0) return std::nullopt;
      c = char(16 * digit(text[k + 1]) + digit(text[k + 2]));
      k += 2;
      if (c == '%' || c == '/') return std::nullopt;
    }
    if (static_cast<unsigned char>(c) < 32 || c == 127 || c == '\\') return std::nullopt;
    path += c;
  }
  return path;
}

Folder::Folder(const std::string& path) : fd_(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  if (fd_ < 0) refuse("open", path, errno);
}

Folder::~Folder() { ::close(fd_); }

int Folder::open(const std::string& path) const {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '/')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (parts.size() > 8) return -1;
  for (const std::string& p : parts)
    if (p.empty() || p[0] == '.' || p.find('\0') != p.npos) return -1;

  int at = fd_;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const bool last = k + 1 == parts.size();
    const int flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (last ? O_RDONLY : O_PATH | O_DIRECTORY);
    const int next = ::openat(at, parts[k].c_str(), flags);
    if (at != fd_) ::close(at);
    if (next < 0) return -1;
    at = next;
  }
  struct stat status = {};
  if (::fstat(at, &status) == 0 && S_ISREG(status.st_mode)) return at;
  ::close(at);
  return -1;
}

}  // namespace brim::view
