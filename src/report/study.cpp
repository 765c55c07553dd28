#include "report/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <tuple>

#include "brim/report.h"
#include "io/file.h"
#include "report/plan.h"
#include "scene/reader.h"
#include "scene/write.h"

namespace brim {

namespace fs = std::filesystem;

namespace {

std::string placeOf(const std::string& file, const toml::node& node) {
  return fmt::format("{}:{}:{}", file, node.source().begin.line, node.source().begin.column);
}

// A value as --set takes it.
std::string textOf(const toml::node& node) {
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* word = node.as_string()) {
    std::string text = word->get();
    return tomlValue(&text, 3);
  }
  if (const auto* list = node.as_array()) {
    std::string text;
    for (const toml::node& item : *list) text += (text.empty() ? "" : ", ") + textOf(item);
    return "[" + text + "]";
  }
  std::ostringstream out;
  node.visit([&](const auto& value) { out << value; });
  return out.str();
}

struct Leaf {
  std::string path;
  const toml::node* node;
};

// solver.iterations = 4 is a table within a table to TOML; here it is one path again. In the order of the file.
void collect(const toml::table& table, const std::string& above, std::vector<Leaf>& leaves) {
  for (auto&& [key, node] : table) {
    const std::string path = above.empty() ? std::string(key.str()) : above + "." + std::string(key.str());
    node.is_table() ? collect(*node.as_table(), path, leaves) : leaves.push_back({path, &node});
  }
}

std::vector<Leaf> leavesOf(const toml::table& table) {
  std::vector<Leaf> leaves;
  collect(table, "", leaves);
  std::stable_sort(leaves.begin(), leaves.end(), [](const Leaf& a, const Leaf& b) {
    const auto x = a.node->source().begin, y = b.node->source().begin;
    return std::tuple(x.line, x.column) < std::tuple(y.line, y.column);
  });
  return leaves;
}

void readVary(Reader& reader, const std::string& file, std::vector<Varied>& vary) {
  const toml::node* node = reader.find("vary");
  if (!node) return;
  if (!node->is_table()) return reader.wrongType("vary", *node, "a table of lists of values of the scene");
  for (const Leaf& leaf : leavesOf(*node->as_table())) {
    const toml::array* list = leaf.node->as_array();
    if (!list || list->empty()) {
      reader.wrongType("vary." + leaf.path, *leaf.node, "a list of values");
      continue;
    }
    vary.push_back({leaf.path, {}});
    for (const toml::node& value : *list) vary.back().values.push_back({leaf.path, textOf(value), placeOf(file, value)});
  }
}

}  // namespace

void readSet(Reader& reader, const char* name, const std::string& file, std::vector<Setting>& set) {
  const toml::node* node = reader.find(name);
  if (!node) return;
  if (!node->is_table()) return reader.wrongType(name, *node, "a table of values of the scene");
  for (const Leaf& leaf : leavesOf(*node->as_table())) set.push_back({leaf.path, textOf(*leaf.node), placeOf(file, *leaf.node)});
}

Request readStudy(const std::string& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) throw Failure(fmt::format("there is no study {}", file));
  Mistakes mistakes;
  const std::string text = readFile(file);
  toml::table root;
  try {
    root = toml::parse(text, file);
  } catch (const toml::parse_error& e) {
    const auto place = e.source().begin;
    throw SceneError({{{file, static_cast<int>(place.line), static_cast<int>(place.column)}, syntaxComplaint(e, text)}});
  }
  Request request;
  request.kind = "study";
  Scene places;  // only to remember where values stand
  places.file = file;
  const std::map<std::string, std::string> nothing;
  Reader reader(root, places, mistakes, nothing, "study");

  reader.key("title", &request.title, {"", "The heading of the page."}, {true});
  reader.key("scene", &request.scene, {"", "The scene file, relative to the study."}, {true});
  reader.key("question", &request.question, {"", "What is asked."}, {});
  reader.key("finding", &request.finding, {"", "What was found."}, {});
  reader.key("main", &request.main, {"", "The quantity shown first.", -1e300, 1e300, false, plottable()}, {});
  reader.key("over", &request.over, {"", "What it is shown over.", -1e300, 1e300, false, {"time", "parameters"}}, {});
  std::vector<Varied> vary;
  readSet(reader, "set", file, request.set);
  readVary(reader, file, vary);

  std::vector<Group> groups;
  reader.list("runs", "Groups of runs.",
              {0,
               [&](std::size_t n) { groups.resize(n); },
               [&](std::size_t i, SceneVisitor& v) {
                 v.key("label", &groups[i].label, {"", "The group's name on the page."}, {true});
                 readSet(reader, "set", file, groups[i].set);
                 readVary(reader, file, groups[i].vary);
               },
               {}});
  reader.finish();

  for (const auto& [path, words] : {std::pair(std::string("main"), plottable()), {"over", {"time", "parameters"}}}) {
    const std::string& word = path == "main" ? request.main : request.over;
    if (const Doc doc = {"", "", -1e300, 1e300, false, words}; !word.empty())
      if (const std::string wrong = complaint(path, word, doc); !wrong.empty()) mistakes.add(path, places.at(path), wrong);
  }
  std::set<std::string> labels;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (const std::string path = fmt::format("runs[{}].label", i);
        !labels.insert(groups[i].label).second && mistakes.trusts(path))
      mistakes.add(path, places.at(path), fmt::format("another group of runs is called \"{}\" too", groups[i].label));
  if (groups.empty()) groups.push_back({});
  for (Group& g : groups) g.vary.insert(g.vary.begin(), vary.begin(), vary.end());
  request.groups = groups;
  if (!request.scene.empty()) {
    const fs::path scene = fs::path(file).parent_path() / request.scene;
    if (!fs::is_regular_file(scene, ignored))
      mistakes.add("scene", places.at("scene"), fmt::format("there is no scene {}", scene.lexically_normal().string()));
    request.scene = scene.lexically_normal().string();
  }
  if (auto all = mistakes.inOrder(); !all.empty()) throw SceneError(std::move(all));
  return request;
}

}  // namespace brim
