// A coarse level for pressure: what neighbours tell each other in thousands of iterations, a small grid knows in one.
#pragma once
#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

/// Cells of two supports, unknown pressures where there is fluid, zero in the air, no flow through walls.
/// Solves  -div(grad p) = rho0 r / dt^2  for a density residual r = rho/rho0 - 1: the pressure that removes its smooth part.
template <int D>
class CoarseLevel {
 public:
  /// Finds the cells with fluid and what surrounds them. Call after a search; false if there is nothing to
  /// do: no fluid touches a wall, or it is too scattered for a grid.
  bool prepare(const World<D>&);
  /// Moves the fluid by dx = -dt^2/rho0 grad p and changes its velocity by dx/dt. Displacements are taken from the faces of
  /// the grid, so what leaves each cell is exactly its excess. A compliance [1/Pa] leaves p times itself of the residual:
  /// fluid that is meant to give way.
  void push(World<D>&, const Array<Real>& residual, double dt, double compliance = 0);
  /// The pressure that undoes the smooth part of what densities gain in a step, `rate` [1/s] of rho/rho0, within that step of
  /// dt [s]. Nothing moves: addPressure tells it.
  void find(const World<D>&, const Array<Real>& rate, double dt);
  /// Adds p [Pa] of the last push or find, over dt [s], to a column.
  void addPressure(const World<D>&, double dt, Array<Real>& pressure) const;

 private:
  static constexpr int air = -1, wall = -2;
  struct Link {
    int to;         // unknown, or air
    float weight;   // what flows for a drop of one: wet part of the face over the way in cells
    float perDrop;  // displacement for a drop of one: 1 over the way; 0 at walls
  };
  /// Two right-hand sides or solutions, carried through one solve: see push.
  struct Pair {
    double now = 0, before = 0;  // [Pa]
  };
  /// At the lower face of a cell: {way, swift, known}. How far fluid moves along the axis [m], the part of it that counts as
  /// velocity [m], and 1 where fluid touches the face. A record, so that lanes read it in one load.
  using Face = Sample<3>;
  struct Place {
    std::int64_t at[3];
  };
  Place placeOf(std::int64_t cell) const { return {{cell % size_[0], cell / size_[0] % size_[1], cell / size_[0] / size_[1]}}; }
  template <class F>
  void eachRun(const World<D>&, std::int64_t cell, F body) const;
  double wetPart(std::int64_t cell, int axis, const std::vector<double>& fill) const;
  void connect(int unknown, const std::vector<double>& fill);
  bool findHeld();
  void solve(std::vector<Pair> rhs, double softness);
  void findFaces(double mobility);

  std::int64_t size_[3] = {1, 1, 1};
  double side_ = 0;  // [m]
  double low_[D] = {};
  std::vector<int> state_;          // per cell: index of its unknown, air or wall
  std::vector<std::int64_t> cell_;  // per unknown: its cell
  std::vector<Link> link_;          // 2 D per unknown
  std::vector<char> held_;          // per unknown: part of a body of fluid that touches a wall
  std::vector<double> diagonal_;
  std::vector<double> filled_;  // per unknown: part of the cell that fluid fills
  std::vector<Pair> x_;         // pressures of the last push
  Array<Face> face_[D];
};

}  // namespace brim::inline BRIM_FLAVOUR
