// What a scene's viscosity asks for: how surfaces hold the fluid, and whether its friction has to be solved for.
#pragma once
#include <vector>

#include "brim/scene.h"

namespace brim {

/// A slip length [m] that stands for free slip.
constexpr double freeSlip = 1e30;

/// [m] thickness of a laminar boundary layer, 5 sqrt(nu L/U) (Blasius): L the longest side of the domain, U the fastest speed
/// that the scene prescribes or that a fall through the domain gains.
double boundaryLayer(const Scene&);

/// Slip lengths [m] by what the scene says, "automatic" included: 0 holds, freeSlip does not.
struct SlipLengths {
  double automatic;            // also that of cloth and soft bodies
  double walls;                // of the domain
  std::vector<double> solids;  // as in scene.solids, then as in scene.bodies
  bool anyHolds() const;
};
SlipLengths slipLengths(const Scene&);

/// Whether the friction has to be solved for: nu dt/d^2 above a thousandth, or a surface that holds. Below it an explicit sum is
/// stable and its error is far below that of the rest of a step.
bool solvesForFriction(const Scene&);

/// The same for grid solvers: nu/(U dx) above a thousandth, with cells of side dx, or a surface that holds. Below it the grid
/// itself damps far more, whatever the step is.
bool gridSolvesForFriction(const Scene&);

}  // namespace brim
