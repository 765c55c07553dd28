#include "observe/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "progress.h"
#include "scene/suggest.h"

namespace brim::command {

namespace fs = std::filesystem;

namespace {

std::atomic<bool> stop = false;
std::atomic<double> firstSignal = 0;  // [s]
volatile std::sig_atomic_t signalled = 0;
static_assert(std::atomic<bool>::is_always_lock_free &&
              std::atomic<double>::is_always_lock_free);  // all that a handler may touch

double clockNow() {
  timespec t = {};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// The first signal asks the run to end after its step, with a checkpoint; another one ends it at once. Wrappers such as
// timeout(1) signal the process and then its group, so what follows within half a second still is the first.
void onSignal(int s) {
  if (!stop) {
    firstSignal = clockNow();
    signalled = s;
    stop = true;
  } else if (clockNow() - firstSignal > 0.5) {
    _exit(128 + s);
  }
}

void watchSignals() {
  struct sigaction action = {};
  action.sa_handler = onSignal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void refuseToOverwrite(const RunArguments& a, const std::string& out) {
  if (a.resume || a.overwrite) return;
  for (const char* trace : {"statistics.csv", "summary.json", "checkpoint", "frames"}) {
    std::error_code ignored;
    if (fs::exists(fs::path(out) / trace, ignored))
      throw Failure(
          fmt::format("{0} holds the results of another run ({1}); add --resume to go on with it, --overwrite to replace "
                      "it, or --out DIR to write elsewhere",
                      out, trace));
  }
}

void knownFlavour(const std::string& name) {
  const auto all = flavours();
  if (name.empty() || std::find(all.begin(), all.end(), name) != all.end()) return;
  throw Failure(fmt::format("flavour \"{}\" is not known here{}  (one of: {})", name, didYouMean(name, all), listed(all)));
}

// The command that goes on with an interrupted run.
std::string resumeCommand(const std::vector<std::string>& words) {
  std::string line;
  bool resumes = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--overwrite" || words[i].starts_with("--from=")) continue;
    if (words[i] == "--from") {
      ++i;
      continue;
    }
    resumes = resumes || words[i] == "--resume";
    const bool plain = words[i].find_first_of(" \t\n\"'$&|;<>()[]{}*?!#~`\\") == std::string::npos && !words[i].empty();
    std::string quoted = words[i];
    for (std::size_t k = 0; !plain && (k = quoted.find('\'', k)) != std::string::npos; k += 4) quoted.replace(k, 1, "'\\''");
    line += (i ? " " : "") + (plain ? quoted : "'" + quoted + "'");
  }
  return resumes ? line : line + " --resume";
}

void printWarnings(const nlohmann::json& summary) {
  if (const double n = summary.value("inside_solids", 0.0); n > 0)
    fmt::print(stderr, "note: {} places for particles lie inside solids and were left empty\n", count(n));
  if (const double n = summary.value("lost", 0.0); n > 0) fmt::print(stderr, "warning: {} particles left the domain\n", count(n));
  if (summary.contains("warnings"))
    for (const auto& w : summary["warnings"])
      if (w.is_string()) fmt::print(stderr, "warning: {}\n", w.get<std::string>());
}

void printWhereToLook(const std::string& out) {
  const std::pair<const char*, const char*> places[] = {
      {"frames", "frames"}, {"statistics", "statistics.csv"}, {"summary", "summary.json"}, {"picture", "preview.png"}};
  for (const auto& [name, file] : places) {
    const fs::path place = fs::path(out) / file;
    std::error_code ignored;
    if (fs::exists(place, ignored)) fmt::print("  {:<11} {}\n", name, place.string());
  }
}

}  // namespace

int run(const RunArguments& a) {
  knownFlavour(a.machine.flavour);
  const Scene scene = read(a.scene);
  const std::string stem = fs::path(a.scene.file).stem().string();
  const std::string out = a.out.empty() ? (fs::path("out") / stem).string() : a.out;
  refuseToOverwrite(a, out);

  const bool json = a.progress == "json";
  ProgressReport progress(a.quiet ? ProgressReport::Style::none
                          : json  ? ProgressReport::Style::json
                                  : ProgressReport::forPeople());
  watchSignals();
  Ending ending;
  try {
    ending = brim::run(scene, {out, a.resume, a.from, a.machine}, stop, std::ref(progress));
  } catch (const std::exception& e) {
    progress.endLine();
    if (json) printEvent(dynamic_cast<const Diverged*>(&e) ? "diverged" : "failed", "message", e.what());
    throw;
  }
  progress.endLine();

  std::ifstream file(fs::path(out) / "summary.json");
  const auto summary = nlohmann::json::parse(file, nullptr, false);
  if (summary.is_object() && !a.quiet) printWarnings(summary);

  if (ending == Ending::interrupted) {
    if (json) printEvent("interrupted", "out", out);
    fmt::print(stderr, "interrupted at t = {:g} s; nothing is lost. Go on with:\n  {}\n", progress.last().time,
               resumeCommand(a.words));
    return 128 + signalled;
  }
  if (json) {
    printEvent("finished", "out", out);
  } else if (!a.quiet) {
    const Progress& p = progress.last();
    fmt::print("{:g} s simulated in {} steps, {} of wall time\n", p.time, p.step, duration(p.wall));
    printWhereToLook(out);
  }
  return ok;
}

}  // namespace brim::command
