// A contact of a particle with a surface, for walls as planes (Eq. 26-29).
#pragma once
#include "bodies/block.h"
#include "bodies/row.h"
#include "math/vec.h"

namespace brim::inline BRIM_FLAVOUR {

/// n . (v_i - v_surface) >= c: a particle no nearer than half a support to a surface.
template <int D>
struct ParticleContact {
  Vec<D> n;  // unit, out of the surface
  int i;
  double c, perD, lambda;
  BodyBlock block;  // body -1: a wall or a prescribed solid

  /// `gap` [m]: the distance past half a support; the velocity of the surface counts where no body has a block. perD is the
  /// caller's.
  BRIM_DEVICE_FN static ParticleContact of(int i, double gap, const Vec<D>& n, const Vec<D>& velocity, int body,
                                           const Spook& spook) {
    const double drift = body >= 0 ? 0 : double(dot(n, velocity));
    return {n, i, spook.oneSided(gap) + drift, 0, 0, {body, {0, 0, 0}, {0, 0, 0}}};
  }
  /// r at the particle's velocity v and the rate G u of the body.
  BRIM_DEVICE_FN double residual(const Vec<D>& v, double bodyRate) const { return double(dot(n, v)) + bodyRate - c; }
  /// The lambda that solves the contact alone.
  BRIM_DEVICE_FN double next(const Vec<D>& v, double bodyRate) const {
    return relaxed(lambda, residual(v, bodyRate), perD, {0, unbounded});
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
