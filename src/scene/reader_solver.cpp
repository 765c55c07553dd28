#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "brim/suggest.h"
#include "scene/reader.h"

namespace brim {

namespace {

// Checks a parameter's value and stores it where there is a choice to store it in. Returns what is wrong, or "".
std::string readParameter(const std::string& path, const toml::node& node, const Parameter& p, SolverChoice* choice) {
  if (std::holds_alternative<std::string>(p.value)) {
    if (!node.is_string()) return fmt::format("{} must be one of the words {}", path, listed(p.doc.words));
    const std::string word = node.as_string()->get();
    const std::string wrong = complaint(path, word, p.doc);
    if (choice && wrong.empty()) choice->choices[p.name] = word;
    return wrong;
  }
  double number = 0;
  if (std::holds_alternative<bool>(p.value)) {
    if (!node.is_boolean()) return fmt::format("{} must be true or false", path);
    number = node.as_boolean()->get();
  } else {
    const bool whole = std::holds_alternative<int>(p.value);
    number = node.is_number() ? *node.value<double>() : NAN;
    if (!node.is_number() || (whole && number != std::floor(number)))
      return fmt::format("{} must be a {}{}", path, whole ? "whole number" : "number",
                         p.doc.unit.empty() ? "" : " [" + p.doc.unit + "]");
    if (const std::string wrong = complaint(path, number, p.doc); !wrong.empty()) return wrong;
  }
  if (choice) choice->numbers[p.name] = number;
  return "";
}

struct Known {
  const SolverInfo* solver;
  Parameter parameter;
};

// Which solvers have a parameter of that name; only the chosen one if it has it.
std::vector<Known> whoKnows(const std::string& name, const SolverInfo* chosen) {
  std::vector<Known> all;
  for (const SolverInfo& s : solvers()) {
    for (const Parameter& p : parametersOf(s)) {
      if (p.name != name) continue;
      if (&s == chosen) return {{&s, p}};
      all.push_back({&s, p});
    }
  }
  return all;
}

// What may stand in [solver], the chosen solver's own parameters first.
std::vector<std::string> namesFor(const SolverInfo* chosen) {
  std::vector<std::string> own = {"name"}, others;
  for (const SolverInfo& s : solvers()) {
    for (const Parameter& p : parametersOf(s)) (&s == chosen ? own : others).push_back(p.name);
    others.push_back(s.name);
  }
  own.insert(own.end(), others.begin(), others.end());
  return own;
}

}  // namespace

// Parameters stand in [solver] itself, where they mean the chosen solver, or in [solver.NAME], where they wait for that
// solver to be chosen. A parameter in [solver] that only other solvers know is no mistake, so that one file serves all of
// them; one that no solver knows is.
void Reader::solver(SolverChoice& choice) {
  const toml::node* node = find("solver");
  if (!node) return;
  if (!node->is_table()) return wrongType("solver", *node, "a table, [solver] with name = \"...\"");
  const toml::table& table = *node->as_table();
  enter(table, "solver");
  key("name", &choice.name, {"", "The method.", -1e300, 1e300, false, solverNames()}, {});
  const SolverInfo* chosen = findSolver(choice.name);

  for (auto&& [key, value] : table) {
    const std::string name(key.str()), path = "solver." + name;
    if (name == "name" || findSolver(name)) continue;
    const auto known = whoKnows(name, chosen);
    if (known.empty()) {
      mistakes_.add(path, locate(path, key.source()),
                    fmt::format("no solver has \"{}\"{}  (brim list parameters {})", name, didYouMean(name, namesFor(chosen)),
                                chosen ? chosen->name : "solver"));
      continue;
    }
    scene_.where[path] = locate(path, value.source());
    std::string first;
    bool accepted = false;
    for (const Known& k : known) {
      const std::string wrong = readParameter(path, value, k.parameter, k.solver == chosen ? &choice : nullptr);
      accepted = accepted || wrong.empty();
      if (first.empty()) first = wrong;
    }
    if (!accepted) mistakes_.add(path, scene_.where[path], first);
  }
  for (const SolverInfo& s : solvers())
    if (const toml::node* own = table.get(s.name)) ownTable(s, *own, &s == chosen ? &choice : nullptr);
  frames_.pop_back();
}

void Reader::ownTable(const SolverInfo& solver, const toml::node& node, SolverChoice* choice) {
  const std::string place = "solver." + solver.name;
  scene_.where[place] = locate(place, node.source());
  if (!node.is_table()) return wrongType(place, node, fmt::format("a table, [{}]", place));
  const auto parameters = parametersOf(solver);
  std::vector<std::string> names;
  for (const Parameter& p : parameters) names.push_back(p.name);

  for (auto&& [key, value] : *node.as_table()) {
    const std::string name(key.str()), path = place + "." + name, plain = "solver." + name;
    const auto p = std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& q) { return q.name == name; });
    if (p == parameters.end()) {
      mistakes_.add(
          path, locate(path, key.source()),
          fmt::format("{} has no \"{}\"{}  (brim list parameters {})", solver.name, name, didYouMean(name, names), solver.name));
      continue;
    }
    scene_.where[path] = locate(path, value.source());
    // A solver's own table is closer to the point than [solver], but a setting is closer still.
    const bool overruled = given_.count(plain) && !given_.count(path);
    if (choice && !overruled) scene_.where[plain] = scene_.where[path];
    if (const std::string wrong = readParameter(path, value, *p, overruled ? nullptr : choice); !wrong.empty())
      mistakes_.add(path, scene_.where[path], wrong);
  }
}

}  // namespace brim
