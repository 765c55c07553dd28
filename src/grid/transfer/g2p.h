// G2P: from the velocities of faces to those of particles (PIC, FLIP and APIC), and RK2 advection through the grid.
#pragma once
#include "grid/transfer/p2g.h"

namespace brim::inline BRIM_FLAVOUR {

/// How particles take over the grid's velocity and move.
template <int D>
struct G2PParameters {
  double dt;     // [s]
  double flip;   // part of FLIP, the rest is PIC or APIC
  Vec<D> g;      // [m/s^2] for particles outside the grid
  double scale;  // [Pa s] from phi to pressure
};

/// v_p = flip (v_p + change(x_p)) + (1 - flip) u(x_p), and with `affine` the gradient of u, for APIC; then x_p by the midpoint
/// rule (RK2) through u, or straight on where faces are not known. The particle's pressure is that of its place, linear within a
/// cell. Reads `velocity` and, if flip > 0, the change of velocity in `padded`.
template <int D>
void g2pVelocity(GridState<D>&, Particles<D>&, const G2PParameters<D>&, const Affine<D>* affine);

}  // namespace brim::inline BRIM_FLAVOUR
