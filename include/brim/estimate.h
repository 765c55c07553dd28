// How large a scene is, from volumes and areas, before anything is built.
#pragma once
#include "brim/scene.h"

namespace brim {

struct Estimate {
  double volume = 0;  // [m^D] of the fluid at the start
  double domain = 1;  // [m^D] of the domain
  double area = 0;    // [m^(D-1)] of walls and solids
  double speed = 0;   // [m/s] the largest that fluid starts with
  double height = 0;  // [m] from the lowest point fluid can fall to up to its highest at the start, against gravity
  double particles = 0, samples = 0;
  double bytes = 0;
  bool grid = false;  // the solver is one of particles and a grid
};

/// Needs a scene whose values are in range. Throws SceneError if a mesh cannot be read.
Estimate estimate(const Scene&);
/// The same at another spacing [m].
void refine(const Scene&, double spacing, Estimate&);

double physicalMemory();  // [B] of this machine

}  // namespace brim
