// P2G: from the velocities of particles to those of faces, for PIC, FLIP and APIC.
#pragma once
#include "grid/tiles/state.h"
#include "step/solver_state.h"

namespace brim::inline BRIM_FLAVOUR {

/// The affine matrices of APIC: column k of the particles' columns holds the gradient of velocity component k [1/s].
template <int D>
struct Affine {
  explicit Affine(SolverState<D>& state) {
    const char* const names[] = {"affine_x", "affine_y", "affine_z"};
    for (int k = 0; k < D; ++k) c[k] = &state.records(names[k]);
  }
  typename Particles<D>::template Field<Record<D>>* c[D];
};

/// The weight of a cell's upper face for a particle at f of the way to it. A face that a particle touches has weight: exactly
/// zero would leave it without a velocity.
BRIM_FN Real faceWeight(Real f) { return max(min(f, Real(1 - 1e-4)), Real(1e-4)); }
/// u_k = sum_p w_p v_p / sum_p w_p, 0 where no particle is near.
BRIM_FN Real faceVelocity(Real momentum, Real weight) { return weight > 0 ? momentum / weight : Real(0); }

/// u_k = sum_p w_p (v_p + C_p (x - x_p))_k / sum_p w_p with the trilinear weights of the faces: `faces.u`; and the bits of the
/// cells that hold particles: `flags.held`. `affine` is null but for APIC.
template <int D>
void p2gVelocity(GridState<D>&, const Particles<D>&, const Affine<D>* affine);

}  // namespace brim::inline BRIM_FLAVOUR
