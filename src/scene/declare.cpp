#include "scene/declare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "brim/suggest.h"

namespace brim {

bool Use::readBy(const std::string& kind) const {
  return kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

namespace {

const double huge = 1e300;

Doc atLeast(double low, std::string unit, std::string text) { return {unit, text, low}; }
Doc positive(std::string unit, std::string text) { return {unit, text, 0, huge, true}; }
Doc between(double low, double high, std::string unit, std::string text) { return {unit, text, low, high}; }
Doc oneOf(std::vector<std::string> words, std::string text) { return {"", text, -huge, huge, false, words}; }

const Use required = {true};
Use of(std::vector<std::string> kinds) { return {false, kinds}; }
Use neededBy(std::vector<std::string> kinds) { return {true, kinds}; }

template <class T>
Tables tables(std::vector<T>& items, void (*inside)(SceneVisitor&, T&)) {
  return {items.size(), [&items](std::size_t n) { items.resize(n); },
          [&items, inside](std::size_t i, SceneVisitor& v) { inside(v, items[i]); },
          [inside](SceneVisitor& v) {
            T fresh;
            inside(v, fresh);
          }};
}

void declareShape(SceneVisitor& v, Shape& s) {
  v.key("kind", &s.kind,
        oneOf({"box", "sphere", "cylinder", "capsule", "plane", "polygon", "mesh"},
              "The shape. Cylinder and mesh are for 3D scenes only, polygon for 2D scenes only."),
        required);
  v.key("min", &s.min, {"m", "Lower corner."}, neededBy({"box"}));
  v.key("max", &s.max, {"m", "Upper corner."}, neededBy({"box"}));
  v.key("centre", &s.centre, {"m", "Centre. In 2D a sphere is a disc."}, neededBy({"sphere"}));
  v.key("from", &s.from, {"m", "One end of the axis."}, neededBy({"cylinder", "capsule"}));
  v.key("to", &s.to, {"m", "The other end of the axis."}, neededBy({"cylinder", "capsule"}));
  v.key("radius", &s.radius, positive("m", "Radius."), neededBy({"sphere", "cylinder", "capsule"}));
  v.key("point", &s.point, {"m", "A point on the plane."}, neededBy({"plane"}));
  v.key("normal", &s.normal, {"", "Normal of the plane, pointing out of the solid half-space. Any length."}, neededBy({"plane"}));
  v.key("points", &s.points, {"m", "Corners in order, at least three, clockwise or counter-clockwise."}, neededBy({"polygon"}));
  v.key("file", &s.file, {"", "File with a closed surface (OBJ, PLY or STL). The path is relative to the scene file."},
        neededBy({"mesh"}));
  v.key("scale", &s.scale, positive("", "Metres per unit of the mesh file."), of({"mesh"}));
  v.key("translate", &s.translate, {"m", "Translation of the mesh, after scaling."}, of({"mesh"}));
  v.key("rotate", Turn{&s.rotate},
        {"deg", "Rotation about the x, then y, then z axis through the centre of the shape. In 2D one angle is enough."});
  v.key("inside_out", &s.inside_out, {"", "true: the shape is everything outside of it, for instance a tank."});
}

Doc slipDoc(std::string of) {
  return {
      "m",
      "How the fluid slides along " + of +
          ". \"free\": without friction; \"none\": it sticks; a number: a slip length, of which only 0, \"none\", is there yet; "
          "\"automatic\": \"none\" if the boundary layer is at least two spacings thick, else \"free\".",
      0,
      huge,
      false,
      {"automatic", "free", "none"}};
}

void declareMotion(SceneVisitor& v, Motion& m) {
  v.key("velocity", &m.velocity, {"m/s", "Constant velocity."});
  v.key("rate", &m.rate, {"rad/s", "Angular velocity about the axis, right-handed (2D: counter-clockwise)."});
  v.key("axis", Turn{&m.axis}, {"", "Axis of the rotation. Any length. Not needed in 2D."});
  v.key("pivot", &m.pivot, {"m", "A point on the axis at time 0."});
  v.key(
      "displacement", &m.displacement,
      {"m",
       "Keyframes of the displacement from the initial position. Linear between keyframes; the first and last value are held."});
  v.key("start", &m.start, atLeast(0, "s", "The solid is at rest before this time."));
  v.key("stop", &m.stop, atLeast(0, "s", "The solid is at rest after this time."));
}

void declareBlock(SceneVisitor& v, Block& b) {
  declareShape(v, b.shape);
  v.key("velocity", &b.velocity, {"m/s", "Initial velocity."});
  v.key(
      "particles", &b.particles,
      atLeast(
          0, "",
          "Number of particles at random positions in the shape, also if they overlap; 0: a regular lattice with one spacing."));
  v.key("in_solids", &b.in_solids, {"", "true: particles may start inside solids. The solver pushes them out."});
}

void declareEmitter(SceneVisitor& v, Emitter& e) {
  v.key("kind", &e.kind, oneOf({"rectangle", "disc"}, "Shape of the opening. In 2D a rectangle is a line."), required);
  v.key("centre", &e.centre, {"m", "Centre of the opening."}, required);
  v.key("direction", &e.direction, {"", "Direction of the flow. Any length."}, required);
  v.key("up", &e.up, {"", "Direction of the height of the rectangle (3D)."}, of({"rectangle"}));
  v.key("width", &e.width, positive("m", "Width. In 2D the length of the line."), neededBy({"rectangle"}));
  v.key("height", &e.height, atLeast(0, "m", "Height (3D)."), of({"rectangle"}));
  v.key("radius", &e.radius, positive("m", "Radius."), neededBy({"disc"}));
  v.key("speed", &e.speed, positive("m/s", "Speed of the fluid that enters the scene."));
  v.key("start", &e.start, atLeast(0, "s", "No fluid enters before this time."));
  v.key("until", &e.until, atLeast(0, "s", "No fluid enters after this time."));
  v.key("count", &e.count, atLeast(0, "", "Largest number of particles that enter."));
}

void declareSink(SceneVisitor& v, Sink& s) { declareShape(v, s.shape); }

void declareSolid(SceneVisitor& v, Solid& s) {
  v.key("name", &s.name, {"", "Name in messages and results."});
  declareShape(v, s.shape);
  v.key("slip", &s.slip, slipDoc("the solid"));
  v.key("surface_velocity", &s.surface_velocity,
        {"m/s",
         "Velocity with which the surface slides in its own plane while the solid stays where it is, such as a lid or a "
         "conveyor. Its part across the surface is left out. With slip = \"automatic\" such a surface has slip \"none\"."});
  v.table("motion",
          "Prescribed motion of the solid; without this table it is at rest. Velocity, rotation and keyframes are added.",
          [&] { declareMotion(v, s.motion); });
}

void declareCloth(SceneVisitor& v, Cloth& c) {
  v.key("name", &c.name, {"", "Name in messages and results."});
  v.key("kind", &c.kind, oneOf({"rectangle", "mesh", "rope"}, "Rectangle and mesh are for 3D scenes. In 2D cloth is a rope."),
        required);
  v.key("corner", &c.corner, {"m", "One corner."}, neededBy({"rectangle"}));
  v.key("along", &c.along, {"m", "Edge vector from the corner to a neighbouring corner."}, neededBy({"rectangle"}));
  v.key("across", &c.across, {"m", "Edge vector from the corner to the other neighbouring corner."}, neededBy({"rectangle"}));
  v.key("from", &c.from, {"m", "One end."}, neededBy({"rope"}));
  v.key("to", &c.to, {"m", "The other end."}, neededBy({"rope"}));
  v.key("file", &c.file, {"", "File with an open or closed surface (OBJ, PLY or STL). The path is relative to the scene file."},
        neededBy({"mesh"}));
  v.key("scale", &c.scale, positive("", "Metres per unit of the mesh file."), of({"mesh"}));
  v.key("translate", &c.translate, {"m", "Translation of the mesh, after scaling."}, of({"mesh"}));
  v.key("cell", &c.cell, atLeast(0, "m", "Distance between nodes; 0: one particle spacing."), of({"rectangle", "rope"}));
  v.key("density", &c.density, positive("kg/m^2", "Mass per area."));
  v.key("stretch", &c.stretch, positive("N/m", "Tensile stiffness: tension per strain."));
  v.key("give", &c.give, between(0, 1, "", "The cloth resists stretch and compression only beyond this strain."));
  v.key("bending", &c.bending, atLeast(0, "N m", "Bending stiffness: moment per width and curvature."));
  v.key("springs", &c.springs,
        oneOf({"areas", "edges"}, "areas: triangles resist in-plane strain; edges: springs along the edges only."),
        of({"rectangle", "mesh"}));
  v.key("hold", &c.hold,
        oneOf({"corners", "along_low", "along_high", "across_low", "across_high", "from", "to"},
              "Parts that do not move: corners or sides of a rectangle, ends of a rope."),
        of({"rectangle", "rope"}));
  v.key("pins", &c.pins, {"m", "For each of these points, the nearest node does not move."});
  v.key("velocity", &c.velocity, {"m/s", "Initial velocity."});
}

void declareSoft(SceneVisitor& v, Soft& s) {
  v.key("name", &s.name, {"", "Name in messages and results."});
  declareShape(v, s.shape);
  v.key("cell", &s.cell, atLeast(0, "m", "Distance between nodes; 0: two particle spacings."));
  v.key("density", &s.density, positive("kg/m^3", "Density at rest."));
  v.key("stiffness", &s.stiffness, positive("Pa", "Elastic stiffness: stress per strain."));
  v.key("bulk_modulus", &s.bulk_modulus,
        atLeast(0, "Pa", "Pressure per relative change of volume; larger: the volume changes less."));
  v.key("pins", &s.pins, {"m", "For each of these points, the nearest node does not move."});
  v.key("velocity", &s.velocity, {"m/s", "Initial velocity."});
}

void declareBody(SceneVisitor& v, RigidBody& b) {
  v.key("name", &b.name, {"", "Name in joints, messages and results."}, required);
  declareShape(v, b.shape);
  v.key("density", &b.density, positive("kg/m^3", "Density. Mass and moments of inertia follow from it."));
  v.key("mass", &b.mass, atLeast(0, "kg", "Mass, used instead of the density; 0: use the density."));
  v.key("velocity", &b.velocity, {"m/s", "Initial velocity of the centre of mass."});
  v.key("spin", Turn{&b.spin}, {"rad/s", "Initial angular velocity. In 2D one number, counter-clockwise."});
  v.key("slip", &b.slip, slipDoc("the body"));
  v.key("friction", &b.friction, atLeast(0, "", "Coulomb friction coefficient. Between two bodies: the geometric mean of both."));
  v.key("held", &b.held, {"", "true: the body does not move, and bodies.csv lists the force of the fluid on it."});
  v.key("collides", &b.collides,
        {"", "true: contacts with bodies, solids and walls; false: only fluid and joints act on the body."});
}

void declareJoint(SceneVisitor& v, Joint& j) {
  v.key("name", &j.name, {"", "Name in messages and results."}, required);
  v.key("kind", &j.kind, oneOf({"ball", "hinge", "slider", "fixed", "distance"}, "Type of joint. In 2D a ball joint is a hinge."),
        required);
  v.key("a", &j.a, {"", "Name of a body."}, required);
  v.key("b", &j.b, {"", "Name of the other body; none: the joint is fixed to the world."});
  v.key("point", &j.point, {"m", "Initial position of the joint. For kind distance: its end on body a."}, required);
  v.key("to", &j.to, {"m", "Its end on body b."}, neededBy({"distance"}));
  v.key("axis", &j.axis, {"", "Axis of rotation or sliding. Any length. Not needed for a hinge in 2D."}, of({"hinge", "slider"}));
  v.key("low", &j.low, {"rad or m", "Lower limit: angle or displacement from the start, or length of a distance joint."},
        of({"hinge", "slider", "distance"}));
  v.key("high", &j.high, {"rad or m", "Upper limit: angle or displacement from the start, or length of a distance joint."},
        of({"hinge", "slider", "distance"}));
  v.key("motor_speed", &j.motor_speed, {"rad/s or m/s", "Target speed of the motor: speed of a relative to b."},
        of({"hinge", "slider"}));
  v.key("motor_limit", &j.motor_limit, atLeast(0, "N m or N", "Largest torque or force of the motor; 0: no motor."),
        of({"hinge", "slider"}));
  v.key("motor_start", &j.motor_start, atLeast(0, "s", "The motor is off before this time."), of({"hinge", "slider"}));
  v.key("motor_stop", &j.motor_stop, atLeast(0, "s", "The motor is off after this time."), of({"hinge", "slider"}));
  v.key("compliance", &j.compliance, atLeast(0, "m/N or rad/(N m)", "Displacement or rotation of the joint per load; 0: rigid."));
}

void declareGauge(SceneVisitor& v, Gauge& g) {
  v.key("name", &g.name, {"", "Name of its columns in gauges.csv."}, required);
  v.key("kind", &g.kind,
        oneOf({"level", "pressure", "flow"},
              "level: fluid level along a line; pressure: at a point; flow: volume flow through a rectangle (2D: a line)."),
        required);
  v.key("from", &g.from, {"m", "Start of the line, in the fluid."}, neededBy({"level"}));
  v.key("to", &g.to, {"m", "End of the line, above the fluid."}, neededBy({"level"}));
  v.key("point", &g.point, {"m", "Position of the gauge."}, neededBy({"pressure"}));
  v.key("centre", &g.centre, {"m", "Centre of the rectangle."}, neededBy({"flow"}));
  v.key("direction", &g.direction, {"", "Positive direction of the flow. Any length."}, neededBy({"flow"}));
  v.key("up", &g.up, {"", "Direction of the height of the rectangle (3D)."}, of({"flow"}));
  v.key("width", &g.width, positive("m", "Width. In 2D the length of the line."), neededBy({"flow"}));
  v.key("height", &g.height, atLeast(0, "m", "Height (3D)."), of({"flow"}));
}

}  // namespace

void declare(SceneVisitor& v, Scene& s) {
  v.key("version", &s.version, between(1, 1, "", "Version of this format."), required);
  v.key("title", &s.title, {"", "Title in lists and pictures, one line."});
  v.key("dimension", &s.dimension, between(2, 3, "", "Number of dimensions, 2 or 3. A 2D scene is 1 m thick."));
  v.key("gravity", Course{&s.gravity, &s.gravity_keys}, {"m/s^2", "Gravitational acceleration, constant or as keyframes."});
  v.table("domain", "The box that contains the scene.", [&] {
    v.key("min", &s.domain.min, {"m", "Lower corner."});
    v.key("max", &s.domain.max, {"m", "Upper corner."});
    v.key("boundary", &s.domain.boundary,
          oneOf({"walls", "periodic", "open"},
                "Type of the sides, one word or one per axis. Fluid that leaves through an open side is removed."));
    v.key("slip", &s.domain.slip, slipDoc("the domain's walls"));
  });
  v.table("resolution", "The resolution of the scene.", [&] {
    v.key("spacing", &s.resolution.spacing,
          positive("m", "Distance between particles at rest. The mass of a particle is density * spacing^dimension."));
    v.key("support", &s.resolution.support,
          between(1.2, 5, "spacings",
                  "Support radius of the smoothing kernel: twice its smoothing length. "
                  "The quintic spline reaches half as far again."));
  });
  v.table("fluid", "The liquid and its sources.", [&] {
    v.key("density", &s.fluid.density, positive("kg/m^3", "Rest density."));
    v.key("viscosity", &s.fluid.viscosity,
          atLeast(0, "Pa s", "Dynamic viscosity. flip and apic have none and refuse more than that of water."));
    v.list("blocks", "Fluid at the start of the simulation.", tables(s.fluid.blocks, declareBlock));
    v.list("emitters", "Openings where fluid enters.", tables(s.fluid.emitters, declareEmitter));
    v.list("sinks", "Fluid that enters one of these shapes is removed.", tables(s.fluid.sinks, declareSink));
  });
  v.list("solids", "Solids at rest or with a prescribed motion.", tables(s.solids, declareSolid));
  v.list("cloth", "Cloth and ropes, coupled with the fluid in both directions. For solvers pbf and projective.",
         tables(s.cloth, declareCloth));
  v.list("soft", "Soft bodies, coupled with the fluid in both directions. For solvers pbf and projective.",
         tables(s.soft, declareSoft));
  v.list("bodies", "Rigid bodies that move freely under gravity, contacts, joints and the fluid.", tables(s.bodies, declareBody));
  v.list("joints", "Joints between two bodies, or between a body and the world.", tables(s.joints, declareJoint));
  v.list("gauges", "Measurements in the fluid, once per frame.", tables(s.gauges, declareGauge));
  v.solver(s.solver);
  v.table("time", "Duration and time steps.", [&] {
    v.key("until", &s.time.until, positive("s", "Simulated time at which the run ends."));
    v.key("dt", &s.time.dt, atLeast(0, "s", "Fixed time step without a CFL condition; 0: adaptive time steps."));
    v.key("dt_max", &s.time.dt_max, positive("s", "Largest adaptive time step."));
    v.key(
        "cfl", &s.time.cfl,
        positive(
            "particle radii",
            "CFL condition: largest distance that a particle may travel in one adaptive step. For flip and apic in grid cells."));
  });
  v.table("output", "Files that a run writes.", [&] {
    v.key("frames_per_second", &s.output.frames_per_second, between(0, 1e6, "1/s", "Frames per simulated second; 0: no frames."));
    v.key("formats", &s.output.formats, oneOf({"vtp", "ply"}, "File formats of a frame."));
    v.key("checkpoint_every", &s.output.checkpoint_every,
          atLeast(0, "s", "Wall-clock time between checkpoints; 0: only when the run is stopped."));
  });
}

std::vector<Parameter> parametersOf(const SolverInfo& solver) {
  struct Collect : ParameterVisitor {
    std::vector<Parameter> all;
    void operator()(const char* name, double& v, const Doc& d) override { all.push_back({name, v, d}); }
    void operator()(const char* name, int& v, const Doc& d) override { all.push_back({name, v, d}); }
    void operator()(const char* name, bool& v, const Doc& d) override { all.push_back({name, v, d}); }
    void operator()(const char* name, std::string& v, const Doc& d) override { all.push_back({name, v, d}); }
  } collect;
  solver.parameters(collect);
  return collect.all;
}

std::string declaredChoice(const std::string& solver, const std::string& parameter) {
  const SolverInfo* const info = findSolver(solver);
  if (!info) return "";
  for (const Parameter& p : parametersOf(*info))
    if (const auto* word = std::get_if<std::string>(&p.value); word && p.name == parameter) return *word;
  return "";
}

const SolverInfo* findSolver(const std::string& name) {
  for (const SolverInfo& s : solvers())
    if (s.name == name) return &s;
  return nullptr;
}

std::string kernelName(const Scene& s) {
  if (const auto chosen = s.solver.choices.find("kernel"); chosen != s.solver.choices.end()) return chosen->second;
  if (const SolverInfo* const solver = findSolver(s.solver.name))
    for (const Parameter& p : parametersOf(*solver))
      if (p.name == "kernel") return std::get<std::string>(p.value);
  return "cubic";
}

double supportOf(const Scene& s) { return s.resolution.support * (kernelName(s) == "quintic" ? 1.5 : 1.0); }

std::vector<std::string> solverNames() {
  std::vector<std::string> names;
  for (const SolverInfo& s : solvers()) names.push_back(s.name);
  return names;
}

std::string textOf(const Capabilities& c) {
  std::string text = "2D, 3D";
  if (!c.grid) text += "; viscosity";
  if (c.periodic_sides) text += "; periodic sides";
  if (c.rigid_bodies) text += c.two_way_bodies ? "; rigid bodies" : "; rigid bodies as moving solids";
  if (c.cloth) text += c.cloth_with_bodies ? "; cloth and soft bodies, also with rigid bodies" : "; cloth and soft bodies";
  return text;
}

std::string unknownSolver(const std::string& name) {
  const auto all = solverNames();
  return fmt::format("solver \"{}\" is not known{}  (one of: {})", name, didYouMean(name, all), listed(all));
}

std::string rangeText(const Doc& d) {
  const bool low = d.low > -huge, high = d.high < huge;
  if (low && high && d.low == d.high) return fmt::format("{:g}", d.low);
  if (low && high && d.positive) return fmt::format("above {:g} and at most {:g}", d.low, d.high);
  if (low && high) return fmt::format("{:g} to {:g}", d.low, d.high);
  if (low) return fmt::format("{} {:g}", d.positive ? "above" : "at least", d.low);
  if (high) return fmt::format("at most {:g}", d.high);
  return "";
}

std::string complaint(const std::string& name, double value, const Doc& d) {
  if (!std::isfinite(value)) return fmt::format("{} is {}; it must be a finite number", name, value);
  if (value >= d.low && value <= d.high && !(d.positive && value == d.low)) return "";
  return fmt::format("{} is {:g}{}{}; it must be {}", name, value, d.unit.empty() ? "" : " ", d.unit, rangeText(d));
}

std::string complaint(const std::string& name, const std::string& value, const Doc& d) {
  if (d.words.empty() || std::find(d.words.begin(), d.words.end(), value) != d.words.end()) return "";
  return fmt::format("{} \"{}\" is not known{}  (one of: {})", name, value, didYouMean(value, d.words), listed(d.words));
}

}  // namespace brim
