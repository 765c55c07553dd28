#include "observe/table.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "bodies/turn.h"
#include "io/file.h"

namespace brim {

Table::Table(std::string path, std::string heading) : path_(std::move(path)) {
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd_ < 0) refuse("write", path_, errno);
  heading += '\n';
  writeAll(fd_, path_, heading.data(), heading.size());
}

Table::Table(std::string path, std::string heading, std::int64_t step) : path_(std::move(path)) {
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd_ < 0) refuse("write", path_, errno);
  heading += '\n';
  const std::string text = readFile(path_);
  std::size_t keep = text.starts_with(heading) ? heading.size() : 0;
  for (std::size_t end; keep > 0 && (end = text.find('\n', keep)) != text.npos; keep = end + 1)
    if (std::strtoll(text.c_str() + keep, nullptr, 10) > step) break;
  if (::ftruncate(fd_, off_t(keep)) != 0) refuse("cut", path_, errno);
  ::lseek(fd_, 0, SEEK_END);
  if (keep == 0) writeAll(fd_, path_, heading.data(), heading.size());
}

Table::~Table() {
  if (fd_ >= 0) ::close(fd_);
}

void Table::row(std::int64_t step, const std::vector<double>& numbers) {
  std::string text = fmt::format("{}", step);
  for (double x : numbers) text += fmt::format(",{}", x);
  text += '\n';
  writeAll(fd_, path_, text.data(), text.size());
}

void Table::sync() { syncFile(fd_, path_); }

std::vector<double> bodiesRow(const Snapshot& s) {
  const int D = s.dimension;
  std::vector<double> row = {s.time};
  const auto vector = [&](const Vector& v) { row.insert(row.end(), v.begin(), v.begin() + D); };
  const auto axial = [&](const Vector& v) { row.insert(row.end(), v.begin() + (D == 2 ? 2 : 0), v.end()); };
  for (const BodyReport& b : s.bodies) {
    vector(b.centre);
    vector(b.velocity);
    if (D == 2) {
      row.push_back(std::atan2(b.rotation[3], b.rotation[0]));
    } else {
      const Quaternion q = vectors::quaternionOf(b.rotation.data());
      row.insert(row.end(), q.begin(), q.end());
    }
    axial(b.spin);
    vector(b.force);
    axial(b.torque);
  }
  for (const JointReport& j : s.joints) {
    vector(j.force);
    axial(j.torque);
    row.insert(row.end(), {j.motor, j.position, j.error});
  }
  return row;
}

std::vector<double> gaugesRow(const Snapshot& s, const Scene& scene) {
  std::vector<double> row = {s.time};
  for (std::size_t k = 0; k < s.gauges.size(); ++k)
    if (scene.gauges[k].rate == 0) row.insert(row.end(), s.gauges[k].values.begin(), s.gauges[k].values.end());
  return row;
}

}  // namespace brim
