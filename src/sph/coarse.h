// A coarse level for pressure: what neighbours tell each other in hundreds of iterations, a small grid knows in one.
#pragma once
#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

/// Cells of several supports, unknown pressures where there is fluid, zero in the air, no flow through walls.
/// Solves  -div(grad p) = rho0 r / dt^2  for a density residual r = rho/rho0 - 1: the pressure that removes its smooth part.
template <int D>
class CoarseLevel {
 public:
  /// Finds the cells with fluid and what surrounds them. Call after a search; false if the fluid is too scattered.
  bool prepare(const World<D>&);
  /// Moves the fluid by -dt^2/rho0 grad p, where p [Pa] removes the smooth part of `residual`, and adds p to `pressure`.
  /// Displacements are taken from the faces of the grid, so what flows out of each cell is exactly its excess.
  void push(World<D>&, const Array<Real>& residual, double dt, double part, Array<Real>& pressure);

 private:
  static constexpr int air = -1, wall = -2;
  struct Link {
    int to;         // unknown, or air
    double weight;  // part of the face that conducts
  };
  std::int64_t size_[3] = {1, 1, 1};
  double side_ = 0;  // [m]
  std::vector<int> state_;          // per cell: index of its unknown, air or wall
  std::vector<std::int64_t> cell_;  // per unknown: its cell
  std::vector<double> diagonal_, rhs_, x_, r_, z_, q_;
  std::vector<Link> link_;  // 2 D per unknown
  struct Face {
    float way = 0;    // [m] along the axis, at the lower face of a cell
    float known = 0;  // 1 where fluid touches the face
  };
  std::vector<Face> face_[D];
  void conjugateGradients();
  void multiply(const std::vector<double>& x, std::vector<double>& y) const;
};

}  // namespace brim::inline BRIM_FLAVOUR
