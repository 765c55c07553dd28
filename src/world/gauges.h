// What a scene measures in its fluid.
#pragma once
#include <vector>

#include "brim/snapshot.h"
#include "math/time_average.h"
#include "world/particles.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
struct World;

/// Levels and pressures are read when asked for; flows are added up step by step.
template <int D>
class Gauges {
 public:
  void make(const Scene& scene) {
    declared_ = scene.gauges;
    flow_.assign(declared_.size(), {});
    total_.assign(declared_.size(), 0);
  }
  bool empty() const { return declared_.empty(); }
  /// After a step of dt [s].
  void step(const World<D>&, double dt);
  /// Flows are means since restartAverages.
  std::vector<GaugeReport> read(World<D>&) const;
  void restartAverages();

  std::vector<double> save() const;
  void restore(const std::vector<double>&);

 private:
  double level(const World<D>&, const Gauge&) const;  // [m]
  double pressure(World<D>&, const Gauge&) const;     // [Pa]

  std::vector<Gauge> declared_;
  std::vector<TimeAverage<double>> flow_;  // [m^3/s]; all have one window
  std::vector<double> total_;              // [m^3] since the start
};

}  // namespace brim::inline BRIM_FLAVOUR
