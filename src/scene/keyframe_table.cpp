#include "scene/keyframe_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
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

/// Calls f(cell, column in the line from 1) for each cell of the line.
template <class F>
void cells(std::string_view line, F&& f) {
  for (std::size_t from = 0;;) {
    const std::size_t comma = std::min(line.find(',', from), line.size());
    f(trimmed(line.substr(from, comma - from)), int(from) + 1);
    if (comma == line.size()) return;
    from = comma + 1;
  }
}

}  // namespace

std::vector<std::vector<double>> KeyframeTable::read(const Location& asked, std::size_t width) {
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
      lines_.push_back(line_);
      header(line);
      if (told_ > 0) return {};
    } else if (std::vector<double> row(width, 0); this->row(line, row)) {
      if (!rows.empty() && !(row[0] > rows.back()[0]))
        tell(1, fmt::format("the time is {:g} s; it must come after that of the row before, {:g} s", row[0], rows.back()[0]));
      rows.push_back(std::move(row));
      lines_.push_back(line_);
    }
  }
  if (told_ == 0 && rows.empty())
    tell(0, places_.empty() ? "the file is empty: it needs a header and rows" : "the file has no rows below its header");
  return told_ > 0 ? std::vector<std::vector<double>>{} : rows;
}

bool KeyframeTable::has(int place) const { return std::find(places_.begin(), places_.end(), place) != places_.end(); }

void KeyframeTable::tell(int line, int column, const std::string& what) {
  mistakes_.add(path_, {file_, line, column}, what);
  ++told_;
}

std::string KeyframeTable::content(const Location& asked) {
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

void KeyframeTable::header(std::string_view line) {
  std::vector<std::string> names;
  for (const auto& [name, column] : known_) names.push_back(name);
  cells(line, [&](std::string_view cell, int at) {
    std::string name(cell);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    auto found = known_.find(name);
    for (auto k = known_.begin(); found == known_.end() && k != known_.end(); ++k)
      if (name == k->first + "_" + k->second.unit) found = k;
    if (found == known_.end()) {
      tell(at, fmt::format("column \"{}\" is not known{}  (the header may have: {})", cell.substr(0, 40), didYouMean(name, names),
                           listed(names)));
      return places_.push_back(-1);
    }
    if (has(found->second.place)) tell(at, fmt::format("the column \"{}\" is there twice", cell));
    places_.push_back(found->second.place);
  });
  if (told_ == 0 && !has(0)) tell(1, "the header needs a column \"time\"");
  if (told_ == 0 && places_.size() < 2) tell(1, "the header needs another column besides the time");
}

bool KeyframeTable::row(std::string_view line, std::vector<double>& numbers) {
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

}  // namespace brim
