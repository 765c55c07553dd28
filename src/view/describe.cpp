#include "view/describe.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "scene/declare.h"
#include "scene/motion.h"

namespace brim::view {

using nlohmann::json;

namespace {

json listOf(const Vector& v) { return {v[0], v[1], v[2]}; }

json controlOf(const std::string& path, const std::string& name, const Doc& doc) {
  json c = {{"path", path}, {"name", name}, {"unit", doc.unit}, {"text", doc.text}, {"range", rangeText(doc)}};
  c["low"] = doc.low > -1e299 ? json(doc.low) : json();
  c["high"] = doc.high < 1e299 ? json(doc.high) : json();
  c["above"] = doc.positive;
  if (!doc.words.empty()) c["words"] = doc.words;
  return c;
}

json solverControls(const Scene& scene) {
  json all = json::array();
  const SolverInfo* const solver = findSolver(scene.solver.name);
  if (!solver) return all;
  const auto& numbers = scene.solver.numbers;
  const auto& choices = scene.solver.choices;
  for (const Parameter& p : parametersOf(*solver)) {
    json c = controlOf("solver." + solver->name + "." + p.name, p.name, p.doc);
    const auto number = numbers.find(p.name);
    const auto set = [&](const char* type, const auto& fallback, const auto& convert) {
      c["type"] = type;
      c["default"] = fallback;
      c["value"] = number == numbers.end() ? json(fallback) : json(convert(number->second));
    };
    if (const auto* value = std::get_if<double>(&p.value)) set("number", *value, [](double x) { return x; });
    if (const auto* value = std::get_if<int>(&p.value)) set("whole", *value, [](double x) { return std::int64_t(x); });
    if (const auto* value = std::get_if<bool>(&p.value)) set("flag", *value, [](double x) { return x != 0; });
    if (const auto* value = std::get_if<std::string>(&p.value)) {
      const auto choice = choices.find(p.name);
      c["type"] = "word";
      c["default"] = *value;
      c["value"] = choice == choices.end() ? *value : choice->second;
    }
    all.push_back(c);
  }
  return all;
}

// Those keys of the scene itself that a simulation can take on as it runs.
class SceneControls : public SceneVisitor {
 public:
  explicit SceneControls(int dimension) : dimension_(dimension) {}
  json all = json::array();

  void key(const char* name, Value value, const Doc& doc, const Use&) override {
    const std::string path = table_.empty() ? name : table_ + "." + name;
    static const Scene fallback;
    if (path == "gravity") {
      const Course* const course = std::get_if<Course>(&value);
      if (!course || !course->keys->empty() || !course->file->empty()) return;
      json c = controlOf(path, name, doc);
      c["type"] = "vector";
      c["size"] = dimension_;
      c["default"] = listOf(fallback.gravity);
      c["value"] = listOf(*course->constant);
      all.push_back(c);
    }
    const std::map<std::string, double> scalars = {{"fluid.viscosity", fallback.fluid.viscosity},
                                                   {"time.dt", fallback.time.dt},
                                                   {"time.dt_max", fallback.time.dt_max},
                                                   {"time.cfl", fallback.time.cfl}};
    const auto scalar = scalars.find(path);
    double** const now = std::get_if<double*>(&value);
    if (scalar == scalars.end() || !now) return;
    json c = controlOf(path, name, doc);
    c["type"] = "number";
    c["default"] = scalar->second;
    c["value"] = **now;
    all.push_back(c);
  }
  void table(const char* name, const char*, const std::function<void()>& inside) override {
    table_ = name;
    inside();
    table_.clear();
  }
  void list(const char*, const char*, const Tables&) override {}
  void solver(SolverChoice&) override {}

 private:
  int dimension_;
  std::string table_;
};

const char* nameOf(Kind kind) {
  switch (kind) {
    case Kind::box:
      return "box";
    case Kind::sphere:
      return "sphere";
    case Kind::cylinder:
      return "cylinder";
    case Kind::capsule:
      return "capsule";
    case Kind::plane:
      return "plane";
    case Kind::polygon:
      return "polygon";
    case Kind::mesh:
      return "mesh";
  }
  return "";
}

}  // namespace

json describeScene(const Scene& s) {
  return {{"title", s.title},
          {"dimension", s.dimension},
          {"min", listOf(s.domain.min)},
          {"max", listOf(s.domain.max)},
          {"boundary", s.domain.boundary},
          {"spacing", s.resolution.spacing},
          {"density", s.fluid.density},
          {"gravity", listOf(s.gravity)},
          {"until", s.time.until},
          {"solver", s.solver.name}};
}

json describeSolvers() {
  json all = json::array();
  for (const SolverInfo& s : solvers()) all.push_back({{"name", s.name}, {"source", s.source}, {"text", s.text}});
  return all;
}

json describeControls(const Scene& scene) {
  json all = solverControls(scene);
  SceneControls own(scene.dimension);
  Scene copy = scene;
  declare(own, copy);
  for (const json& c : own.all) all.push_back(c);
  return all;
}

bool isControl(const Scene& scene, const std::string& path) {
  for (const json& c : describeControls(scene))
    if (c["path"] == path) return true;
  return false;
}

json describeSolids(const Scene& scene, const std::vector<SolidShape>& shapes) {
  json all = json::array();
  for (std::size_t b = 0; b < shapes.size(); ++b) {
    const Primitive<double>& p = shapes[b].primitive();
    const bool body = b >= scene.solids.size();
    json solid = {{"name", body ? scene.bodies[b - scene.solids.size()].name : scene.solids[b].name},
                  {"body", body},
                  {"kind", nameOf(p.kind)},
                  {"size", {p.size[0], p.size[1], p.size[2]}},
                  {"inside_out", p.insideOut},
                  {"draggable", !body && p.kind != Kind::plane && !p.insideOut}};
    if (p.kind == Kind::polygon) solid["points"] = std::vector<double>(p.points, p.points + 2 * p.count);
    if (const Mesh* mesh = shapes[b].mesh()) {
      json points = json::array(), triangles = json::array();
      for (const Vector& x : mesh->points)
        for (const double c : x) points.push_back(float(c));
      for (const auto& t : mesh->triangles)
        for (const int i : t) triangles.push_back(i);
      solid["points"] = std::move(points);
      solid["triangles"] = std::move(triangles);
    }
    all.push_back(std::move(solid));
  }
  return all;
}

std::vector<Pose<double>> posesOf(const Scene& scene, const std::vector<SolidShape>& shapes, const Snapshot& s) {
  std::vector<Pose<double>> poses;
  for (std::size_t b = 0; b < shapes.size(); ++b) {
    Pose<double> pose = shapes[b].pose();
    const std::size_t k = b - scene.solids.size();  // of the body
    if (b < scene.solids.size()) {
      pose = poseAt(scene.solids[b].motion, pose, s.time);
    } else if (k < s.bodies.size()) {
      std::copy(s.bodies[k].rotation.begin(), s.bodies[k].rotation.end(), pose.rotation);
      std::copy(s.bodies[k].position.begin(), s.bodies[k].position.end(), pose.position);
    }
    poses.push_back(pose);
  }
  return poses;
}

}  // namespace brim::view
