// The boundary in the viscous solve: how the surface above each sample moves, and the unknowns of what the fluid drags along,
// rigid bodies and the nodes of cloth and soft bodies.
#pragma once
#include "scene/friction.h"
#include "sph/viscous_form.h"

namespace brim::inline BRIM_FLAVOUR {

/// A solid as the samples of it ask: its slip length [m], below 0 for free, and how its surface slides [m/s].
template <int D>
struct SurfaceKind {
  Real slip;
  Vec<D> slide;
};

/// A change of a body's velocity: of the centre of mass, and about it.
struct BodyChange {
  double v[3] = {0, 0, 0}, w[3] = {0, 0, 0};  // [m/s], [rad/s]
};
/// The same for kernels, with the centre of mass from the domain's corner.
template <int D>
struct BodyTurn {
  Vec<D> centre, v;
  Real w[3];
};

template <int D>
class ViscousBoundary {
 public:
  explicit ViscousBoundary(const Scene& scene) : lengths_(slipLengths(scene)) {}

  /// Surfaces of the samples, at their present places and velocities.
  void begin(StepContext<D>&);
  SurfaceRead<D> surface() const { return {place_.read(), motion_.read()}; }
  /// The same for changes of velocity: only what the fluid drags along moves, by `change`.
  SurfaceRead<D> change() const { return {place_.read(), change_.read()}; }
  /// Whether the fluid drags anything along.
  bool any() const { return bodies_ || nodes_ > 0; }

  // Conjugate gradients: the boundary's part of the vectors. Impulses are those of viscousImpulses.
  void start(StepContext<D>&);                // r = J^T impulses, x = 0
  double precondition();                      // z = r/diagonal; returns r.z
  void search(StepContext<D>&, double beta);  // q = z + beta q, and the samples' velocities of it
  double curvature(StepContext<D>&);          // Aq = M q - J^T impulses; returns q.Aq
  void advance(double alpha);                 // x += alpha q, r -= alpha Aq
  /// Bodies and nodes get what was found; bodies with the residual, if it is small. Impulses at the final velocities are for
  /// bodies that are held.
  void finish(StepContext<D>&, bool converged);
  bool anyHeld() const { return held_; }
  std::size_t bytes() const { return place_.bytes() + motion_.bytes() + change_.bytes(); }

  // Public because nvcc wants kernels there.
  void findSurfaces(StepContext<D>&);
  void spread(StepContext<D>&);
  void gatherNodes(StepContext<D>&, Array<Record<D>>& to, Real scale, bool diagonal);

 private:
  std::vector<BodyChange> gatherBodies(StepContext<D>&) const;

  SlipLengths lengths_;
  Array<SurfaceKind<D>> kinds_;
  Array<Record<D>> place_, motion_, change_;
  bool bodies_ = false, held_ = false;
  int nodes_ = 0;
  struct Inertia {
    bool moves;
    double mass, about[9];  // [kg], [kg m^2] in the scene's axes
  };
  std::vector<Inertia> inertia_;
  std::vector<BodyChange> x_, r_, z_, q_, Aq_;
  Array<BodyTurn<D>> turns_;
  Array<Record<D>> nodeX_, nodeR_, nodeZ_, nodeQ_, nodeAq_;  // {., diagonal} in nodeZ_
};

}  // namespace brim::inline BRIM_FLAVOUR
