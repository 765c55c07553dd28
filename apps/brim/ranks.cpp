#include "ranks.h"

#include <fmt/format.h>

#include <csignal>

#include "brim/ranks.h"

namespace brim::command {

// Rank 0 runs the scene as if it were alone; the others do their part of it.
int runOnRanks(const RunArguments& a) {
  const int rank = ranks::enter();
  try {
    if (rank == 0) {
      const int code = run(a);
      ranks::leave();
      return code;
    }
    for (const int s : {SIGINT, SIGTERM}) std::signal(s, SIG_IGN);  // rank 0 ends the run, with a checkpoint
    ranks::serve([&] { return readScene(a.scene.file, settingsOf(a.scene)); });
  } catch (const std::exception& e) {
    if (rank != 0 || ranks::stuck()) {
      fmt::print(stderr, "error: rank {} of {}: {}; all ranks end\n", rank, ranks::count(), e.what());
      ranks::end(mistake);
    }
    ranks::leave();
    throw;
  }
  return ok;
}

}  // namespace brim::command
