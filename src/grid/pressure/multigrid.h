// A multigrid V-cycle for the Poisson equation on tiles: the preconditioner of Poisson, always in single precision.
#pragma once
#include <memory>

#include "grid/pressure/convergence.h"
#include "grid/tiles/tiles.h"
#include "math/ldl.h"

namespace brim::inline BRIM_FLAVOUR {

/// A level as kernels see it.
template <int D>
struct LevelView {
  int tiles;
  const int* beside;
  std::uint64_t* lines;
  float *diag, *w[D], *inverse, *r, *z, *t, *y;
  int* coarse;
};

/// One level: unknowns x of  diag x - sum over the 2 D neighbours of w x_n = r,  all 0 where there is no unknown.
/// w is a number per face; on the finest level it is 1 between unknowns unless solids cut cells (`unit` links).
template <int D>
struct Level {
  Tiles<D> tiles;              // those with unknowns
  Array<std::uint64_t> lines;  // per tile: its lines with unknowns
  Array<float> diag, w[D];     // w[k]: of a cell's lower face along k; not where links are unit
  Array<float> inverse;        // 1 / diag, 0 where there is no unknown
  Array<float> r, z;           // right-hand side and solution
  Array<float> t, y;           // in between: r / diag, and z while it is smoothed
  Array<int> coarse;           // per tile: the first element of its part of a tile of the next level
  Array<double> count;         // per tile: its unknowns

  /// To be called when `tiles` are there: resizes what each of them has.
  void fit();
  /// To be called when `inverse` is there: finds the lines with unknowns and clears what smoothing never touches in the others.
  void findLines();
  int unknowns() const;
  LevelView<D> view();
  std::size_t bytes() const;
};

/// The coarsest level, solved directly.
template <int D>
class CoarsestSolve {
 public:
  static constexpr int most = onDevice ? 96 : 40;  // unknowns
  /// `unit`: the level has unit links; `finest`: it is the only one.
  void factor(Level<D>&, bool unit, bool finest);
#if BRIM_CUDA
  /// The inverse of its matrix (symmetric), and how many unknowns there are: cells()[0 .. *count() - 1].
  const float* inverse() const { return inverse_.data(); }
  const int* cells() const { return cells_.data(); }
  const int* count() const { return count_.data(); }

 private:
  Array<float> inverse_;
  Array<int> cells_, count_;
#else
  void solve(Level<D>&);
  const std::vector<int>& cells() const { return cells_; }

 private:
  std::vector<int> cells_;
  Ldl matrix_;
  std::vector<double> x_;
#endif
};

template <int D>
class Multigrid {
 public:
  Multigrid();
  Level<D>& finest() { return *levels_[0]; }
  const Level<D>& finest() const { return *levels_[0]; }
  /// The coarser levels, from the finest, whose tiles, diag, inverse and lines are there, and w unless its links are `unit`.
  void coarsen(bool unit);
  /// z = M r on the finest level, M symmetric positive definite. t must hold inverse r. parts() are those of r z, which the
  /// convergence control then reads.
  void cycle(const ConvergenceControl&);
  const Array<double>& parts() const { return part_; }
  std::size_t bytes() const;

  // Steps of coarsen(); public because nvcc wants kernels there.
#if BRIM_CUDA
  void coverLevels();
  void buildLevels();
  /// The sweeps of levels cooperativeFrom_ .. clusterFrom_ - 1, by cooperative blocks.
  void sweepDown();
  void sweepUp();
#else
  void coverLevel(int level);
  void build(Level<D>& fine, Level<D>& coarse, bool unit);
#endif

 private:
  /// The places of a level's tiles.
  Places<D> boxOf(int level) const;
  template <bool unit>
  void smoothCorrected(const LevelView<D>& level, const LevelView<D>& next);
  /// Whether this level has few enough unknowns to be the coarsest.
  bool isCoarsest(int level) const;
  /// The cycle of the coarse levels, from clusterFrom_ on.
  void cycleCoarseLevels(const ConvergenceControl&);

  std::vector<std::unique_ptr<Level<D>>> levels_;  // kept between calls, `used_` of them in use
  int used_ = 1;
  bool unit_ = true;         // the finest level's links are 1
  int clusterFrom_ = 0;      // the first coarse level that a GPU sweeps with one cluster of blocks; on a CPU the coarsest
  int cooperativeFrom_ = 0;  // the first level that a GPU sweeps with cooperative blocks; clusterFrom_ where there is none
#if BRIM_CUDA
  Array<unsigned> arrived_;  // blocks at barriers, of all launches so far; and how many the host has started
  unsigned expected_ = 0;
  Array<int> number_, ends_;  // of the places of all levels, how many are used before; the same where each level ends
#endif
  CoarsestSolve<D> coarsest_;
  Array<double> part_;  // of r z, per tile of the finest level
};

}  // namespace brim::inline BRIM_FLAVOUR
