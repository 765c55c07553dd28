// What the observers of a run share: the simulation, its sums over the steps, and the facts of the summary.
#pragma once
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <string>

#include "brim/run.h"
#include "brim/simulation.h"
#include "observe/noise.h"
#include "observe/start.h"
#include "observe/summary.h"

namespace brim {

using Clock = std::chrono::steady_clock;

inline double secondsSince(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

// Times are sums of steps; two that differ by rounding are the same.
inline bool reached(double time, double target) { return time >= target - 1e-12 * std::max(1., std::abs(target)); }

template <class T>
bool isReady(const std::future<T>& f) {
  return f.valid() && f.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

struct RunState {
  /// Builds the simulation and, where the run goes on from a checkpoint, restores it. A run that is not resumed clears its
  /// folder.
  RunState(const Scene&, const RunOptions&, Start&);

  std::string file(const char* name) const { return out + "/" + name; }
  double wall() const { return wallBefore + secondsSince(began); }  // [s] of the whole run
  /// Volume of the fluid [m^D], with the run's number of threads.
  double volume(const Snapshot&);
  Roughness roughness(const Snapshot&);
  /// Tells the simulation's health of a measured frame.
  void judgeFrame(const Snapshot&, double volumeRatio, const Roughness&);

  Clock::time_point began = Clock::now();
  const Scene& scene;
  std::string out;
  bool resumed;
  RunFacts facts;
  tbb::task_arena arena;
  Simulation sim;
  Totals totals;
  double wallBefore = 0;  // [s] of earlier parts of the run
};

}  // namespace brim
