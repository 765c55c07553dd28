#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "commands.h"

namespace brim::command {

ProgressReport::Style ProgressReport::forPeople() { return isatty(STDERR_FILENO) ? Style::line : Style::log; }

static std::size_t terminalWidth() {
  winsize size = {};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static std::string sentence(const Progress& p) {
  std::string text = fmt::format("t = {:.3f} of {:g} s  {} particles  {:.3g} steps/s", p.time, p.until,
                                 count(static_cast<double>(p.particles)), p.steps_per_second);
  if (p.seconds_left >= 0) text += "  " + duration(p.seconds_left) + " left";
  return text;
}

static std::string bar(double part, int cells) {
  const int full = static_cast<int>(std::clamp(part, 0.0, 1.0) * cells);
  return "[" + std::string(full, '#') + std::string(cells - full, '.') + "]";
}

bool ProgressReport::due() {
  const double period = style_ == Style::line ? 0.1 : style_ == Style::json ? 0.5 : 10;
  const auto now = std::chrono::steady_clock::now();
  const bool first = shown_.time_since_epoch().count() == 0;
  // The first report and the last one are always shown, except in a log, where the end has its own line.
  const bool last = last_.time >= last_.until && style_ != Style::log;
  if (!first && !last && std::chrono::duration<double>(now - shown_).count() < period) return false;
  shown_ = now;
  return true;
}

void ProgressReport::operator()(const Progress& p) {
  last_ = p;
  if (style_ == Style::none || !due()) return;
  if (style_ == Style::json) {
    nlohmann::ordered_json j = {{"event", "progress"}, {"time", p.time}, {"until", p.until}, {"step", p.step}};
    j["particles"] = p.particles;
    j["steps_per_second"] = p.steps_per_second;
    j["seconds_left"] = p.seconds_left >= 0 ? nlohmann::ordered_json(p.seconds_left) : nullptr;
    j["wall"] = p.wall;
    j["dt"] = p.dt;
    j["density_error_mean"] = p.density_error_mean;
    fmt::print("{}\n", j.dump());
    std::fflush(stdout);
  } else if (style_ == Style::log) {
    fmt::print(stderr, "{}{}\n", name_, sentence(p));
  } else {
    std::string line = name_ + bar(p.until > 0 ? p.time / p.until : 1, 24) + " " + sentence(p);
    if (const auto width = terminalWidth(); line.size() >= width) line.resize(width - 1);
    fmt::print(stderr, "\r{}\x1b[K", line);  // ... erases what is left of a longer line
    std::fflush(stderr);
    open_ = true;
  }
}

void ProgressReport::endLine() {
  if (open_) fmt::print(stderr, "\n");
  open_ = false;
}

void printEvent(const std::string& event, const std::string& key, const std::string& value) {
  const nlohmann::ordered_json j = {{"event", event}, {key, value}};
  fmt::print("{}\n", j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  std::fflush(stdout);
}

}  // namespace brim::command
