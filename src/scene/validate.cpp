#include "scene/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "brim/suggest.h"
#include "scene/declare.h"
#include "scene/lattice.h"
#include "scene/motion.h"
#include "scene/periodic_check.h"
#include "scene/ranges.h"
#include "scene/shape.h"
#include "scene/sizes.h"
#include "scene/validate_gauges.h"
#include "scene/vector.h"
#include "scene/velocity_field.h"

namespace brim {

using namespace vectors;

namespace {

const char* axisName[] = {"x", "y", "z"};

/// A name that can be part of a column's heading in a CSV file.
bool isHeading(const std::string& name) {
  return !name.empty() && std::none_of(name.begin(), name.end(), [](unsigned char c) { return c < ' ' || c == ',' || c == '"'; });
}

class Meaning {
 public:
  Meaning(const Scene& scene, Mistakes& mistakes) : s(scene), D(scene.dimension), mistakes_(mistakes) {}

  void domain() {
    if (!trusts({"domain"})) return;
    const double d = s.resolution.spacing, support = supportOf(s) * d;
    for (int k = 0; k < D; ++k) {
      const double side = s.domain.max[k] - s.domain.min[k];
      if (!(side > 0))
        return add("domain.max", fmt::format("domain.max must lie above domain.min; along {} they are {:g} m and {:g} m",
                                             axisName[k], s.domain.max[k], s.domain.min[k]));
      if (!trusts({"resolution"})) continue;
      if (side < d)
        return add("domain",
                   fmt::format("the domain is {:g} m wide along {}, less than one spacing, {:g} m", side, axisName[k], d));
      if (s.domain.boundary[k] == "periodic" && !has(&Capabilities::periodic_sides, "domain.boundary", "periodic sides")) return;
      if (s.domain.boundary[k] == "periodic" && side < 2 * support)
        return add("domain.boundary", fmt::format("the domain is periodic along {} but only {:g} m wide there; it needs two "
                                                  "supports, {:g} m, so that a particle does not meet itself",
                                                  axisName[k], side, 2 * support));
    }
  }

  /// A shape by itself: does its kind exist in this dimension, has it a size?
  bool shape(const std::string& path, const Shape& x) {
    if (!trusts({path})) return false;
    if (D == 2 && (x.kind == "cylinder" || x.kind == "mesh"))
      add(path + ".kind", fmt::format("kind \"{}\" needs a 3D scene; in 2D use {}", x.kind,
                                      x.kind == "mesh" ? "polygon" : "box, sphere or capsule"));
    else if (D == 3 && x.kind == "polygon")
      add(path + ".kind", "kind \"polygon\" needs a 2D scene; in 3D use mesh");
    else if (x.kind == "polygon" && x.points.size() < 3)
      add(path + ".points", fmt::format("a polygon needs at least three points; it has {}", x.points.size()));
    else if (x.kind == "plane" && flat(x.normal) == Vector{0, 0, 0})
      add(path + ".normal", "the normal of a plane cannot be zero");
    else if (x.kind == "cylinder" && x.from == x.to)
      add(path + ".to", "the cylinder has no length: \"from\" and \"to\" are the same point");
    else if (x.kind == "mesh")
      meshFile(path, x.file);
    else if (x.kind == "box")
      for (int k = 0; k < D && trusts({path}); ++k)
        if (!(x.max[k] > x.min[k]))
          add(path + ".max",
              fmt::format("the box has no size along {}: max is {:g} m and min {:g} m", axisName[k], x.max[k], x.min[k]));
    return trusts({path});
  }

  void blocks() {
    for (std::size_t i = 0; i < s.fluid.blocks.size(); ++i) {
      const std::string path = fmt::format("fluid.blocks[{}]", i);
      const Shape& x = s.fluid.blocks[i].shape;
      if (!shape(path, x) || x.kind == "mesh") continue;
      const SolidShape solid(s, x, path);
      const bool bounded = std::isfinite(solid.low()[0]) && std::isfinite(solid.high()[0]);
      const Vector size = solid.bodyHigh() - solid.bodyLow();
      const double thin = D == 2 ? std::min(size[0], size[1]) : std::min({size[0], size[1], size[2]});
      const double d = s.resolution.spacing;
      if (trusts({"resolution"}) && !x.inside_out && std::isfinite(thin) && thin < d * (1 - 1e-6))
        add(path, fmt::format("fluid block is {:g} m thin, less than one spacing, {:g} m: it would hold no particles", thin, d));
      else if (trusts({"domain"}) && bounded)
        inDomain(path, solid.low(), solid.high());
    }
  }

  void emitters() {
    for (std::size_t i = 0; i < s.fluid.emitters.size(); ++i) {
      const std::string path = fmt::format("fluid.emitters[{}]", i);
      const Emitter& e = s.fluid.emitters[i];
      if (!trusts({path})) continue;
      const double d = s.resolution.spacing;
      const bool disc = e.kind == "disc";
      const double size = disc ? 2 * e.radius : D == 2 ? e.width : std::min(e.width, e.height);
      if (disc && D == 2)
        add(path + ".kind", "kind \"disc\" needs a 3D scene; in 2D a rectangle of some width is a line");
      else if (flat(e.direction) == Vector{0, 0, 0})
        add(path + ".direction", "the direction of an emitter cannot be zero");
      else if (!disc && D == 3 && length(cross(unit(e.direction), unit(e.up))) < 1e-6)
        add(path + ".up", "\"up\" must not point along the emitter's direction, nor be zero");
      else if (trusts({"resolution"}) && size < d * (1 - 1e-6))
        add(path, fmt::format("the opening is {:g} m, less than one spacing, {:g} m: nothing would come out", size, d));
      else if (const double out = outside(e.centre, e.centre); out > 0 && trusts({"domain"}))
        add(path + ".centre", fmt::format("emitter lies {:.3g} m outside the domain", out));
      else if (e.until < e.start)
        add(path + ".until", fmt::format("the emitter closes at {:g} s, before it opens at {:g} s", e.until, e.start));
    }
  }

  void others() {
    for (std::size_t i = 0; i < s.fluid.sinks.size(); ++i) shape(fmt::format("fluid.sinks[{}]", i), s.fluid.sinks[i].shape);
    std::set<std::string> names;
    for (std::size_t i = 0; i < s.solids.size(); ++i) {
      const std::string path = fmt::format("solids[{}]", i);
      const Solid& solid = s.solids[i];
      shape(path, solid.shape);
      if (!solid.name.empty() && !names.insert(solid.name).second)
        add(path + ".name", fmt::format("two solids have the name \"{}\"", solid.name));
    }
    bodies(names);
    joints();
    checkGauges(s, mistakes_);
    if (s.fluid.blocks.empty() && s.fluid.emitters.empty() && s.cloth.empty() && s.soft.empty() && s.bodies.empty() &&
        trusts({"fluid"}))
      add("fluid", "the scene has no fluid; add [[fluid.blocks]] or [[fluid.emitters]]");
  }

  /// Surfaces that slide.
  void friction() {
    for (std::size_t i = 0; i < s.solids.size(); ++i) {
      const std::string path = fmt::format("solids[{}]", i);
      const Solid& solid = s.solids[i];
      if (!trusts({path}) || flat(solid.surface_velocity) == Vector{0, 0, 0}) continue;
      if (solid.slip.kind == "free" || s.fluid.viscosity == 0)
        add(path + ".surface_velocity",
            "a surface moves the fluid by friction: this needs viscosity, and slip other than \"free\"");
    }
  }

  void surfaceTension() {
    if (trusts({"fluid.surface_tension"}) && s.fluid.surface_tension > 0)
      has(&Capabilities::surface_tension, "fluid.surface_tension", "surface tension");
    const SolverInfo* const solver = findSolver(s.solver.name);
    if (!solver || !solver->capabilities.surface_tension || s.fluid.surface_tension == 0) return;
    for (int k = 0; k < D; ++k)
      if (trusts({"domain.boundary", "fluid.surface_tension"}) && s.domain.boundary[k] == "periodic" &&
          !solver->capabilities.grid)
        return add("fluid.surface_tension", "surface tension of particle solvers does not go across periodic sides");
    const auto refused = [&](const std::string& path, double angle) {
      if (trusts({path}) && angle != 90)
        add(path, fmt::format("with solver \"{}\" the contact angle is 90 degrees everywhere", s.solver.name));
    };
    refused("domain.contact_angle", s.domain.contact_angle);
    for (std::size_t i = 0; i < s.solids.size(); ++i)
      refused(fmt::format("solids[{}].contact_angle", i), s.solids[i].contact_angle);
    for (std::size_t i = 0; i < s.bodies.size(); ++i)
      refused(fmt::format("bodies[{}].contact_angle", i), s.bodies[i].contact_angle);
  }

  /// Cloth and soft bodies: does the solver have them, does their kind exist in this dimension, have they a size?
  void deformables() {
    if (!s.cloth.empty())
      has(&Capabilities::cloth, "cloth[0]", "cloth");
    else if (!s.soft.empty())
      has(&Capabilities::cloth, "soft[0]", "soft bodies");
    for (int k = 0; k < D && (!s.cloth.empty() || !s.soft.empty()); ++k)
      if (s.domain.boundary[k] == "periodic") {
        add("domain.boundary", "cloth and soft bodies need a domain without periodic sides");
        break;
      }
    for (std::size_t i = 0; i < s.cloth.size(); ++i) cloth(fmt::format("cloth[{}]", i), s.cloth[i]);
    for (std::size_t i = 0; i < s.soft.size(); ++i) {
      const std::string path = fmt::format("soft[{}]", i);
      const Shape& x = s.soft[i].shape;
      if (!shape(path, x)) continue;
      if (x.kind == "plane" || x.inside_out) {
        add(path, "a soft body must be bounded: not a plane, and not inside out");
        continue;
      }
      if (x.kind == "mesh" || !trusts({"domain"})) continue;
      const SolidShape solid(s, x, path);
      if (const double out = outside(solid.low(), solid.high()); out > 0)
        add(path, fmt::format("the soft body lies {:.3g} m outside the domain", out));
    }
  }

  void bodies(std::set<std::string>& names) {
    if (s.bodies.empty()) return;
    if (!has(&Capabilities::rigid_bodies, "bodies[0]", "rigid bodies")) return;
    const SolverInfo* const solver = findSolver(s.solver.name);
    const bool both = solver && solver->capabilities.cloth && !(s.cloth.empty() && s.soft.empty());
    if (both && !has(&Capabilities::cloth_with_bodies, "bodies[0]", "rigid bodies in a scene with cloth or soft bodies")) return;
    for (std::size_t i = 0; i < s.bodies.size(); ++i) {
      const std::string path = fmt::format("bodies[{}]", i);
      const RigidBody& b = s.bodies[i];
      shape(path, b.shape);
      if (!names.insert(b.name).second)
        add(path + ".name", fmt::format("two solids or bodies have the name \"{}\"", b.name));
      else if (!isHeading(b.name))
        add(path + ".name", "a body needs a name without commas and quotes: it is part of the names of columns in bodies.csv");
      if (b.shape.kind == "plane" || b.shape.inside_out) add(path, "a body must be bounded: not a plane, and not inside out");
      for (int k = 0; k < D; ++k)
        if (s.domain.boundary[k] == "periodic") {
          add(path, fmt::format("bodies need walls or open sides; the domain is periodic along {}", axisName[k]));
          break;
        }
    }
  }

  void joints() {
    std::set<std::string> names;
    for (std::size_t i = 0; i < s.joints.size(); ++i) {
      const std::string path = fmt::format("joints[{}]", i);
      const Joint& j = s.joints[i];
      if (!trusts({path})) continue;
      const auto known = [&](const std::string& name) {
        return std::any_of(s.bodies.begin(), s.bodies.end(), [&](const RigidBody& b) { return b.name == name; });
      };
      std::vector<std::string> all;
      for (const RigidBody& b : s.bodies) all.push_back(b.name);
      if (!isHeading(j.name) || !names.insert(j.name).second)
        add(path + ".name",
            fmt::format("every joint needs its own name, without commas and quotes; \"{}\" is not allowed or used twice",
                        j.name));
      else if (!known(j.a))
        add(path + ".a", fmt::format("there is no body \"{}\"{}", j.a, didYouMean(j.a, all)));
      else if (!j.b.empty() && !known(j.b))
        add(path + ".b", fmt::format("there is no body \"{}\"{}", j.b, didYouMean(j.b, all)));
      else if (j.a == j.b)
        add(path + ".b", fmt::format("the joint connects \"{}\" to itself", j.a));
      else if (j.kind == "slider" && flat(j.axis) == Vector{0, 0, 0})
        add(path + ".axis", D == 2 ? "a slider needs an axis in the plane" : "the axis of a slider cannot be zero");
      else if (j.kind == "hinge" && D == 3 && j.axis == Vector{0, 0, 0})
        add(path + ".axis", "the axis of a hinge cannot be zero");
      else if (j.low > j.high)
        add(path + ".high", fmt::format("the lower limit, {:g}, is above the upper limit, {:g}", j.low, j.high));
      else if (j.kind == "hinge" && (j.low > -unlimited || j.high < unlimited) && (j.low < -3.1 || j.high > 3.1))
        add(path + ".low", "a hinge's limits are angles between -3.1 and 3.1 rad, and both must be given");
    }
  }

 private:
  void cloth(const std::string& path, const Cloth& c) {
    if (!trusts({path})) return;
    const bool rope = c.kind == "rope";
    const Vector a = flat(c.along), b = flat(c.across), way = flat(c.to - c.from);
    if (rope != (D == 2))
      return add(path + ".kind", fmt::format("kind \"{}\" needs a {}D scene; in {}D use {}", c.kind, rope ? 2 : 3, D,
                                             rope ? "rectangle or mesh" : "rope"));
    for (std::size_t k = 0; k < c.hold.size(); ++k) {
      const bool end = c.hold[k] == "from" || c.hold[k] == "to";
      if (end != rope)
        add(fmt::format("{}.hold[{}]", path, k),
            fmt::format("a {} has no \"{}\" to hold; it has {}", c.kind, c.hold[k],
                        rope ? "from, to" : "corners and the sides along_low ... across_high"));
    }
    if (c.kind == "mesh") return meshFile(path, c.file);
    if (rope ? length(way) == 0 : length(cross(a, b)) <= 1e-9 * length(a) * length(b))
      return add(path, rope ? "the rope has no length" : "the rectangle has no area: \"along\" and \"across\" are parallel");
    if (!trusts({"domain"})) return;
    for (const Vector& p : {c.corner, c.corner + a, c.corner + b, c.corner + a + b})
      if (const double out = rope ? 0 : outside(p, p); out > 0)
        return add(path, fmt::format("the cloth lies {:.3g} m outside the domain", out));
    for (const Vector& p : {c.from, c.to})
      if (const double out = rope ? outside(p, p) : 0; out > 0)
        return add(path, fmt::format("the rope lies {:.3g} m outside the domain", out));
  }

  /// Whether the scene's solver has a feature. If not, a mistake at `path` names the solvers that have it.
  bool has(bool Capabilities::*feature, const std::string& path, const std::string& name) {
    const SolverInfo* const solver = findSolver(s.solver.name);
    if (!solver || solver->capabilities.*feature) return true;
    std::vector<std::string> others;
    for (const SolverInfo& o : solvers())
      if (o.capabilities.*feature) others.push_back(o.name);
    const std::string having = others.empty() ? "no solver has it yet" : "these have: " + listed(others);
    add(path, fmt::format("solver \"{}\" has no {}; {}", s.solver.name, name, having));
    return false;
  }

  Vector flat(const Vector& x) const { return {x[0], x[1], D == 2 ? 0 : x[2]}; }

  bool trusts(std::initializer_list<std::string> paths) const {
    return std::all_of(paths.begin(), paths.end(), [&](const std::string& p) { return mistakes_.trusts(p); });
  }

  void add(const std::string& path, const std::string& what) { mistakes_.add(path, s.at(path), what); }

  void meshFile(const std::string& path, const std::string& name) {
    const auto file = std::filesystem::path(s.file).parent_path() / name;
    std::string ending = file.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored))
      add(path + ".file", fmt::format("there is no mesh file {}", file.string()));
    else if (ending != ".obj" && ending != ".ply" && ending != ".stl")
      add(path + ".file", fmt::format("the mesh {} is not an OBJ, PLY or STL file", name));
  }

  /// [m] how far the box reaches out of the domain; 0 if it does not.
  double outside(const Vector& low, const Vector& high) const {
    double out = 0;
    double far = 0;
    for (int k = 0; k < D; ++k) {
      out = std::max({out, s.domain.min[k] - low[k], high[k] - s.domain.max[k]});
      far = std::max({far, std::abs(s.domain.min[k]), std::abs(s.domain.max[k])});
    }
    return out > 1e-9 * far ? out : 0;  // turning and adding rounds
  }

  void inDomain(const std::string& path, const Vector& low, const Vector& high) {
    const double out = outside(low, high);
    if (out == 0) return;
    const bool below = outside(low, low) == out;
    const std::string corner = path + (below ? ".min" : ".max");
    add(s.where.count(corner) ? corner : path, fmt::format("fluid block lies {:.3g} m outside the domain", out));
  }

  const Scene& s;
  const int D;
  Mistakes& mistakes_;
};

}  // namespace

void checkMeaning(Scene& scene, Mistakes& mistakes) {
  checkRanges(scene, mistakes);
  if (!mistakes.trusts("dimension")) return;
  resolveMotions(scene, mistakes);
  Meaning meaning(scene, mistakes);
  meaning.domain();
  meaning.blocks();
  meaning.emitters();
  meaning.others();
  meaning.friction();
  meaning.surfaceTension();
  meaning.deformables();
  checkMotions(scene, mistakes);
  checkFields(scene, mistakes);
  checkPeriodicGrid(scene, mistakes);
  checkSizes(scene, mistakes);
}

std::vector<Mistake> validate(const Scene& scene) {
  Mistakes mistakes;
  Scene checked = scene;
  checkMeaning(checked, mistakes);
  return mistakes.inOrder();
}

std::vector<Mistake> warnings(const Scene& s) {
  Mistakes all;
  for (const Mistake& m : s.renamed) all.add("", m.at, m.what);
  const auto add = [&](const std::string& path, const std::string& what) { all.add(path, s.at(path), what); };
  if (s.time.dt > 0)
    add("time.dt", fmt::format("time.dt fixes the step at {:g} s: time.cfl and time.dt_max are not used", s.time.dt));
  for (std::size_t i = 0; i < s.fluid.emitters.size(); ++i)
    if (const Emitter& e = s.fluid.emitters[i]; e.start >= s.time.until)
      add(fmt::format("fluid.emitters[{}]", i), fmt::format("the emitter opens at {:g} s, after the run ends", e.start));
  for (std::size_t i = 0; i < s.fluid.blocks.size(); ++i) {
    const Block& b = s.fluid.blocks[i];
    const std::string path = fmt::format("fluid.blocks[{}]", i);
    if (b.shape.kind != "box" || b.particles > 0) continue;
    const double excess = latticeExcess(SolidShape(s, b.shape, path), s.resolution.spacing, s.dimension);
    if (std::abs(excess) > 0.02)
      add(path,
          fmt::format(
              "the sides of the block are not whole numbers of spacings: its particles have {:.1f} % {} volume than the block",
              100 * std::abs(excess), excess > 0 ? "more" : "less"));
  }
  if (s.fluid.surface_tension == 0) {  // 90 degrees is what there is without being asked for, and what a saved scene says
    const auto unused = [&](const std::string& path, double angle) {
      if (angle != 90 && s.where.count(path)) add(path, "without fluid.surface_tension a contact angle is not used");
    };
    unused("domain.contact_angle", s.domain.contact_angle);
    for (std::size_t i = 0; i < s.solids.size(); ++i)
      unused(fmt::format("solids[{}].contact_angle", i), s.solids[i].contact_angle);
    for (std::size_t i = 0; i < s.bodies.size(); ++i)
      unused(fmt::format("bodies[{}].contact_angle", i), s.bodies[i].contact_angle);
  }
  const SolverInfo* const chosen = findSolver(s.solver.name);
  for (std::size_t i = 0; chosen && chosen->capabilities.grid && i < s.solids.size(); ++i) {
    const std::string path = fmt::format("solids[{}]", i);
    if (s.solids[i].shape.kind == "mesh") continue;
    const SolidShape shape(s, s.solids[i].shape, path);
    const Vector size = shape.bodyHigh() - shape.bodyLow();
    const double cell = (s.dimension == 2 ? 3 : 2) * s.resolution.spacing;
    if (const double thin = *std::min_element(size.begin(), size.begin() + s.dimension); thin < cell * (1 - 1e-6))
      add(path, fmt::format("the solid is {:g} m thin, less than a cell of the grid of {}, {:g} m: fluid may leak through", thin,
                            chosen->name, cell));
  }
  if (chosen) {
    std::set<std::string> known = {"name"};
    for (const Parameter& p : parametersOf(*chosen)) known.insert(p.name);
    for (const SolverInfo& other : solvers()) known.insert(other.name);
    for (const auto& [path, at] : s.where)
      if (path.starts_with("solver.") && path.find('.', 7) == std::string::npos && !known.count(path.substr(7)))
        add(path, fmt::format("{} has no \"{}\"; it is not used", chosen->name, path.substr(7)));
    for (std::size_t i = 0; !chosen->capabilities.two_way_bodies && i < s.bodies.size(); ++i)
      add(fmt::format("bodies[{}]", i),
          fmt::format("with solver \"{}\" the fluid does not push rigid bodies: they do not float", chosen->name));
  }
  return all.inOrder();
}

}  // namespace brim
