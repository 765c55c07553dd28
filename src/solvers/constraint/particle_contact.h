// A contact of a particle with a surface (Eq. 26-29): for walls as planes, and for whatever a particle would meet within a step.
#pragma once
#include "bodies/block.h"
#include "bodies/row.h"
#include "math/vec.h"

namespace brim::inline BRIM_FLAVOUR {

/// Which surfaces have contacts, and where.
template <int D>
struct ContactReach {
  Real standoff;  // [m] distance that contacts keep
  Real near;      // [m] distance at which a particle at rest has one
  Real dt;        // [s]
  Vec<D> kick;    // [m/s] that the step adds before the solve
  bool push;      // a particle that is nearer is pushed out; else it comes no nearer, and one inside is left alone
  BRIM_DEVICE_FN Real of(const Vec<D>& v) const {
    const Vec<D> u = v + kick;
    return near + dt * sqrt(dot(u, u));
  }
  BRIM_DEVICE_FN bool takes(Real distance) const { return push || distance > 0; }
  BRIM_DEVICE_FN double gap(Real distance) const {
    const double gap = double(distance) - standoff;
    return push || gap > 0 ? gap : 0;
  }
};

/// n . (v_i - v_surface) >= c: a particle no nearer than the standoff to a surface.
template <int D>
struct ParticleContact {
  Vec<D> n;  // unit, out of the surface
  int i;
  double c, perD, lambda;
  BodyBlock block;  // body -1: a wall or a prescribed solid

  /// `gap` [m]: the distance past the standoff; the velocity of the surface counts where no body has a block. perD is the
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
