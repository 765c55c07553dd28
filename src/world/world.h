// Everything that changes with time: particles, solids, bodies, cloth; and the few constants every formula needs. Plain data:
// what steps do to it stands in step/ and above.
#pragma once
#include "bodies/system.h"
#include "deformables/deformables.h"
#include "world/gauges.h"
#include "world/many_tanks.h"
#include "world/particles.h"
#include "world/solids.h"

namespace brim::inline BRIM_FLAVOUR {

/// A run with a particle faster than this has diverged [m/s].
constexpr double absurdSpeed = 1e5;

/// How far an emitter is.
struct EmitterState {
  std::int64_t layers = 0;     // started
  std::int64_t particles = 0;  // made
};

template <int D>
struct World {
  /// Takes the particles and samples out of the setup; what the run still needs of it stays with the world.
  explicit World(Setup);

  // Constants.
  double rho0;         // [kg/m^3]
  double nu;           // [m^2/s] kinematic viscosity
  double mass;         // [kg] of a particle
  double spacing;      // [m]
  double support;      // [m]
  std::string kernel;  // name of the smoothing kernel
  Vector origin;       // [m] the domain's corner, from which positions count
  Vec<D> extent;       // [m]
  Vec<D, bool> periodic, walled;
  double clearance;  // [m] how near a particle's centre may come to a solid's surface
  std::shared_ptr<const Setup> setup;

  // State.
  double time = 0;        // [s]
  std::int64_t step = 0;  // steps done
  double dt = 0;          // [s] of the last step
  std::int64_t emitted = 0, sunk = 0, lost = 0, nextId = 0;
  Particles<D> fluid;
  ManyTanks<D> tanks;  // whose particles these are, if they are of several tanks
  Solids<D> solids;
  Deformables<D> soft;                 // sheets, ropes and soft bodies
  std::unique_ptr<BodySystem> bodies;  // null: the scene has none
  Gauges<D> gauges;
  std::vector<EmitterState> emitters;  // as in scene.fluid.emitters
  bool averagesEnded = false;          // the averages of forces and flows are complete: the next step starts new ones

  const Scene& scene() const { return setup->scene; }
  /// Another gravity [m/s^2] from now on.
  void setGravity(const Vector& g) { own_->scene.gravity = g, own_->scene.gravity_keys.clear(); }
  /// Gravity at time t [m/s^2], in the axes of the tank.
  Vec<D> gravity(double t) const;
  Vector gravityVector(double t) const;  // in three numbers, for the host
  /// With what a moving tank adds at its centre, the mean of a step from t to t + dt [m/s^2].
  Vec<D> apparentGravity(double t, double dt) const;
  bool hasPeriodic() const;
  std::size_t bytes();

 private:
  std::shared_ptr<Setup> own_;  // the same, for what may change
};

}  // namespace brim::inline BRIM_FLAVOUR
