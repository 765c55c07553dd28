#include "observe/observers/progress.h"

namespace brim {

void ProgressObserver::step(const ObservedStep& s) {
  dt_ = s.report.dt, densityErrorMean_ = s.report.density_error_mean;
  if (secondsSince(told_) > 0.1) tell();
}

double ProgressObserver::stepsPerSecond() const {
  return span() > 0 ? double(marks_.back().step - marks_.front().step) / span() : 0;
}

double ProgressObserver::secondsLeft() const {
  if (run_.facts.finished) return 0;
  const double done = marks_.back().time - marks_.front().time;
  return span() > 0 && done > 0 ? (run_.scene.time.until - marks_.back().time) * span() / done : -1;
}

void ProgressObserver::tell() {
  told_ = Clock::now();
  const double wall = secondsSince(run_.began);
  marks_.push_back({wall, run_.sim.time(), run_.sim.step()});
  while (marks_.size() > 2 && wall - marks_[1].wall > 5) marks_.pop_front();
  if (!progress_) return;
  Progress p;
  p.time = run_.sim.time();
  p.until = run_.scene.time.until;
  p.step = run_.sim.step();
  p.particles = run_.totals.particles;
  p.steps_per_second = stepsPerSecond();
  p.seconds_left = secondsLeft();
  p.wall = run_.wall();
  p.dt = dt_;
  p.density_error_mean = densityErrorMean_;
  progress_(p);
}

}  // namespace brim
