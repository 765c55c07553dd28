// The linear system of the coarse level: pressures of the cells that hold fluid, and what flows between them.
#pragma once
#include <vector>

#include "exec/exec.h"

namespace brim::inline BRIM_FLAVOUR {

/// From an unknown to what lies beyond one face of its cell.
struct Link {
  int to;         // unknown; below 0: air or a wall
  float weight;   // what flows for a drop of one: wet part of the face over the way in cells
  float perDrop;  // displacement for a drop of one: 1 over the way; 0 at walls, also at one with a void, which has a weight
};

/// Those of n unknowns: the links of all of them across one face lie side by side, as a GPU reads them.
struct Links {
  View<const Link> link;
  int n;
  BRIM_DEVICE_FN const Link& operator()(int i, int face) const { return link[face * n + i]; }
};

/// Two right-hand sides or solutions, carried through one solve: see CoarseLevel::push.
struct Pair {
  double now = 0, before = 0;  // [Pa]
};

/// sum_l weight_l (x_i - x_l) + softness filled_i x_i = rhs_i, the sum over the 2 D links of each unknown.
template <int D>
class CoarseSystem {
 public:
  void resize(int unknowns);
  int size() const { return n_; }
  /// Finds the bodies of fluid that touch a wall; whether there is one. Call when the links are set.
  bool findHeld();
  /// Finds x by Jacobi-preconditioned conjugate gradients, to a thirtieth of both residuals: the fine level sees to the rest.
  /// What would be negative is zero: fluid pushes, it does not pull. A body of fluid without air has pressures up to a constant:
  /// what of its rhs has nowhere to go is left out, and its least pressure is zero. Takes rhs as its memory.
  void solve(double softness);

  Links links() const { return {link.read(), n_}; }

  Array<Link> link;        // faces: below and above along each axis, unknowns
  Array<double> diagonal;  // sum of the weights
  Array<double> filled;    // part of the cell that fluid fills
  Array<int> held;         // 0: part of a body of fluid in free flight; 1: of one that touches a wall; 2: of one without air
  Array<Pair> rhs, x;

 private:
  void listShutIn();

  int n_ = 0;
  Array<int> parent_, holds_, breathes_;
  Array<int> shutIn_;  // unknowns of bodies without air, body by body
  std::vector<int> shutFirst_ = {0};
  Array<double> inverse_;  // of the diagonal with the softness
  Array<Pair> p_, q_, products_;
};

}  // namespace brim::inline BRIM_FLAVOUR
