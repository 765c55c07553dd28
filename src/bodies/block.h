// What a constraint row has of one rigid body: the block [linear, arm] of G over the body's velocity and spin. Formulas for every
// machine, so vectors are plain numbers.
#pragma once
#include "math/qualifiers.h"

namespace brim {

BRIM_FN double dot3(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

struct BodyBlock {
  int body;                      // -1: none
  double linear[3] = {0, 0, 0};  // G over the velocity of the centre of mass
  double arm[3] = {0, 0, 0};     // G over the spin

  /// The row gets `force` at the lever r [m] from the centre of mass.
  BRIM_FN void add(const double* r, const double* force) {
    for (int k = 0; k < 3; ++k) {
      const int m = (k + 1) % 3, n = (k + 2) % 3;
      linear[k] += force[k];
      arm[k] += r[m] * force[n] - r[n] * force[m];
    }
  }
  /// G M^-1 G^T, with 1/m [1/kg] and the inverse inertia [1/(kg m^2)], row-major.
  BRIM_FN double inverseMass(double perMass, const double* perInertia) const {
    double turn[3];
    for (int k = 0; k < 3; ++k) turn[k] = dot3(perInertia + 3 * k, arm);
    return perMass * dot3(linear, linear) + dot3(arm, turn);
  }
  /// G u of a velocity v [m/s] and a spin w [rad/s].
  BRIM_FN double rate(const double* v, const double* w) const { return dot3(linear, v) + dot3(arm, w); }
};

}  // namespace brim
