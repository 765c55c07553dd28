// statistics.csv: one row a step, every number with the digits to be read back exactly.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "brim/snapshot.h"

namespace brim {

/// Columns: those of StepReport by name, then volume_ratio (only in rows of steps that end on a frame),
/// volume_ratio_eq19 (grid solvers), residual (constraint), ms_step and one ms_<stage> per stage of the first step. Rows are held
/// back for a second at most.
class Statistics {
 public:
  /// Starts the file anew; the header comes with the first row.
  explicit Statistics(std::string path);
  /// Goes on after the row of `step`: later rows and broken ones are cut off.
  Statistics(std::string path, std::int64_t step);
  ~Statistics();
  Statistics(const Statistics&) = delete;
  Statistics& operator=(const Statistics&) = delete;

  void row(const StepReport&, double ms, std::optional<double> volumeRatio);
  void flush();
  /// Flush, and to the disk itself.
  void sync();

  /// Step of the last row kept when the file was cut; 0: none.
  std::int64_t lastKept() const { return lastKept_; }

 private:
  void cutAfter(std::int64_t step);
  std::string path_, pending_;
  std::vector<std::string> stages_;  // in the order of the columns
  std::chrono::steady_clock::time_point flushed_;
  std::int64_t lastKept_ = 0;
  bool hasHeader_ = false;
  int fd_ = -1;
};

}  // namespace brim
