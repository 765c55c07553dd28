// Particles as ellipsoids that follow the surface (Yu & Turk 2013, Reconstructing surfaces of particle-based fluids using
// anisotropic kernels).
#pragma once
#include "surface/cloud.h"

namespace brim {

/// The points y with (y - centre)^T M (y - centre) <= r^2, M symmetric; M is the identity for a round particle. In spacings.
struct Ellipsoid {
  Place centre;
  std::array<float, 6> M;  // xx yy zz xy xz yz; M = G^T G of the paper
  Place extent;            // half sides of the box around it for r = 1
  float weight;            // what it adds to the field at its centre, over that of a round particle
};

/// Round ones at the particles' own places, or ellipsoids: flat along the surface, round within, small where a particle is alone.
/// In the order of the cloud, whose reach must be at least `ellipsoidReach`.
std::vector<Ellipsoid> roundOnes(const Cloud&, int dimension);
std::vector<Ellipsoid> ellipsoids(const Cloud&, int dimension);

constexpr float ellipsoidReach = 3;  // [spacings] of the neighbours that shape an ellipsoid

/// Eigenvalues in descending order and the unit vectors that belong to them (columns), of a symmetric matrix xx yy zz xy xz yz.
/// By Jacobi's rotations.
void eigen(const std::array<double, 6>& m, std::array<double, 3>& values, std::array<std::array<double, 3>, 3>& vectors);

}  // namespace brim
