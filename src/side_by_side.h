// Independent pieces of work, each on one thread at a time.
#pragma once
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstddef>

namespace brim {

/// work(k) for k in [0, n), `atATime` of them at once. Within its arena of one thread the loops of a simulation run on that
/// thread alone, and it takes no work of the others while it waits.
template <class F>
void sideBySide(std::size_t n, int atATime, const F& work) {
  tbb::task_arena all(atATime);
  all.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, n, 1),
        [&](const auto& r) {
          for (std::size_t k = r.begin(); k < r.end(); ++k) {
            tbb::task_arena own(1, 1);
            own.execute([&] { work(k); });
          }
        },
        tbb::simple_partitioner());
  });
}

}  // namespace brim
