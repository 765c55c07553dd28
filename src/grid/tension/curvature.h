// The curvature of the liquid's surface, found on a grid.
//
//   kappa = div n,   n = -grad C/|grad C|
//
// with C the part of a cell's tent kernel that is liquid, smoothed. Solids are no part of the liquid and have no surface: they
// take the curvature of what is beside them, a contact angle of 90 degrees.
#pragma once
#include "grid/tiles/state.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
class SurfaceCurvature {
 public:
  /// `passes` of (1 2 1)/4 along each axis: a variance of half a cell's square each. They take noise of single particles out of
  /// the second derivatives, and of the curvature of a wave k [1/cell] all but exp(-passes k^2/4).
  explicit SurfaceCurvature(int passes) : passes_(passes) {}

  /// From the densities in s.rho, of which `fill` times the fluid's part is 1 in the liquid.
  void find(const GridState<D>& s, double fill = 1);
  const Array<Real>& part() const { return part_; }              // C, smoothed
  const Array<Real>& normal(int k) const { return normal_[k]; }  // out of the liquid
  const Array<Real>& curvature() const { return curvature_; }    // [1/cell]
  std::size_t bytes() const { return (D + 4) * part_.bytes(); }

 private:
  void smooth(const Tiles<D>&, Array<Real>& field, Real background);
  void differentiate(const Tiles<D>&);

  int passes_;
  Array<Real> part_, weight_, spare_;  // liquid in cells, cells that count, and one more field to smooth with
  Array<Real> normal_[D], curvature_;
};

}  // namespace brim::inline BRIM_FLAVOUR
