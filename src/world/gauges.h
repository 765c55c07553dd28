// What a scene measures in its fluid, and when.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "brim/snapshot.h"
#include "math/time_average.h"
#include "world/particles.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
struct World;
template <int D>
class GaugeReadings;

/// Values of one moment are read when asked for; flows and gauges with `average` are followed step by step.
template <int D>
class Gauges {
 public:
  Gauges();
  ~Gauges();
  void make(const Scene& scene);
  /// After a step of dt [s], with the world at its end. Returns what gauges with a rate sample there.
  std::vector<StepReport::Sample> step(const World<D>&, double dt);
  /// Flows without `average` are means since restartAverages, and those with a rate since their last sample.
  std::vector<GaugeReport> read(const World<D>&) const;
  void restartAverages();

  std::vector<double> save() const;
  void restore(const std::vector<double>&);

 private:
  struct Step {
    double dt;                   // [s]
    std::vector<double> values;  // at its end
  };
  struct State {
    TimeAverage<double> flow;  // [m^3/s]
    double total = 0;          // [m^3] since the start
    std::deque<Step> window;   // the steps of the last `average` seconds
  };
  std::vector<double> values(const World<D>&, std::size_t gauge) const;

  std::vector<Gauge> declared_;
  std::vector<State> state_;
  std::unique_ptr<GaugeReadings<D>> readings_;  // memory; not part of the state
};

}  // namespace brim::inline BRIM_FLAVOUR
