// Rigid bodies, cloth and soft bodies put their samples where they are: the boundary that the fluid feels.
#pragma once
#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

/// The samples go where the rigid bodies are. `mobility` [1/kg], of a sample of each body: with how little mass it gives way to
/// the fluid; empty: 0, it does not.
template <int D>
void placeBodies(World<D>&, const std::vector<double>& mobility = {});

/// The same for solvers with rows of their own for bodies, which ask only whether a sample belongs to one: its mobility is this
/// mark, for held bodies too.
constexpr double belongsToBody = 1;
template <int D>
void markBodies(World<D>&);

/// One step of the rigid bodies of dt [s] from the world's time on, with the forces that were set; their samples follow.
template <int D>
void moveBodies(World<D>&, double dt);

/// Puts the samples of cloth and soft bodies where their nodes are.
template <int D>
void placeDeformables(World<D>&);

/// Puts all samples in their places at time t [s]: those of moving solids by their motion, those of bodies, cloth and soft bodies
/// where these are now. Their largest speed bounds the next step.
template <int D>
void placeBoundary(World<D>&, double t);

/// Solids that are full of fluid when the run starts have no samples yet.
template <int D>
void findFilledSolids(World<D>&);

}  // namespace brim::inline BRIM_FLAVOUR
