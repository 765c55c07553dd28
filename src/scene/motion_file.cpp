#include "scene/motion_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "brim/suggest.h"

namespace brim {

namespace fs = std::filesystem;

namespace {

constexpr int mostTold = 5;  // mistakes of one file

std::string_view trimmed(std::string_view s) {
  const char* blank = " \t\r\n";
  const auto first = s.find_first_not_of(blank);
  return first == s.npos ? std::string_view{} : s.substr(first, s.find_last_not_of(blank) - first + 1);
}

/// Which number of a row a column is; its name may end with its unit.
struct Column {
  int place;
  std::string unit;
};
using Columns = std::map<std::string, Column>;

class Table {
 public:
  Table(std::string file, std::string path, const Columns& known, Mistakes& mistakes)
      : file_(std::move(file)), path_(std::move(path)), known_(known), mistakes_(mistakes) {}

  /// Rows of `width` numbers, those of columns that the file does not have 0; the first is the time. None if anything is wrong.
  std::vector<std::vector<double>> read(const Location& asked, std::size_t width) {
    const std::string text = content(asked);
    if (told_ > 0) return {};
    std::vector<std::vector<double>> rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line) && told_ < mostTold;) {
      ++line_;
      if (line_ == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);  // what some programs begin UTF-8 with
      const std::string_view s = trimmed(line);
      if (s.empty() || s.front() == '#') continue;
      if (places_.empty()) {
        header(line);
        if (told_ > 0) return {};
      } else if (std::vector<double> row(width, 0); this->row(line, row)) {
        if (!rows.empty() && !(row[0] > rows.back()[0]))
          tell(1, fmt::format("the time is {:g} s; it must come after that of the row before, {:g} s", row[0], rows.back()[0]));
        rows.push_back(std::move(row));
      }
    }
    if (told_ == 0 && rows.empty())
      tell(0, places_.empty() ? "the file is empty: it needs a header and rows" : "the file has no rows below its header");
    return told_ > 0 ? std::vector<std::vector<double>>{} : rows;
  }

  /// Whether the header names the column that goes there.
  bool has(int place) const { return std::find(places_.begin(), places_.end(), place) != places_.end(); }

 private:
  void tell(int column, const std::string& what) {
    mistakes_.add(path_, {file_, line_, column}, what);
    ++told_;
  }

  std::string content(const Location& asked) {
    const auto refuse = [&](const std::string& why) {
      mistakes_.add(path_, asked, fmt::format("cannot read {}: {}", file_, why));
      ++told_;
      return std::string();
    };
    std::error_code ignored;
    if (!fs::exists(file_, ignored)) return refuse("there is no such file");
    if (!fs::is_regular_file(file_, ignored)) return refuse("it is not a file");
    if (fs::file_size(file_, ignored) > largestMotionFile)
      return refuse(fmt::format("it has more than {} MiB", largestMotionFile >> 20));
    std::ifstream in(file_, std::ios::binary);
    if (!in) return refuse("the file may not be read");
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

  /// Calls f(cell, column in the line from 1) for each cell of the line.
  template <class F>
  static void cells(std::string_view line, F&& f) {
    for (std::size_t from = 0;;) {
      const std::size_t comma = std::min(line.find(',', from), line.size());
      f(trimmed(line.substr(from, comma - from)), int(from) + 1);
      if (comma == line.size()) return;
      from = comma + 1;
    }
  }

  void header(std::string_view line) {
    std::vector<std::string> names;
    for (const auto& [name, column] : known_) names.push_back(name);
    cells(line, [&](std::string_view cell, int at) {
      std::string name(cell);
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
      auto found = known_.find(name);
      for (auto k = known_.begin(); found == known_.end() && k != known_.end(); ++k)
        if (name == k->first + "_" + k->second.unit) found = k;
      if (found == known_.end()) {
        tell(at, fmt::format("column \"{}\" is not known{}  (the header may have: {})", cell.substr(0, 40),
                             didYouMean(name, names), listed(names)));
        return places_.push_back(-1);
      }
      if (has(found->second.place)) tell(at, fmt::format("the column \"{}\" is there twice", cell));
      places_.push_back(found->second.place);
    });
    if (told_ == 0 && !has(0)) tell(1, "the header needs a column \"time\"");
    if (told_ == 0 && places_.size() < 2) tell(1, "the header needs another column besides the time");
  }

  bool row(std::string_view line, std::vector<double>& numbers) {
    std::size_t k = 0;
    bool good = true;
    cells(line, [&](std::string_view cell, int at) {
      const std::size_t here = k++;
      if (here >= places_.size() || !good) return;
      if (cell.starts_with('+')) cell.remove_prefix(1);
      double x = 0;
      const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), x);
      good = !cell.empty() && error == std::errc() && end == cell.data() + cell.size() && std::isfinite(x);
      if (!good)
        return tell(at, cell.empty() ? "a number is missing" : fmt::format("\"{}\" is not a finite number", cell.substr(0, 40)));
      numbers[std::size_t(places_[here])] = x;
    });
    if (good && k != places_.size()) {
      tell(1, fmt::format("the row has {} values; the header has {} columns", k, places_.size()));
      good = false;
    }
    return good;
  }

  std::string file_, path_;
  const Columns& known_;
  Mistakes& mistakes_;
  std::vector<int> places_;  // in a row of numbers, of each column of the file
  int line_ = 0, told_ = 0;
};

std::string besideScene(const Scene& scene, const std::string& file) {
  return (fs::path(scene.file).parent_path() / file).string();
}

}  // namespace

void readMotionFile(const Scene& scene, Motion& m, const std::string& path, Mistakes& mistakes) {
  Columns known = {{"time", {0, "s"}}, {"t", {0, "s"}}, {"x", {1, "m"}}, {"y", {2, "m"}}, {"angle_z", {6, "deg"}}};
  if (scene.dimension == 2)
    known.insert({{"angle", {6, "deg"}}, {"roll", {6, "deg"}}});
  else
    known.insert({{"z", {3, "m"}},
                  {"angle_x", {4, "deg"}},
                  {"angle_y", {5, "deg"}},
                  {"roll", {4, "deg"}},
                  {"pitch", {5, "deg"}},
                  {"yaw", {6, "deg"}}});
  Table table(besideScene(scene, m.file), path + ".file", known, mistakes);
  for (const auto& row : table.read(scene.at(path + ".file"), 7)) {
    if (table.has(1) || table.has(2) || table.has(3)) m.resolved.displacement.push_back({row[0], {row[1], row[2], row[3]}});
    if (table.has(4) || table.has(5) || table.has(6)) m.resolved.rotation.push_back({row[0], {row[4], row[5], row[6]}});
  }
}

void readGravityFile(Scene& scene, Mistakes& mistakes) {
  Columns known = {{"time", {0, "s"}}, {"t", {0, "s"}}, {"x", {1, "m_s2"}}, {"y", {2, "m_s2"}}};
  if (scene.dimension == 3) known.insert({"z", {3, "m_s2"}});
  scene.gravity_keys.clear();
  Table table(besideScene(scene, scene.gravity_file), "gravity", known, mistakes);
  for (const auto& row : table.read(scene.at("gravity"), 4)) scene.gravity_keys.push_back({row[0], {row[1], row[2], row[3]}});
}

}  // namespace brim
