// One simulation on many processes ("ranks"), as mpirun starts them. Rank 0 leads: it reads and writes files and decides what is
// done next; the others do their part of it.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "brim/scene.h"
#include "brim/simulation.h"

namespace brim::ranks {

/// What the ranks of the simulation have said to each other so far.
struct Report {
  int count = 0;                         // 0: there is no simulation on ranks
  std::int64_t steps = 0;                // since it began
  std::int64_t bytes = 0, messages = 0;  // that they have sent
  double imbalance = 1;                  // the most particles of a rank over the mean
  std::int64_t cuts_moved = 0;           // how often
};
Report report();

/// Joins the processes that mpirun started: from here on simulations are on all of them, one at a time. Returns the number of
/// this one. Failure where this build or this machine has no MPI.
int enter();
int count();
/// On a rank other than 0: does what rank 0 asks for until that leaves. `scene` is read when a simulation begins.
void serve(const std::function<Scene()>& scene);
/// On rank 0, once all is done: the others end.
void leave();
/// Whether this rank stopped within something that all do together: the others wait for it, and only end() ends them.
bool stuck();
/// Ends the processes of all ranks.
[[noreturn]] void end(int code);

}  // namespace brim::ranks
