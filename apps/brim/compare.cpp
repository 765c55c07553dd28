// brim compare, sweep and study: several runs and one page.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>

#include "brim/report.h"
#include "commands.h"
#include "progress.h"
#include "signals.h"

namespace brim::command {

namespace fs = std::filesystem;

namespace {

std::string percent(double part) { return fmt::format("{:.3g} %", 100 * part); }

void printResult(const PlannedRun& run, int width, const RunOutcome& o) {
  std::string from = o.kept ? "  (kept)" : "";
  if (!o.ruined.empty()) from += fmt::format("  RUINED: {}", fmt::join(o.ruined, ", "));
  if (o.diverged)
    fmt::print("{:<{}}  diverged at t = {:.4g} s, step {}{}\n", run.label, width, o.time, o.step, from);
  else
    fmt::print("{:<{}}  {} steps in {}, density error mean {}, max {}, volume {:.4g}{}\n", run.label, width, o.steps,
               duration(o.wall), percent(o.density_error_mean), percent(o.density_error_max), o.volume_ratio, from);
  std::fflush(stdout);
}

std::string commandLine(const std::vector<std::string>& words) {
  std::string line = "brim";
  for (std::size_t k = 1; k < words.size(); ++k)
    if (words[k] != "--resume" && words[k] != "--overwrite") line += " " + quoted(words[k]);
  return line;
}

int runAll(const ReportArguments& a, Request request, const std::string& name) {
  knownFlavour(a.run.machine.flavour);
  request.command = commandLine(a.run.words);
  const Plan plan = makePlan(request);
  const std::string out = a.run.out.empty() ? (fs::path("out") / name).string() : a.run.out;
  int width = 0;
  for (const PlannedRun& run : plan.runs) width = std::max(width, std::min(int(run.label.size()), 48));
  for (const Mistake& w : warnings(plan.runs.front().scene)) fmt::print(stderr, "warning: {}\n", describe(w));

  Signals::watch(true);
  std::optional<ProgressReport> line;
  std::size_t shown = 0;
  const auto progress = [&](std::size_t k, const Progress& p) {
    Signals::underWay();
    if (!line || shown != k) {
      const auto& label = plan.runs[k].label;
      line.emplace(a.run.quiet ? ProgressReport::Style::none : ProgressReport::forPeople(),
                   fmt::format("[{}/{}] {:<{}} ", k + 1, plan.runs.size(), label, width));
      shown = k;
    }
    (*line)(p);
  };
  const auto ended = [&](std::size_t k, const RunOutcome& outcome) {
    Signals::building(true);  // of the next one
    if (line) line->endLine();
    if (!a.run.quiet) printResult(plan.runs[k], width, outcome);
  };
  const Ending ending = execute(plan, {out, a.run.resume, a.run.overwrite, a.run.machine}, Signals::stop(), {progress, ended});
  if (line) line->endLine();
  if (ending == Ending::interrupted) {
    fmt::print(stderr, "interrupted in run {} of {}; nothing is lost. Go on with:\n  {}\n", shown + 1, plan.runs.size(),
               resumeCommand(a.run.words));
    return Signals::exitCode();
  }
  Signals::underWay();
  const auto plots = writeReport(plan, out);
  if (!a.run.quiet)
    fmt::print("  page        {0}/report.html\n  table       {0}/report.csv\n  plots       {0}/plots ({1} SVG files)\n", out,
               plots.size());
  return ok;
}

}  // namespace

int compare(const ReportArguments& a) {
  requireScene(a.run.scene.file);
  Request request;
  request.kind = "compare";
  request.scene = a.run.scene.file;
  request.set = settingsOf(a.run.scene);
  Varied solvers = variedFrom("--solvers", "solver.name=" + a.solvers);
  for (Setting& s : solvers.values) s.given = "--solvers " + s.value;
  request.groups = {{"", {}, {solvers}}};
  return runAll(a, request, fs::path(request.scene).stem().string() + "_compare");
}

int sweep(const ReportArguments& a) {
  requireScene(a.run.scene.file);
  Request request;
  request.kind = "sweep";
  request.scene = a.run.scene.file;
  request.set = settingsOf(a.run.scene);
  for (const auto& text : a.vary) request.groups.front().vary.push_back(variedFrom("--vary", text));
  return runAll(a, request, fs::path(request.scene).stem().string() + "_sweep");
}

int study(const ReportArguments& a) {
  Request request = readStudy(a.run.scene.file);
  request.overrides = settingsOf(a.run.scene);
  return runAll(a, request, fs::path(a.run.scene.file).stem().string());
}

}  // namespace brim::command
