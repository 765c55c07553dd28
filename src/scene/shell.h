// Samples of curved solids.
#pragma once
#include <functional>
#include <vector>

#include "scene/shape.h"

namespace brim {

struct Shell {
  std::vector<Vector> position;  // [m] in the solid's own frame
  std::vector<double> volume;    // [m^dimension]
};

struct ShellNeeds {
  double spacing;                   // [m] d
  int layers;                       // layer k lies at depth (k + 1/2) d
  double support;                   // [m] of the kernel
  double calibration;               // what a unit of wall volume counts for, see wallCalibration
  std::function<double(double)> W;  // [1/m^dimension] the kernel
  Vector low, high;                 // [m] only this part of the solid is wanted, in its own frame
};

/// Poisson-disk samples of the solid's surface, moved inwards to each layer's depth, with volumes such that points d/2 outside
/// the surface see what they would see of the solid's layers if those were sampled without end.
Shell sampleShell(const SolidShape&, const ShellNeeds&);

}  // namespace brim
