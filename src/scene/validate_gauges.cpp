#include "scene/validate_gauges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "brim/suggest.h"
#include "scene/shape.h"
#include "scene/vector.h"

namespace brim {

using namespace vectors;

namespace {

// Shape k is one of scene.solids, then of scene.bodies.
const Shape& shapeOf(const Scene& s, std::size_t k) {
  return k < s.solids.size() ? s.solids[k].shape : s.bodies[k - s.solids.size()].shape;
}
std::string tableOf(const Scene& s, std::size_t k) {
  return k < s.solids.size() ? fmt::format("solids[{}]", k) : fmt::format("bodies[{}]", k - s.solids.size());
}

/// Whether a shape that stays where it is buries the sensor, in words; one that moves may free it later. A sensor may be on a
/// surface, which for a mesh is where its distances say, to a tenth of a spacing.
std::string buried(const Scene& s, const Gauge& g, std::size_t k, const SolidShape& shape) {
  const bool solid = k < s.solids.size();
  if (solid ? s.solids[k].motion.moves() : !s.bodies[k - s.solids.size()].held) return "";
  const std::string& name = solid ? s.solids[k].name : s.bodies[k - s.solids.size()].name;
  const double depth = -shape.distance({g.point[0], g.point[1], s.dimension == 2 ? 0 : g.point[2]});
  if (!(depth > 0.1 * s.resolution.spacing)) return "";
  return fmt::format("the gauge lies {:.3g} m inside {}{}; a sensor must be in the fluid or on a surface", depth,
                     solid ? "solid" : "body", name.empty() ? "" : " \"" + name + "\"");
}

class Gauges {
 public:
  Gauges(const Scene& scene, Mistakes& mistakes) : s(scene), D(scene.dimension), mistakes_(mistakes) {}

  void check(const std::string& path, const Gauge& g) {
    if (!mistakes_.trusts(path)) return;
    const bool line = g.kind == "level" || g.kind == "runup", point = g.kind == "pressure" || g.kind == "velocity";
    const bool opening = g.kind == "flow" || g.kind == "patch";
    // Part of the names of columns, and of a file if it has a rate.
    const auto forbidden = [&](unsigned char c) { return c < ' ' || c == ',' || c == '"' || (g.rate > 0 && c == '/'); };
    if (g.name.empty() || std::any_of(g.name.begin(), g.name.end(), forbidden) || !names_.insert(g.name).second)
      add(path + ".name",
          fmt::format("every gauge needs its own name, without commas{} and quotes; \"{}\" is not allowed or used twice",
                      g.rate > 0 ? ", slashes" : "", g.name));
    else if (g.rate > 0 && g.name[0] == '.')
      add(path + ".name", "the name of a gauge with a rate is that of its table and must not begin with a point");
    else if (line && flat(g.from) == flat(g.to))
      add(path + ".to", fmt::format("the line of a {} has no length: \"from\" and \"to\" are the same point", g.kind));
    else if (opening && flat(g.direction) == Vector{0, 0, 0})
      add(path + ".direction", fmt::format("the direction of a {} cannot be zero", g.kind));
    else if (opening && D == 3 && (length(cross(unit(g.direction), unit(g.up))) < 1e-6 || !(g.height > 0)))
      add(path + ".up", fmt::format("a {} in 3D needs a height, and \"up\" must not point along its direction", g.kind));
    else if (g.kind == "volume")
      boxOf(path, g);
    else if (g.kind == "force")
      solidOf(path, g);
    else if (mistakes_.trusts("domain")) {
      if (line && inDomain(path + ".from", g.from)) inDomain(path + ".to", g.to);
      if (opening) inDomain(path + ".centre", g.centre);
      if (point && inDomain(path + ".point", g.point))
        for (std::size_t k = 0; k < s.solids.size() + s.bodies.size(); ++k) {
          const std::string table = tableOf(s, k);
          const Shape& shape = shapeOf(s, k);
          if (shape.kind == "mesh" || !mistakes_.trusts(table) || !mistakes_.trusts(path)) continue;  // meshes: checkSensors
          if (const std::string what = buried(s, g, k, SolidShape(s, shape, table)); !what.empty()) add(path + ".point", what);
        }
    }
  }

 private:
  void boxOf(const std::string& path, const Gauge& g) {
    for (int k = 0; k < D; ++k)
      if (!(g.max[k] > g.min[k]))
        return add(path + ".max", fmt::format("the box of a volume has no size along {}: max is {:g} m and min {:g} m", axis(k),
                                              g.max[k], g.min[k]));
    for (int k = 0; k < D && mistakes_.trusts("domain"); ++k)
      if (g.max[k] <= s.domain.min[k] || g.min[k] >= s.domain.max[k])
        return add(path, fmt::format("the box of gauge \"{}\" lies outside the domain", g.name));
  }

  void solidOf(const std::string& path, const Gauge& g) {
    std::vector<std::string> names;
    const Shape* shape = nullptr;
    const auto meet = [&](const std::string& name, const Shape& of) {
      if (!name.empty()) names.push_back(name);
      if (name == g.on) shape = &of;
    };
    for (const Solid& x : s.solids) meet(x.name, x.shape);
    for (const RigidBody& x : s.bodies) meet(x.name, x.shape);
    if (g.on.empty() || !shape)
      add(path + ".on", fmt::format("there is no solid or body \"{}\"{}", g.on, didYouMean(g.on, names)));
    else if (shape->kind == "plane")
      add(path + ".on", fmt::format("\"{}\" is a plane, which has no end; use a gauge of kind patch on a rectangle of it", g.on));
  }

  /// The farthest that a point lies out of the domain is told; rounding is none.
  bool inDomain(const std::string& path, const Vector& x) {
    double out = 0, far = 0;
    for (int k = 0; k < D; ++k) {
      out = std::max({out, s.domain.min[k] - x[k], x[k] - s.domain.max[k]});
      far = std::max({far, std::abs(s.domain.min[k]), std::abs(s.domain.max[k])});
    }
    if (out <= 1e-9 * far) return true;
    add(path, fmt::format("the gauge lies {:.3g} m outside the domain", out));
    return false;
  }

  static const char* axis(int k) { return k == 0 ? "x" : k == 1 ? "y" : "z"; }
  Vector flat(const Vector& x) const { return {x[0], x[1], D == 2 ? 0 : x[2]}; }
  void add(const std::string& path, const std::string& what) { mistakes_.add(path, s.at(path), what); }

  const Scene& s;
  const int D;
  Mistakes& mistakes_;
  std::set<std::string> names_;
};

}  // namespace

void checkGauges(const Scene& scene, Mistakes& mistakes) {
  Gauges gauges(scene, mistakes);
  for (std::size_t i = 0; i < scene.gauges.size(); ++i) gauges.check(fmt::format("gauges[{}]", i), scene.gauges[i]);
}

void checkSensors(const Scene& scene, const std::vector<SolidShape>& shapes) {
  Mistakes mistakes;
  for (std::size_t i = 0; i < scene.gauges.size(); ++i) {
    const Gauge& g = scene.gauges[i];
    const std::string path = fmt::format("gauges[{}].point", i);
    if (g.kind != "pressure" && g.kind != "velocity") continue;
    for (std::size_t k = 0; k < shapes.size() && mistakes.trusts(path); ++k)
      if (const std::string what = buried(scene, g, k, shapes[k]); !what.empty()) mistakes.add(path, scene.at(path), what);
  }
  if (auto all = mistakes.inOrder(); !all.empty()) throw SceneError(std::move(all));
}

}  // namespace brim
