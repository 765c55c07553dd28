#include "brim/run.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "progress.h"
#include "signals.h"

namespace brim::command {

namespace fs = std::filesystem;

namespace {

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
  Signals::watch(true);
  Ending ending;
  try {
    ending = brim::run(scene, {out, a.resume, a.from, a.machine}, Signals::stop(), [&](const Progress& p) {
      Signals::underWay();
      progress(p);
    });
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
    return Signals::exitCode();
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
