// Tables of numbers as Brim writes them: headings are names with units, "time [s]"; no cell holds a comma or a quote.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace brim {

/// "time" of "time [s]".
std::string_view columnName(std::string_view heading);
/// "s" of "time [s]"; "" where there is none.
std::string_view columnUnit(std::string_view heading);

std::vector<std::string_view> csvCells(std::string_view line);

struct NumberTable {
  std::vector<std::string> name, unit;
  std::vector<std::vector<double>> column;  // of each name; NaN where a cell is empty or no number
  std::size_t rows() const { return column.empty() ? 0 : column[0].size(); }
  /// The column of this name; null: there is none.
  const std::vector<double>* find(std::string_view) const;
};

/// A last row that was cut short while it was written is left out. Throws Failure where the file cannot be read.
NumberTable readTable(const std::string& file);

}  // namespace brim
