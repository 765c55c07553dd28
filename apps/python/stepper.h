// A simulation as Python holds it: with the reports of its steps, and one caller at a time.
#pragma once
#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <vector>

#include "arrays.h"
#include "brim/batch.h"

namespace brim::python {

/// What is kept of every step.
inline const char* const keptNames[] = {
    "step",
    "time",
    "dt",
    "iterations",
    "density_error_mean",
    "density_error_max",
    "kinetic_energy",
    "potential_energy",
    "max_speed",
    "particles",
    "neighbours",
};
constexpr std::size_t kept = std::size(keptNames);

class Stepper {
 public:
  Stepper(const Scene& scene, const Options& options) : own_(std::make_unique<Simulation>(scene, options)), sim_(own_.get()) {}
  explicit Stepper(Simulation& one) : sim_(&one) {}

  /// The simulation for one thread; Failure if another has it.
  class Use {
   public:
    explicit Use(Stepper& s) : stepper_(s) {
      if (s.busy_.exchange(true)) throw Failure("this simulation is at work in another thread");
    }
    ~Use() { stepper_.busy_ = false; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    Simulation* operator->() { return stepper_.sim_; }
    Simulation& operator*() { return *stepper_.sim_; }

   private:
    Stepper& stepper_;
  };

  void record(const StepReport& r) {
    if (!recording) return;
    steps_.push_back({double(r.step), r.time, r.dt, double(r.iterations), r.density_error_mean, r.density_error_max,
                      r.kinetic_energy, r.potential_energy, r.max_speed, double(r.particles), r.neighbours});
  }
  void advance(double limit) {
    const double before = sim_->time();
    const StepReport& r = sim_->advance(limit);
    if (sim_->time() != before) record(r);
  }
  void advanceTo(double time) {
    while (sim_->time() < time) advance(time);
  }
  const std::vector<std::array<double, kept>>& steps() const { return steps_; }
  void forget() { steps_.clear(); }
  double timeNow() const { return sim_->time(); }
  bool recording = true;

 private:
  std::unique_ptr<Simulation> own_;
  Simulation* sim_;
  std::vector<std::array<double, kept>> steps_;
  std::atomic<bool> busy_ = false;
};

}  // namespace brim::python
