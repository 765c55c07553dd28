#include "observe/statistics.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "io/file.h"
#include "observe/columns.h"

namespace brim {

namespace {

using Clock = std::chrono::steady_clock;

// The heading of the columns that every run has.
const std::string& fixedColumns() {
  static const std::string text = headingOf(statisticsColumns());
  return text;
}

}  // namespace

Statistics::Statistics(std::string path) : path_(std::move(path)), flushed_(Clock::now()) {
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd_ < 0) refuse("write", path_, errno);
}

Statistics::Statistics(std::string path, std::int64_t step) : path_(std::move(path)), flushed_(Clock::now()) {
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd_ < 0) refuse("write", path_, errno);
  cutAfter(step);
}

Statistics::~Statistics() {
  if (fd_ < 0) return;
  // The caller has flushed where it matters; here only what can still be saved without throwing.
  for (std::string_view rest = pending_; !rest.empty();) {
    const ssize_t n = ::write(fd_, rest.data(), rest.size());
    if (n <= 0) break;
    rest.remove_prefix(std::size_t(n));
  }
  ::close(fd_);
}

void Statistics::cutAfter(std::int64_t step) {
  const std::string text = readFile(path_);
  std::size_t keep = 0;
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
    const std::string line = text.substr(begin, end - begin);
    if (begin == 0) {
      const std::string& fixed = fixedColumns();
      if (line.compare(0, fixed.size(), fixed) != 0) break;
      for (std::size_t at = line.find(",ms_", fixed.size()); at != line.npos; at = line.find(",ms_", at + 1)) {
        const auto name = at + 4;
        stages_.push_back(line.substr(name, line.find(' ', name) - name));
      }
      hasHeader_ = true;
    } else {
      const std::int64_t row = std::strtoll(line.c_str(), nullptr, 10);
      if (row <= lastKept_ || row > step) break;
      lastKept_ = row;
    }
    keep = end + 1;
  }
  if (::ftruncate(fd_, off_t(keep)) != 0) refuse("cut", path_, errno);
  ::lseek(fd_, 0, SEEK_END);
}

void Statistics::row(const StepReport& r, double ms, std::optional<double> volumeRatio) {
  auto out = std::back_inserter(pending_);
  if (!hasHeader_) {
    std::vector<Column> columns = statisticsColumns();
    for (const auto& stage : r.stages) {
      stages_.push_back(stage.name);
      columns.push_back(stageColumn(stage.name));
    }
    pending_ += headingOf(columns) + '\n';
    describeColumns(path_, columns);
    hasHeader_ = true;
  }
  // fmt prints the shortest digits that read back to the same double.
  fmt::format_to(out, "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},", r.step, r.time, r.dt, r.dt_limit, r.iterations,
                 r.density_error_mean, r.density_error_max, r.density_error_p999, r.kinetic_energy, r.potential_energy,
                 r.momentum[0], r.momentum[1], r.momentum[2], r.max_speed, r.particles, r.emitted, r.sunk, r.lost, r.neighbours);
  if (volumeRatio) fmt::format_to(out, "{}", *volumeRatio);
  pending_ += ',';
  if (r.volume_ratio_eq19 >= 0) fmt::format_to(out, "{}", r.volume_ratio_eq19);
  pending_ += ',';
  if (r.residual >= 0) fmt::format_to(out, "{}", r.residual);
  fmt::format_to(out, ",{:.4f}", ms);
  for (const auto& name : stages_) {
    pending_ += ',';
    for (const auto& stage : r.stages)
      if (stage.name == name) fmt::format_to(out, "{:.4f}", stage.ms);
  }
  pending_ += '\n';
  if (Clock::now() - flushed_ > std::chrono::seconds(1) || pending_.size() > (1 << 20)) flush();
}

void Statistics::flush() {
  flushed_ = Clock::now();
  // Dropped even if the write fails: half of it may be there, and a second half would not fit.
  const std::string text = std::move(pending_);
  pending_.clear();
  writeAll(fd_, path_, text.data(), text.size());
}

void Statistics::sync() {
  flush();
  syncFile(fd_, path_);
}

}  // namespace brim
