// brim validate: cases with references from outside, run with every solver, and one page about them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "brim/parameter.h"
#include "brim/suggest.h"
#include "brim/validation.h"
#include "commands.h"
#include "progress.h"
#include "signals.h"

#ifndef BRIM_INSTALLED_SCENES
#define BRIM_INSTALLED_SCENES "/usr/local/share/brim/scenes"
#endif

namespace brim::command {

namespace fs = std::filesystem;

namespace {

// The folder of the cases: ./validation, or that beside the command, or the installed one. "" if there is none.
std::string validationFolder() {
  std::error_code ignored;
  const fs::path command = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const fs::path& folder : {fs::path("validation"), command / "../validation", command / "../share/brim/validation",
                                 fs::path(BRIM_INSTALLED_SCENES).parent_path() / "validation"})
    for (const auto& entry : fs::directory_iterator(folder, ignored))
      if (fs::is_regular_file(entry.path() / "case.toml", ignored)) return folder.lexically_normal().string();
  return "";
}

std::vector<std::string> knownCases(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (fs::is_regular_file(entry.path() / "case.toml", ignored)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// A name of the list, or a folder with a case.toml, or a case file.
std::string fileOf(const std::string& name, const std::string& folder) {
  std::error_code ignored;
  if (name.find('/') == std::string::npos && fs::is_regular_file(fs::path(folder) / name / "case.toml", ignored))
    return (fs::path(folder) / name / "case.toml").string();
  if (fs::is_regular_file(fs::path(name) / "case.toml", ignored)) return (fs::path(name) / "case.toml").string();
  if (fs::is_regular_file(name, ignored)) return name;
  throw Failure(fmt::format("there is no case \"{}\"{}  (brim validate --list)", name, didYouMean(name, knownCases(folder))));
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin <= text.size() && !text.empty();) {
    const auto end = std::min(text.find(',', begin), text.size());
    all.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

int listCases(const std::string& folder) {
  for (const auto& name : knownCases(folder)) {
    const ValidationCase c = readCase(fileOf(name, folder));
    std::string efforts = c.has_quick ? "quick" : "";
    for (const char* more : {"normal", c.has_fine ? "full" : ""})
      if (*more) efforts += (efforts.empty() ? "" : ", ") + std::string(more);
    fmt::print("{:<20} {:<20} {}\n", name, efforts, c.title);
  }
  return ok;
}

std::string commandLine(const std::vector<std::string>& all) {
  std::string line = "brim";
  for (std::size_t k = 1; k < all.size(); ++k)
    if (all[k] != "--resume" && all[k] != "--overwrite") line += " " + quoted(all[k]);
  return line;
}

void printScores(const CasePlan& c, std::size_t run, const RunOutcome& o, const std::string& out) {
  const PlannedRun& r = c.plan.runs[run];
  std::size_t good = 0;
  const auto scores = scoresOf(c.what, r, out + "/" + c.what.name + "/" + r.name);
  for (const Score& s : scores) good += s.good;
  const std::string end = o.diverged ? fmt::format("diverged at t = {:.4g} s, ", o.time) : "";
  std::string ruined;
  for (const std::string& kind : o.ruined) ruined += (ruined.empty() ? "  RUINED: " : ", ") + kind;
  fmt::print("{:<20} {:<18} {}{} of {} scores good, {} in {}{}{}\n", c.what.name, r.label, end, good, scores.size(),
             fmt::format("{} steps", o.steps), duration(o.wall), o.kept ? "  (kept)" : "", ruined);
  std::fflush(stdout);
}

}  // namespace

int validate(const ValidateArguments& a) {
  const std::string folder = validationFolder();
  if (a.list) return listCases(folder);
  knownFlavour(a.run.machine.flavour);
  const auto names = words(a.solvers);
  for (const auto& name : names) {
    const auto known = [&](const SolverInfo& s) { return s.name == name; };
    if (std::any_of(solvers().begin(), solvers().end(), known)) continue;
    std::vector<std::string> all;
    for (const SolverInfo& s : solvers()) all.push_back(s.name);
    throw Failure(fmt::format("--solvers: solver \"{}\" is not known{}  (brim list solvers)", name, didYouMean(name, all)));
  }
  const Effort effort = a.quick ? Effort::quick : a.full ? Effort::full : Effort::normal;
  std::vector<CasePlan> cases;
  std::vector<std::string> wanted = a.cases.empty() ? knownCases(folder) : a.cases;
  if (wanted.empty()) throw Failure("there is no folder \"validation\" here, nor one that came with brim");
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  for (const auto& name : wanted) {
    const ValidationCase c = readCase(fileOf(name, folder));
    if (effort == Effort::quick && !c.has_quick) {
      if (!a.cases.empty()) throw Failure(fmt::format("{} has no quick set-up; run it without --quick", name));
      continue;
    }
    cases.push_back(planCase(c, names, effort, settingsOf(a.run.scene)));
  }
  const std::string usual = effort == Effort::quick  ? "out/validate_quick"
                            : effort == Effort::full ? "out/validate_full"
                                                     : "out/validate";
  const std::string out = a.run.out.empty() ? usual : a.run.out;
  std::string stored = a.stored;
  if (a.ratchet && stored.empty()) stored = folder + "/quick_scores.csv";

  Signals::watch();
  std::optional<ProgressReport> line;
  const PlannedRun* shown = nullptr;
  std::size_t at = 0, count = 0;
  const auto progress = [&](const CasePlan& c, std::size_t k, std::size_t done, std::size_t all, double left, const Progress& p) {
    at = done + 1, count = all;
    const std::string time = left >= 0 ? ", " + duration(left) + " for all" : "";
    const std::string label = fmt::format("[{}/{}{}] {} {} ", at, all, time, c.what.name, c.plan.runs[k].label);
    if (!line || shown != &c.plan.runs[k])
      line.emplace(a.run.quiet ? ProgressReport::Style::none : ProgressReport::forPeople(), label);
    line->rename(label);
    shown = &c.plan.runs[k];
    (*line)(p);
  };
  const auto ended = [&](const CasePlan& c, std::size_t k, const RunOutcome& outcome) {
    if (line) line->endLine();
    if (!a.run.quiet) printScores(c, k, outcome, out);
  };
  const Ending ending =
      executeCases(cases, {out, a.run.resume, a.run.overwrite, a.run.machine}, Signals::stop(), {progress, ended});
  if (line) line->endLine();
  if (ending == Ending::interrupted) {
    fmt::print(stderr, "interrupted in run {} of {}; nothing is lost. Go on with:\n  {}\n", at, count,
               resumeCommand(a.run.words));
    return Signals::exitCode();
  }
  const auto plots = writeValidation(cases, out, commandLine(a.run.words));
  if (!a.run.quiet)
    fmt::print(
        "  page        {0}/report.html\n  scores      {0}/scores.csv, {0}/scores.md\n  plots       {0}/plots ({1} SVG files)\n",
        out, plots.size());
  if (stored.empty()) return ok;
  const auto complaints = worseThanStored(cases, out, stored);
  for (const auto& c : complaints) fmt::print(stderr, "{}\n", c);
  if (complaints.empty()) return ok;
  fmt::print(stderr, "brim: {} scores are not as {} has them\n", complaints.size(), stored);
  return worse;
}

}  // namespace brim::command
