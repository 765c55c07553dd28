// How evenly the particles stand: the measure of clumping.
#pragma once
#include "brim/snapshot.h"

namespace brim {

struct Spacing {
  double mean = 0;      // distance to the nearest other particle, in spacings
  double variance = 0;  // of that
  double close = 0;     // part of the particles that have another nearer than half a spacing
};

/// Over all particles that have another within two spacings; those in free flight are left out.
Spacing spacingOf(const Snapshot&, double spacing);

}  // namespace brim
