#include "io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "brim/error.h"

namespace brim {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t bufferSize = 1 << 18;
constexpr std::string_view sealWord = "crc32 ", noDigits = "00000000";

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

void NewFile::seal() {
  sealAt_ = written_ + buffer_.size() + sealWord.size();
  write(sealWord);
  write(noDigits);
}

void NewFile::put(const void* data, std::size_t bytes) {
  written_ += bytes;
  if (sealAt_ != std::string::npos) sum_ = ::crc32_z(sum_, static_cast<const Bytef*>(data), bytes);
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
  if (sealAt_ != std::string::npos) {
    const std::string digits = fmt::format("{:08x}", sum_);
    if (::pwrite(fd_, digits.data(), digits.size(), off_t(sealAt_)) != ssize_t(digits.size()))
      refuseSpace(path_, errno, written_);
  }
  syncFile(fd_, path_);
  // close reports late write errors on network file systems.
  if (::close(std::exchange(fd_, -1)) != 0) {
    const int error = errno;
    ::unlink(temporary_.c_str());
    refuseSpace(path_, error, written_);
  }
  const auto put = [&](const std::string& from, const std::string& to) {
    if (::rename(from.c_str(), to.c_str()) == 0 || (from == path_ && errno == ENOENT)) return;
    const int error = errno;
    ::unlink(temporary_.c_str());
    refuse("write", path_, error);
  };
  if (!previous.empty()) put(path_, previous);
  put(temporary_, path_);
  syncFolder(folderOf(path_));
}

void writeFile(const std::string& path, std::string_view content) {
  NewFile file(path, content.size());
  file.write(content);
  file.commit();
}

void checkSeal(const std::string& path, std::initializer_list<std::string_view> before,
               std::initializer_list<std::string_view> unsealed) {
  const auto wrong = [&](const char* what) { return Failure(fmt::format("{} cannot be read: {}", path, what)); };
  std::FILE* const file = std::fopen(path.c_str(), "rbe");
  if (!file) refuse("read", path, errno);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> closing(file, std::fclose);
  std::string piece(1 << 20, '\0');
  const auto next = [&] { return std::string_view(piece).substr(0, std::fread(piece.data(), 1, piece.size(), file)); };
  std::string_view bytes = next();
  std::size_t digits = 0;  // where they are
  for (const std::string_view start : before)
    if (bytes.starts_with(start) && bytes.substr(start.size()).starts_with(sealWord)) digits = start.size() + sealWord.size();
  if (digits == 0) {
    for (const std::string_view start : unsealed)
      if (bytes.starts_with(start)) return;
    throw wrong("it does not begin as a file of Brim does");
  }
  if (bytes.size() < digits + noDigits.size()) throw wrong("it ends too early");
  const std::string told(bytes.substr(digits, noDigits.size()));
  noDigits.copy(piece.data() + digits, noDigits.size());
  unsigned long sum = 0;
  for (; !bytes.empty(); bytes = next()) sum = ::crc32_z(sum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  if (told != fmt::format("{:08x}", sum)) throw wrong("its checksum is wrong: it was changed, or not copied to its end");
}

std::string readFile(const std::string& path, std::size_t most) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) refuse("read", path, errno);
  struct stat about {};
  std::string content;
  // A device such as /dev/zero has no end; a pipe has one.
  if (::fstat(fd, &about) == 0 && (S_ISCHR(about.st_mode) || S_ISBLK(about.st_mode))) {
    ::close(fd);
    throw Failure(fmt::format("cannot read {}: it is a device, not a file", path));
  }
  if (about.st_size > 0) content.resize(std::min(std::size_t(about.st_size), most) + 1);
  std::size_t size = 0;
  for (;;) {
    if (size > most) {
      ::close(fd);
      throw Failure(fmt::format("cannot read {}: it has more than {} bytes", path, most));
    }
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
  std::string bare = path;
  while (bare.size() > 1 && bare.ends_with('/')) bare.pop_back();
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(bare, error)))
    throw Failure(fmt::format("{} is a link, and links are not followed; give the folder itself", bare));
  fs::create_directories(bare, error);
  if (error) refuse("make the folder", path, error.value());
  if (!fs::is_directory(bare)) throw Failure(fmt::format("cannot make the folder {}: a file of that name is in the way", path));
  if (::access(bare.c_str(), W_OK | X_OK) != 0) refuse("write into the folder", path, errno);
}

void claimFolder(const std::string& path, const std::string& trace) {
  makeFolder(path);
  const std::string mark = path + "/.brim";
  const auto there = [](const std::string& file) {
    std::error_code ignored;
    return fs::is_regular_file(fs::symlink_status(file, ignored));
  };
  if (there(mark)) return;
  if (there(mark + ".tmp")) ::unlink((mark + ".tmp").c_str());  // of one that was killed while it wrote the mark
  std::error_code error;
  const bool empty = fs::is_empty(path, error);
  if (error) refuse("read the folder", path, error.value());
  if (!empty && !there(path + "/" + trace))
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
