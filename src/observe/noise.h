// How much of the fluid's motion is noise.
#pragma once
#include "brim/scene.h"
#include "brim/snapshot.h"

namespace brim {

struct Roughness {
  double noise = 0;    // part of the kinetic energy that is not in the smooth field
  double surface = 0;  // part of the volume that the fluid's ends make uncertain: at the free surface, at solids and in spray
};

/// noise = sum |v - <v>|^2 / sum |v|^2,   <v>_i = sum_j v_j W_ij / sum_j W_ij
/// over particles i, the cubic spline W of 2 spacings. With s_i = sum_j d^D W_ij, which is 1 within the fluid, some 0.7 on a flat
/// surface and less than 1/2 where a particle is alone,
///   surface = mean of (0.95 - s_i)/0.2, within 0 and 2,
/// where particles within a spacing of the domain's walls count as 0, and a quarter of the layer of a heap of so many particles.
/// Of large fluids a sample of some 20,000 particles is looked at, always the same one. Threads change no bit.
Roughness roughnessOf(const Snapshot&, const Scene&);

/// A volume over what it should be, as it may be judged: 1 where it differs by no more than `limit` and what the measure cannot
/// tell. It counts nodes of a lattice where the smoothed density exceeds half of that at rest: particles that are alone it does
/// not see, and where a surface rises or falls by a part of a spacing, a whole layer of nodes may change.
double judgedVolume(double ratio, double surface, double limit = 0.03);

}  // namespace brim
