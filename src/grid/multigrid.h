// A multigrid V-cycle for the Poisson equation on tiles: the preconditioner of Poisson, always in single precision.
#pragma once
#include <memory>

#include "grid/tiles.h"
#include "math/ldl.h"

namespace brim::inline BRIM_FLAVOUR {

/// One level: unknowns x of  diag x - sum over the 2 D neighbours of w x_n = r,  all 0 where there is no unknown.
/// On the finest, w is 1 between unknowns and diag the number of neighbours that are not solid, kept in bytes; on the others w is
/// a number per face, which is what solid fractions of cut cells would be on the finest too.
template <int D>
struct Level {
  Tiles<D> tiles;             // those with unknowns
  Array<int> beside;          // per tile: the tiles below and above along each axis
  Array<std::uint64_t> rows;  // per tile: its rows with unknowns
  Array<std::uint8_t> sides;  // finest: diag
  Array<float> diag, w[D];    // coarser; w[k]: of a cell's lower face along k
  Array<float> inverse;       // 1 / diag, 0 where there is no unknown
  Array<float> r, z;          // right-hand side and solution
  Array<float> t, y;          // in between: r / diag, and z while it is smoothed
  Array<int> coarse;          // per tile: the first element of its part of a tile of the next level
  int unknowns = 0;

  /// To be called when `tiles` are there: who is beside whom, and room for fields.
  void link();
  /// To be called when `inverse` is there: finds the rows with unknowns and clears what smoothing never touches in the others.
  void findRows();
  std::size_t bytes() const;
};

template <int D>
class Multigrid {
 public:
  Multigrid();
  Level<D>& finest() { return *levels_[0]; }
  const Level<D>& finest() const { return *levels_[0]; }
  /// The coarser levels, from the finest, whose tiles, sides, inverse and rows are there.
  void coarsen();
  /// z = M r on the finest level, M symmetric positive definite; returns r z. t must hold inverse r.
  double cycle();
  std::size_t bytes() const;

 private:
  template <bool finest>
  void build(Level<D>& fine, Level<D>& coarse);
  void factorBottom();
  void solveBottom();

  std::vector<std::unique_ptr<Level<D>>> levels_;  // kept between calls, `used_` of them in use
  int used_ = 1;
  std::vector<int> cells_;    // the unknowns of the coarsest level
  Ldl bottom_;                // its matrix
  std::vector<double> x_;     // its solution
  std::vector<double> part_;  // of r z, per tile
};

}  // namespace brim::inline BRIM_FLAVOUR
