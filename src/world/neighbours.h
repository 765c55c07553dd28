// Who is near whom: lists of the fluid and of the solid samples around each particle, rebuilt every step.
#pragma once
#if !BRIM_CUDA
#include <tbb/enumerable_thread_specific.h>
#endif

#include <memory>

#include "world/cells.h"

namespace brim::inline BRIM_FLAVOUR {

/// Fluid and solid neighbours are kept apart, since they enter the papers' sums differently: only fluid moves and carries
/// multipliers. No per-pair test, and the records of static samples are never copied.
///   nb.fluid[i]   particles within the support of i, itself included, so that a sum over it is the sum the papers write
///   nb.solid[i]   samples within the support of i
struct NeighbourView {
  Lists fluid, solid;
};

#if BRIM_CUDA
/// What a build of lists says about itself.
struct Found {
  int longest[2];            // of the lists that found no room: fluid, solid
  unsigned long long pairs;  // of both kinds
};
#endif

template <int D>
class Neighbours {
 public:
  Neighbours();
  ~Neighbours();

  /// One set of points in cell order.
  struct Points {
    const CellTable<D>* table;
    View<const Record<D>> p;
    int n;
    int first;  // index of the first point in its lists
  };
  /// What lists point at: fluid (first = 0) and periodic ghosts on one side, solid samples on the other; and what pads the lists.
  struct Around {
    Points fluid, periodicGhosts, solid;
    int fluidPadding, solidPadding;
    View<const int> tank = {nullptr};  // of each fluid particle its tank: others' are no neighbours; solids are everybody's
    const char* own = nullptr;         // if not null: points without it get empty lists
  };
  /// Lists for the points p[0] .. p[n - 1], which are in cell order.
  void build(Real support, const Window<D>&, View<const Record<D>> p, int n, const Around&);
#if BRIM_CUDA
  /// The same without waiting for how it went; areComplete() says so later. If it did not go well, there is room for a second
  /// try.
  void start(Real support, const Window<D>&, View<const Record<D>> p, int n, const Around&);
  bool areComplete();
#endif

#if BRIM_CUDA
  NeighbourView view() const { return {{sets_[0].slices.data()}, {sets_[1].slices.data()}}; }
#else
  NeighbourView view() const { return {{slices_.data()}, {slices_.data() + solidSlices_}}; }
#endif
  /// Number of neighbours of all particles, each without itself.
  double pairs() const { return pairs_; }
  std::size_t bytes() const;

 private:
#if BRIM_CUDA
  /// Lists of one kind, of `room` rows a slice: a slice that wants more makes the build start again with more.
  struct Set {
    Array<int> list;
    Array<Lists::Slice> slices;
    int room = 0;
  };
  Set sets_[2];
  Array<Found> found_;
  Found* seen_ = nullptr;  // the host's copy, when the event has passed
  cudaEvent_t passed_ = nullptr;
  bool asked_ = false;
  int n_ = 0;
  double pairs_ = 0;
};
#else
  struct Scratch;
  struct Chunk {
    Array<int> list;  // kept from step to step
    double pairs = 0;
  };
  void buildChunk(int chunk, Scratch&, Real support, const Window<D>&, View<const Record<D>> p, int n, const Around&);

  Array<Real>
      column_[2][D];  // positions of fluid + periodic ghosts and of samples, one array per axis: what the distance test reads
  std::vector<Chunk> chunks_;
  std::vector<Lists::Slice> slices_;
  std::size_t solidSlices_ = 0;
  double pairs_ = 0;
  std::unique_ptr<tbb::enumerable_thread_specific<Scratch>> scratch_;
};
#endif

}  // namespace brim::inline BRIM_FLAVOUR
