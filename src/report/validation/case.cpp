// Reads case files, and makes of a case what is going to run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "brim/suggest.h"
#include "brim/validation.h"
#include "io/file.h"
#include "report/csv.h"
#include "report/study.h"
#include "scene/parse.h"

namespace brim {

namespace fs = std::filesystem;

namespace {

const double huge = 1e300;

Doc atLeast(double low, std::string text) { return {"", text, low}; }
Doc oneOf(std::vector<std::string> words, std::string text) { return {"", text, -huge, huge, false, words}; }
const Use required = {true};
Use of(std::vector<std::string> kinds) { return {false, kinds}; }
Use neededBy(std::vector<std::string> kinds) { return {true, kinds}; }

void declareScore(SceneVisitor& v, ScoreRule& s) {
  v.key("kind", &s.kind,
        oneOf({"arrival", "peak", "peak_time", "mean", "value", "slope", "rms", "correlation", "inside", "period", "kept"},
              "What is measured."),
        required);
  v.key("begin", &s.begin, {"", "Where the window begins, in the reference's x."});
  v.key("end", &s.end, {"", "Where it ends."});
  v.key("level", &s.level, {"", "The level that the curve crosses."}, neededBy({"arrival"}));
  v.key("at", &s.at, {"", "The x at which the value is taken."}, neededBy({"value"}));
  v.key("of", &s.of, {"", "What the difference is a part of; by default the reference's range.", 0, huge, true}, of({"rms"}));
  v.key("periods", &s.periods, {"", "After how many periods the amplitude is taken.", 0, huge, true}, of({"kept"}));
  v.key("expected", &s.expected, {"", "The value to reach, instead of the reference's."},
        of({"arrival", "peak", "peak_time", "mean", "value", "slope", "period", "kept"}));
  v.key("tolerance", &s.tolerance, {"", "The largest error that is good.", 0, huge, true}, required);
  v.key("why", &s.why, {"", "Where the tolerance comes from."}, required);
}

void declareCurve(SceneVisitor& v, CurveRule& c) {
  v.key("name", &c.name, {"", "A word for files and tables."}, required);
  v.key("title", &c.title, {"", "The heading of the plot."}, required);
  v.key("kind", &c.kind, oneOf({"gauge", "body", "statistics", "extent", "profile", "surface"}, "Where the curve is taken from."),
        required);
  v.key("x_title", &c.x_title, {"", "The name and unit of x."}, required);
  v.key("y_title", &c.y_title, {"", "The name and unit of the values."}, required);
  v.key("column", &c.column, {"", "The column of gauges.csv, bodies.csv or statistics.csv."},
        neededBy({"gauge", "body", "statistics"}));
  v.key("axis", &c.axis, oneOf({"x", "y", "z"}, "The axis along which the fluid's extent is taken."), neededBy({"extent"}));
  v.key("side", &c.side, oneOf({"max", "min", "half"}, "The largest or smallest coordinate, or half of the extent."),
        of({"extent"}));
  v.key("at", &c.at, atLeast(0, "Time [s] of the frame; by default the last."), of({"profile", "surface"}));
  v.key("from", &c.from, {"m", "Where the line begins."}, neededBy({"profile", "surface"}));
  v.key("to", &c.to, {"m", "Where the line ends."}, neededBy({"profile", "surface"}));
  v.key("width", &c.width, {"m", "How far from the line particles count.", 0, huge, true}, neededBy({"profile"}));
  v.key("quantity", &c.quantity,
        oneOf({"pressure", "density", "speed", "velocity_x", "velocity_y", "velocity_z"}, "What is averaged."),
        neededBy({"profile"}));
  v.key("x_scale", &c.x_scale, {"", "x of the reference = x_scale (x of the run + x_offset)."});
  v.key("x_offset", &c.x_offset, {"", "See x_scale."});
  v.key("y_scale", &c.y_scale, {"", "Value of the reference = y_scale (value of the run + y_offset)."});
  v.key("y_offset", &c.y_offset, {"", "See y_scale."});
  v.key("reference", &c.reference, {"", "A CSV beside the case; none: every score says what it expects."});
  v.key("x", &c.x, {"", "Its column of x."});
  v.key("y", &c.y, {"", "Its column of values."});
  v.key("low", &c.low, {"", "Its column with the lower edge of the band."});
  v.key("high", &c.high, {"", "Its column with the upper edge of the band."});
  v.key("band", &c.band, atLeast(0, "Half of the width of the band, where no columns have it."));
  v.key("where", &c.where, {"", "Only rows whose column of this name ..."});
  v.key("is", &c.is, {"", "... holds this word."});
  v.key("reference_y_scale", &c.reference_y_scale, {"", "Factor of the reference's values: a sign, or another unit."});
  v.key("reference_label", &c.reference_label, {"", "What the reference is called in the plot."});
  v.key("shift", &c.shift,
        atLeast(0, "How far the run may be moved along x to fit best: time zero of an experiment is uncertain."));
  v.key("plot_begin", &c.plot_begin, {"", "Where the plot begins."});
  v.key("plot_end", &c.plot_end, {"", "Where it ends."});
  v.list("scores", "What is judged.",
         {0,
          [&](std::size_t n) { c.scores.resize(n); },
          [&](std::size_t i, SceneVisitor& inner) { declareScore(inner, c.scores[i]); },
          {}});
}

// What only a look into the reference shows.
void checkReference(const ValidationCase& what, const CurveRule& c, const std::string& path, const Scene& places,
                    Mistakes& mistakes) {
  const auto wrong = [&](const char* key, const std::string& text) {
    mistakes.add(path + "." + key, places.at(path + "." + key), text);
  };
  for (std::size_t k = 0; k < c.scores.size(); ++k)
    if (const ScoreRule& s = c.scores[k]; c.reference.empty() && !std::isfinite(s.expected))
      wrong(fmt::format("scores[{}].kind", k).c_str(), fmt::format("without a reference, {} needs \"expected\"", s.kind));
  if (c.reference.empty()) return;
  for (const auto& [key, name] : {std::pair("x", c.x), {"y", c.y}})
    if (name.empty()) wrong("reference", fmt::format("the reference needs \"{}\", its column", key));
  const std::string file = what.folder + "/" + c.reference;
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return wrong("reference", fmt::format("there is no file {}", file));
  const Csv csv = readCsv(file);
  for (const auto& [key, name] : {std::pair("x", c.x), {"y", c.y}, {"low", c.low}, {"high", c.high}, {"where", c.where}})
    if (!name.empty() && csv.column(name) < 0)
      wrong(key, fmt::format("{} has no column \"{}\"; it has {}", c.reference, name, listed(csv.header)));
}

}  // namespace

ValidationCase readCase(const std::string& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) throw Failure(fmt::format("there is no case {}", file));
  const std::string text = readFile(file);
  Mistakes mistakes;
  toml::table root;
  try {
    root = toml::parse(text, file);
  } catch (const toml::parse_error& e) {
    const auto place = e.source().begin;
    throw SceneError({{{file, static_cast<int>(place.line), static_cast<int>(place.column)}, syntaxComplaint(e, text)}});
  }
  ValidationCase what;
  const fs::path folder = fs::path(file).parent_path().empty() ? fs::path(".") : fs::path(file).parent_path();
  what.folder = folder.string();
  what.name = fs::weakly_canonical(folder).filename().string();
  Scene places;  // where values stand, and how many numbers a vector has
  places.file = file;
  const std::map<std::string, std::string> nothing;
  Reader reader(root, places, mistakes, nothing, "case");
  reader.key("title", &what.title, {"", "The heading."}, required);
  reader.key("source", &what.source, {"", "Where the reference comes from."}, required);
  reader.key("about", &what.about, {"", "What is tested, and what a reader should know."}, required);
  reader.key("scene", &what.scene, {"", "The scene file, relative to the case."}, required);
  reader.key("solvers", &what.solvers,
             {"", "The solvers that it is meant for; by default all.", -huge, huge, false, solverNames()}, {});
  if (!what.scene.empty()) {
    what.scene = (folder / what.scene).lexically_normal().string();
    if (fs::is_regular_file(what.scene, ignored))
      places.dimension = draftScene(readFile(what.scene), what.scene, {}).scene.dimension;
    else
      mistakes.add("scene", places.at("scene"), fmt::format("there is no scene {}", what.scene));
  }
  what.has_quick = root.contains("quick"), what.has_fine = root.contains("fine");
  readSet(reader, "quick", file, what.quick);
  readSet(reader, "normal", file, what.normal);
  readSet(reader, "fine", file, what.fine);
  reader.list("curves", "What is compared.",
              {0,
               [&](std::size_t n) { what.curves.resize(n); },
               [&](std::size_t i, SceneVisitor& v) { declareCurve(v, what.curves[i]); },
               {}});
  reader.finish();
  if (what.curves.empty()) mistakes.add("curves", {file, 1, 1}, "a case needs at least one [[curves]]");
  for (const std::string& name : what.solvers)
    if (!findSolver(name))
      mistakes.add("solvers", places.at("solvers"),
                   fmt::format("solver \"{}\" is not known{}", name, didYouMean(name, solverNames())));
  for (std::size_t i = 0; i < what.curves.size(); ++i) {
    const CurveRule& c = what.curves[i];
    const std::string path = fmt::format("curves[{}]", i);
    if (mistakes.trusts(path)) checkReference(what, c, path, places, mistakes);
  }
  if (auto all = mistakes.inOrder(); !all.empty()) throw SceneError(std::move(all));
  return what;
}

CasePlan planCase(const ValidationCase& what, const std::vector<std::string>& solvers, Effort effort,
                  const std::vector<Setting>& set) {
  CasePlan planned = {what, {}, {}};
  std::vector<Group> groups;
  if (effort == Effort::quick)
    groups.push_back({"quick", what.quick, {}});
  else
    groups.push_back({"normal", what.normal, {}});
  if (effort == Effort::full && what.has_fine) groups.push_back({"fine", what.fine, {}});
  const auto requestFor = [&](const std::vector<std::string>& names) {
    Request r;
    r.kind = "validate";
    r.scene = what.scene;
    r.title = what.title;
    r.overrides = set;
    r.groups = groups;
    Varied vary = {"solver.name", {}};
    for (const auto& name : names) vary.values.push_back({"solver.name", "\"" + name + "\"", "--solvers " + name});
    // A value for one solver alone is no slip where another is asked.
    for (Group& g : r.groups) {
      g.vary = {vary};
      std::erase_if(g.set, [&](const Setting& s) {
        const auto scope = s.path.find(':');
        return scope != std::string::npos && std::find(names.begin(), names.end(), s.path.substr(0, scope)) == names.end();
      });
    }
    return r;
  };
  std::vector<std::string> wanted = solvers, able;
  if (wanted.empty()) wanted = what.solvers.empty() ? solverNames() : what.solvers;
  std::optional<SceneError> first;
  for (const auto& name : wanted) {
    try {
      makePlan(requestFor({name}));
      able.push_back(name);
    } catch (const SceneError& e) {
      if (!first) first = e;
      planned.refused.push_back({name, e.mistakes().front().what});
    }
  }
  // A scene that nobody can run is wrong itself; one that was asked of a single solver may be too much for it alone.
  if (able.empty() && wanted.size() != 1) throw *first;
  if (!able.empty()) planned.plan = makePlan(requestFor(able));
  return planned;
}

}  // namespace brim
