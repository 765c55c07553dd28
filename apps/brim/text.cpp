#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "brim/suggest.h"
#include "commands.h"

namespace brim::command {

static std::string scaled(double x, std::initializer_list<const char*> units, double step) {
  auto unit = units.begin();
  for (; x >= 0.9995 * step && unit + 1 != units.end(); ++unit) x /= step;
  return fmt::format("{:.{}f}{}", x, unit == units.begin() || x >= 99.95 ? 0 : x >= 9.995 ? 1 : 2, *unit);
}

std::string count(double n) { return n < 10000 ? fmt::format("{:.0f}", n) : scaled(n, {"", "k", "M", "G"}, 1000); }

std::string bytes(double n) { return scaled(n, {" B", " kB", " MB", " GB", " TB"}, 1000); }

std::string duration(double seconds) {
  if (!(seconds < 1e9)) return "more than 30 years";
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const long s = std::lround(seconds);
  return s < 3600 ? fmt::format("{}:{:02} min", s / 60, s % 60) : fmt::format("{}:{:02}:{:02} h", s / 3600, s / 60 % 60, s % 60);
}

std::string quoted(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\n\"'$&|;<>()[]{}*?!#~`\\") == std::string::npos) return word;
  std::string inside = word;
  for (std::size_t k = 0; (k = inside.find('\'', k)) != std::string::npos; k += 4) inside.replace(k, 1, "'\\''");
  return "'" + inside + "'";
}

std::string resumeCommand(const std::vector<std::string>& words) {
  std::string line;
  bool resumes = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--overwrite" || words[i].starts_with("--from=")) continue;
    if (words[i] == "--from") {
      ++i;
      continue;
    }
    resumes = resumes || words[i] == "--resume";
    line += (i ? " " : "") + quoted(words[i]);
  }
  return resumes ? line : line + " --resume";
}

void knownFlavour(const std::string& name) {
  const auto all = flavours();
  if (name.empty() || std::find(all.begin(), all.end(), name) != all.end()) return;
  throw Failure(fmt::format("flavour \"{}\" is not known here{}  (one of: {})", name, didYouMean(name, all), listed(all)));
}

}  // namespace brim::command
