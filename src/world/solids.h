// Solids as the fluid feels them: samples that add to densities, and signed distances that nothing may enter.
#pragma once
#include <vector>

#include "world/cells.h"
#include "world/setup.h"

namespace brim::inline BRIM_FLAVOUR {

/// One solid in its place, as kernels read it.
template <int D>
struct Body {
  Primitive<Real> shape;
  Pose<Real> pose;   // from the domain's corner
  Vec<D> low, high;  // [m] a box around it; everything for solids without one
};

template <int D>
class Solids {
 public:
  explicit Solids(const Setup&);

  /// Moves the solids to their poses at time t [s].
  void moveTo(double t);
  /// Sorts the samples by the cells of the window, if they moved or the window did.
  void sort(const Window<D>&);

  int size() const { return n_; }
  int ghost() const { return wholeSlices(n_); }
  const CellTable<D>& table() const { return table_; }
  View<const Sample<D>> p() const { return p_.read(); }  // {x, rho0 V}   [m], [kg]
  View<const Sample<D>> v() const { return v_.read(); }  // {v, -}        [m/s]
  const Array<Body<D>>& bodies() const { return bodies_; }
  double maxSpeed() const { return maxSpeed_; }  // [m/s] of all samples
  /// Positions [m] in the scene of the samples of solids that are no walls of the domain.
  std::vector<double> drawn() const;
  std::size_t bytes() const;

 private:
  struct Source {
    SolidShape shape;
    Motion motion;
  };
  std::vector<Source> source_;
  Vector origin_;
  int n_ = 0;
  bool moving_ = false, sorted_ = false;
  double maxSpeed_ = 0;
  Window<D> window_;
  CellTable<D> table_;
  Array<Sample<D>> rest_, p_, v_, spare_;  // rest: {x in the body's frame, rho0 V}
  Array<int> owner_, spareOwner_;          // index of the body, -1 for the domain's walls
  Array<Body<D>> bodies_;
};

}  // namespace brim::inline BRIM_FLAVOUR
