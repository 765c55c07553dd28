// Whether the numbers of a simulation can be believed: checks of every step and of measured frames. docs/trust.md says what they
// are.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "brim/scene.h"
#include "brim/snapshot.h"

namespace brim {

/// What a step did to the energy of fluid and rigid bodies. Heights count from the lowest corner of the domain.
struct EnergyStep {
  double energy = 0;    // [J] kinetic and potential after the step, in the gravity that acted in it
  double gain = 0;      // [J] in the step; not above 0 where nothing does work
  bool driven = false;  // something did work that is not known: gain is 0 and says nothing
};

/// Something that went wrong in a simulation that goes on. Each kind is told once, when it is first seen.
struct HealthWarning {
  std::string kind;  // "density", "energy", "volume", "noise" or "particles"
  double time = 0;   // [s]
  std::int64_t step = 0;
  double value = 0;  // what was seen
  double limit = 0;  // what is allowed
  std::string text;  // a sentence with all of it, and what helps
};

class Health {
 public:
  explicit Health(const Scene&);

  /// After every step.
  void step(const StepReport&, const EnergyStep&);
  /// A frame: its volume over what it should be, and `noise`, the part of the kinetic energy that is not in the smooth field.
  void frame(double time, std::int64_t step, double volumeRatio, double noise);

  const std::vector<HealthWarning>& warnings() const { return warnings_; }
  bool good() const { return warnings_.empty(); }

  /// What is added up over the steps; runs keep it in their checkpoints.
  struct Sums {
    double density = 0;                   // running mean of the mean density error
    double density_most = 0;              // the largest that was
    double energy = 0, energy_least = 0;  // [J] sum of the gains, and the least that it was
    double energy_scale = 0;              // [J] the most energy that the fluid had
    double energy_rise = 0;               // the largest rise above the least, over the scale
    double driven = 0;                    // [s] of the time, whose energy could not be judged
    double noise = 0, noise_most = 0;     // of the last frame and the largest, each over the scale
    double settled = 0;                   // 1: fluid that started compressed has spread
  };
  const Sums& sums() const { return sums_; }
  /// Goes on from these.
  void restore(const Sums&, const std::vector<HealthWarning>&);
  double densityLimit() const { return densityLimit_; }

 private:
  void warn(const char* kind, double time, std::int64_t step, double value, double limit, const std::string& text);

  double densityLimit_;
  bool wallsOnly_, crowded_;
  std::int64_t start_ = -1;  // particles
  double kinetic_ = 0;       // [J] after the last step
  Sums sums_;
  std::vector<HealthWarning> warnings_;
};

}  // namespace brim
