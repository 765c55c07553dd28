// How much room the fluid takes.
#pragma once
#include "brim/snapshot.h"

namespace brim {

/// Volume [m^D] where the smoothed density exceeds rho0/2: the number of lattice nodes of that kind, times spacing^D.
/// Smoothed with the cubic spline of support 2 spacings, and with the images of the particles in the domain's walls; nodes at
/// domain.min + (i + 1/4) spacing, so that none lies on the faces of a resting block. The same for any number of threads.
/// spacing in [m], mass a particle's [kg], rho0 in [kg/m^3].
double liquidVolume(const Snapshot&, const Domain&, double spacing, double mass, double rho0);

/// The same of a simulation's state, as volume_ratio wants it.
double liquidVolume(const Snapshot&, const Scene&, double mass);

}  // namespace brim
