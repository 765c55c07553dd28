// Where a liquid takes in air: the potentials of Ihmsen et al. 2012, section 3.1.
#pragma once
#include <algorithm>
#include <vector>

#include "surface/cloud.h"

namespace brim::foam {

/// Radius of the neighbourhoods [spacings].
constexpr float support = 2;

/// Particles in a full neighbourhood.
constexpr double fullCount(int dimension) { return dimension == 3 ? 33.51 : 12.57; }  // volume of the ball, [spacings^D]

/// Phi(I, low, high): 0 below low, 1 above high, linear between.
inline double clamped(double I, double low, double high) {
  return high > low ? (std::min(I, high) - std::min(I, low)) / (high - low) : I > low ? 1 : 0;
}

/// The part of a ball of radius 1 that lies above a plane q below its middle; q from -1 (none) to 1 (all).
double partAbove(double q, int dimension);

/// What every particle feels of its neighbours, in the order of the cloud. Departs from the paper, whose sums grow with the
/// number of neighbours: here they are divided by the sum of W over a full neighbourhood, so that limits do not depend on
/// dimension.
struct Surroundings {
  std::vector<float> approach;  // [m/s] sum_j |v_ij| (1 - v^_ij . x^_ij) W_ij
  std::vector<float> crest;     // sum_j (1 - n^_i . n^_j) W_ij over the neighbours below the surface's plane, Eq. 5 to 7
  std::vector<Place> normal;    // out of the liquid, unit length; 0 within it
};

/// `velocity` [m/s], three a particle of the snapshot.
Surroundings surroundings(const Cloud&, const std::vector<float>& velocity, int dimension);

}  // namespace brim::foam
