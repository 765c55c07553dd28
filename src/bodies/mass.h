// What a shape weighs and how it resists turning.
#pragma once
#include "bodies/turn.h"
#include "scene/shape.h"

namespace brim {

struct MassProperties {
  double mass = 0;            // [kg]
  Vector centre = {0, 0, 0};  // [m] of mass, in the shape's own frame
  Matrix inertia = {};        // [kg m^2] about the centre, in the shape's own axes
};

/// Of a bounded shape of even density [kg/m^3]; 2D shapes are 1 m thick and their inertia is that about z.
MassProperties massOf(const SolidShape&, double density);

}  // namespace brim
