// The run-time face of Brim: a scene in motion, whatever its dimension, precision, machine and solver.
#pragma once
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "brim/health.h"
#include "brim/scene.h"
#include "brim/snapshot.h"

namespace brim {

struct Options {
  std::string device = "cpu";        // or "cuda": an NVIDIA GPU, in single precision
  std::string precision = "single";  // or "double"
  int threads = 0;                   // 0: all cores. The result does not depend on it.
  std::string flavour = {};          // "": the best this CPU runs; or one of flavours()
};

/// Fixed facts about a simulation.
struct Facts {
  std::string flavour;
  std::int64_t fluid_particles = 0;  // at the start
  std::int64_t boundary_samples = 0;
  std::int64_t inside_solids = 0;  // lattice points not filled because a solid is there
  double particle_mass = 0;        // [kg]
  double support = 0;              // [m]
  double reach = 0;                // [m] what time.cfl counts in: a particle's radius, or a grid's cell
};

/// One quantity of all particles where it lies in memory: its number k of particle i is `stride * i` bytes and k numbers behind
/// `first`.
struct ParticleColumn {
  enum class Number { single, twice, whole };  // float, double, a whole number of 32 bits
  void* first = nullptr;
  Number number = Number::single;
  int numbers = 1;         // of a particle
  std::size_t stride = 0;  // [bytes] from a particle to the next
};

/// The fluid's own memory. Particles are in the order in which the solver keeps them, which changes with every step: `id` tells
/// who is who. Positions and velocities may be written, and the next step starts from them; the others are results.
struct Columns {
  std::size_t count = 0;
  ParticleColumn position;  // [m] from `origin`
  ParticleColumn velocity;  // [m/s]
  ParticleColumn density;   // [kg/m^3]
  ParticleColumn pressure;  // [Pa]
  ParticleColumn id;
  Vector origin = {0, 0, 0};  // [m] the domain's lower corner
  bool onDevice = false;      // the addresses are those of a GPU's memory
  /// Who holds it past the next step keeps these values in this memory, and the simulation goes on in a copy.
  std::shared_ptr<const void> memory;
};

class Simulation {
 public:
  /// Throws SceneError if the scene has mistakes.
  explicit Simulation(const Scene&, const Options& = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// One step, at most to `limit` [s]. Throws Diverged when the state stops being finite.
  const StepReport& advance(double limit);
  /// Steps until `time` [s].
  void advanceTo(double time);

  /// Another course for a solid from now on, as a hand that drags it: solid `index` of the scene, which must be one that moves
  /// already (Motion::moves). scene() tells the new course, and states saved from now on belong to that scene. The course
  /// should pass through the present pose: a solid that jumps leaves fluid inside of it. Throws Failure otherwise.
  void setMotion(std::size_t index, const Motion&);
  /// Lets it go on from where it is with this velocity [m/s]; it turns as before. Throws Failure as setMotion does, and for a
  /// motion that has more parts than velocity, displacement and rate.
  void setVelocity(std::size_t index, const Vector& velocity);
  /// Another gravity [m/s^2] from now on. What a solver chose from the scene's when it was made (the speed of sound of wcsph and
  /// pcisph) stays.
  void setGravity(const Vector&);
  /// Puts body `index` of the scene somewhere else: position, rotation, velocity and spin of the report count. Throws Failure if
  /// they are not finite, no rotation, or leave the plane of a 2D scene.
  void setBody(std::size_t index, const BodyReport&);
  /// A force [N] on the centre of mass of a body and a torque [N m] that act until they are given again. States keep them.
  void setLoad(std::size_t body, const Vector& force, const Vector& torque);
  /// Speed [rad/s] or [m/s] and strength [N m] or [N] of a joint's motor from now on; within its start and stop.
  void setMotor(std::size_t joint, double speed, double limit);

  /// The particles without a copy, until the next step. On a GPU their addresses are the device's; what others write there must
  /// be done, or under way, when the next step begins.
  Columns columns();
  /// Writes positions [m] in the coordinates of the scene and velocities [m/s] of all particles, in ascending order of id: 2
  /// numbers for each in 2D, 3 in 3D; none: they stay as they are. The next step checks them. Throws Failure if their count is
  /// wrong.
  void write(const std::vector<double>& position, const std::vector<double>& velocity);
  /// What the last step did, or the state at the start.
  const StepReport& report() const;
  /// What is wrong with the results so far. Steps are judged by themselves; who measures frames tells it of them.
  const Health& health() const;
  Health& health();
  /// What snapshot() says of them, without the particles.
  std::vector<BodyReport> bodies() const;
  /// Of the solids with prescribed motions: position, rotation, velocity of `position` and spin.
  std::vector<BodyReport> solids() const;
  std::vector<JointReport> joints() const;
  std::vector<GaugeReport> gauges() const;

  double time() const;
  std::int64_t step() const;
  const Scene& scene() const;
  const Facts& facts() const;
  /// The state of now. Taking it changes nothing.
  Snapshot snapshot() const;
  /// The snapshot of now, for those who go on meanwhile: a device copies it beside the next steps, and the future's thread puts
  /// it together. On a CPU it is there at once. The future must be done before the simulation goes.
  std::future<Snapshot> capture() const;
  /// Averages (forces on bodies and joints, flows of gauges) count from here on. They count from the start if it is never called.
  void restartAverages();
  /// Bytes held by particles, samples, lists and tables.
  std::size_t bytes() const;
  /// Hash of ids, positions and velocities; the same for any sorting and any number of threads.
  std::uint64_t stateHash() const;

  /// The whole state, to the bit. `restore` needs a simulation of the same scene, solver and flavour family
  /// (precision); it throws Failure otherwise.
  std::vector<char> save() const;
  void restore(const std::vector<char>&);

  struct Machine;  // what a flavour implements

 private:
  std::unique_ptr<Machine> machine_;
};

/// Flavours of this build that this CPU can run, best first ("cuda32" on a GPU, "cpu32-v4", "cpu32-v3", "cpu32", "cpu64-v3",
/// "cpu64").
std::vector<std::string> flavours();

/// What Options::device takes, and in words what that is on this machine, or why it is not there.
struct DeviceInfo {
  std::string name, text;
};
/// Measures how fast a GPU copies, which takes it a moment.
std::vector<DeviceInfo> devices();

}  // namespace brim
