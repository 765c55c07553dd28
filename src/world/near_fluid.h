// The fluid near a place, on the host: what gauges look at.
#pragma once
#include <vector>

#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

struct NearParticle {
  Vector x, v;      // [m] from the domain's corner, [m/s]
  double mass;      // [kg]
  double pressure;  // [Pa]
};

/// Finds the particles of a box and keeps the memory for it. Their order is that of the particles, whatever the threads do.
template <int D>
class NearFluid {
 public:
  /// Those between the corners [m, from the domain's corner], with the images of periodic sides; until the next call.
  const std::vector<NearParticle>& in(const World<D>&, const Vector& low, const Vector& high);

  /// The particles of one image of the box; public because nvcc wants kernels there.
  void add(const World<D>&, const Vec<D>& low, const Vec<D>& high, const Vec<D>& shift);

 private:
#if !BRIM_CUDA
  void bringTogether(const World<D>&, std::size_t before);
#endif
  Array<int> rank_;  // of each particle among those inside
  Array<Record<D>> p_, v_;
  Array<Real> pressure_;
  std::vector<NearParticle> found_;
};

}  // namespace brim::inline BRIM_FLAVOUR
