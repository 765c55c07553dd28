#include "io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "brim/error.h"

namespace brim {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t bufferSize = 1 << 18;

std::string folderOf(const std::string& path) {
  const auto folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// A rename is on the disk only when its folder is.
void syncFolder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) refuse("open the folder", folder, errno);
  ::fsync(fd);  // some file systems refuse to sync folders; nothing is lost by that but the promise over a power cut
  ::close(fd);
}

[[noreturn]] void refuseSpace(const std::string& path, int error, std::size_t needed) {
  std::string text = fmt::format("cannot write {}: {}; it needs {} bytes", path, std::strerror(error), needed);
  struct statvfs disk;
  if (::statvfs(folderOf(path).c_str(), &disk) == 0)
    text += fmt::format(", {} bytes are free", std::size_t(disk.f_bavail) * disk.f_frsize);
  if (error == ENOSPC || error == EDQUOT) text += "; make room and go on with --resume";
  if (error == EFBIG) text += "; the limit on the size of files (ulimit -f) is too small";
  throw Failure(text);
}

// write(2) until all is written; the error, or 0.
int put(int fd, const void* data, std::size_t bytes) {
  auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::write(fd, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : ENOSPC;
    at += n;
    bytes -= std::size_t(n);
  }
  return 0;
}

}  // namespace

void refuse(const char* doing, const std::string& path, int error) {
  throw Failure(fmt::format("cannot {} {}: {}", doing, path, std::strerror(error)));
}

void writeAll(int fd, const std::string& path, const void* data, std::size_t bytes) {
  if (const int error = put(fd, data, bytes)) refuseSpace(path, error, bytes);
}

void syncFile(int fd, const std::string& path) {
  // Pipes and devices answer EINVAL: there is nothing to sync.
  if (::fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP) refuseSpace(path, errno, 0);
}

NewFile::NewFile(std::string path, std::size_t size) : path_(std::move(path)), temporary_(path_ + ".tmp"), size_(size) {
  fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd_ < 0 && (errno == ENOSPC || errno == EDQUOT)) refuseSpace(path_, errno, size_);
  if (fd_ < 0) refuse("write", path_, errno);
  buffer_.reserve(bufferSize);
}

NewFile::~NewFile() { discard(); }

void NewFile::discard() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
  fd_ = -1;
}

void NewFile::put(const void* data, std::size_t bytes) {
  written_ += bytes;
  if (const int error = ::brim::put(fd_, data, bytes)) {
    discard();  // before the free bytes are counted
    refuseSpace(path_, error, std::max(size_, written_));
  }
}

void NewFile::write(const void* data, std::size_t bytes) {
  if (buffer_.size() + bytes > bufferSize) flush();
  if (bytes >= bufferSize) return put(data, bytes);
  auto* from = static_cast<const char*>(data);
  buffer_.insert(buffer_.end(), from, from + bytes);
}

void NewFile::flush() {
  put(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void NewFile::commit(const std::string& previous) {
  flush();
  syncFile(fd_, path_);
  // close reports late write errors on network file systems.
  if (::close(std::exchange(fd_, -1)) != 0) {
    const int error = errno;
    ::unlink(temporary_.c_str());
    refuseSpace(path_, error, written_);
  }
  if (!previous.empty() && ::rename(path_.c_str(), previous.c_str()) != 0 && errno != ENOENT) refuse("rename", path_, errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) refuse("write", path_, errno);
  syncFolder(folderOf(path_));
}

void writeFile(const std::string& path, std::string_view content) {
  NewFile file(path, content.size());
  file.write(content);
  file.commit();
}

std::string readFile(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) refuse("read", path, errno);
  struct stat about {};
  std::string content;
  // A device such as /dev/zero has no end; a pipe has one.
  if (::fstat(fd, &about) == 0 && (S_ISCHR(about.st_mode) || S_ISBLK(about.st_mode))) {
    ::close(fd);
    throw Failure(fmt::format("cannot read {}: it is a device, not a file", path));
  }
  if (about.st_size > 0) content.resize(std::size_t(about.st_size));
  std::size_t size = 0;
  for (;;) {
    if (size == content.size()) content.resize(size + 4096);
    const ssize_t n = ::read(fd, content.data() + size, content.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int error = errno;
      ::close(fd);
      refuse("read", path, error);
    }
    if (n == 0) break;
    size += std::size_t(n);
  }
  ::close(fd);
  content.resize(size);
  return content;
}

void makeFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) refuse("make the folder", path, error.value());
  if (!fs::is_directory(path)) throw Failure(fmt::format("cannot make the folder {}: a file of that name is in the way", path));
  if (::access(path.c_str(), W_OK | X_OK) != 0) refuse("write into the folder", path, errno);
}

void claimFolder(const std::string& path) {
  makeFolder(path);
  const std::string mark = path + "/.brim";
  std::error_code error;
  if (fs::is_regular_file(fs::symlink_status(mark, error))) return;
  const bool empty = fs::is_empty(path, error);
  if (error) refuse("read the folder", path, error.value());
  if (!empty && !fs::is_regular_file(path + "/checkpoint/state.brim", error))
    throw Failure(
        fmt::format("{0} is not empty, and nothing in it says that it is a folder of Brim's results, so nothing is replaced "
                    "there; give --out "
                    "a new or an empty folder (if it does hold results of Brim, make an empty file {0}/.brim)",
                    path));
  writeFile(mark, "Results of Brim. A run with --overwrite replaces those of its files that are here.\n");
}

FolderLock::FolderLock(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (fd_ < 0) refuse("open the folder", path, errno);
  if (::flock(fd_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(fd_);
  throw Failure(fmt::format("another run is writing into {}; wait for it to end, or give this one another --out", path));
}
FolderLock::~FolderLock() { ::close(fd_); }

}  // namespace brim
