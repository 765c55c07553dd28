// Everything that changes with time: particles, neighbours, solids; and the few constants every formula needs.
#pragma once
#include "bodies/system.h"
#include "constraints/deformables.h"
#include "world/gauges.h"
#include "world/neighbours.h"
#include "world/particles.h"
#include "world/solids.h"
#include "world/touch.h"

namespace brim::inline BRIM_FLAVOUR {

/// Particles of the far side of a periodic axis, appended to the fluid's columns so that lists can point at them.
template <int D>
class Images {
 public:
  /// Finds the particles within `support` of the periodic faces; the fluid is sorted already.
  void make(Particles<D>&, const Vec<D>& extent, const Vec<D, bool>& periodic, Real support);
  /// Sorts the images into cells.
  void sort(Particles<D>&, const Window<D>&);
  /// Brings the images of a {position, value} buffer up to date.
  void refresh(const Particles<D>&, Array<Sample<D>>& positions) const;
  /// The same for a column that does not shift with its particle.
  template <class T>
  void copy(const Particles<D>& fluid, Array<T>& column) const {
    const int first = fluid.firstImage();
    const auto c = column.view();
    const auto source = source_.read();
    forEach(fluid.images(), [=] BRIM_KERNEL(int k) { c[first + k] = c[source[k]]; });
  }
  const CellTable<D>& table() const { return table_; }
  /// Of each image: the particle it is one of.
  const Array<int>& source() const { return source_; }

 private:
  Array<int> source_;
  Array<Sample<D>> shift_;
  CellTable<D> table_;
};

/// A sink as kernels see it, in the scene.
struct Sink {
  Primitive<double> shape;
  Pose<double> pose;
  double low[3], high[3];  // [m] a box around it
};

/// Some of many things: a bit for each, and how many are set before each word, or in it.
struct Marks {
  Array<std::uint32_t> word;
  Array<int> count;
};

/// What a free body stops in World::collide, and pays for.
template <int D>
struct BodyHit {
  int particle, body;
  Vec<D> x, impulse;  // [m], [N s] on the body
};

/// A run with a particle faster than this has diverged [m/s].
constexpr double absurdSpeed = 1e5;

template <int D>
class World {
 public:
  /// Takes the particles and samples out of the setup; what the run still needs of it stays with the world.
  explicit World(Setup);

  // Constants.
  double rho0;     // [kg/m^3]
  double nu;       // [m^2/s] kinematic viscosity
  double mass;     // [kg] of a particle
  double spacing;  // [m]
  double support;  // [m]
  Vector origin;   // [m] the domain's corner, from which positions count
  Vec<D> extent;   // [m]
  Vec<D, bool> periodic, walled;
  double clearance;  // [m] how near a particle's centre may come to a solid's surface

  // State.
  double time = 0;        // [s]
  std::int64_t step = 0;  // steps done
  double dt = 0;          // [s] of the last step
  std::int64_t emitted = 0, sunk = 0, lost = 0, nextId = 0;
  bool evaluated = false;  // the solver knows the forces of the present state
  Particles<D> fluid;
  Solids<D> solids;
  Deformables<D> soft;                 // sheets, ropes and soft bodies
  std::unique_ptr<BodySystem> bodies;  // null: the scene has none
  Gauges<D> gauges;
  bool meansTaken = false;  // the next step starts the means of forces and flows anew
  Touch<D> touch;           // the samples that answer, and the fluid around them; found by search()

  /// Gravity at time t [m/s^2].
  Vec<D> gravity(double t) const;
  /// Sorts the fluid by cells at its present positions and rebuilds all lists.
  void search();
  /// The same for those who can begin with lists that may turn out too short: when some work that reads them and changes none of
  /// what they were made from is under way, ask whether they hold. If not, they do now, and the work is to be done again.
  void searchAhead();
  bool listsHold();
  NeighbourView nb() const { return neighbours_.view(); }
  double pairs() const { return neighbours_.pairs(); }
  /// The cells of the last search, and the fluid sorted into them.
  const Window<D>& window() const { return window_; }
  const CellTable<D>& cells() const { return table_; }
  /// Brings periodic images of a buffer up to date; no work on axes with walls.
  void refresh(Array<Sample<D>>& positions) const { images_.refresh(fluid, positions); }
  template <class T>
  void refreshColumn(Array<T>& column) const {
    images_.copy(fluid, column);
  }
  /// Keeps particles out of solids and walls after they moved for dt [s]: a particle nearer than the clearance is moved out as
  /// far as it came in, and loses its approach. Once a step, `leaves`: fluid that filled a solid from the start comes out at
  /// exitSpeed.
  void collide(double dt, bool leaves);
  /// The same for fluid whose velocities do not tell how it moved: all the way out, but those more than `deepest` [m] inside are
  /// left where they are. Free bodies do not feel it.
  void collideAtOnce(double deepest = 1e30);
  /// [m/s] half of what a fall through half a spacing gives: the water that has to make room stays slow too.
  double exitSpeed() const { return 0.5 * std::sqrt(9.81 * spacing); }
  /// Fluid that emitters let in and sinks take out at the present time; fluid outside the domain is removed and counted.
  void exchange();
  /// Puts the samples of sheets and soft bodies where their nodes are; `all` also before the first search of a run.
  void carrySoft(bool all = false);
  const Setup& setup() const { return *setup_; }
  /// One step of the rigid bodies, from `time` on, with the forces that were set; their samples follow.
  void moveBodies(double dt);
  /// The samples go where the bodies are; `inverseMass` [1/kg] of a sample of each, for solvers that ask for it.
  void placeBodies(const std::vector<double>& inverseMass = {});
  /// What acted on the samples of bodies, `touch.impulse` times `scale`, becomes the bodies' force from the next step on.
  void forceFromTouch(double scale);
  /// Gravity in three numbers, for the host.
  Vector gravityVector(double t) const;
  bool hasPeriodic() const;
  const Images<D>& images() const { return images_; }
  const Scene& scene() const { return setup_->scene; }
  std::size_t bytes();

  // Steps of collide(); public because nvcc wants kernels there.
  void keepOut(double dt, double exit, double deepest, bool paid);
  std::vector<char> filledSolids() const;

 private:
  void sortFluid();
  typename Neighbours<D>::Around around() const;
  void emit(std::size_t emitter);
  void findFilled();
  void bringIn(double dt);
  void removeOutside();
  void payHits();

  std::shared_ptr<const Setup> setup_;
  Window<D> window_;
  CellTable<D> table_;
  Images<D> images_;
  Neighbours<D> neighbours_;
  Array<Sample<D>> carriedP_, carriedV_;
  Array<BodyHit<D>> hits_;  // those of the last keepOut, in no order
  Array<int> hitCount_;
  Array<Sink> sinks_;
  ShapeData sinkData_;
  Marks marks_;  // for those who look for some of the particles
  Array<int> which_, last_, taken_;
  Array<Real> depth_;  // [m] of each particle in the solid `within_`, as collide() left it
  Array<int> within_;

 public:
  std::vector<std::int64_t> layers, counts;  // per emitter: layers started, particles made
};

}  // namespace brim::inline BRIM_FLAVOUR
