#include "brim/run.h"

#include <fmt/format.h>

#include <algorithm>
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

// All but what was told during the run.
void printWarnings(const nlohmann::json& summary, const std::vector<std::string>& told) {
  if (const double n = summary.value("inside_solids", 0.0); n > 0)
    fmt::print(stderr, "note: {} places for particles lie inside solids and were left empty\n", count(n));
  if (const double n = summary.value("lost", 0.0); n > 0) fmt::print(stderr, "warning: {} particles left the domain\n", count(n));
  if (summary.contains("warnings"))
    for (const auto& w : summary["warnings"])
      if (w.is_string() && std::find(told.begin(), told.end(), w.get<std::string>()) == told.end())
        fmt::print(stderr, "warning: {}\n", w.get<std::string>());
}

// What a user must know of the numbers: one line.
void printHealth(const nlohmann::json& summary) {
  const auto health = summary.value("health", nlohmann::json::object());
  const auto number = [](const nlohmann::json& j, const char* name) {
    return j.contains(name) && j[name].is_number() ? j[name].get<double>() : 0;
  };
  const auto percent = [](double part) { return fmt::format("{:.3g} %", 100 * part); };
  std::string energy;
  if (number(health, "energy_unknown_s") > 0.5 * number(summary, "time"))
    energy = "not judged, for work is done that is not known";
  else
    energy = fmt::format("{:+.3g} %, rose by {} at most", 100 * number(health, "energy_change"),
                         percent(number(health, "energy_rise")));
  fmt::print("  volume {:.4g} ({:.4g} to {:.4g}); density error mean {}, max {}; energy {}; noise {} of the energy\n",
             number(summary, "volume_ratio"), number(summary, "volume_ratio_min"), number(summary, "volume_ratio_max"),
             percent(number(summary, "density_error_mean")), percent(number(summary, "density_error_max")), energy,
             percent(number(health, "noise")));
  if (const auto ruined = health.value("ruined", nlohmann::json::array()); !ruined.empty()) {
    std::string kinds;
    for (const auto& one : ruined) kinds += (kinds.empty() ? "" : ", ") + one.value("kind", "");
    fmt::print("  RUINED: {}. The results are not to be believed; docs/trust.md says what each check means\n", kinds);
  }
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
  bool ruined = false;
  std::vector<std::string> told;
  try {
    const auto warn = [&](const HealthWarning& w) {
      told.push_back(w.text);
      progress.endLine();
      if (json) printEvent("warning", "message", w.text);
      if (!a.quiet) fmt::print(stderr, "warning: {}\n", w.text);
    };
    ending = brim::run(scene, {out, a.resume, a.from, a.machine, warn}, Signals::stop(), [&](const Progress& p) {
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
  if (summary.is_object() && summary.contains("health")) ruined = !summary["health"].value("good", true);
  if (summary.is_object() && !a.quiet) printWarnings(summary, told);

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
    if (summary.is_object()) printHealth(summary);
    printWhereToLook(out);
  }
  return a.strict && ruined ? diverged : ok;
}

}  // namespace brim::command
