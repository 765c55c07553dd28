// What a scene measures in its fluid.
#pragma once
#include <vector>

#include "brim/snapshot.h"
#include "world/particles.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
class World;

/// Levels and pressures are read when asked for; flows are added up step by step.
template <int D>
class Gauges {
 public:
  void make(const Scene& scene) {
    declared_ = scene.gauges;
    mean_.assign(declared_.size(), 0);
    total_.assign(declared_.size(), 0);
  }
  bool empty() const { return declared_.empty(); }
  /// After a step of dt [s].
  void step(const World<D>&, double dt);
  /// Flows are means since startMeans.
  std::vector<GaugeReport> read(World<D>&) const;
  void startMeans();

  std::vector<double> save() const;
  void restore(const std::vector<double>&);

 private:
  double level(const World<D>&, const Gauge&) const;  // [m]
  double pressure(World<D>&, const Gauge&) const;     // [Pa]

  std::vector<Gauge> declared_;
  std::vector<double> mean_, total_;  // [m^3] since startMeans, since the start
  double since_ = 0;                  // [s]
};

}  // namespace brim::inline BRIM_FLAVOUR
