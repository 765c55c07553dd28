// What each kind of gauge reads at one moment. Everything is found from the particles and from signed distances, and is the same
// for every solver. docs/instruments.md says it for users.
#pragma once
#include <map>
#include <string>

#include "world/near_fluid.h"

namespace brim::inline BRIM_FLAVOUR {

/// A piece of a surface that the fluid presses on.
struct SurfaceElement {
  Vector x;     // [m]
  Vector area;  // [m^(dimension - 1)] times the normal, out of the solid
};

template <int D>
class GaugeReadings {
 public:
  /// The values of the gauge's columns, but for the sum of a flow.
  std::vector<double> read(const World<D>&, const Gauge&);

  /// [m^3/s] public because nvcc wants kernels there.
  double flow(const World<D>&, const Gauge&);
  double volume(const World<D>&, const Gauge&);  // [m^3]

 private:
  double reach(const World<D>&, const Gauge&);  // [m] from `from`
  std::vector<double> sensor(const World<D>&, const Gauge&);
  std::vector<double> force(const World<D>&, const Gauge&);
  std::vector<SurfaceElement> elements(const World<D>&, const Gauge&);

  NearFluid<D> near_;
  std::map<std::string, std::vector<SurfaceElement>> surface_;  // of a solid, in its own frame
};

}  // namespace brim::inline BRIM_FLAVOUR
