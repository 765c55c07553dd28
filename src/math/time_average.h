// Means over time, for what is reported once a frame and changes with every step.
#pragma once

namespace brim {

/// The mean of a value over the window from the last restart until now. T has T += T, double * T and T / double.
template <class T>
class TimeAverage {
 public:
  /// The value was x for dt [s].
  void add(const T& x, double dt) {
    addIntegral(dt * x);
    pass(dt);
  }
  // The same in two parts, for values that come as integrals over time: an impulse [N s] is one of a force [N].
  void addIntegral(const T& x) { integral_ += x; }
  void pass(double dt) { window_ += dt; }

  bool empty() const { return !(window_ > 0); }
  T mean() const { return empty() ? T{} : integral_ / window_; }
  void restart() { *this = {}; }

  // What a checkpoint keeps.
  const T& integral() const { return integral_; }
  double window() const { return window_; }  // [s]
  void restore(const T& integral, double window) { integral_ = integral, window_ = window; }

 private:
  T integral_{};
  double window_ = 0;
};

}  // namespace brim
