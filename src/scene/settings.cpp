#include "scene/settings.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <variant>

namespace brim {

std::string label(const Setting& s) { return s.given.empty() ? "--set " + s.path + "=" + s.value : s.given; }

Location placeOf(const std::string& path, const Location& inFile, const std::map<std::string, std::string>& given) {
  // The nearest table around the value that a setting gave hides what the file says.
  for (std::string p = path; !p.empty();) {
    if (const auto found = given.find(p); found != given.end()) return {found->second, 0, 0};
    const auto cut = p.find_last_of(".[");
    p.resize(cut == std::string::npos ? 0 : cut);
  }
  return inFile;
}

namespace {

using Step = std::variant<std::string, std::size_t>;  // a key of a table, or an entry of a list

// "fluid.blocks[0].velocity" -> fluid, blocks, 0, velocity. Empty where the text is no path.
std::vector<Step> stepsOf(const std::string& path) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < path.size();) {
    if (path[i] == '[') {
      const auto end = path.find(']', i);
      const std::string digits = path.substr(i + 1, end == std::string::npos ? 0 : end - i - 1);
      if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos) return {};
      if (steps.empty()) return {};
      steps.push_back(static_cast<std::size_t>(std::atol(digits.c_str())));
      i = end + 1;
    } else {
      if (!steps.empty() && path[i++] != '.') return {};
      const auto end = std::min(path.find_first_of(".[", i), path.size());
      if (end == i) return {};
      steps.push_back(path.substr(i, end - i));
      i = end;
    }
  }
  return steps;
}

// A value in TOML; a bare word is a text, so that --set solver.name=pbf needs no quotes within quotes.
toml::table valueOf(const std::string& text, std::string& complaint) {
  toml::table holder;
  try {
    holder = toml::parse("v = " + text + "\n");
    if (holder.size() == 1) return holder;
    complaint = "give one value";
  } catch (const toml::parse_error& e) {
    char* end = nullptr;
    if (const double number = std::strtod(text.c_str(), &end); !text.empty() && *end == '\0')
      holder.insert_or_assign("v", number);
    else if (text.find_first_of("\"'[]{}\n\r") == std::string::npos)
      holder.insert_or_assign("v", text);
    else
      complaint = fmt::format("cannot read the value: {}", e.description());
  }
  return holder;
}

// The node below `node`; tables that are not there yet are made.
toml::node* descend(toml::node& node, const Step& step, const std::string& path, bool& made, std::string& complaint) {
  if (const auto* name = std::get_if<std::string>(&step)) {
    toml::table* table = node.as_table();
    if (!table) {
      complaint = fmt::format("{} is {}, so it has no \"{}\"", path, node.is_array() ? "a list" : "a single value", *name);
      if (node.is_array()) complaint += fmt::format("; write {}[0].{}", path, *name);
      return nullptr;
    }
    if (!table->contains(*name)) {
      table->insert(*name, toml::table{});
      made = true;
    }
    return table->get(*name);
  }
  toml::array* array = node.as_array();
  const std::size_t i = std::get<std::size_t>(step);
  if (!array || i >= array->size()) {
    complaint = array && array->empty() ? fmt::format("{} is empty; there is no [{}]", path, i)
                : array                 ? fmt::format("{} ends at [{}]; there is no [{}]", path, array->size() - 1, i)
                                        : fmt::format("{} is not a list", path);
    return nullptr;
  }
  return array->get(i);
}

}  // namespace

std::map<std::string, std::string> applySettings(toml::table& root, const std::vector<Setting>& settings, Mistakes& mistakes) {
  std::map<std::string, std::string> given;
  for (const Setting& setting : settings) {
    const auto steps = stepsOf(setting.path);
    std::string complaint =
        steps.empty() ? fmt::format("\"{}\" is not a path; write for example time.until=2", setting.path) : "";
    toml::table holder;
    if (complaint.empty()) holder = valueOf(setting.value, complaint);

    toml::node* parent = nullptr;
    toml::node* node = &root;
    std::string path;
    bool made = false;
    for (std::size_t k = 0; k < steps.size() && complaint.empty(); ++k) {
      parent = node;
      node = descend(*parent, steps[k], path, made, complaint);
      if (const auto* name = std::get_if<std::string>(&steps[k]))
        path += (path.empty() ? "" : ".") + *name;
      else
        path += fmt::format("[{}]", std::get<std::size_t>(steps[k]));
      if (made) given.emplace(path, label(setting));
    }
    if (!complaint.empty()) {
      mistakes.add(setting.path, {label(setting), 0, 0}, complaint);
      continue;
    }
    if (const auto* name = std::get_if<std::string>(&steps.back()))
      parent->as_table()->insert_or_assign(*name, std::move(*holder.get("v")));
    else
      parent->as_array()->replace(parent->as_array()->begin() + static_cast<long>(std::get<std::size_t>(steps.back())),
                                  std::move(*holder.get("v")));
    given[path] = label(setting);
  }
  return given;
}

}  // namespace brim
