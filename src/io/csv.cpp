#include "io/csv.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "io/file.h"

namespace brim {

// Where the unit's bracket begins; npos: there is none.
static std::size_t bracket(std::string_view heading) {
  return heading.ends_with(']') ? heading.rfind(" [") : std::string_view::npos;
}

std::string_view columnName(std::string_view heading) { return heading.substr(0, bracket(heading)); }

std::string_view columnUnit(std::string_view heading) {
  const auto at = bracket(heading);
  return at == heading.npos ? std::string_view() : heading.substr(at + 2, heading.size() - at - 3);
}

std::vector<std::string_view> csvCells(std::string_view line) {
  std::vector<std::string_view> all;
  for (std::size_t begin = 0;;) {
    const auto end = std::min(line.find(',', begin), line.size());
    all.push_back(line.substr(begin, end - begin));
    if (end == line.size()) return all;
    begin = end + 1;
  }
}

const std::vector<double>* NumberTable::find(std::string_view wanted) const {
  const auto at = std::find(name.begin(), name.end(), wanted);
  return at == name.end() ? nullptr : &column[std::size_t(at - name.begin())];
}

NumberTable readTable(const std::string& file) {
  NumberTable table;
  const std::string text = readFile(file);
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
    const auto cells = csvCells(std::string_view(text).substr(begin, end - begin));
    if (begin == 0) {
      for (const std::string_view heading : cells)
        table.name.emplace_back(columnName(heading)), table.unit.emplace_back(columnUnit(heading));
      table.column.resize(cells.size());
    } else if (cells.size() >= table.name.size()) {
      for (std::size_t k = 0; k < table.name.size(); ++k) {
        double x = 0;
        const char* const last = cells[k].data() + cells[k].size();
        const auto [stop, error] = std::from_chars(cells[k].data(), last, x);
        table.column[k].push_back(error == std::errc() && stop == last ? x : std::numeric_limits<double>::quiet_NaN());
      }
    }
  }
  return table;
}

}  // namespace brim
