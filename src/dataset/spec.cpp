#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "brim/dataset.h"
#include "io/file.h"
#include "scene/reader.h"

namespace brim {

namespace fs = std::filesystem;

namespace {

std::string textOf(const toml::node& node) {
  std::ostringstream out;
  node.visit([&](const auto& value) { out << value; });
  return out.str();
}

// [set] holds values by paths in quotes, or tables within tables.
void collect(const toml::table& table, const std::string& above, const std::string& file, std::vector<Setting>& set) {
  for (auto&& [key, node] : table) {
    const std::string path = above.empty() ? std::string(key.str()) : above + "." + std::string(key.str());
    const auto at = node.source().begin;
    if (node.is_table())
      collect(*node.as_table(), path, file, set);
    else
      set.push_back({path, textOf(node), fmt::format("{}:{}:{}", file, at.line, at.column)});
  }
}

void declareDrawn(SceneVisitor& v, Drawn& d) {
  v.key("path", &d.path, {"", "The value, as --set names it."}, {true});
  v.key("low", &d.low, {"", "The least."}, {});
  v.key("high", &d.high, {"", "The largest."}, {});
  v.key("log", &d.log, {"", "Evenly over the logarithms."}, {});
  v.key("whole", &d.whole, {"", "A whole number."}, {});
}

}  // namespace

DatasetSpec readDataset(const std::string& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) throw Failure(fmt::format("there is no data set {}", file));
  DatasetSpec spec;
  spec.file = file;
  spec.text = readFile(file);
  Mistakes mistakes;
  toml::table root;
  try {
    root = toml::parse(spec.text, file);
  } catch (const toml::parse_error& e) {
    const auto place = e.source().begin;
    throw SceneError({{{file, static_cast<int>(place.line), static_cast<int>(place.column)}, syntaxComplaint(e, spec.text)}});
  }
  Scene places;  // only to remember where values stand
  places.file = file;
  const std::map<std::string, std::string> nothing;
  Reader reader(root, places, mistakes, nothing, "data set");
  const auto require = [&](const std::string& path, bool good, const std::string& what) {
    if (!good && mistakes.trusts(path)) mistakes.add(path, places.at(path), what);
  };

  reader.key("title", &spec.title, {"", "The case's name in metadata.json."}, {});
  reader.key("scene", &spec.scene, {"", "The scene file, relative to this one."}, {true});
  reader.key("seed", &spec.seed, {"", "Of all that is drawn."}, {});
  reader.key("frames", &spec.frames, {"", "Of a trajectory."}, {});
  reader.key("every", &spec.every, {"s", "Between frames."}, {});
  reader.key("walls", &spec.walls, {"", "Layers of particles for walls and solids."}, {});
  reader.key("hdf5", &spec.hdf5, {"", "false: npz files alone."}, {});
  reader.key("density_error_max", &spec.densityErrorMax, {"", "Above it a trajectory is ruined."}, {});
  reader.key("attempts", &spec.attempts, {"", "At a trajectory."}, {});
  reader.table("splits", "Numbers of trajectories.", [&] {
    reader.key("train", &spec.train, {"", "To learn from."}, {true});
    reader.key("valid", &spec.valid, {"", "To choose by."}, {true});
    reader.key("test", &spec.test, {"", "To judge by."}, {true});
  });
  if (const toml::node* node = reader.find("set")) {
    if (node->is_table())
      collect(*node->as_table(), "", file, spec.set);
    else
      reader.wrongType("set", *node, "a table of values of the scene");
  }
  reader.list("vary", "What is drawn.",
              {0,
               [&](std::size_t n) { spec.vary.resize(n); },
               [&](std::size_t i, SceneVisitor& v) {
                 Drawn& d = spec.vary[i];
                 declareDrawn(v, d);
                 const std::string path = fmt::format("vary[{}]", i);
                 const toml::node* values = reader.find("values");
                 if (values && (!values->is_array() || values->as_array()->empty()))
                   reader.wrongType(path + ".values", *values, "a list of values");
                 else if (values)
                   for (const toml::node& value : *values->as_array()) d.values.push_back(textOf(value));
                 const bool range = reader.find("low") && reader.find("high");
                 require(path, range != bool(values), "what is drawn needs low and high, or else values");
                 require(path, d.low <= d.high && (!d.log || d.low > 0),
                         d.low <= d.high ? "a range over logarithms begins above 0" : "low is above high");
               },
               {}});
  reader.finish();

  const auto whole = [](double x, double low, double high) { return x >= low && x <= high && x == std::floor(x); };
  require("seed", whole(spec.seed, 0, 9e15), "seed must be a whole number from 0 on");
  require("frames", whole(spec.frames, 3, 1e6), "frames must be a whole number of at least 3: two steps make an acceleration");
  require("every", spec.every > 0 && spec.every < 1e6, "every must be above 0 s");
  require("walls", spec.walls >= 0 && spec.walls <= 10, "walls must be 0 to 10");
  require("density_error_max", spec.densityErrorMax > 0, "density_error_max must be above 0");
  require("attempts", spec.attempts >= 1, "attempts must be at least 1");
  for (const auto& [name, n] : {std::pair("train", spec.train), {"valid", spec.valid}, {"test", spec.test}})
    require(std::string("splits.") + name, n >= 1 && n < 100000, fmt::format("{} must be 1 to 99999", name));
  if (!spec.scene.empty()) {
    const fs::path scene = fs::path(file).parent_path() / spec.scene;
    require("scene", fs::is_regular_file(scene, ignored), fmt::format("there is no scene {}", scene.lexically_normal().string()));
    spec.scene = scene.lexically_normal().string();
  }
  if (auto all = mistakes.inOrder(); !all.empty()) throw SceneError(std::move(all));
  return spec;
}

}  // namespace brim
