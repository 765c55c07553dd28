// Runs a plan, each run in a folder of its own. What is finished stays; what was interrupted goes on.
#pragma once
#include <atomic>
#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "observe/run.h"
#include "report/plan.h"

namespace brim {

struct ExecuteOptions {
  std::string out;  // folder of the folders
  bool resume = false, overwrite = false;
  Options machine;
};

/// What the caller is told while a plan runs; `run` counts from 0.
struct ExecuteTold {
  std::function<void(std::size_t run, const Progress&)> progress;
  std::function<void(std::size_t run, const nlohmann::ordered_json& summary, bool kept)> ended;  // kept: from an earlier attempt
};

/// A run that diverges is a result like any other: its summary.json says when and why. Throws Failure where a folder holds
/// results of something else, or where a run cannot write.
Ending execute(const Plan&, const ExecuteOptions&, const std::atomic<bool>& stop, const ExecuteTold&);

/// summary.json of a run's folder; null if it is not there.
nlohmann::ordered_json summaryOf(const std::string& folder);

}  // namespace brim
