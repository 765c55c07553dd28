// The liquid between two frames of a run.
#pragma once
#include "brim/snapshot.h"

namespace brim::foam {

/// Particles follow the cubic that has their places and velocities in both frames. Those that only one frame has move on
/// straight, on its side of the middle.
class Between {
 public:
  /// Both with velocities. `period` [m] is that of the domain along each axis; 0: none.
  Between(const Snapshot& from, const Snapshot& to, const Vector& period);
  double duration() const { return duration_; }  // [s]
  /// Places, velocities, ids and bodies at `part` (0 to 1) of the way.
  Snapshot at(double part) const;

 private:
  const Snapshot &from_, &to_;
  Vector period_;
  double duration_;
  std::vector<std::pair<int, int>> pairs_;  // in both frames; -1: not there
};

}  // namespace brim::foam
