// Observers receive what a run produces: exporters, statistics, checkpoints, the viewer.
#pragma once
#include "brim/snapshot.h"

namespace brim {

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void step(const StepReport&) {}
  virtual void frame(int /*number*/, const Snapshot&) {}
};

}  // namespace brim
