// Tables from elsewhere, with comments and words in their cells; io/csv.h reads those of runs.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace brim {

/// A finite number; nothing for any other text.
std::optional<double> number(std::string_view text);

/// A whole file: a heading and rows; lines that begin with # are comments. Quotes have no meaning.
struct Csv {
  std::vector<std::string> header;  // without units in brackets: "P1 [Pa]" -> "P1"
  std::vector<std::vector<std::string>> rows;
  /// -1: there is none.
  int column(const std::string& name) const;
};

Csv readCsv(const std::string& file);

}  // namespace brim
