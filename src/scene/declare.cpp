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
              "Shape; cylinder and mesh need 3 dimensions, polygon needs 2."),
        required);
  v.key("min", &s.min, {"m", "Lowest corner."}, neededBy({"box"}));
  v.key("max", &s.max, {"m", "Highest corner."}, neededBy({"box"}));
  v.key("centre", &s.centre, {"m", "Centre; in 2D a sphere is a disc."}, neededBy({"sphere"}));
  v.key("from", &s.from, {"m", "One end of the axis."}, neededBy({"cylinder", "capsule"}));
  v.key("to", &s.to, {"m", "The other end of the axis."}, neededBy({"cylinder", "capsule"}));
  v.key("radius", &s.radius, positive("m", "Radius."), neededBy({"sphere", "cylinder", "capsule"}));
  v.key("point", &s.point, {"m", "A point on the plane."}, neededBy({"plane"}));
  v.key("normal", &s.normal, {"", "Points out of the half-space that the plane bounds; any length."}, neededBy({"plane"}));
  v.key("points", &s.points, {"m", "Corners in order, at least three; either orientation."}, neededBy({"polygon"}));
  v.key("file", &s.file, {"", "Closed surface, OBJ, PLY or STL; relative to the scene file."}, neededBy({"mesh"}));
  v.key("scale", &s.scale, positive("", "Metres per unit of the mesh file."), of({"mesh"}));
  v.key("translate", &s.translate, {"m", "Shift of the mesh, after scaling."}, of({"mesh"}));
  v.key("rotate", Turn{&s.rotate}, {"deg", "Turn about x, then y, then z through the shape's centre; in 2D one angle."});
  v.key("inside_out", &s.inside_out, {"", "The shape is everything outside of it: a tank."});
}

void declareMotion(SceneVisitor& v, Motion& m) {
  v.key("velocity", &m.velocity, {"m/s", "Constant velocity."});
  v.key("rate", &m.rate, {"rad/s", "Rotation about the axis, by the right hand (2D: counter-clockwise)."});
  v.key("axis", Turn{&m.axis}, {"", "Axis of the rotation; any length; not needed in 2D."});
  v.key("pivot", &m.pivot, {"m", "A point on the axis at the start."});
  v.key("displacement", &m.displacement,
        {"m", "Keyframes of the distance from the initial place; linear between, held outside."});
  v.key("start", &m.start, atLeast(0, "s", "At rest before."));
  v.key("stop", &m.stop, atLeast(0, "s", "At rest after."));
}

void declareBlock(SceneVisitor& v, Block& b) {
  declareShape(v, b.shape);
  v.key("velocity", &b.velocity, {"m/s", "Velocity at the start."});
  v.key("particles", &b.particles,
        atLeast(0, "", "This many particles, at random places of the shape however small it is; 0: a lattice at rest."));
  v.key("in_solids", &b.in_solids, {"", "Fill also where solids are: fluid that a solver has to push out."});
}

void declareEmitter(SceneVisitor& v, Emitter& e) {
  v.key("kind", &e.kind, oneOf({"rectangle", "disc"}, "Shape of the opening; in 2D a rectangle is a line."), required);
  v.key("centre", &e.centre, {"m", "Centre of the opening."}, required);
  v.key("direction", &e.direction, {"", "Where the fluid flows to; any length."}, required);
  v.key("up", &e.up, {"", "Where the rectangle's height points (3D)."}, of({"rectangle"}));
  v.key("width", &e.width, positive("m", "Width; in 2D the length of the line."), neededBy({"rectangle"}));
  v.key("height", &e.height, atLeast(0, "m", "Height (3D)."), of({"rectangle"}));
  v.key("radius", &e.radius, positive("m", "Radius."), neededBy({"disc"}));
  v.key("speed", &e.speed, positive("m/s", "Speed of the fluid that enters."));
  v.key("start", &e.start, atLeast(0, "s", "Closed before."));
  v.key("until", &e.until, atLeast(0, "s", "Closed after."));
  v.key("count", &e.count, atLeast(0, "", "Particles it lets in at most."));
}

void declareSink(SceneVisitor& v, Sink& s) { declareShape(v, s.shape); }

void declareSolid(SceneVisitor& v, Solid& s) {
  v.key("name", &s.name, {"", "For messages and results."});
  declareShape(v, s.shape);
  v.table("motion", "How the solid moves; without it, it stays. Velocity, rotation and keyframes add.",
          [&] { declareMotion(v, s.motion); });
}

void declareCloth(SceneVisitor& v, Cloth& c) {
  v.key("name", &c.name, {"", "For messages and results."});
  v.key("kind", &c.kind, oneOf({"rectangle", "mesh", "rope"}, "Rectangle and mesh need 3 dimensions; in 2D a sheet is a rope."),
        required);
  v.key("corner", &c.corner, {"m", "One corner."}, neededBy({"rectangle"}));
  v.key("along", &c.along, {"m", "From the corner to the next one."}, neededBy({"rectangle"}));
  v.key("across", &c.across, {"m", "From the corner to the one before."}, neededBy({"rectangle"}));
  v.key("from", &c.from, {"m", "One end."}, neededBy({"rope"}));
  v.key("to", &c.to, {"m", "The other end."}, neededBy({"rope"}));
  v.key("file", &c.file, {"", "Surface, open or closed, OBJ, PLY or STL; relative to the scene file."}, neededBy({"mesh"}));
  v.key("scale", &c.scale, positive("", "Metres per unit of the mesh file."), of({"mesh"}));
  v.key("translate", &c.translate, {"m", "Shift of the mesh, after scaling."}, of({"mesh"}));
  v.key("cell", &c.cell, atLeast(0, "m", "Distance of nodes; 0: one spacing."), of({"rectangle", "rope"}));
  v.key("density", &c.density, positive("kg/m^2", "Mass of an area."));
  v.key("stretch", &c.stretch, positive("N/m", "Tension at a strain of one."));
  v.key("give", &c.give, between(0, 1, "", "Strain, either way, that meets no resistance."));
  v.key("bending", &c.bending, atLeast(0, "N m", "Moment of a metre's width at a curvature of one."));
  v.key("springs", &c.springs, oneOf({"areas", "edges"}, "What resists stretch: whole triangles, or their edges alone."),
        of({"rectangle", "mesh"}));
  v.key("hold", &c.hold,
        oneOf({"corners", "along_low", "along_high", "across_low", "across_high", "from", "to"},
              "What stays where it is: corners or sides of a rectangle, ends of a rope."),
        of({"rectangle", "rope"}));
  v.key("pins", &c.pins, {"m", "The node nearest to each of these points stays where it is."});
  v.key("velocity", &c.velocity, {"m/s", "Velocity at the start."});
}

void declareSoft(SceneVisitor& v, Soft& s) {
  v.key("name", &s.name, {"", "For messages and results."});
  declareShape(v, s.shape);
  v.key("cell", &s.cell, atLeast(0, "m", "Distance of nodes; 0: two spacings."));
  v.key("density", &s.density, positive("kg/m^3", "At rest."));
  v.key("stiffness", &s.stiffness, positive("Pa", "Stress at a strain of one."));
  v.key("incompressible", &s.incompressible, atLeast(0, "Pa", "Pressure at a change of volume by one."));
  v.key("pins", &s.pins, {"m", "The node nearest to each of these points stays where it is."});
  v.key("velocity", &s.velocity, {"m/s", "Velocity at the start."});
}

void declareBody(SceneVisitor& v, RigidBody& b) {
  v.key("name", &b.name, {"", "For joints, messages and results."}, required);
  declareShape(v, b.shape);
  v.key("density", &b.density, positive("kg/m^3", "Gives the mass and the moments of inertia."));
  v.key("mass", &b.mass, atLeast(0, "kg", "Instead of the density; 0: the density counts."));
  v.key("velocity", &b.velocity, {"m/s", "Of the centre of mass, at the start."});
  v.key("spin", Turn{&b.spin}, {"rad/s", "At the start; in 2D one number, counter-clockwise."});
  v.key("friction", &b.friction, atLeast(0, "", "Coulomb's coefficient; between two bodies the geometric mean of theirs."));
  v.key("held", &b.held, {"", "Stays where it is, and bodies.csv tells what the fluid does to it."});
  v.key("collides", &b.collides, {"", "With bodies, solids and walls; if not, only fluid and joints touch it."});
}

void declareJoint(SceneVisitor& v, Joint& j) {
  v.key("name", &j.name, {"", "For messages and results."}, required);
  v.key("kind", &j.kind, oneOf({"ball", "hinge", "slider", "fixed", "distance"}, "What it leaves free; a 2D ball is a hinge."),
        required);
  v.key("a", &j.a, {"", "A body."}, required);
  v.key("b", &j.b, {"", "The other body; none: the world."});
  v.key("point", &j.point, {"m", "Where the joint is at the start; of a distance its end on a."}, required);
  v.key("to", &j.to, {"m", "The end on b."}, neededBy({"distance"}));
  v.key("axis", &j.axis, {"", "Of turning or sliding; any length; not needed by a hinge in 2D."}, of({"hinge", "slider"}));
  v.key("low", &j.low, {"rad or m", "Least angle or way from the start, least length of a distance."},
        of({"hinge", "slider", "distance"}));
  v.key("high", &j.high, {"rad or m", "Largest angle or way from the start, largest length of a distance."},
        of({"hinge", "slider", "distance"}));
  v.key("motor_speed", &j.motor_speed, {"rad/s or m/s", "Of a against b, what the motor works for."}, of({"hinge", "slider"}));
  v.key("motor_limit", &j.motor_limit, atLeast(0, "N m or N", "What the motor has at most; 0: no motor."),
        of({"hinge", "slider"}));
  v.key("motor_start", &j.motor_start, atLeast(0, "s", "Off before."), of({"hinge", "slider"}));
  v.key("motor_stop", &j.motor_stop, atLeast(0, "s", "Off after."), of({"hinge", "slider"}));
  v.key("compliance", &j.compliance, atLeast(0, "m/N or rad/(N m)", "How far the joint gives way under load."));
}

void declareGauge(SceneVisitor& v, Gauge& g) {
  v.key("name", &g.name, {"", "Heads its columns in gauges.csv."}, required);
  v.key("kind", &g.kind,
        oneOf({"level", "pressure", "flow"},
              "level: how far the fluid reaches along a line; pressure at a point; flow through a rectangle (2D: a line)."),
        required);
  v.key("from", &g.from, {"m", "Start of the line, in the fluid."}, neededBy({"level"}));
  v.key("to", &g.to, {"m", "End of the line, above the fluid."}, neededBy({"level"}));
  v.key("point", &g.point, {"m", "Where."}, neededBy({"pressure"}));
  v.key("centre", &g.centre, {"m", "Of the rectangle."}, neededBy({"flow"}));
  v.key("direction", &g.direction, {"", "What counts as forward; any length."}, neededBy({"flow"}));
  v.key("up", &g.up, {"", "Where the rectangle's height points (3D)."}, of({"flow"}));
  v.key("width", &g.width, positive("m", "Width; in 2D the length of the line."), neededBy({"flow"}));
  v.key("height", &g.height, atLeast(0, "m", "Height (3D)."), of({"flow"}));
}

}  // namespace

void declare(SceneVisitor& v, Scene& s) {
  v.key("version", &s.version, between(1, 1, "", "Version of this format."), required);
  v.key("title", &s.title, {"", "One line for lists and pictures."});
  v.key("dimension", &s.dimension, between(2, 3, "", "2 or 3. A 2D scene is 1 m thick."));
  v.key("gravity", Course{&s.gravity, &s.gravity_keys}, {"m/s^2", "Acceleration; or keyframes of it."});
  v.table("domain", "The box that holds everything.", [&] {
    v.key("min", &s.domain.min, {"m", "Lowest corner."});
    v.key("max", &s.domain.max, {"m", "Highest corner."});
    v.key("boundary", &s.domain.boundary,
          oneOf({"walls", "periodic", "open"},
                "What bounds it, one word or one per axis; fluid that leaves an open side is removed."));
  });
  v.table("resolution", "The one resolution of the scene.", [&] {
    v.key("spacing", &s.resolution.spacing,
          positive("m", "Distance of particles at rest; a particle's mass is density * spacing^dimension."));
    v.key("support", &s.resolution.support, between(1.2, 5, "spacings", "Radius of the kernel."));
  });
  v.table("fluid", "The liquid and where it comes from.", [&] {
    v.key("density", &s.fluid.density, positive("kg/m^3", "At rest."));
    v.key("viscosity", &s.fluid.viscosity, atLeast(0, "Pa s", "Dynamic viscosity."));
    v.list("blocks", "Fluid that is there at the start.", tables(s.fluid.blocks, declareBlock));
    v.list("emitters", "Openings that let fluid in.", tables(s.fluid.emitters, declareEmitter));
    v.list("sinks", "Fluid that enters the shape is taken out.", tables(s.fluid.sinks, declareSink));
  });
  v.list("solids", "What the fluid flows around.", tables(s.solids, declareSolid));
  v.list("cloth", "Sheets that fluid moves and that hold fluid; for projective and pbf.", tables(s.cloth, declareCloth));
  v.list("soft", "Soft bodies that fluid moves; for projective and pbf.", tables(s.soft, declareSoft));
  v.list("bodies", "Rigid bodies that move by themselves.", tables(s.bodies, declareBody));
  v.list("joints", "What ties bodies to each other or to the world.", tables(s.joints, declareJoint));
  v.list("gauges", "What is measured in the fluid, once a frame.", tables(s.gauges, declareGauge));
  v.solver(s.solver);
  v.table("time", "How far, and in which steps.", [&] {
    v.key("until", &s.time.until, positive("s", "End of the run."));
    v.key("dt", &s.time.dt, atLeast(0, "s", "Fixed step, which switches the CFL condition off; 0: adapted."));
    v.key("dt_max", &s.time.dt_max, positive("s", "Longest adapted step."));
    v.key("cfl", &s.time.cfl,
          positive("particle radii", "How far a particle may travel in one adapted step; for flip and apic in cells."));
  });
  v.table("output", "What a run leaves behind.", [&] {
    v.key("frames_per_second", &s.output.frames_per_second, atLeast(0, "1/s", "Frames per simulated second; 0: none."));
    v.key("formats", &s.output.formats, oneOf({"vtp", "ply"}, "Files of a frame."));
    v.key("checkpoint_every", &s.output.checkpoint_every,
          atLeast(0, "s", "Wall time between checkpoints; 0: only when the run is stopped."));
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

const SolverInfo* findSolver(const std::string& name) {
  for (const SolverInfo& s : solvers())
    if (s.name == name) return &s;
  return nullptr;
}

std::vector<std::string> solverNames() {
  std::vector<std::string> names;
  for (const SolverInfo& s : solvers()) names.push_back(s.name);
  return names;
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
