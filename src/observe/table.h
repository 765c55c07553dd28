// bodies.csv, gauges.csv and the tables of gauges: every number with the digits to be read back exactly.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "brim/snapshot.h"

namespace brim {

/// A file of numbers under a heading, whose rows begin with the step. Rows go to the file as they come.
class Table {
 public:
  /// Starts the file anew.
  Table(std::string path, std::string heading);
  /// Goes on after the row of `step`: later rows and broken ones are cut off.
  Table(std::string path, std::string heading, std::int64_t step);
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  void row(std::int64_t step, const std::vector<double>& numbers);
  void sync();

 private:
  std::string path_;
  int fd_ = -1;
};

/// Rows of bodies.csv and of gauges.csv, without the step: the columns are those of observe/columns.h. Forces are means since the
/// last row.
std::vector<double> bodiesRow(const Snapshot&);
std::vector<double> gaugesRow(const Snapshot&, const Scene&);

}  // namespace brim
