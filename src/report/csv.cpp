#include "report/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/csv.h"
#include "io/file.h"

namespace brim {

std::optional<double> number(std::string_view text) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(x)) return std::nullopt;
  return x;
}

int Csv::column(const std::string& name) const {
  const auto at = std::find(header.begin(), header.end(), name);
  return at == header.end() ? -1 : int(at - header.begin());
}

Csv readCsv(const std::string& file) {
  const std::string text = readFile(file);
  Csv csv;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    const auto row = csvCells(line);
    if (!csv.header.empty()) {
      csv.rows.emplace_back(row.begin(), row.end());
      continue;
    }
    for (const std::string_view name : row) csv.header.emplace_back(columnName(name));
  }
  return csv;
}

}  // namespace brim
