// Curves of runs and of references, in the reference's units.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "brim/validation.h"

namespace brim {

/// Values over a rising x; `low` and `high` are the band of a reference, empty where there is none.
struct Curve {
  std::vector<double> x, y, low, high;
  std::size_t size() const { return x.size(); }
  void add(double at, double value) { x.push_back(at), y.push_back(value); }
};

Curve referenceOf(const ValidationCase&, const CurveRule&);

/// The curve of a run, unshifted; empty if the run has left nothing of it.
Curve curveOf(const CurveRule&, const PlannedRun&, const std::string& folder);

/// The value at x, linear between points; NaN outside.
double valueAt(const std::vector<double>& x, const std::vector<double>& y, double at);

/// By how much the run must be moved along x to fit the reference best, at most rule.shift either way.
double bestShift(const CurveRule&, const Curve& run, const Curve& reference);

/// c + exp(-damping x) (a cos(rate x) + b sin(rate x)), by least squares.
struct DampedWave {
  double rate = 0, damping = 0;  // [1/x]
  bool found = false;
};
DampedWave oscillationOf(const Curve&, double begin, double end);

/// The scores of one curve. `run` is unshifted.
std::vector<Score> scoresOf(const CurveRule&, const Curve& run, const Curve& reference);

}  // namespace brim
