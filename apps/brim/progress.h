// Progress of a run for people (stderr) or for programs (stdout).
#pragma once
#include <chrono>
#include <string>

#include "brim/run.h"

namespace brim::command {

class ProgressReport {
 public:
  enum class Style { none, line, log, json };
  /// A line that is redrawn on a terminal, a new line every ten seconds elsewhere.
  static Style forPeople();

  /// `name` stands before every line.
  explicit ProgressReport(Style style, std::string name = "") : style_(style), name_(std::move(name)) {}
  ~ProgressReport() { endLine(); }
  void operator()(const Progress&);
  /// Ends the redrawn line, so that other messages start on their own.
  void endLine();
  /// What stands before the lines from here on.
  void rename(std::string name) { name_ = std::move(name); }
  const Progress& last() const { return last_; }

 private:
  bool due();

  Style style_;
  std::string name_;
  Progress last_;
  std::chrono::steady_clock::time_point shown_ = {};
  bool open_ = false;
};

/// One JSON object on a line of stdout: how the run ended.
void printEvent(const std::string& event, const std::string& key, const std::string& value);

}  // namespace brim::command
