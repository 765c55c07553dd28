#include "frames.h"

#include <fmt/format.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "brim/files.h"
#include "commands.h"
#include "signals.h"

namespace brim::command {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

double secondsSince(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

/// A bar that is redrawn on a terminal, a line every ten seconds elsewhere.
class Bar {
 public:
  Bar(int total, bool quiet) : total_(total), quiet_(quiet), terminal_(isatty(STDERR_FILENO)) {}
  ~Bar() { end(); }
  void show(int done, int made) {
    if (quiet_ || total_ == 0) return;
    const double wall = secondsSince(began_);
    if (!terminal_ && (done == total_ || secondsSince(shown_) < 10)) return;
    shown_ = Clock::now();
    // Frames that were there already took no time and say nothing about the others.
    const std::string left = made > 0 && done < total_ ? fmt::format("  {} left", duration(wall / made * (total_ - done))) : "";
    const int cells = 24 * done / total_;
    if (terminal_)
      fmt::print(stderr, "\r[{}{}] {} of {} frames{}\x1b[K", std::string(std::size_t(cells), '#'),
                 std::string(std::size_t(24 - cells), '.'), done, total_, left);
    else
      fmt::print(stderr, "{} of {} frames{}\n", done, total_, left);
    std::fflush(stderr);
    open_ = terminal_;
  }
  void end() {
    if (open_) fmt::print(stderr, "\n");
    open_ = false;
  }

 private:
  int total_;
  bool quiet_, terminal_, open_ = false;
  Clock::time_point began_ = Clock::now(), shown_ = began_;
};

fs::file_time_type timeOfFrame(const RunFolder& run, int frame) {
  fs::file_time_type newest = fs::file_time_type::min();
  for (const char* format : {"vtp", "ply"}) {
    std::error_code none;
    const auto time = fs::last_write_time(fmt::format("{}/frames/frame_{:06}.{}", run.path(), frame, format), none);
    if (!none) newest = std::max(newest, time);
  }
  return newest;
}

bool there(const std::vector<std::string>& files, fs::file_time_type since) {
  for (const auto& file : files) {
    std::error_code none;
    const auto time = fs::last_write_time(file, none);
    if (none || time < since) return false;
  }
  return true;
}

}  // namespace

std::vector<int> chosen(const RunFolder& run, const std::string& text) {
  if (text.empty()) return run.frames();
  int first = 0, last = 0, step = 1, used = 0;
  const int numbers = std::sscanf(text.c_str(), "%d%n:%d%n:%d%n", &first, &used, &last, &used, &step, &used);
  if (numbers < 1 || std::size_t(used) != text.size() || step < 1)
    throw Failure(fmt::format("--frames {} is not understood; give a number, FIRST:LAST or FIRST:LAST:STEP", text));
  if (numbers == 1) last = first;
  std::vector<int> frames;
  for (const int frame : run.frames())
    if (frame >= first && frame <= last && (frame - first) % step == 0) frames.push_back(frame);
  if (frames.empty())
    throw Failure(fmt::format("{} has frames {} to {}; none of them is in --frames {}", run.path(), run.frames().front(),
                              run.frames().back(), text));
  return frames;
}

std::vector<Snapshot> someOf(const RunFolder& run, const std::vector<int>& frames) {
  std::vector<Snapshot> some;
  const std::size_t n = std::min<std::size_t>(frames.size(), 8);
  for (std::size_t k = 0; k < n; ++k) some.push_back(run.read(frames[n > 1 ? k * (frames.size() - 1) / (n - 1) : 0]));
  return some;
}

int overFrames(const FramesArguments& a, const RunFolder& run, const std::vector<int>& frames, const std::string& out,
               const std::string& name, const std::string& settings, const std::function<std::vector<std::string>(int)>& files,
               const std::function<void(int, const Snapshot&)>& make) {
  const std::string note = fmt::format("{}/{}.settings.txt", out, name);
  claimFolder(out, name + ".settings.txt");
  const FolderLock alone(out);
  const bool same = !a.force && fs::exists(note) && readFile(note, 1 << 16) == settings;
  if (!same) {
    // What other settings made must not be taken for this, also if this is interrupted.
    for (const int frame : run.frames())
      for (const auto& file : files(frame)) {
        std::error_code ignored;
        fs::remove(file, ignored);
      }
    writeFile(note, settings);
  }
  Signals::watch();
  tbb::task_arena arena(a.threads > 0 ? a.threads : tbb::info::default_concurrency());
  Bar bar(int(frames.size()), a.quiet);
  int done = 0, made = 0;
  for (const int frame : frames) {
    bar.show(done, made);
    if (Signals::stop()) {
      bar.end();
      fmt::print(stderr, "interrupted after {} of {} frames; the same command goes on from there\n", done, frames.size());
      return Signals::exitCode();
    }
    if (!there(files(frame), timeOfFrame(run, frame))) {
      arena.execute([&] { make(frame, run.read(frame)); });
      ++made;
    }
    ++done;
  }
  bar.show(done, made);
  return ok;
}

}  // namespace brim::command
