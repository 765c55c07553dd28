#include "observe/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "io/file.h"
#include "io/ply.h"
#include "io/vtp.h"

namespace brim {

namespace fs = std::filesystem;

namespace {

void writeAs(const std::string& format, const std::string& path, const Snapshot& s, double spacing) {
  format == "ply" ? writePly(path, s, spacing) : writeVtp(path, s, spacing);
}

Snapshot readAs(const std::string& format, const std::string& path) { return format == "ply" ? readPly(path) : readVtp(path); }

Snapshot solidsOf(const Snapshot& s) {
  Snapshot solids;
  solids.dimension = s.dimension;
  solids.time = s.time;
  solids.step = s.step;
  solids.position = s.solids;
  solids.id.resize(s.solids.size() / 3);
  std::iota(solids.id.begin(), solids.id.end(), std::int64_t(0));
  return solids;
}

}  // namespace

std::optional<FrameName> frameName(const std::string& file) {
  const auto line = file.find('_'), dot = file.find('.', line == file.npos ? 0 : line);
  if (line == file.npos || dot == file.npos || dot < line + 7 || dot > line + 10) return std::nullopt;
  int number = 0;
  for (std::size_t k = line + 1; k < dot; ++k) {
    if (file[k] < '0' || file[k] > '9') return std::nullopt;
    number = 10 * number + (file[k] - '0');
  }
  return FrameName{file.substr(0, line), number, file.substr(dot + 1)};
}

Frames::Frames(Settings settings, const Times& kept, std::vector<std::string>& warnings)
    : settings_(std::move(settings)), times_(kept) {
  makeFolder(settings_.folder);
  if (!settings_.formats.empty())
    std::erase_if(times_, [&](const auto& frame) {
      for (const auto& format : settings_.formats)
        if (fs::exists(path("frame", frame.first, format))) return false;
      warnings.push_back(fmt::format("frame {} at t = {} s is missing in {}", frame.first, frame.second, settings_.folder));
      return true;
    });
  removeOthers();
  written_ = times_;
  writeCollections();
  thread_ = std::thread([this] { work(); });
}

Frames::~Frames() {
  {
    std::lock_guard lock(mutex_);
    quit_ = true;
  }
  change_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::string Frames::file(const Settings& settings, const char* what, int number, const std::string& format) {
  return fmt::format("{}/{}_{:06}.{}", settings.folder, what, number, format);
}

// Only files with the names that Brim gives, with any format: a shorter run leaves nothing of a longer one.
void Frames::removeOthers() {
  for (const auto& entry : fs::directory_iterator(settings_.folder)) {
    const std::string name = entry.path().filename().string();
    const auto parts = frameName(name);
    if (!parts || (parts->what != "frame" && parts->what != "solids" && parts->what != "cloth")) continue;
    const std::string& format = parts->format;
    if (format != "vtp" && format != "ply" && format != "vtp.tmp" && format != "ply.tmp") continue;
    if (times_.count(parts->number) && !format.ends_with(".tmp")) continue;
    std::error_code error;
    if (!fs::remove(entry.path(), error) && error) refuse("remove", entry.path().string(), error.value());
  }
}

void Frames::write(int number, std::shared_ptr<const Snapshot> s) {
  finish();
  const double time = s->time;
  times_[number] = time;  // first: what comes after the job is set must not throw, or nobody would be told of it
  {
    std::lock_guard lock(mutex_);
    job_.emplace(number, std::move(s));
  }
  change_.notify_all();
}

void Frames::finish() {
  std::unique_lock lock(mutex_);
  change_.wait(lock, [&] { return !job_; });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Frames::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    change_.wait(lock, [&] { return job_ || quit_; });
    if (!job_) return;
    lock.unlock();
    std::exception_ptr error;
    try {
      store(job_->first, *job_->second);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    error_ = error;
    job_.reset();
    change_.notify_all();
  }
}

void Frames::store(int number, const Snapshot& s) {
  const bool solids = !s.solids.empty() && (settings_.solidsMove || written_.empty());
  for (const auto& format : settings_.formats) {
    writeAs(format, path("frame", number, format), s, settings_.spacing);
    if (solids) writeAs(format, path("solids", number, format), solidsOf(s), settings_.spacing);
  }
  if (!s.surfaces.empty() && !settings_.formats.empty()) writeSurfaces(path("cloth", number, "vtp"), s);
  written_[number] = s.time;
  writeCollections();
}

void Frames::writeCollections() {
  if (std::find(settings_.formats.begin(), settings_.formats.end(), "vtp") == settings_.formats.end()) return;
  for (const char* what : {"frame", "solids", "cloth"}) {
    std::vector<std::pair<double, std::string>> files;
    for (const auto& [number, time] : written_) {
      const fs::path file = path(what, number, "vtp");
      if (what[0] == 'f' || fs::exists(file)) files.emplace_back(time, file.filename().string());
    }
    const std::string collection = fmt::format("{}/{}.pvd", settings_.folder, what[0] == 'f' ? "frames" : what);
    if (!files.empty() || fs::exists(collection)) writePvd(collection, files);
  }
}

std::optional<Snapshot> Frames::read(const Settings& settings, int number, int first) {
  for (const auto& format : settings.formats) {
    const std::string frame = file(settings, "frame", number, format);
    if (!fs::exists(frame)) continue;
    Snapshot s = readAs(format, frame);
    const std::string solids = file(settings, "solids", settings.solidsMove ? number : first, format);
    if (fs::exists(solids)) s.solids = readAs(format, solids).position;
    const std::string cloth = file(settings, "cloth", number, "vtp");
    if (fs::exists(cloth)) s.surfaces = readSurfaces(cloth);
    return s;
  }
  return std::nullopt;
}

Frames::Settings framesOf(const Scene& scene, const std::string& out) {
  const bool moves = std::any_of(scene.solids.begin(), scene.solids.end(), [](const Solid& s) { return s.motion.moves(); });
  return {out + "/frames", scene.output.formats, scene.resolution.spacing, moves || !scene.bodies.empty()};
}

}  // namespace brim
