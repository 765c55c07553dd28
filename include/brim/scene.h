// What a scene file says: plain values in SI units. Read one with readScene, or fill one in code.
#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "brim/error.h"

namespace brim {

/// Three numbers; two-dimensional scenes use the first two.
using Vector = std::array<double, 3>;

/// A value at a time; between keyframes values are interpolated linearly, outside they are held.
struct Keyframe {
  double time = 0;  // [s]
  Vector value = {0, 0, 0};
};

/// How fluid goes along a surface: "automatic", "free", "none", or "length" with Navier's slip length.
struct Slip {
  std::string kind = "automatic";
  double length = 0;  // [m] how far behind the surface the profile of the velocity would be that of the surface
};

/// A solid shape. `kind` says which of the other members are read:
///   box       min, max                  [m]
///   sphere    centre, radius            [m]   (2D: a disc)
///   cylinder  from, to, radius          [m]   (3D only)
///   capsule   from, to, radius          [m]
///   plane     point, normal                   the half-space that `normal` points away from
///   polygon   points                    [m]   (2D only; simple, either orientation)
///   mesh      file, scale, translate          (3D only; OBJ, PLY or STL; closed)
/// Every kind may be turned by `rotate` about its centre (box, mesh: centre of the bounding box).
struct Shape {
  std::string kind = "box";
  Vector min = {0, 0, 0};        // [m]
  Vector max = {0, 0, 0};        // [m]
  Vector centre = {0, 0, 0};     // [m]
  Vector from = {0, 0, 0};       // [m]
  Vector to = {0, 0, 0};         // [m]
  Vector point = {0, 0, 0};      // [m]
  Vector normal = {0, 1, 0};     // made unit length when used
  double radius = 0;             // [m]
  std::vector<Vector> points;    // [m]
  std::string file;              // relative to the scene file
  double scale = 1;              // metres per unit of the mesh file
  Vector translate = {0, 0, 0};  // [m]
  Vector rotate = {0, 0, 0};     // [deg] about x, then y, then z; 2D scenes use the third
  bool inside_out = false;       // the solid is everything outside the shape: a tank
};

/// A harmonic part of a motion: amplitude sin(2 pi (t - start)/period + phase).
struct Oscillation {
  Vector amplitude = {0, 0, 0};  // [m]
  double angle = 0;              // [deg] about the axis of the motion
  double period = 1;             // [s]
  double phase = 0;              // [deg]
  double ramp = 0;               // [s] in which it grows to its amplitude; 0: at once
};

/// Makes of a solid a wave maker: its stroke follows from the waves by linear theory.
///   piston   moves along `direction`
///   flap     turns about the axis of the motion, which lies at the bed
struct WaveMaker {
  std::string kind = "piston";
  std::string spectrum = "regular";  // or "jonswap"
  Vector direction = {1, 0, 0};      // any length
  double depth = 1;                  // [m] of the still water
  double height = 0;                 // [m] of the waves; of a spectrum the significant height
  double stroke = 0;                 // [m] at the still water level, instead of a height
  double period = 1;                 // [s] of a spectrum that of its peak
  double gamma = 3.3;                // how much higher the peak of a JONSWAP spectrum is
  int components = 100;              // that a spectrum is cut into
  int seed = 1;                      // of their phases
  double ramp = 0;                   // [s] in which the waves grow; 0: one period
};

/// How a solid or a tank moves. All parts add.
struct Motion {
  Vector velocity = {0, 0, 0};           // [m/s]
  Vector axis = {0, 0, 1};               // of rotation
  Vector pivot = {0, 0, 0};              // [m] a point on the axis at t = 0
  double rate = 0;                       // [rad/s] about the axis
  std::vector<Keyframe> displacement;    // [m] from the initial place
  std::vector<Keyframe> rotation;        // [deg] about x, then y, then z through the pivot; 2D scenes use the third
  std::string file;                      // CSV with keyframes of both; relative to the scene file
  std::string interpolation = "linear";  // between keyframes; or "cubic"
  double start = 0;                      // [s] at rest before
  double stop = 1e30;                    // [s] at rest after
  std::vector<Oscillation> oscillations;
  std::vector<WaveMaker> waves;
  /// What `file` and `waves` come to: readScene and Simulation fill it in.
  struct Resolved {
    std::vector<Keyframe> displacement;  // [m]
    std::vector<Keyframe> rotation;      // [deg]
    std::vector<Oscillation> oscillations;
  } resolved = {};
  bool moves() const;
  /// Whether it turns, or moves by more than velocity and displacement.
  bool hasCourse() const;
};

/// A part of the velocity that a block starts with; r is the place from `centre`. `kind` says which members are read:
///   rotation      rate, axis                    rate axis x r
///   shear         rate, direction, gradient     rate (r . gradient) direction
///   strain        rate, direction               stretches along the direction and shrinks equally across it
///   taylor_green  speed, wavelength             vortices
///   expression    velocity                      formulas in x, y, z
struct VelocityField {
  std::string kind = "rotation";
  Vector centre = {0, 0, 0};               // [m]
  double rate = 0;                         // [rad/s], [1/s]
  Vector axis = {0, 0, 1};                 // any length
  Vector direction = {1, 0, 0};            // any length
  Vector gradient = {0, 1, 0};             // any length
  double speed = 1;                        // [m/s]
  double wavelength = 1;                   // [m]
  std::vector<std::string> velocity = {};  // [m/s] one formula for each dimension
};

struct Block {
  Shape shape;
  Vector velocity = {0, 0, 0};             // [m/s]
  double particles = 0;                    // this many at random places of the shape; 0: a lattice of one per spacing^dimension
  bool in_solids = false;                  // fill also where solids are
  std::vector<VelocityField> fields = {};  // add to the velocity
};

/// A rectangle or disc that lets fluid in along `direction`.
struct Emitter {
  std::string kind = "rectangle";  // or "disc"
  Vector centre = {0, 0, 0};       // [m]
  Vector direction = {1, 0, 0};    // made unit length when used
  Vector up = {0, 1, 0};           // where the height of a rectangle points
  double width = 0;                // [m] of a rectangle (2D: its length)
  double height = 0;               // [m] of a rectangle (3D)
  double radius = 0;               // [m] of a disc
  double speed = 1;                // [m/s]
  double start = 0;                // [s]
  double until = 1e30;             // [s]
  double count = 1e15;             // particles at most
};

/// Fluid that enters the shape is taken out.
struct Sink {
  Shape shape;
};

/// A sponge layer: between `from` and `to`, and beyond, the velocity of the fluid decays.
struct Absorber {
  Vector from = {0, 0, 0};  // [m] where the layer begins: the decay is zero here
  Vector to = {0, 0, 0};    // [m] where the decay is `rate`; it grows with the square of the way
  double rate = 5;          // [1/s]
};

struct Solid {
  std::string name;
  Shape shape;
  Motion motion;
  Slip slip = {};
  double contact_angle = 90;            // [deg] in the fluid, between the solid and the fluid's free surface
  Vector surface_velocity = {0, 0, 0};  // [m/s] with which its surface slides in its own plane: a lid, a conveyor
};

/// A sheet that fluid moves and that holds fluid. `kind` says which of the members that place it are read:
///   rectangle  corner, along, across   [m]   (3D only)
///   mesh       file, scale, translate        (3D only; OBJ, PLY or STL; may be open)
///   rope       from, to                [m]   (2D only: a sheet seen from its edge, 1 m deep)
struct Cloth {
  std::string name;
  std::string kind = "rectangle";
  Vector corner = {0, 0, 0};      // [m]
  Vector along = {1, 0, 0};       // [m] from the corner to the next
  Vector across = {0, 0, 1};      // [m] from the corner to the one before
  Vector from = {0, 0, 0};        // [m]
  Vector to = {0, 0, 0};          // [m]
  std::string file;               // relative to the scene file
  double scale = 1;               // metres per unit of the mesh file
  Vector translate = {0, 0, 0};   // [m]
  double cell = 0;                // [m] between nodes; 0: one spacing
  double density = 0.5;           // [kg/m^2]
  double stretch = 2e3;           // [N/m] tension at a strain of one
  double give = 0;                // strain without tension
  double bending = 1e-4;          // [N m]
  std::string springs = "areas";  // what resists stretch: areas (triangles) or edges
  std::vector<std::string> hold;  // which sides stay where they are
  std::vector<Vector> pins;       // [m] the node nearest to each stays where it is
  Vector velocity = {0, 0, 0};    // [m/s]
};

/// A soft body: the shape filled with tetrahedra (2D: triangles).
struct Soft {
  std::string name;
  Shape shape;
  double cell = 0;              // [m] between nodes; 0: two spacings
  double density = 500;         // [kg/m^3]
  double stiffness = 2e4;       // [Pa] stress at a strain of one
  double bulk_modulus = 1e5;    // [Pa] pressure per relative change of volume
  std::vector<Vector> pins;     // [m] the node nearest to each stays where it is
  Vector velocity = {0, 0, 0};  // [m/s]
};

/// A solid that moves by itself: gravity, the fluid, contacts and joints push it.
struct RigidBody {
  std::string name;
  Shape shape;                  // bounded: no plane, not inside out
  double density = 1000;        // [kg/m^3]
  double mass = 0;              // [kg] if above 0, instead of the density
  Vector velocity = {0, 0, 0};  // [m/s] of the centre of mass, at the start
  Vector spin = {0, 0, 0};      // [rad/s] at the start
  Slip slip = {};               // of the fluid along it
  double contact_angle = 90;    // [deg] in the fluid, between the body and the fluid's free surface
  double friction = 0.3;        // Coulomb's coefficient; between two bodies the geometric mean
  bool held = false;            // stays where it is and reports what pushes it
  bool collides = true;         // with bodies, solids and walls; if not, only fluid and joints touch it
};

/// What a limit is where there is none.
constexpr double unlimited = 1e15;

/// Ties body `a` to body `b`, or to the world. `kind` says which of the other members are read:
///   ball      point                               turns freely (2D: like a hinge)
///   hinge     point, axis, limits, motor          turns about the axis (2D: about z)
///   slider    point, axis, limits, motor          slides along the axis without turning
///   fixed     point
///   distance  point on a, to on b, limits         keeps their distance, or keeps it between the limits
struct Joint {
  std::string name;
  std::string kind = "hinge";
  std::string a, b;                           // names of bodies; b empty: the world
  Vector point = {0, 0, 0};                   // [m] at the start
  Vector axis = {0, 0, 1};                    // any length
  Vector to = {0, 0, 0};                      // [m]
  double low = -unlimited, high = unlimited;  // [rad] of a hinge from its start, [m] of a slider from its start or a distance
  double motor_speed = 0;                     // [rad/s] or [m/s] of a against b
  double motor_limit = 0;                     // [N m] or [N] that the motor has; 0: no motor
  double motor_start = 0, motor_stop = 1e30;  // [s] without force before and after
  double compliance = 0;                      // [m/N], [rad/(N m)] how far the joint gives
};

/// An instrument: docs/instruments.md says what each kind reads, in which frame and with which sign.
///   level     from, to              [m] where the fluid that stands on `from` ends along the line
///   runup     from, to              [m] how far from `from` the fluid reaches along the line
///   pressure  point, radius         [Pa]
///   velocity  point, radius         [m/s]
///   flow      centre, direction, width; in 3D also up, height     [m^3/s] through the rectangle, and its sum [m^3]
///   volume    min, max              [m^3] of fluid in the box
///   force     on, about             [N], [N m] of the fluid's pressure on a solid or a body
///   patch     centre, direction, width; in 3D also up, height; about     the same on a rectangle of a wall
struct Gauge {
  std::string name;
  std::string kind = "level";
  Vector from = {0, 0, 0}, to = {0, 0, 0};  // [m]
  Vector point = {0, 0, 0};                 // [m]
  double radius = 0;                        // [m] of the sensor; 0: as small as the resolution allows
  Vector centre = {0, 0, 0};                // [m]
  Vector direction = {1, 0, 0};             // flow: what counts as forward; patch: out of the wall; any length
  Vector up = {0, 1, 0};                    // where the height points (3D)
  double width = 0, height = 0;             // [m]
  Vector min = {0, 0, 0}, max = {0, 0, 0};  // [m]
  std::string on;                           // name of a solid or a body
  Vector about = {0, 0, 0};                 // [m] moments are about this point of the scene
  double rate = 0;                          // [1/s] samples, in a table of its own; 0: one with every frame
  double average = 0;                       // [s] over which values are means; 0: values of one moment
};

struct Domain {
  Vector min = {0, 0, 0};  // [m]
  Vector max = {1, 1, 1};  // [m]
  /// Per axis: "walls", "periodic" or "open" (fluid that leaves is removed and counted).
  std::array<std::string, 3> boundary = {"walls", "walls", "walls"};
  Slip slip = {};             // of the fluid along its walls
  double contact_angle = 90;  // [deg] in the fluid, between the walls and the fluid's free surface
};

struct Resolution {
  double spacing = 0.02;  // [m] between particles at rest; a particle's mass is density * spacing^dimension
  double support = 2;     // radius of the kernel, in spacings
};

struct Fluid {
  double density = 1000;       // [kg/m^3]
  double viscosity = 1e-3;     // [Pa s]
  double surface_tension = 0;  // [N/m]
  std::vector<Block> blocks;
  std::vector<Emitter> emitters;
  std::vector<Sink> sinks;
  std::vector<Absorber> absorbers;
};

/// The solver's name and those of its parameters that were set; the others keep their defaults.
struct SolverChoice {
  std::string name = "pbf";
  std::map<std::string, double> numbers;       // flags are 0 and 1
  std::map<std::string, std::string> choices;  // parameters that are one of several words
};

struct TimeControl {
  double until = 1;      // [s]
  double dt = 0;         // [s] fixed step; 0: adapted
  double dt_max = 5e-3;  // [s]
  double cfl = 1;        // particle radii (grid solvers: cells) a particle may travel in one step
};

struct Output {
  double frames_per_second = 30;               // [1/s] of simulated time; 0: no frames
  std::vector<std::string> formats = {"vtp"};  // vtp, ply
  double checkpoint_every = 60;                // [s] of wall time; 0: only when stopped
};

struct Scene {
  int version = 1;
  std::string title;
  int dimension = 3;
  Domain domain;
  Resolution resolution;
  Vector gravity = {0, -9.81, 0};      // [m/s^2]
  std::vector<Keyframe> gravity_keys;  // [m/s^2] if not empty, instead of gravity
  std::string gravity_file;            // CSV that the keyframes are read from; relative to the scene file
  Motion tank;                         // of the domain and all that is in it, in the frame of which the run computes
  Fluid fluid;
  std::vector<Solid> solids;
  std::vector<Cloth> cloth;
  std::vector<Soft> soft;
  std::vector<RigidBody> bodies;
  std::vector<Joint> joints;
  std::vector<Gauge> gauges;
  SolverChoice solver;
  TimeControl time;
  Output output;

  std::string file;                       // where it was read from; mesh files are relative to its folder
  std::string text;                       // the file and the settings it was read with; checkpoints keep it
  std::map<std::string, Location> where;  // path of a value ("fluid.blocks[0].min") -> its place
  std::vector<Mistake> renamed;           // keys that the file or a setting calls by an old name; warnings() tells them

  /// The place of a value, or of the closest table around it.
  Location at(const std::string& path) const;
};

/// `path=value`, as given to --set.
struct Setting {
  std::string path, value;
  std::string given = {};  // how messages name it; empty: "--set path=value"
};

/// Reads, applies the settings, checks. Throws SceneError with all mistakes, Failure if the file cannot be read.
Scene readScene(const std::string& file, const std::vector<Setting>& = {});
Scene parseScene(const std::string& text, const std::string& file, const std::vector<Setting>& = {});

/// All mistakes of a scene that need no file to be seen: ranges, shapes outside the domain, unknown solvers, sizes.
std::vector<Mistake> validate(const Scene&);

/// What the author of a scene may not expect, but what is no mistake.
std::vector<Mistake> warnings(const Scene&);

}  // namespace brim
