// A coarse level for pressure: what neighbours tell each other in thousands of iterations, a small grid knows in one.
#pragma once
#include "sph/coarse_system.h"
#include "step/context.h"

namespace brim::inline BRIM_FLAVOUR {

/// Cells at the two ends of a periodic axis touch. The last one is cut short where the domain ends.
struct Seam {
  bool there = false;
  std::int64_t first = 0, last = 0;  // cells along the axis
  double part = 1;                   // of the last one's extent
};

/// The cells of the level as kernels see them: where they are, and the particles of each as runs of the fine cells it is made of.
template <int D>
struct CoarseCells {
  static constexpr int rows = 2;  // supports per coarse cell
  Runs<D> particles;
  std::int64_t size[3];
  double low[D], side;  // [m]
  double full;          // particles of a full cell
  Seam seam[D];
  double end[D];  // [cells] where a wall cuts the last ones short
  struct Place {
    std::int64_t at[3];
  };
  BRIM_FN Place placeOf(std::int64_t cell) const {
    return {{cell % size[0], cell / size[0] % size[1], cell / size[0] / size[1]}};
  }
  template <class F>
  BRIM_DEVICE_FN void eachRun(std::int64_t cell, F body) const {
    constexpr int fine = rows * Window<D>::fine;
    const Place p = placeOf(cell);
    for (int z = 0; z < (D == 3 ? rows : 1); ++z)
      for (int y = 0; y < rows; ++y) {
        const auto ends =
            particles.run(p.at[0] * fine, (p.at[0] + 1) * fine - 1, p.at[1] * rows + y, D == 3 ? p.at[2] * rows + z : 0);
        body(ends.first, ends.past);
      }
  }
};

/// Displacements at the faces of the cells: {{way, swift, known}, walled}. How far fluid moves along the axis [m], the part of it
/// that counts as velocity [m], 1 where fluid touches the face, and 1 where a wall does. Two cells have a face of their own each,
/// as a wall may be between them. Records, so that lanes read one in one load.
template <int D>
struct FaceGrid {
  View<const Record<3>> lower[D], upper[D];  // faces of each cell, along each axis
  int stride[D];
  Real low[D], most[D];  // [m]; cells
  Real perSide;          // [1/m]
};

/// Cells of two supports, unknown pressures where there is fluid, zero in the air, no flow through walls.
/// Solves  -div(grad p) = rho0 r / dt^2  for a density residual r = rho/rho0 - 1: the pressure that removes its smooth part.
template <int D>
class CoarseLevel {
 public:
  /// Finds the cells with fluid and what surrounds them. Call after a search; false if there is nothing to
  /// do: no fluid touches a wall, or it is too scattered for a grid.
  bool prepare(const StepContext<D>&);
  /// Moves the fluid by dx = -dt^2/rho0 grad p and changes its velocity by dx/dt. Displacements are taken from the faces of
  /// the grid, so what leaves each cell is exactly its excess. Errors that were there before the step turn into no more speed
  /// than in one of `usual` [s]. A compliance [1/Pa] leaves p times itself of the residual: fluid that is meant to give way.
  void push(StepContext<D>&, const Array<Real>& residual, double usual, double compliance = 0);
  /// The pressure [Pa] that keeps densities from the smooth part of `gained` (of rho/rho0, in this step), at every
  /// particle: linear between the middles of cells, and as it is in the nearest one beside walls. Nothing moves.
  void find(const StepContext<D>&, const Array<Real>& gained, Array<Real>& pressure);
  /// Adds p [Pa] of the last push to a column.
  void addPressure(const StepContext<D>&, Array<Real>& pressure);

 private:
  using Face = Record<3>;  // as in FaceGrid
  CoarseCells<D> grid() const;
  FaceGrid<D> faceGrid() const;

  std::int64_t size_[3] = {1, 1, 1};
  Runs<D> particles_ = {};
  double side_ = 0;  // [m]
  double full_ = 0;  // particles of a full cell
  double low_[D] = {};
  Seam seam_[D];
  double end_[D] = {};              // as in CoarseCells
  Array<int> count_;                // particles per cell
  Array<Real> amount_;              // fluid per cell [particles]
  Array<int> state_;                // per cell: index of its unknown, air or wall
  Array<int> number_;               // cells with fluid before each
  Array<int> where_;                // per unknown: its cell
  Array<Record<D>> middle_, mean_;  // per unknown: of its fluid {x} [m]; {v} [m/s]
  CoarseSystem<D> system_;
  Array<Face> face_;  // of all cells: lower and upper ones along each axis
};

}  // namespace brim::inline BRIM_FLAVOUR
