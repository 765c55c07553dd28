#include "report/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "brim/catalogue.h"
#include "brim/suggest.h"
#include "io/file.h"
#include "scene/declare.h"
#include "scene/parse.h"
#include "scene/settings.h"

namespace brim {

namespace {

constexpr std::size_t mostRuns = 1000;

// "wcsph:time.dt_max" -> wcsph, time.dt_max. Without a solver the first is empty.
std::pair<std::string, std::string> splitScope(const std::string& path) {
  const auto colon = path.find(':');
  if (colon == std::string::npos || path.find_first_of(".[") < colon) return {"", path};
  return {path.substr(0, colon), path.substr(colon + 1)};
}

bool hasParameter(const std::string& solver, const std::string& name) {
  const SolverInfo* info = findSolver(solver);
  if (!info) return true;  // told elsewhere
  const auto all = parametersOf(*info);
  return std::any_of(all.begin(), all.end(), [&](const Parameter& p) { return p.name == name; });
}

// Whether a run of that solver reads the value at `path`.
bool reads(const std::string& solver, const std::string& scoped) {
  const auto [scope, path] = splitScope(scoped);
  if (!scope.empty() && scope != solver) return false;
  if (!path.starts_with("solver.")) return true;
  const std::string rest = path.substr(7), first = rest.substr(0, rest.find('.'));
  if (rest.find('.') != std::string::npos && findSolver(first)) return first == solver;
  return rest == "name" || findSolver(first) || hasParameter(solver, rest);
}

std::string unitOf(const std::string& scoped) {
  const std::string path = splitScope(scoped).second;
  const auto dot = path.rfind('.');
  const std::string table = dot == std::string::npos ? "" : path.substr(0, dot), key = path.substr(dot + 1);
  std::string plain;  // fluid.blocks[0] -> fluid.blocks
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i] == '[') i = std::min(table.find(']', i), table.size());
    if (i < table.size() && table[i] != ']') plain += table[i];
  }
  for (const CatalogueSection& s : catalogue())
    if (s.path == plain || (plain == "solver" && s.path.starts_with("solver.")))
      for (const CatalogueRow& r : s.rows)
        if (r.name == key) return r.unit;
  return "";
}

std::string shortName(const std::string& path) { return path.substr(path.rfind('.') + 1); }

// Letters that every file system and every browser takes: [0, -9.81] -> 0_-9.81.
std::string fileName(const std::string& text) {
  std::string name;
  for (const char c : text) {
    if (std::string_view("[]{}\"' ").find(c) != std::string_view::npos) continue;
    const bool good = std::isalnum(static_cast<unsigned char>(c)) || std::string_view("=._+-").find(c) != std::string_view::npos;
    name += good ? c : c == ',' ? '_' : '-';
  }
  return name.empty() || name.front() == '.' || name.front() == '-' ? "run" + name : name;
}

/// Mistakes of many runs of one scene: what the file says wrongly is told once.
class Collected {
 public:
  void add(const Mistake& m) {
    if (told_.insert(describe(m)).second) all_.push_back(m);
  }
  void add(const std::string& label, const std::string& what) { add({{label, 0, 0}, what}); }
  /// What is said of every value of `v` is said of its path: once is enough.
  void merge(const Varied& v) {
    std::map<std::string, std::size_t> count;
    const auto isOf = [&](const Mistake& m) {
      return std::any_of(v.values.begin(), v.values.end(), [&](const Setting& s) { return label(s) == m.at.file; });
    };
    for (const Mistake& m : all_) count[m.what] += isOf(m);
    std::erase_if(all_, [&](const Mistake& m) {
      return count[m.what] == v.values.size() && isOf(m) && m.at.file != label(v.values.front());
    });
  }
  void raise() {
    if (!all_.empty()) throw SceneError(std::move(all_));
  }
  bool empty() const { return all_.empty(); }

 private:
  std::set<std::string> told_;
  std::vector<Mistake> all_;
};

class Planner {
 public:
  explicit Planner(const Request& request) : text_(readFile(request.scene)) { plan_.request = request; }

  Plan make() {
    if (!checkRequest()) mistakes_.raise();
    makeAxes();
    for (const Group& g : request().groups) addRuns(g);
    checkUse();
    for (const Group& g : request().groups)
      for (const Varied& v : g.vary) mistakes_.merge(v);
    mistakes_.raise();
    nameRuns();
    addNotes();
    return std::move(plan_);
  }

 private:
  const Request& request() const { return plan_.request; }

  std::string labelOf(const Varied& v) const { return v.values.empty() ? v.path : label(v.values.front()); }

  // What needs no scene to be seen. False where there are too many runs to look further.
  bool checkRequest() {
    for (const Group& g : request().groups) {
      std::map<std::string, std::string> paths;
      for (const auto* settings : {&request().set, &g.set, &request().overrides})
        for (const Setting& s : *settings) {
          checkScope(s.path, label(s));
          paths.emplace(s.path, label(s));
        }
      std::size_t runs = 1;
      std::set<std::string> varied;
      for (const Varied& v : g.vary) {
        checkScope(v.path, labelOf(v));
        if (!varied.insert(v.path).second) mistakes_.add(labelOf(v), fmt::format("{} is varied twice", v.path));
        if (const auto p = paths.find(v.path); p != paths.end())
          mistakes_.add(labelOf(v), fmt::format("{} is varied, and {} sets it too", v.path, p->second));
        std::set<std::string> values;
        for (const Setting& s : v.values)
          if (!values.insert(plainText(s.value)).second)
            mistakes_.add(label(s), fmt::format("{} has the value {} twice", v.path, plainText(s.value)));
        runs *= std::max<std::size_t>(v.values.size(), 1);
        if (runs > mostRuns) {
          mistakes_.add(labelOf(v), fmt::format("this makes more than {} runs; vary less at once", mostRuns));
          return false;
        }
      }
    }
    return true;
  }

  void checkScope(const std::string& path, const std::string& label) {
    const std::string solver = splitScope(path).first;
    if (!solver.empty() && !findSolver(solver)) mistakes_.add(label, unknownSolver(solver));
  }

  void makeAxes() {
    if (request().groups.size() > 1) {
      plan_.axes.push_back({"group", "", {}});
      for (const Group& g : request().groups) plan_.axes.back().values.push_back(g.label);
    }
    for (const Group& g : request().groups)
      for (const Varied& v : g.vary) {
        auto axis = std::find_if(plan_.axes.begin(), plan_.axes.end(), [&](const Axis& a) { return a.path == v.path; });
        if (axis == plan_.axes.end()) axis = plan_.axes.insert(axis, {v.path, unitOf(v.path), {}});
        for (const Setting& s : v.values)
          if (const std::string value = plainText(s.value);
              std::find(axis->values.begin(), axis->values.end(), value) == axis->values.end())
            axis->values.push_back(value);
      }
  }

  void addRuns(const Group& g) {
    std::vector<std::size_t> pick(g.vary.size(), 0);
    for (;;) {
      addRun(g, pick);
      // The last direction changes fastest.
      std::size_t k = pick.size();
      while (k > 0 && ++pick[k - 1] == g.vary[k - 1].values.size()) pick[--k] = 0;
      if (k == 0) return;
    }
  }

  void addRun(const Group& g, const std::vector<std::size_t>& pick) {
    std::vector<Setting> settings = request().set;
    settings.insert(settings.end(), g.set.begin(), g.set.end());
    settings.insert(settings.end(), request().overrides.begin(), request().overrides.end());
    for (std::size_t k = 0; k < pick.size(); ++k) settings.push_back(g.vary[k].values[pick[k]]);
    // Which solver it is decides which settings are its own.
    std::vector<Setting> common;
    for (const Setting& s : settings)
      if (splitScope(s.path).first.empty()) common.push_back(s);
    const std::string solver = draftScene(text_, request().scene, common).scene.solver.name;
    solvers_.insert(solver);
    for (std::size_t k = 0; k < pick.size(); ++k)
      if (pick[k] > 0 && !reads(solver, g.vary[k].path)) return;  // the same run again

    std::vector<Setting> own;
    for (Setting s : settings) {
      const auto [scope, path] = splitScope(s.path);
      if (!scope.empty() && scope != solver) continue;
      if (s.given.empty()) s.given = label(s);
      s.path = path;
      own.push_back(s);
    }
    PlannedRun run;
    try {
      run.scene = parseScene(text_, request().scene, own);
    } catch (const SceneError& e) {
      for (const Mistake& m : e.mistakes()) mistakes_.add(m);
    }
    for (const Axis& axis : plan_.axes) {
      std::string value = axis.path == "group" ? g.label : "";
      for (std::size_t k = 0; k < pick.size(); ++k)
        if (g.vary[k].path == axis.path && reads(solver, axis.path)) value = plainText(g.vary[k].values[pick[k]].value);
      run.at.push_back(value);
    }
    plan_.runs.push_back(std::move(run));
  }

  // A setting that no run reads is a slip, even where the scene format allows it.
  void checkUse() {
    if (!mistakes_.empty()) return;
    const auto check = [&](const std::string& path, const std::string& label) {
      if (std::any_of(solvers_.begin(), solvers_.end(), [&](const auto& s) { return reads(s, path); })) return;
      const std::string runs = listed({solvers_.begin(), solvers_.end()});
      const std::string scope = splitScope(path).first;
      if (!scope.empty()) return mistakes_.add(label, fmt::format("no run uses {}; the runs use {}", scope, runs));
      std::vector<std::string> who, names;
      for (const SolverInfo& s : solvers()) {
        if (reads(s.name, path)) who.push_back(s.name);
        if (solvers_.count(s.name))
          for (const Parameter& p : parametersOf(s)) names.push_back(p.name);
      }
      mistakes_.add(label, fmt::format("{} has no \"{}\"{}  ({} has it; brim list parameters {})", runs, shortName(path),
                                       didYouMean(shortName(path), names), listed(who), *solvers_.begin()));
    };
    for (const auto* settings : {&request().set, &request().overrides})
      for (const Setting& s : *settings) check(s.path, label(s));
    for (const Group& g : request().groups) {
      for (const Setting& s : g.set) check(s.path, label(s));
      for (const Varied& v : g.vary) check(v.path, labelOf(v));
    }
  }

  void nameRuns() {
    std::map<std::string, int> uses;
    for (const Axis& a : plan_.axes) ++uses[shortName(a.path)];
    std::set<std::string> taken = {"plots"};
    for (PlannedRun& run : plan_.runs) {
      std::string name;
      for (std::size_t k = 0; k < plan_.axes.size(); ++k) {
        const Axis& axis = plan_.axes[k];
        if (run.at[k].empty()) continue;
        const bool word = axis.path == "solver.name" || axis.path == "group";
        const std::string key = uses[shortName(axis.path)] > 1 ? axis.path : shortName(axis.path);
        run.label += (run.label.empty() ? "" : ", ") + (word ? run.at[k] : key + " = " + run.at[k]);
        name += (name.empty() ? "" : "_") + (word ? run.at[k] : key + "=" + run.at[k]);
      }
      if (run.label.empty()) run.label = name = run.scene.solver.name;
      run.name = fileName(name.substr(0, 120));
      for (int k = 2; !taken.insert(run.name).second; ++k) run.name = fmt::format("{}_{}", fileName(name.substr(0, 120)), k);
    }
  }

  // Parameters in [solver] that some of the solvers do not have.
  void addNotes() {
    std::map<std::string, std::set<std::string>> without;  // solver -> parameters
    for (const PlannedRun& run : plan_.runs)
      for (const auto& [path, where] : run.scene.where)
        if (path.starts_with("solver.") && where.line > 0 && path.find('.', 7) == std::string::npos &&
            !reads(run.scene.solver.name, path))
          without[run.scene.solver.name].insert(shortName(path));
    for (const auto& [solver, names] : without)
      plan_.notes.push_back(
          fmt::format("{} has no {}: what the scene says of it does not concern this solver, whose own "
                      "parameters keep their defaults unless they are named above.",
                      solver, listed({names.begin(), names.end()})));
  }

  std::string text_;
  Plan plan_;
  Collected mistakes_;
  std::set<std::string> solvers_;
};

}  // namespace

std::string plainText(const std::string& value) {
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') return value.substr(1, value.size() - 2);
  return value;
}

Plan makePlan(const Request& request) { return Planner(request).make(); }

Varied variedFrom(const std::string& option, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Failure(fmt::format("{} {}: write path=value,value,…, for instance solver.iterations=1,2,5", option, text));
  Varied varied = {text.substr(0, equals), {}};
  int depth = 0;
  char quote = 0;
  std::string value;
  const auto take = [&] {
    const auto first = value.find_first_not_of(' '), last = value.find_last_not_of(' ');
    value = first == std::string::npos ? "" : value.substr(first, last - first + 1);
    if (value.empty()) throw Failure(fmt::format("{} {}: a value is missing between the commas", option, text));
    varied.values.push_back({varied.path, value, fmt::format("{} {}={}", option, varied.path, value)});
    value.clear();
  };
  for (const char c : text.substr(equals + 1)) {
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      take();
      continue;
    }
    value += c;
  }
  take();
  return varied;
}

const std::vector<std::string>& plottable() {
  static const std::vector<std::string> names = {"density_error_mean", "density_error_max",
                                                 "density_error_p999", "volume_ratio",
                                                 "kinetic_energy",     "potential_energy",
                                                 "total_energy",       "dt",
                                                 "iterations",         "cost",
                                                 "residual",           "density_by_height",
                                                 "time_reached"};
  return names;
}

}  // namespace brim
