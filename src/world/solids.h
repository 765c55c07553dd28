// Solids as the fluid feels them: samples that add to densities, and signed distances that nothing may enter.
#pragma once
#include <map>
#include <vector>

#include "scene/setup.h"
#include "world/cells.h"

namespace brim::inline BRIM_FLAVOUR {

/// One solid in its place, as kernels read it.
template <int D>
struct PlacedSolid {
  Primitive<Real> shape;
  Pose<Real> pose;      // from the domain's corner
  Vec<D> low, high;     // [m] a box around it; everything for solids without one
  Real volumeFraction;  // part of their volume that its samples have
  Real mobility;        // [1/kg] with which its samples give way to the fluid; 0: nothing moves them
};

/// What shapes point at (corners of polygons, distances of meshes) where kernels can read it. On a CPU that is where it is.
class ShapeData {
 public:
  /// A shape whose pointers kernels can follow; the first call for a shape copies what it points at.
  template <class R>
  Primitive<R> onMachine(Primitive<R> s) {
#if BRIM_CUDA
    if (s.points) {
      auto& copy = points_[s.points];
      if (copy.size() == 0) copyIn(copy, s.points, 2 * std::size_t(s.count));
      s.points = copy.data();
    }
    if (s.grid) {
      auto& copy = grids_[s.grid];
      if (copy.size() == 0) copyIn(copy, s.grid, std::size_t(s.nodes[0]) * s.nodes[1] * s.nodes[2]);
      s.grid = copy.data();
    }
#endif
    return s;
  }

 private:
#if BRIM_CUDA
  std::map<const void*, Array<double>> points_;
  std::map<const void*, Array<float>> grids_;
#endif
};

template <int D>
class Solids {
 public:
  explicit Solids(const Setup&);

  /// Moves the solids to their poses at time t [s]; free bodies and carried samples stay where they were put last.
  void moveTo(double t);
  /// Another course for a prescribed solid that moves already; its pose follows with the next moveTo.
  void setMotion(std::size_t solid, const Motion& motion) { source_[solid].motion = motion; }

  /// Poses [m] of the prescribed solids in the scene at time t [s], by the motions that they have now.
  std::vector<Pose<double>> posesAt(double t) const;

  double time() const { return time_; }  // [s] of the last move

  // The fluid moves what follows. Shapes of the setup past scene.solids are bodies whose pose somebody else computes.
  int firstFree() const { return firstFree_; }
  struct FreeBody {
    Pose<double> pose;    // [m] in the scene, with velocities
    double mobility = 0;  // [1/kg] of a sample
  };
  /// Puts the free bodies and their samples there; lists stay as they are until the next search.
  void setFree(const std::vector<FreeBody>&);
  /// Per shape of the setup: which part of their volume its samples have; 0 while fluid is still inside (step/collide.h).
  const std::vector<double>& volumeFraction() const { return volumeFraction_; }
  void setVolumeFraction(const std::vector<double>&);
  /// `n` more samples that belong to no shape (sheets, soft bodies), once, before the first search.
  void addCarried(int n);
  /// Where they are to stand, {x from the domain's corner [m], rho0 V [kg]}, and how they move, {v [m/s], mobility [1/kg]}:
  /// whoever carries them writes both and then calls placeCarried.
  Array<Record<D>>& carriedPlaces() { return carriedP_; }
  Array<Record<D>>& carriedVelocities() { return carriedV_; }
  void placeCarried() { placeReacting(); }
  /// The same with a copy of these.
  void carry(const Array<Record<D>>& p, const Array<Record<D>>& v);
  /// Whether the fluid moves any samples.
  bool anyFree() const { return firstFree_ < int(source_.size()) || carried_ > 0; }
  int carried() const { return carried_; }
  /// Of each sample: the index of its shape in the setup, -1 for the domain's walls, -2 - k for carried sample k.
  View<const int> owner() const { return owner_.read(); }
  const Array<int>& ownerColumn() const { return owner_; }
  /// The samples of free bodies and the carried ones, as the last sort left them: indices in ascending order.
  const Array<int>& reacting() const { return reacting_; }
  /// Places in reacting() of the samples of free bodies, in the order they were made in: body by body, and always the same.
  const Array<int>& members() const { return members_; }
  /// Of each free body its first member; one more for the end.
  const Array<int>& firstMembers() const { return firstMembers_; }

  /// Sorts the samples by the cells of the window, if they moved or the window did.
  void sort(const Window<D>&);

  int size() const { return n_; }
  int padding() const { return wholeSlices(n_); }
  const CellTable<D>& table() const { return table_; }
  View<const Record<D>> p() const { return p_.read(); }  // {x, rho0 V}   [m], [kg]
  View<const Record<D>> v() const { return v_.read(); }  // {v, mobility}  [m/s], [1/kg] 0 where nothing moves it
  const Array<PlacedSolid<D>>& placed() const { return placed_; }
  /// The same for the host, whose addresses their shapes hold.
  const std::vector<PlacedSolid<D>>& hostPlaced() const { return hostPlaced_; }
  double maxSpeed() const { return maxSpeed_; }  // [m/s] of all samples
  /// Positions [m] in the scene of the samples of solids that are no walls of the domain.
  std::vector<double> drawn() const;
  std::size_t bytes() const;
  void listReacting();  // public because nvcc wants kernels there
  /// Puts samples where their bodies are, or where they are carried: the n of `which`, or the first n.
  void place(View<const int> which, int n);

 private:
  struct Source {
    SolidShape shape;
    Motion motion;
  };
  std::vector<Source> source_;
  Vector origin_;
  void setPlaced();
  void placeReacting();
  void reserve();

  int n_ = 0, firstFree_ = 0, carried_ = 0;
  std::vector<FreeBody> free_;
  std::vector<double> volumeFraction_;
  bool moving_ = false, sorted_ = false;
  double maxSpeed_ = 0, time_ = 0;
  Window<D> window_;
  CellTable<D> table_;
  Array<Record<D>> rest_, p_, v_, spare_;  // rest: {x in the body's frame, rho0 V}
  Array<int> owner_, spareOwner_;          // index of the body, -1 for the domain's walls
  Array<int> number_;                      // of each sample: its place in the order they were made in
  Array<PlacedSolid<D>> placed_;
  std::vector<PlacedSolid<D>> hostPlaced_;
  ShapeData shapeData_;
  Array<Record<D>> carriedP_, carriedV_;  // in the order of who carries them
  Array<int> reacting_, members_, firstMembers_, rank_;
  int held_ = 0, memberCount_ = 0;  // samples that do not react; those of free bodies, which follow them
};

}  // namespace brim::inline BRIM_FLAVOUR
