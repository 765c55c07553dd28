#include "report/execute.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "brim/report.h"
#include "io/file.h"
#include "observe/checkpoint.h"

namespace brim {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

namespace {

std::string folderOf(const ExecuteOptions& options, const PlannedRun& run) { return options.out + "/" + run.name; }

}  // namespace

void refuseToOverwrite(const Plan& plan, const ExecuteOptions& options) {
  if (options.resume || options.overwrite) return;
  std::error_code ignored;
  for (const PlannedRun& run : plan.runs)
    for (const char* trace : {"statistics.csv", "summary.json", "checkpoint", "frames", "scene.toml"})
      if (fs::exists(fs::path(folderOf(options, run)) / trace, ignored))
        throw Failure(
            fmt::format("{} holds results already ({}/{}); add --resume to keep them and go on, --overwrite to replace "
                        "them, or --out DIR to write elsewhere",
                        options.out, run.name, trace));
}

namespace {

// Results of another scene under this name must not be taken for this plan's.
void refuseOthers(const PlannedRun& run, const std::string& folder) {
  const std::string file = folder + "/scene.toml";
  if (!fs::exists(file)) {
    if (fs::exists(folder + "/statistics.csv"))
      throw Failure(fmt::format("{} holds a run that this command did not start; use --overwrite, or --out DIR", folder));
    return;
  }
  const std::string other = difference(physicsOf(parseScene(readFile(file), run.scene.file)), physicsOf(run.scene));
  if (!other.empty())
    throw Failure(fmt::format("{} is of another scene: {}; use --overwrite, or --out DIR to write elsewhere", folder, other));
}

// Whether an earlier attempt has taken this run to its end.
bool done(const json& summary, const PlannedRun& run, const ExecuteOptions& options) {
  if (!summary.is_object() || summary.value("precision", "") != options.machine.precision) return false;
  const double until = run.scene.time.until;
  if (summary.contains("diverged")) return summary["diverged"].value("time", until) <= until;
  return summary.value("finished", false) && summary.value("time", 0.) >= until * (1 - 1e-12);
}

RunOutcome outcomeOf(const json& summary, bool kept) {
  RunOutcome o;
  o.kept = kept;
  if (!summary.is_object()) return o;
  o.diverged = summary.contains("diverged");
  if (o.diverged) o.time = summary["diverged"].value("time", 0.), o.step = summary["diverged"].value("step", std::int64_t(0));
  o.steps = summary.value("steps", std::int64_t(0));
  o.wall = summary.value("wall_s", 0.);
  o.density_error_mean = summary.value("density_error_mean", 0.);
  o.density_error_max = summary.value("density_error_max", 0.);
  o.volume_ratio = summary.value("volume_ratio", 1.);
  if (summary.contains("health"))
    for (const json& one : summary["health"]["ruined"]) o.ruined.push_back(one.value("kind", ""));
  return o;
}

}  // namespace

json summaryOf(const std::string& folder) {
  const std::string file = folder + "/summary.json";
  return fs::exists(file) ? json::parse(readFile(file), nullptr, false) : json();
}

Ending execute(const Plan& plan, const ExecuteOptions& options, const std::atomic<bool>& stop, const ExecuteTold& told) {
  refuseToOverwrite(plan, options);
  claimFolder(options.out);
  claimFolder(options.out + "/plots");  // here, and not after hours of runs
  for (const PlannedRun& run : plan.runs) {
    if (options.resume) refuseOthers(run, folderOf(options, run));
    claimFolder(folderOf(options, run));
  }
  // Once the first scene is built. Otherwise a kill in the middle would leave old and new results side by side.
  bool replaced = !options.overwrite;
  const auto replace = [&] {
    std::error_code ignored;
    for (const PlannedRun& run : plan.runs)
      if (!replaced) fs::remove(folderOf(options, run) + "/summary.json", ignored);
    replaced = true;
  };
  for (std::size_t k = 0; k < plan.runs.size(); ++k) {
    const PlannedRun& run = plan.runs[k];
    const std::string folder = folderOf(options, run);
    if (const json summary = summaryOf(folder); options.resume && done(summary, run, options)) {
      told.ended(k, outcomeOf(summary, true));
      continue;
    }
    const bool begun = options.resume && fs::exists(folder + "/checkpoint");
    try {
      const Ending ending = brim::run(run.scene, {folder, begun, "", options.machine}, stop, [&](const Progress& p) {
        replace();
        told.progress(k, p);
      });
      if (ending == Ending::interrupted) return ending;
    } catch (const Diverged&) {
      // Its summary.json tells it.
    }
    told.ended(k, outcomeOf(summaryOf(folder), false));
  }
  return Ending::finished;
}

}  // namespace brim
