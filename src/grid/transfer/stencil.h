// Trilinear interpolation of face fields in padded blocks.
#pragma once
#include "grid/tiles/fields.h"

namespace brim::inline BRIM_FLAVOUR {

/// The nodes around a place in a tile and their weights, for each component of a face field.
#if BRIM_CUDA
template <int D>
class Stencil {
 public:
  __device__ explicit Stencil(const InTile<D>& x) {
    for (int k = 0; k < D; ++k) face_[k] = atFaces(x, k), centre_[k] = atCentres(x, k);
  }
  /// Component k of the field whose padded block this is.
  __device__ Real operator()(const Real* block, int k) const {
    const Between x = k == 0 ? face_[0] : centre_[0], y = k == 1 ? face_[1] : centre_[1];
    const Real* const p = block + k * Padded<D>::nodes + x.at + y.at;
    if constexpr (D == 2) {
      return inPlane(p, x.f, y.f);
    } else {
      const Between z = k == 2 ? face_[2] : centre_[2];
      const Real low = inPlane(p + z.at, x.f, y.f), high = inPlane(p + z.at + 100, x.f, y.f);
      return low + z.f * (high - low);
    }
  }
  __device__ Vec<D> operator()(const Real* block) const {
    Vec<D> u;
    BRIM_UNROLL
    for (int k = 0; k < D; ++k) u[k] = (*this)(block, k);
    return u;
  }

 private:
  __device__ static Real inPlane(const Real* p, Real x, Real y) {
    const Real low = p[0] + x * (p[1] - p[0]), high = p[10] + x * (p[11] - p[10]);
    return low + y * (high - low);
  }
  Between face_[D], centre_[D];
};
#else
template <int D>
class Stencil {
 public:
  BRIM_FN explicit Stencil(const InTile<D>& x) {
    Between face[D], centre[D];
    for (int k = 0; k < D; ++k) face[k] = atFaces(x, k), centre[k] = atCentres(x, k);
    for (int k = 0; k < D; ++k) {
      const Between bx = k == 0 ? face[0] : centre[0], by = k == 1 ? face[1] : centre[1];
      at_[k] = k * Padded<D>::nodes + bx.at + by.at;
      w_[k] = (Four(typename Four::V{1, 0, 1, 0}) + Four(typename Four::V{-1, 1, -1, 1}) * Four(bx.f)) *
              (Four(typename Four::V{1, 1, 0, 0}) + Four(typename Four::V{-1, -1, 1, 1}) * Four(by.f));
      if constexpr (D == 3) {
        const Between bz = k == 2 ? face[2] : centre[2];
        at_[k] += bz.at, fz_[k] = bz.f;
      }
    }
  }
  /// Component k of the field whose padded block this is.
  BRIM_FN Real operator()(const Real* block, int k) const {
    const Real* const p = block + at_[k];
    Four v = lines(p);
    if constexpr (D == 3) v += Four(fz_[k]) * (lines(p + 100) - v);
    v *= w_[k];
    return (v[0] + v[1]) + (v[2] + v[3]);
  }
  BRIM_FN Vec<D> operator()(const Real* block) const {
    Vec<D> u;
    for (int k = 0; k < D; ++k) u[k] = (*this)(block, k);
    return u;
  }

 private:
  using Four = Pack<Real, 4>;
  BRIM_FN static Four lines(const Real* p) {
    typename VectorOf<Real, 2>::type low, high;
    __builtin_memcpy(&low, p, sizeof low);
    __builtin_memcpy(&high, p + 10, sizeof high);
    return Four(__builtin_shufflevector(low, high, 0, 1, 2, 3));
  }
  int at_[D];
  Real fz_[D];
  Four w_[D];
};
#endif

/// A padded field at q (in cells); false where there is no tile.
template <int D>
BRIM_DEVICE_FN bool sample(const TileView<D>& tiles, const BlockView<D>& padded, const Vec<D>& q, Vec<D>& u) {
  Vec<D, int> place;
  for (int k = 0; k < D; ++k) place[k] = int(std::floor(q[k])) >> 3;
  const int t = tiles.at(place);
  if (t == tiles.count) return false;
  u = Stencil<D>(InTile<D>(q, place))(padded.at(t));
  return true;
}

}  // namespace brim::inline BRIM_FLAVOUR
