// What G2P does to one particle, for the CPU's loops over tiles and the GPU's threads.
#pragma once
#include "grid/transfer/advection.h"
#include "grid/transfer/g2p.h"

namespace brim::inline BRIM_FLAVOUR {

/// u of component k and its gradient, in cells.
template <int D>
BRIM_DEVICE_FN Real gradientAt(const Real* block, const InTile<D>& x, int k, Vec<D>& gradient) {
  Between b[D];
  int at = k * Padded<D>::nodes;
  for (int a = 0; a < D; ++a) b[a] = a == k ? atFaces(x, a) : atCentres(x, a), at += b[a].at;
  Real value = 0;
  gradient = {};
  for (int n = 0; n < power(2, D); ++n) {
    int node = at;
    Real w = 1, slope[D];
    for (int a = 0; a < D; ++a) slope[a] = 1;
    for (int a = 0; a < D; ++a) {
      const bool upper = n >> a & 1;
      const Real part = upper ? b[a].f : 1 - b[a].f;
      node += upper ? Padded<D>::stride(a) : 0;
      for (int c = 0; c < D; ++c) slope[c] *= c == a ? (upper ? Real(1) : Real(-1)) : part;
      w *= part;
    }
    const Real u = block[node];
    value += w * u;
    for (int a = 0; a < D; ++a) gradient[a] += slope[a] * u;
  }
  return value;
}

/// One particle i at `at` in its tile, whose padded blocks are u and change.
template <int D, bool apic>
struct G2P {
  GridGeometry<D> geometry;
  Advection<D> advection;
  View<Record<D>> p, v;
  View<Real> pressure;
  const Real *phi, *slope[D];
  Record<D>* affine[D];
  Real dt, flip, scale;
  Vec<D> g;

  /// Pressure [Pa] at a place in cell c, an element of the fields.
  BRIM_DEVICE_FN Real pressureAt(std::size_t c, const InTile<D>& at) const {
    Real value = phi[c];
    for (int k = 0; k < D; ++k) value += slope[k][c] * (at.f[k] - Real(0.5));
    return scale * value;
  }
  /// The particle's new velocity; returns the grid's at its place.
  BRIM_DEVICE_FN Vec<D> update(int i, const InTile<D>& at, const Real* u, const Real* change, Vec<D>& own) const {
    Vec<D> w;
    if constexpr (apic) {
      BRIM_UNROLL
      for (int k = 0; k < D; ++k) {
        Vec<D> gradient;
        w[k] = gradientAt(u, at, k, gradient);
        affine[k][i] = {geometry.perCell * gradient, Real(0)};
      }
      const Vec<D> old = own;
      own = w;
      if (flip > 0) own += flip * (old + Stencil<D>(at)(change) - w);
    } else {
      const Stencil<D> stencil(at);
      w = stencil(u);
      own = w + flip * (own + stencil(change) - w);
    }
    return w;
  }
  /// Outside the grid there is nothing but gravity.
  BRIM_DEVICE_FN void fall(int i) const {
    Record<D> x = p[i], u = v[i];
    u.x += dt * g;
    x.x += dt * u.x;
    pressure[i] = 0;
    p[i] = x, v[i] = u;
  }
};

template <int D, bool apic>
G2P<D, apic> g2pOf(const GridState<D>& s, Particles<D>& fluid, const G2PParameters<D>& par, const Affine<D>* affine) {
  G2P<D, apic> g2p{s.geometry,
                   {s.tiles.view(), s.velocity.view(), {}, nullptr},
                   fluid.p.view(),
                   fluid.v.view(),
                   fluid.real("pressure").view(),
                   s.phi.data(),
                   {},
                   {},
                   Real(par.dt),
                   Real(par.flip),
                   Real(par.scale),
                   par.g};
  for (int k = 0; k < D; ++k) {
    g2p.advection.known[k] = s.flags.known[k].data();
    g2p.slope[k] = s.slope[k].data();
    if (affine) g2p.affine[k] = affine->c[k]->data.data();
  }
  return g2p;
}

}  // namespace brim::inline BRIM_FLAVOUR
