#include "scene/renamed.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include "scene/settings.h"

namespace brim {

const std::vector<RenamedKey>& renamedKeys() {
  static const std::vector<RenamedKey> all = {
      {"soft", "incompressible", "bulk_modulus"},
      {"solver", "constraint", "condition"},
      {"solver.pbf", "constraint", "condition"},
  };
  return all;
}

namespace {

std::string warning(const RenamedKey& key) { return fmt::format("key \"{}\" is now called \"{}\"", key.old, key.now); }

std::string join(const std::string& path, const std::string& name) { return path.empty() ? name : path + "." + name; }

// Calls visit(table, path) for every table of that path; the path goes through all entries of a list.
template <class F>
void eachTable(toml::node& node, const std::string& way, const std::string& path, const F& visit) {
  if (toml::array* const array = node.as_array()) {
    for (std::size_t i = 0; i < array->size(); ++i) eachTable(*array->get(i), way, fmt::format("{}[{}]", path, i), visit);
  } else if (toml::table* const table = node.as_table()) {
    if (way.empty()) return visit(*table, path);
    const std::size_t dot = way.find('.');
    const std::string name = way.substr(0, dot);
    if (toml::node* const below = table->get(name))
      eachTable(*below, dot == std::string::npos ? "" : way.substr(dot + 1), join(path, name), visit);
  }
}

std::string withoutIndices(const std::string& path) {
  std::string plain;
  bool within = false;
  for (const char c : path) {
    within = c == '[' || (within && c != ']');
    if (!within && c != ']') plain += c;
  }
  return plain;
}

}  // namespace

void renameKeys(toml::table& root, const std::vector<RenamedKey>& keys, const std::map<std::string, std::string>& given,
                Scene& scene, Mistakes& mistakes) {
  for (const RenamedKey& key : keys)
    eachTable(root, key.table, "", [&](toml::table& table, const std::string& path) {
      const auto found = table.find(key.old);
      if (found == table.end() || found->second.is_table()) return;
      const toml::source_region source = found->first.source();
      const Location at = placeOf(join(path, key.old), {scene.file, int(source.begin.line), int(source.begin.column)}, given);
      if (table.contains(key.now)) {
        mistakes.add(join(path, key.now), at, warning(key) + ", and the table has both");
      } else {
        table.insert(toml::key(key.now, toml::source_region(source)), std::move(found->second));
        scene.renamed.push_back({at, warning(key)});
      }
      table.erase(key.old);
    });
}

std::vector<Setting> renamePaths(std::vector<Setting> settings, const std::vector<RenamedKey>& keys, Scene& scene) {
  for (Setting& s : settings)
    for (const RenamedKey& key : keys) {
      if (withoutIndices(s.path) != join(key.table, key.old) || s.value.starts_with("{")) continue;
      s.given = label(s);
      const std::size_t dot = s.path.rfind('.');
      s.path.replace(dot == std::string::npos ? 0 : dot + 1, key.old.size(), key.now);
      scene.renamed.push_back({{s.given, 0, 0}, warning(key)});
      break;
    }
  return settings;
}

}  // namespace brim
