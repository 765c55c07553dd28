// What a flat wall adds to a density, as a function of the distance from it: a boundary without samples.
#pragma once
#include <functional>
#include <vector>

#include "exec/exec.h"

namespace brim::inline BRIM_FLAVOUR {

/// phi(r): the part of rho0 that a wall at distance r [m] adds, from 0 at one support to about 1 deep inside. The wall is layers
/// of fluid one spacing apart, the first half a spacing behind the surface, spread evenly along it and calibrated as samples are:
/// a lattice at half a spacing from the wall is at rest. (The paper adds one particle's m W(r), which is
/// right for no kernel in particular.)
/// Several walls near a particle: each takes its part of what the others leave, phi = 1 - prod (1 - phi_a), which is right in the
/// corner of a product kernel and within a percent for the kernels used.
class WallField {
 public:
  /// W(r) is the kernel; `calibration` as wallCalibration gives it.
  WallField(int dimension, double spacing, double support, double calibration, const std::function<double(double)>& W);

  struct View {
    const Real* value;  // phi and its derivative [1/m], one after the other
    Real low, perStep;
    int last;
    BRIM_FN void at(Real r, Real& phi, Real& slope) const {
      Real s = (r - low) * perStep;
      s = s < 0 ? 0 : s > Real(last) ? Real(last) : s;
      const int k = s < Real(last - 1) ? int(s) : last - 1;
      const Real f = s - Real(k);
      phi = value[2 * k] + f * (value[2 * k + 2] - value[2 * k]);
      slope = value[2 * k + 1] + f * (value[2 * k + 3] - value[2 * k + 1]);
    }
  };
  View view() const { return {table_.data(), low_, perStep_, int(table_.size() / 2) - 1}; }

 private:
  Array<Real> table_;
  Real low_, perStep_;
};

}  // namespace brim::inline BRIM_FLAVOUR
