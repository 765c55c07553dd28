// What a simulation that is watched keeps of its past: states to go back to, and statistics for the plots.
#pragma once
#include <deque>
#include <nlohmann/json.hpp>
#include <vector>

#include "brim/simulation.h"
#include "observe/summary.h"

namespace brim::view {

struct KeptState {
  double time;  // [s]
  std::vector<char> state;
  StepReport report;
  Totals totals;
};

/// States evenly spread over the time so far: when they are too many or too large, every other one goes.
class KeptStates {
 public:
  explicit KeptStates(std::size_t most = 120, std::size_t bytes = std::size_t(512) << 20) : most_(most), most_bytes_(bytes) {}

  /// Whether the state of this time is to be kept.
  bool wanted(double time) const { return all_.empty() || time >= all_.back().time + interval_ * (1 - 1e-9); }
  void add(KeptState);
  /// What comes after that time is another future now.
  void forgetAfter(double time);
  void clear();

  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  const KeptState& operator[](std::size_t k) const { return all_[k]; }
  double last() const { return all_.empty() ? -1 : all_.back().time; }
  std::vector<double> times() const;

 private:
  std::deque<KeptState> all_;
  double interval_ = 1. / 30;  // [s] of simulated time
  std::size_t bytes_ = 0, most_, most_bytes_;
};

/// Reports of steps with their times; of the older half every other one goes when they are too many.
class History {
 public:
  void add(double time, nlohmann::json report);
  void forgetAfter(double time);
  void clear() { rows_.clear(); }
  const std::vector<nlohmann::json>& rows() const { return rows_; }

 private:
  static constexpr std::size_t most_ = 1000;
  std::vector<nlohmann::json> rows_;
};

}  // namespace brim::view
