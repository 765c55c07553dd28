// Files that are either whole or absent, with every error of the system told.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "brim/files.h"

namespace brim {

/// A file that is written beside its final name and put in place by commit(): neither a reader nor a crash nor a full disk
/// ever leaves half of it there. Errors are Failures that name the file, the bytes it needs and the bytes that are free.
class NewFile {
 public:
  /// `size` is what the file will need [bytes], for the message; 0: not known.
  explicit NewFile(std::string path, std::size_t size = 0);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }

  /// Writes "crc32 00000000" here, once; commit() puts the checksum of the whole file, with these zeros, in their place.
  void seal();

  /// Puts the file in place; what was there before keeps existing as `previous`, if that is given.
  void commit(const std::string& previous = {});

 private:
  void put(const void* data, std::size_t bytes);
  void flush();
  void discard();
  std::string path_, temporary_;
  std::vector<char> buffer_;
  std::size_t size_, written_ = 0, sealAt_ = std::string::npos;  // sealAt: of the digits
  unsigned long sum_ = 0;
  int fd_ = -1;
};

/// Throws a Failure if the file has been changed since it was sealed. Its seal follows one of `before`, or the file begins with
/// one of `unsealed`, as files without a seal did in earlier versions.
void checkSeal(const std::string& path, std::initializer_list<std::string_view> before,
               std::initializer_list<std::string_view> unsealed);

/// Writes all of it to an open file; throws as NewFile does.
void writeAll(int fd, const std::string& path, const void* data, std::size_t bytes);

/// To the disk itself, so that it is there after a power cut.
void syncFile(int fd, const std::string& path);

/// "cannot <doing> <path>: <reason of errno>".
[[noreturn]] void refuse(const char* doing, const std::string& path, int error);

}  // namespace brim
