#include "brim/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "brim/suggest.h"
#include "scene/renamed.h"
#include "scene/write.h"

namespace brim {

namespace {

struct TypeName {
  std::string operator()(const double*) const { return "number"; }
  std::string operator()(const int*) const { return "whole number"; }
  std::string operator()(const bool*) const { return "true or false"; }
  std::string operator()(const std::string*) const { return "text"; }
  std::string operator()(const Vector*) const { return "vector"; }
  std::string operator()(const Turn&) const { return "three numbers; in 2D also one"; }
  std::string operator()(const Course&) const { return "vector, keyframes or file"; }
  std::string operator()(const PerAxis*) const { return "word, or one per axis"; }
  std::string operator()(const std::vector<Vector>*) const { return "list of vectors"; }
  std::string operator()(const std::vector<std::string>*) const { return "list of words"; }
  std::string operator()(const std::vector<Keyframe>*) const { return "keyframes"; }
  std::string operator()(const TurnKeys&) const { return "keyframes"; }
  std::string operator()(const Slip*) const { return "word or number"; }
};

std::string fallbackOf(const Value& value) {
  if (double* const* x = std::get_if<double*>(&value); x && std::abs(**x) >= 1e15) return "no limit";
  const std::string text = tomlValue(value, 3);
  return text == "\"\"" || text == "[]" ? "none" : text;
}

class Collect : public SceneVisitor {
 public:
  std::vector<CatalogueSection> sections{{"", false, "At the top of the file.", {}}};

  void key(const char* name, Value value, const Doc& doc, const Use& use) override {
    CatalogueRow row = {
        name, std::visit(TypeName{}, value), doc.unit, use.required ? "required" : fallbackOf(value), rangeText(doc), doc.text};
    if (!doc.words.empty()) {
      row.range = listed(doc.words);
      row.words = true;
      if (row.type == "text") row.type = "word";
    }
    if (!use.kinds.empty()) row.text += fmt::format(" For kind {}.", listed(use.kinds));
    sections[open_].rows.push_back(row);
  }

  void table(const char* name, const char* text, const std::function<void()>& inside) override {
    below(name, text, false, inside);
  }

  void list(const char* name, const char* text, const Tables& items) override {
    below(name, text, true, [&] { items.visitDefault(*this); });
  }

  void solver(SolverChoice& choice) override {
    sections.push_back({"solver",
                        false,
                        "The method and its parameters. Parameters of the chosen solver are given here, or in a table of "
                        "that solver ([solver.pbf]). A table of a solver is read only if that solver is chosen.",
                        {{"name", "word", "", '"' + choice.name + '"', listed(solverNames()), "The method.", true}}});
    for (const SolverInfo& s : solvers()) {
      sections.push_back({"solver." + s.name, false, fmt::format("{} ({})", s.text, s.source), {}});
      for (const Parameter& p : parametersOf(s)) sections.back().rows.push_back(rowOf(p));
    }
  }

 private:
  static CatalogueRow rowOf(Parameter p) {
    const Value value = std::visit([](auto& x) { return Value(&x); }, p.value);
    const bool word = std::holds_alternative<std::string>(p.value);
    return {p.name,
            word ? "word" : std::visit(TypeName{}, value),
            p.doc.unit,
            fallbackOf(value),
            p.doc.words.empty() ? rangeText(p.doc) : listed(p.doc.words),
            p.doc.text,
            !p.doc.words.empty()};
  }

  void below(const char* name, const char* text, bool list, const std::function<void()>& inside) {
    const std::size_t around = open_;
    const std::string path = sections[around].path;
    open_ = sections.size();
    sections.push_back({path.empty() ? name : path + "." + name, list, text, {}});
    inside();
    open_ = around;
  }

  std::size_t open_ = 0;
};

std::string heading(const CatalogueSection& s) {
  if (s.path.empty()) return "(top)";
  return (s.list ? "[[" : "[") + s.path + (s.list ? "]]" : "]");
}

}  // namespace

std::vector<CatalogueSection> catalogue() {
  Collect collect;
  Scene scene;
  declare(collect, scene);
  return collect.sections;
}

std::string catalogueText(const std::string& name) {
  std::string out;
  for (const CatalogueSection& s : catalogue()) {
    const bool whole = name.empty() || s.path == name || s.path == "solver." + name || s.path.starts_with(name + ".");
    std::string rows;
    for (const CatalogueRow& r : s.rows) {
      const std::string path = s.path.empty() ? r.name : s.path + "." + r.name;
      if (!whole && r.name != name && path != name) continue;
      std::string facts = r.type + (r.unit.empty() ? "" : " [" + r.unit + "]");
      facts += r.fallback == "required" ? ", required" : ", default " + r.fallback;
      if (!r.range.empty()) facts += (r.words ? ", one of: " : ", ") + r.range;
      rows += fmt::format("  {:<20} {}\n  {:<20} {}\n", r.name, r.text, "", facts);
    }
    if (!rows.empty() || (whole && !name.empty()))
      out += fmt::format("{}{}  {}\n{}", out.empty() ? "" : "\n", heading(s), s.text, rows);
  }
  return out;
}

std::string catalogueMarkdown() {
  std::string out =
      "# The scene format\n\n"
      "<!-- Written by `brim list parameters --markdown`; change the declarations in the sources, not this page. -->\n\n"
      "A scene is a TOML file in SI units. Vectors have as many numbers as the scene has dimensions. Keyframes are a list of\n"
      "`{time = 0, value = [0, -9.81, 0]}`; values between keyframes are interpolated linearly; before the first and after\n"
      "the last keyframe the value is constant.\n"
      "`brim check` lists every error of a scene with line and column. `--set path=value` changes any value for one run, for\n"
      "instance `--set fluid.blocks[0].velocity=[1,0,0]`.\n\n"
      "```toml\n"
      "version = 1\ntitle = \"A dam breaks\"\ndimension = 2\n\n"
      "[domain]\nmin = [0, 0]\nmax = [2, 1]\n\n"
      "[resolution]\nspacing = 0.02\n\n"
      "[[fluid.blocks]]\nkind = \"box\"\nmin = [0, 0]\nmax = [0.5, 0.8]\n\n"
      "[solver]\nname = \"pbf\"\n\n"
      "[time]\nuntil = 2\n```\n";
  for (const CatalogueSection& s : catalogue()) {
    out += fmt::format("\n## {}\n\n{}\n", s.path.empty() ? "Top of the file" : "`" + heading(s) + "`", s.text);
    if (s.rows.empty()) continue;
    out += "\n| key | type | unit | default | range | |\n|---|---|---|---|---|---|\n";
    for (const CatalogueRow& r : s.rows)
      out += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", r.name, r.type, r.unit, r.fallback, r.range, r.text);
  }
  out +=
      "\n## Old names\n\nThese names of older scenes are still read, with a warning.\n\n| table | old key | key "
      "|\n|---|---|---|\n";
  for (const RenamedKey& k : renamedKeys()) out += fmt::format("| `{}` | `{}` | `{}` |\n", k.table, k.old, k.now);
  return out;
}

}  // namespace brim
