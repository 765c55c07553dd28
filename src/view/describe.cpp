#include "view/describe.h"

#include <fmt/format.h>

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
  explicit SceneControls(const Scene& scene) : scene_(scene) {}
  json all = json::array();

  void key(const char* name, Value value, const Doc& doc, const Use&) override {
    const std::string path = table_.empty() ? name : table_ + "." + name;
    static const Scene fallback;
    if (const auto joint = motorAt(scene_, path)) {
      const Joint& j = scene_.joints[*joint];
      json c = controlOf(path, j.name.empty() ? path : j.name, doc);
      c["unit"] = j.kind == "hinge" ? "rad/s" : "m/s";
      c["type"] = "number";
      c["joint"] = *joint;
      c["default"] = 0;  // the motor holds still
      c["value"] = j.motor_speed;
      all.push_back(c);
    }
    if (path == "gravity") {
      const Course* const course = std::get_if<Course>(&value);
      if (!course || !course->keys->empty() || !course->file->empty()) return;
      json c = controlOf(path, name, doc);
      c["type"] = "vector";
      c["size"] = scene_.dimension;
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
  void list(const char* name, const char*, const Tables& items) override {
    if (std::string(name) != "joints") return;
    for (std::size_t k = 0; k < items.size; ++k) {
      table_ = fmt::format("joints[{}]", k);
      items.visit(k, *this);
    }
    table_.clear();
  }
  void solver(SolverChoice&) override {}

 private:
  const Scene& scene_;
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

json describeReport(const StepReport& r) {
  return {{"dt", r.dt},
          {"dt_limit", r.dt_limit},
          {"iterations", r.iterations},
          {"density_error_mean", r.density_error_mean},
          {"density_error_max", r.density_error_max},
          {"kinetic_energy", r.kinetic_energy},
          {"potential_energy", r.potential_energy},
          {"max_speed", r.max_speed},
          {"emitted", r.emitted},
          {"sunk", r.sunk},
          {"lost", r.lost}};
}

json describeSolvers() {
  json all = json::array();
  for (const SolverInfo& s : solvers()) all.push_back({{"name", s.name}, {"source", s.source}, {"text", s.text}});
  return all;
}

json describeControls(const Scene& scene) {
  json all = solverControls(scene);
  Scene copy = scene;
  SceneControls own(scene);
  declare(own, copy);
  for (const json& c : own.all) all.push_back(c);
  return all;
}

std::optional<std::size_t> motorAt(const Scene& scene, const std::string& path) {
  for (std::size_t k = 0; k < scene.joints.size(); ++k)
    if (scene.joints[k].motor_limit > 0 && path == fmt::format("joints[{}].motor_speed", k)) return k;
  return std::nullopt;
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
