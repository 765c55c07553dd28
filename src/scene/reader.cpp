#include "scene/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "brim/suggest.h"
#include "scene/settings.h"

namespace brim {

static std::string kindOf(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get().size() < 40 ? "the text \"" + text->get() + "\"" : "a text";
  if (node.is_number()) return fmt::format("the number {:g}", node.value<double>().value_or(0));
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* array = node.as_array()) return fmt::format("a list of {}", array->size());
  return node.is_table() ? "a table" : "a date or time";
}

static std::string inUnit(const Doc& doc) { return doc.unit.empty() ? "" : " [" + doc.unit + "]"; }

Reader::Reader(const toml::table& root, Scene& scene, Mistakes& mistakes, const std::map<std::string, std::string>& given,
               const char* what)
    : scene_(scene), mistakes_(mistakes), given_(given), what_(what) {
  enter(root, "");
}

std::string Reader::join(const std::string& name) const {
  const std::string& path = frames_.back().path;
  return path.empty() ? name : path + "." + name;
}

Location Reader::locate(const std::string& path, const toml::source_region& source) const {
  return placeOf(path, {scene_.file, static_cast<int>(source.begin.line), static_cast<int>(source.begin.column)}, given_);
}

const toml::node* Reader::find(const char* name) {
  Frame& here = frames_.back();
  here.known.push_back(name);
  const toml::node* node = here.table->get(name);
  if (node) scene_.where[join(name)] = locate(join(name), node->source());
  return node;
}

void Reader::wrongType(const std::string& path, const toml::node& node, const std::string& expected) {
  mistakes_.add(path, locate(path, node.source()), fmt::format("{} must be {}; it is {}", path, expected, kindOf(node)));
}

void Reader::leave() {
  const Frame here = std::move(frames_.back());
  std::vector<std::string> fitting;
  for (const auto& name : here.known)
    if (std::find(here.unfitting.begin(), here.unfitting.end(), name) == here.unfitting.end()) fitting.push_back(name);
  for (auto&& [key, node] : *here.table) {
    const std::string name(key.str()), path = here.path.empty() ? name : here.path + "." + name;
    if (std::find(fitting.begin(), fitting.end(), name) != fitting.end()) continue;
    const bool otherKind = std::find(here.known.begin(), here.known.end(), name) != here.known.end();
    const std::string place = here.path.empty() ? "a " + what_ : here.path;
    mistakes_.add(path, locate(path, key.source()),
                  otherKind ? fmt::format("kind \"{}\" has no \"{}\"  (it reads: {})", here.kind, name, listed(fitting))
                            : fmt::format("{} has no \"{}\"{}", place, name, didYouMean(name, fitting)));
  }
  frames_.pop_back();
}

void Reader::key(const char* name, Value value, const Doc& doc, const Use& use) {
  Frame& here = frames_.back();
  const bool decided = use.kinds.empty() || !here.kind.empty();
  const bool fits = !decided || use.readBy(here.kind);
  if (!fits) here.unfitting.push_back(name);
  const toml::node* node = find(name);
  const std::string path = join(name);
  if (!node && use.required && fits && decided) {
    const std::string who = here.path.empty() ? "the " + what_ : here.path;
    mistakes_.add(path, here.path.empty() ? Location{scene_.file, 1, 1} : scene_.at(here.path),
                  fmt::format("{}{} needs \"{}\"{}: {}", who, use.kinds.empty() ? "" : " of kind \"" + here.kind + "\"", name,
                              inUnit(doc), doc.words.empty() ? doc.text : "one of " + listed(doc.words)));
  }
  if (!node || !fits) return;
  const bool good = std::visit([&](auto member) { return read(path, *node, doc, member); }, value);
  if (std::string* const* word = std::get_if<std::string*>(&value); good && word && std::string(name) == "kind")
    if (std::find(doc.words.begin(), doc.words.end(), **word) != doc.words.end()) here.kind = **word;
}

void Reader::table(const char* name, const char*, const std::function<void()>& inside) {
  const toml::node* node = find(name);
  static const toml::table none;
  if (node && !node->is_table()) wrongType(join(name), *node, fmt::format("a table, [{}]", join(name)));
  enter(node && node->is_table() ? *node->as_table() : none, join(name));
  inside();
  leave();
}

void Reader::list(const char* name, const char*, const Tables& items) {
  const toml::node* node = find(name);
  const std::string path = join(name);
  if (!node) return;
  if (!node->is_array()) return wrongType(path, *node, fmt::format("a list of tables, each under its own [[{}]]", path));
  entries(path, *node->as_array(), items);
}

void Reader::entries(const std::string& path, const toml::array& array, const Tables& items) {
  items.resize(array.size());
  for (std::size_t i = 0; i < array.size(); ++i) {
    const toml::node& item = *array.get(i);
    const std::string at = fmt::format("{}[{}]", path, i);
    scene_.where[at] = locate(at, item.source());
    if (!item.is_table()) {
      wrongType(at, item, "a table");
      continue;
    }
    enter(*item.as_table(), at);
    items.visit(i, *this);
    leave();
  }
}

bool Reader::read(const std::string& path, const toml::node& node, const Doc& doc, double* value) {
  if (!node.is_number()) return wrongType(path, node, "a number" + inUnit(doc)), false;
  *value = *node.value<double>();
  return true;
}

bool Reader::read(const std::string& path, const toml::node& node, const Doc&, int* value) {
  const double number = node.is_number() ? *node.value<double>() : NAN;
  if (!(number == std::floor(number) && std::abs(number) <= 2147483647)) return wrongType(path, node, "a whole number"), false;
  *value = static_cast<int>(number);
  return true;
}

bool Reader::read(const std::string& path, const toml::node& node, const Doc&, bool* value) {
  if (!node.is_boolean()) return wrongType(path, node, "true or false"), false;
  *value = node.as_boolean()->get();
  return true;
}

bool Reader::read(const std::string& path, const toml::node& node, const Doc& doc, std::string* value) {
  if (!node.is_string())
    return wrongType(path, node, doc.words.empty() ? "a text in quotes" : "one of the words " + listed(doc.words)), false;
  *value = node.as_string()->get();
  return true;
}

bool Reader::readNumbers(const std::string& path, const toml::node& node, const Doc& doc, Vector* value, bool three) {
  const std::size_t n = scene_.dimension == 2 && !three ? 2 : 3;
  const toml::array* array = node.as_array();
  if (!array) return wrongType(path, node, fmt::format("a list of {} numbers{}", n, inUnit(doc))), false;
  // A third number in 2D may be there as long as it says nothing. Without a dimension to trust, both lengths will do.
  const bool both = n == 2 || !mistakes_.trusts("dimension") || scene_.dimension < 2 || scene_.dimension > 3;
  if (array->size() != n && !(both && (array->size() == 2 || array->size() == 3))) {
    mistakes_.add(
        path, locate(path, node.source()),
        fmt::format("{} needs {} numbers{} in a {}D scene; it has {}", path, n, inUnit(doc), scene_.dimension, array->size()));
    return false;
  }
  Vector v = {0, 0, 0};
  bool good = true;
  for (std::size_t k = 0; k < array->size(); ++k) good = read(fmt::format("{}[{}]", path, k), *array->get(k), doc, &v[k]) && good;
  if (good && n == 2 && v[2] != 0) {
    mistakes_.add(path, locate(path, node.source()), fmt::format("{} has a third number, {:g}, in a 2D scene", path, v[2]));
    return false;
  }
  if (good) *value = v;
  return good;
}

bool Reader::read(const std::string& path, const toml::node& node, const Doc& doc, Vector* value) {
  return readNumbers(path, node, doc, value, false);
}

bool Reader::read(const std::string& path, const toml::node& node, const Doc& doc, Turn turn) {
  if (scene_.dimension != 2 || node.is_array()) return readNumbers(path, node, doc, turn.v, true);
  return read(path, node, doc, &(*turn.v)[2]);
}

bool Reader::read(const std::string& path, const toml::node& node, const Doc& doc, Course course) {
  const toml::array* array = node.as_array();
  if (array && !array->empty() && array->get(0)->is_table()) return read(path, node, doc, course.keys);
  if (node.is_string()) return read(path, node, doc, course.file);
  return read(path, node, doc, course.constant);
}

bool Reader::read(const std::string& path, const toml::node& node, const Doc& doc, PerAxis* value) {
  if (node.is_string()) {
    value->fill(node.as_string()->get());
    return true;
  }
  std::vector<std::string> words;
  const std::size_t n = scene_.dimension == 2 ? 2 : 3;
  if (!node.is_array() || node.as_array()->size() < n || node.as_array()->size() > 3)
    return wrongType(path, node, fmt::format("one word or a list of {} of the words {}", n, listed(doc.words))), false;
  if (!read(path, node, doc, &words)) return false;
  std::copy(words.begin(), words.end(), value->begin());
  return true;
}

bool Reader::read(const std::string& path, const toml::node& node, const Doc& doc, std::vector<Vector>* value) {
  const toml::array* array = node.as_array();
  if (!array) return wrongType(path, node, "a list of points" + inUnit(doc)), false;
  value->assign(array->size(), {});
  bool good = true;
  for (std::size_t k = 0; k < array->size(); ++k)
    good = read(fmt::format("{}[{}]", path, k), *array->get(k), doc, &(*value)[k]) && good;
  return good;
}

bool Reader::read(const std::string& path, const toml::node& node, const Doc& doc, std::vector<std::string>* value) {
  const toml::array* array = node.as_array();
  if (!array) return wrongType(path, node, "a list of the words " + listed(doc.words)), false;
  value->assign(array->size(), {});
  bool good = true;
  for (std::size_t k = 0; k < array->size(); ++k) {
    const std::string at = fmt::format("{}[{}]", path, k);
    scene_.where[at] = locate(at, array->get(k)->source());
    good = read(at, *array->get(k), doc, &(*value)[k]) && good;
  }
  return good;
}

/// V makes of a Vector* what reads the value of a keyframe.
template <class V>
bool Reader::readKeys(const std::string& path, const toml::node& node, const Doc& doc, std::vector<Keyframe>* value) {
  std::vector<Keyframe> keys;
  const Tables tables = {0,
                         [&](std::size_t n) { keys.resize(n); },
                         [&](std::size_t i, SceneVisitor& v) {
                           v.key("time", &keys[i].time, {"s", "Time of the keyframe."}, {true});
                           v.key("value", V{&keys[i].value}, {doc.unit, "Value at that time."}, {true});
                         },
                         {}};
  if (!node.is_array()) return wrongType(path, node, "a list of keyframes {time = 0, value = [...]}"), false;
  entries(path, *node.as_array(), tables);
  *value = keys;
  return mistakes_.trusts(path);
}

bool Reader::read(const std::string& path, const toml::node& node, const Doc& doc, std::vector<Keyframe>* value) {
  return readKeys<Value>(path, node, doc, value);
}

bool Reader::read(const std::string& path, const toml::node& node, const Doc& doc, TurnKeys turn) {
  return readKeys<Turn>(path, node, doc, turn.keys);
}

bool Reader::read(const std::string& path, const toml::node& node, const Doc& doc, Slip* value) {
  if (!node.is_string() && !node.is_number())
    return wrongType(path, node, fmt::format("a length{} or one of the words {}", inUnit(doc), listed(doc.words))), false;
  if (node.is_number())
    *value = {"length", *node.value<double>()};
  else
    *value = {node.as_string()->get(), 0};
  return true;
}

}  // namespace brim
