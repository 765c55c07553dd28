// brim plot: columns of a run's tables as pictures.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "brim/report.h"
#include "brim/suggest.h"
#include "io/csv.h"
#include "io/file.h"
#include "report/charts.h"
#include "report/run_tables.h"

extern char** environ;

namespace brim {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

constexpr std::size_t points = 2000;  // of a curve

const RunColumn& columnNamed(const std::vector<RunColumn>& all, const std::string& name) {
  std::vector<std::string> names;
  for (const RunColumn& c : all) {
    if (c.name == name) return c;
    names.push_back(c.name);
  }
  const std::string meant = didYouMean(name, names);
  throw Failure(fmt::format("no table of the run has a column \"{}\"{}", name,
                            meant.empty() ? fmt::format("; there are {}", fmt::join(names, ", ")) : meant));
}

/// The curves of one picture: all have one unit.
std::vector<RunColumn> curvesOf(const std::vector<RunColumn>& all, const std::string& names) {
  std::vector<RunColumn> curves;
  for (const std::string_view name : csvCells(names)) curves.push_back(columnNamed(all, std::string(name)));
  for (const RunColumn& c : curves)
    if (c.unit != curves.front().unit)
      throw Failure(fmt::format("\"{}\" is in {} and \"{}\" in {}: a plot has one unit; give them to --column one by one",
                                curves.front().name, curves.front().unit.empty() ? "plain numbers" : curves.front().unit, c.name,
                                c.unit.empty() ? "plain numbers" : c.unit));
  return curves;
}

std::string dataOf(const std::vector<RunColumn>& curves, const std::string& title) {
  ordered_json data = {{"kind", "plot"}, {"axes", ordered_json::array()}, {"over", "time"}, {"main", "value"}};
  double until = 0;
  std::string names;
  for (const RunColumn& c : curves) {
    ordered_json t = ordered_json::array(), v = ordered_json::array();
    for (const auto& [time, value] : c.series) t.push_back(time), v.push_back(value);
    until = std::max(until, c.series.back().first);
    data["runs"].push_back({{"name", c.name},
                            {"label", c.name},
                            {"summary", {{"result", "finished"}}},
                            {"series", {{"value", {{"t", t}, {"v", v}}}}}});
    names += (names.empty() ? "" : ", ") + c.name;
  }
  data["scene"]["until"] = until;
  const std::string note = curves.size() == 1 ? curves.front().meaning : "";
  data["columns"] = {{{"key", "value"},
                      {"title", title.empty() ? names : fmt::format("{}: {}", title, names)},
                      {"unit", curves.front().unit},
                      {"scale", 1},
                      {"series", true},
                      {"note", note},
                      {"subtitle", !note.empty()}}};
  return data.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

void writePng(const std::string& svg, const std::string& png) {
  std::vector<std::string> words = {"rsvg-convert", "--zoom", "2", "--output", png, svg};
  std::vector<char*> arguments;
  for (std::string& w : words) arguments.push_back(w.data());
  arguments.push_back(nullptr);
  pid_t id = -1;
  if (const int error = ::posix_spawnp(&id, arguments[0], nullptr, nullptr, arguments.data(), environ); error == ENOENT)
    throw Failure(
        fmt::format("PNG files are made by rsvg-convert, which was not found; install Debian's package librsvg2-bin "
                    "(apt-get install librsvg2-bin). {} is there",
                    svg));
  else if (error != 0)
    refuse("start", words[0], error);
  int status = 0;
  while (::waitpid(id, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw Failure(fmt::format("rsvg-convert could not make {}", png));
}

}  // namespace

std::vector<std::string> plotRun(const PlotRequest& request) {
  if (!fs::is_directory(request.folder)) throw Failure(fmt::format("there is no folder {}", request.folder));
  const std::vector<RunColumn> all = columnsOfRun(request.folder, points);
  if (all.empty()) throw Failure(fmt::format("{} has no tables: it is not the folder of a run  (brim run)", request.folder));
  std::vector<std::vector<RunColumn>> plots;
  for (const std::string& names : request.columns) plots.push_back(curvesOf(all, names));
  // Without any named: what was measured.
  if (plots.empty()) {
    const auto few = {"density_error_mean", "volume_ratio", "kinetic_energy"};
    for (const RunColumn& c : all)
      if (c.table != "statistics.csv" || std::find(few.begin(), few.end(), c.name) != few.end()) plots.push_back({c});
  }
  const std::string out = request.out.empty() ? request.folder + "/plots" : request.out;
  makeFolder(out);
  std::vector<std::string> files;
  Charts charts;
  for (const auto& curves : plots) {
    charts.load(dataOf(curves, request.title));
    std::string name;
    for (const RunColumn& c : curves) name += (name.empty() ? "" : "_") + plainName(c.name);
    const std::string svg = fmt::format("{}/{}.svg", out, name);
    writeFile(svg, charts.svg(charts.names().at(0)));
    files.push_back(svg);
    if (!request.png) continue;
    files.push_back(fmt::format("{}/{}.png", out, name));
    writePng(svg, files.back());
  }
  return files;
}

}  // namespace brim
