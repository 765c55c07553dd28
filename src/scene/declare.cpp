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
          ". \"free\": without friction; \"none\": it sticks; a number: Navier's slip length, behind the surface, at which the "
          "speed along it would be zero; "
          "\"automatic\": \"none\" if the boundary layer is at least two spacings thick, else \"free\".",
      0,
      huge,
      false,
      {"automatic", "free", "none"}};
}

Doc contactAngleDoc(std::string of) {
  return between(0, 180, "deg",
                 "Contact angle, in the fluid, between " + of +
                     " and the free surface of the fluid; below 90 the fluid wets. Needs fluid.surface_tension.");
}

void declareOscillation(SceneVisitor& v, Oscillation& o) {
  v.key("amplitude", &o.amplitude, {"m", "Amplitude of the displacement."});
  v.key("angle", &o.angle, {"deg", "Amplitude of the rotation about the axis."});
  v.key("period", &o.period, positive("s", "Period."), required);
  v.key("phase", &o.phase, {"deg", "Phase at the start."});
  v.key("ramp", &o.ramp, atLeast(0, "s", "Time in which the oscillation grows smoothly to its amplitude; 0: at once."));
}

void declareWaveMaker(SceneVisitor& v, WaveMaker& w) {
  v.key("kind", &w.kind,
        oneOf({"piston", "flap"}, "piston: moves to and fro; flap: turns about the motion's axis, whose pivot lies at the bed."),
        required);
  v.key("spectrum", &w.spectrum, oneOf({"regular", "jonswap"}, "Waves of one height and period, or irregular waves."));
  v.key("depth", &w.depth, positive("m", "Depth of the still water in front of the wave maker."), required);
  v.key("height", &w.height, atLeast(0, "m", "Height of the waves from trough to crest; of a spectrum the significant height."));
  v.key("stroke", &w.stroke,
        atLeast(0, "m", "Instead of the height: the full way of the wave maker at the still water level. For regular waves."));
  v.key("period", &w.period, positive("s", "Period of the waves; of a spectrum the period of its peak."), required);
  v.key("direction", &w.direction, {"", "Direction in which the waves run. Any length."}, of({"piston"}));
  v.key("gamma", &w.gamma, between(1, 20, "", "Peak enhancement of the JONSWAP spectrum; 1: Pierson-Moskowitz."));
  v.key("components", &w.components, between(1, 10000, "", "Number of harmonic components of a spectrum."));
  v.key("seed", &w.seed, between(0, 1e9, "", "Another number gives other phases of the components."));
  v.key("ramp", &w.ramp, atLeast(0, "s", "Time in which the waves grow; 0: one period."));
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
  v.key("rotation", TurnKeys{&m.rotation},
        {"deg",
         "Keyframes of the rotation about the x, then y, then z axis through the pivot. In 2D one angle is enough: "
         "{time = 1, value = 10}."});
  v.key("file", &m.file,
        {"",
         "CSV file with keyframes of displacement and rotation: a header with time [s] and any of x, y, z [m], angle_x, angle_y, "
         "angle_z [deg] (2D: angle), then rows. The path is relative to the scene file."});
  v.key("interpolation", &m.interpolation,
        oneOf({"linear", "cubic"}, "Interpolation between keyframes. cubic: velocities are continuous."));
  v.key("start", &m.start, atLeast(0, "s", "At rest before this time."));
  v.key("stop", &m.stop, atLeast(0, "s", "At rest after this time."));
  v.list("oscillations", "Harmonic parts of the motion: amplitude sin(2 pi (t - start)/period + phase).",
         tables(m.oscillations, declareOscillation));
  v.list("waves", "Makes a wave maker of the solid: it moves as linear theory asks for these waves.",
         tables(m.waves, declareWaveMaker));
}

void declareField(SceneVisitor& v, VelocityField& f) {
  v.key(
      "kind", &f.kind,
      oneOf({"rotation", "shear", "strain", "taylor_green", "expression"},
            "rotation: rigid; shear: rate (r . gradient) direction; strain: stretches along the direction and shrinks across it, "
            "without change of volume; taylor_green: u = speed sin(kx) cos(ky) cos(kz), v = -speed cos(kx) sin(ky) cos(kz), "
            "w = 0 with k = 2 pi/wavelength; expression: formulas."),
      required);
  v.key("centre", &f.centre, {"m", "Point where the field is zero. Places r count from here."},
        of({"rotation", "shear", "strain", "taylor_green"}));
  v.key("rate", &f.rate, {"rad/s or 1/s", "Angular velocity, right-handed (2D: counter-clockwise), shear rate or strain rate."},
        neededBy({"rotation", "shear", "strain"}));
  v.key("axis", Turn{&f.axis}, {"", "Axis of the rotation. Any length. Not needed in 2D."}, of({"rotation"}));
  v.key("direction", &f.direction, {"", "Direction of the flow of a shear, or of the stretch of a strain. Any length."},
        of({"shear", "strain"}));
  v.key("gradient", &f.gradient, {"", "Direction in which the velocity of a shear grows. Any length."}, of({"shear"}));
  v.key("speed", &f.speed, {"m/s", "Largest speed."}, of({"taylor_green"}));
  v.key("wavelength", &f.wavelength, positive("m", "Wavelength: twice the size of a vortex."), of({"taylor_green"}));
  v.key("velocity", &f.velocity,
        {"m/s",
         "One formula for each component, in x, y, z [m] and pi, for instance [\"-2*y\", \"2*x\"]. Functions such as sin, exp, "
         "sqrt, abs, min and \"a < b ? c : d\" work."},
        neededBy({"expression"}));
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
  v.list("fields", "Parts of the initial velocity that depend on the place. They add to \"velocity\".",
         tables(b.fields, declareField));
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

void declareAbsorber(SceneVisitor& v, Absorber& a) {
  v.key("from", &a.from, {"m", "Where the layer begins."}, required);
  v.key("to", &a.to, {"m", "Where it damps most. Beyond, it damps as much."}, required);
  v.key(
      "rate", &a.rate,
      positive("1/s", "Largest rate of decay of the velocity; between \"from\" and \"to\" it grows with the square of the way."));
}

void declareSolid(SceneVisitor& v, Solid& s) {
  v.key("name", &s.name, {"", "Name in messages and results."});
  declareShape(v, s.shape);
  v.key("slip", &s.slip, slipDoc("the solid"));
  v.key("contact_angle", &s.contact_angle, contactAngleDoc("the solid"));
  v.key("surface_velocity", &s.surface_velocity,
        {"m/s",
         "Velocity with which the surface slides in its own plane while the solid stays where it is, such as a lid or a "
         "conveyor. Its part across the surface is left out. With slip = \"automatic\" such a surface has slip \"none\"."});
  v.table("motion", "Prescribed motion of the solid; without this table it is at rest. All parts are added.",
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
  v.key("contact_angle", &b.contact_angle, contactAngleDoc("the body"));
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
  v.key("name", &g.name, {"", "Name of its columns in gauges.csv, or of its own table."}, required);
  v.key("kind", &g.kind,
        oneOf({"level", "runup", "pressure", "velocity", "flow", "volume", "force", "patch"},
              "level: coordinate of the free surface along a line; runup: how far fluid reaches along a line; pressure and "
              "velocity: at a point; flow: volume flow through a rectangle (2D: a line); volume: of the fluid in a box; force: "
              "force and moment of the fluid's pressure on a solid or a body; patch: the same on a rectangle of a wall."),
        required);
  v.key("from", &g.from, {"m", "Start of the line, in the fluid or on the bottom."}, neededBy({"level", "runup"}));
  v.key("to", &g.to, {"m", "End of the line, beyond the fluid."}, neededBy({"level", "runup"}));
  v.key("point", &g.point, {"m", "Position of the sensor, in the fluid or on a wall."}, neededBy({"pressure", "velocity"}));
  v.key(
      "radius", &g.radius,
      atLeast(0, "m", "Radius of the sensor. The kernel's support is added to it, in which fluid counts less the farther it is."),
      of({"pressure", "velocity"}));
  v.key("centre", &g.centre, {"m", "Centre of the rectangle."}, neededBy({"flow", "patch"}));
  v.key("direction", &g.direction,
        {"", "Flow: its positive direction; patch: the normal out of the wall, into the fluid. Any length."},
        neededBy({"flow", "patch"}));
  v.key("up", &g.up, {"", "Direction of the height of the rectangle (3D)."}, of({"flow", "patch"}));
  v.key("width", &g.width, positive("m", "Width. In 2D the length of the line."), neededBy({"flow", "patch"}));
  v.key("height", &g.height, atLeast(0, "m", "Height (3D)."), of({"flow", "patch"}));
  v.key("min", &g.min, {"m", "Lower corner of the box."}, neededBy({"volume"}));
  v.key("max", &g.max, {"m", "Upper corner of the box."}, neededBy({"volume"}));
  v.key("on", &g.on, {"", "Name of a solid or a body."}, neededBy({"force"}));
  v.key("about", &g.about, {"m", "Point of the scene that moments are about."}, of({"force", "patch"}));
  v.key(
      "rate", &g.rate,
      atLeast(0, "Hz",
              "Samples per second, in the table gauges/NAME.csv: one at the end of the first step at or after each tick; 0: one "
              "with every frame, in gauges.csv."));
  v.key("average", &g.average,
        atLeast(0, "s", "Every value is the mean of the steps of this long; 0: the value at that moment."));
}

}  // namespace

void declare(SceneVisitor& v, Scene& s) {
  v.key("version", &s.version, between(1, 1, "", "Version of this format."), required);
  v.key("title", &s.title, {"", "Title in lists and pictures, one line."});
  v.key("dimension", &s.dimension, between(2, 3, "", "Number of dimensions, 2 or 3. A 2D scene is 1 m thick."));
  v.key("gravity", Course{&s.gravity, &s.gravity_keys, &s.gravity_file},
        {"m/s^2",
         "Gravitational acceleration: constant, as keyframes, or the name of a CSV file with a header (time, x, y, z) and rows, "
         "relative to the scene file."});
  v.table("domain", "The box that contains the scene.", [&] {
    v.key("min", &s.domain.min, {"m", "Lower corner."});
    v.key("max", &s.domain.max, {"m", "Upper corner."});
    v.key("boundary", &s.domain.boundary,
          oneOf({"walls", "periodic", "open"},
                "Type of the sides, one word or one per axis. Fluid that leaves through an open side is removed."));
    v.key("slip", &s.domain.slip, slipDoc("the domain's walls"));
    v.key("contact_angle", &s.domain.contact_angle, contactAngleDoc("the domain's walls"));
  });
  v.table("tank",
          "Motion of the domain with all walls, solids and gauges. The run computes in the frame of the tank: gravity turns, and "
          "inertial forces act (translation, Euler, Coriolis, centrifugal). Positions and velocities of results are relative to "
          "the tank; keys of the scene are too, but for gravity and this motion.",
          [&] { declareMotion(v, s.tank); });
  v.table("resolution", "The resolution of the scene.", [&] {
    v.key("spacing", &s.resolution.spacing,
          positive("m", "Distance between particles at rest. The mass of a particle is density * spacing^dimension."));
    v.key("support", &s.resolution.support,
          between(1.2, 5, "spacings",
                  "Support radius of the smoothing kernel: twice its smoothing length. "
                  "The quintic spline reaches half as far again, the kernel slepian a tenth."));
  });
  v.table("fluid", "The liquid and its sources.", [&] {
    v.key("density", &s.fluid.density, positive("kg/m^3", "Rest density."));
    v.key("viscosity", &s.fluid.viscosity, atLeast(0, "Pa s", "Dynamic viscosity."));
    v.key(
        "surface_tension", &s.fluid.surface_tension,
        atLeast(0, "N/m",
                "Surface tension against the air around the fluid; 0: none. Water has 0.072 N/m. Steps are at most "
                "sqrt(density d^3/(4 pi surface_tension)), d the spacing or a grid's cell; a particle solver's tolerance is 3e-5 "
                "where the scene gives none."));
    v.list("blocks", "Fluid at the start of the simulation.", tables(s.fluid.blocks, declareBlock));
    v.list("emitters", "Openings where fluid enters.", tables(s.fluid.emitters, declareEmitter));
    v.list("sinks", "Fluid that enters one of these shapes is removed.", tables(s.fluid.sinks, declareSink));
    v.list("absorbers", "Sponge layers that absorb waves: the velocity of the fluid decays there.",
           tables(s.fluid.absorbers, declareAbsorber));
  });
  v.list("solids", "Solids at rest or with a prescribed motion.", tables(s.solids, declareSolid));
  v.list("cloth", "Cloth and ropes, coupled with the fluid in both directions. For solvers pbf and projective.",
         tables(s.cloth, declareCloth));
  v.list("soft", "Soft bodies, coupled with the fluid in both directions. For solvers pbf and projective.",
         tables(s.soft, declareSoft));
  v.list("bodies", "Rigid bodies that move freely under gravity, contacts, joints and the fluid.", tables(s.bodies, declareBody));
  v.list("joints", "Joints between two bodies, or between a body and the world.", tables(s.joints, declareJoint));
  v.list("gauges", "Instruments in the fluid: docs/instruments.md says what each reads.", tables(s.gauges, declareGauge));
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

double supportOf(const Scene& s) {
  const std::string kernel = kernelName(s);
  return s.resolution.support * (kernel == "quintic" ? 1.5 : kernel == "slepian" ? 1.1 : 1.0);
}

std::vector<std::string> solverNames() {
  std::vector<std::string> names;
  for (const SolverInfo& s : solvers()) names.push_back(s.name);
  return names;
}

std::string textOf(const Capabilities& c) {
  std::string text = "2D, 3D; viscosity";
  if (c.surface_tension) text += "; surface tension";
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
