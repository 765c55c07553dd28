// The files of one folder, and none outside it, whatever a request asks for.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace brim::view {

/// "%41" -> "A". Nothing if the text is not properly encoded or holds what no name of ours has: control characters, backslashes,
/// or a "%" that was encoded itself.
std::optional<std::string> decodePath(std::string_view);

class Folder {
 public:
  /// Throws Failure if it cannot be opened.
  explicit Folder(const std::string& path);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Opens the plain file at a decoded relative path ("frames/frame_000000.vtp"), or returns -1. Each part of the path is
  /// opened from the one before without following links, so no race can lead outside; parts that begin with a dot, empty
  /// ones and absolute paths are refused.
  int open(const std::string& path) const;

 private:
  int fd_;
};

}  // namespace brim::view
