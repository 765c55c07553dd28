// Keyframes from CSV files: a header that names the columns, then rows of numbers; lines that begin with # are comments.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scene/mistakes.h"

namespace brim {

constexpr std::size_t largestMotionFile = std::size_t(64) << 20;  // [bytes]

class KeyframeTable {
 public:
  /// Which number of a row a column is; its name may end with its unit.
  struct Column {
    int place;
    std::string unit;
  };
  using Columns = std::map<std::string, Column>;

  /// Mistakes count against `path`, and name the line and column of the file.
  KeyframeTable(std::string file, std::string path, const Columns& known, Mistakes& mistakes)
      : file_(std::move(file)), path_(std::move(path)), known_(known), mistakes_(mistakes) {}

  /// Rows of `width` numbers, those of columns that the file does not have 0; the first is the time. None if anything is wrong.
  /// `asked` is where the file was named.
  std::vector<std::vector<double>> read(const Location& asked, std::size_t width);

  /// Whether the header names the column that goes there.
  bool has(int place) const;
  /// Where the header and a row are in the file.
  int headerLine() const { return lines_.empty() ? 0 : lines_.front(); }
  int lineOf(std::size_t row) const { return lines_[row + 1]; }
  void tell(int line, int column, const std::string& what);

 private:
  void tell(int column, const std::string& what) { tell(line_, column, what); }
  std::string content(const Location& asked);
  void header(std::string_view line);
  bool row(std::string_view line, std::vector<double>& numbers);

  std::string file_, path_;
  const Columns& known_;
  Mistakes& mistakes_;
  std::vector<int> places_;  // in a row of numbers, of each column of the file
  std::vector<int> lines_;   // of the header and the rows
  int line_ = 0, told_ = 0;
};

}  // namespace brim
