#include "observe/start.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace brim {

namespace fs = std::filesystem;

static bool inside(const std::string& path, const std::string& folder) {
  const auto p = fs::weakly_canonical(path), f = fs::weakly_canonical(folder);
  return std::mismatch(f.begin(), f.end(), p.begin(), p.end()).first == f.end();
}

Start findStart(const Scene& scene, const RunOptions& options) {
  Start start;
  start.machine = options.machine;
  if (!options.from.empty() && options.resume)
    throw Failure("--resume goes on with the run of the folder and --from starts a new one: give one of them");
  if (!options.from.empty()) {
    if (inside(options.from, options.out))
      throw Failure(fmt::format("a run from {} needs a folder of its own; {} would overwrite what it starts from", options.from,
                                options.out));
    start.state = checkpointAt(options.from, start.warnings);
  } else if (options.resume) {
    start.state = latestCheckpoint(options.out + "/checkpoint", start.warnings);
    start.resumed = start.state.has_value();
    if (!start.resumed)
      start.warnings.push_back(fmt::format("{} has no checkpoint to resume from; started at the beginning", options.out));
  }
  if (!start.state) return start;

  const Checkpoint& c = *start.state;
  if (c.precision != options.machine.precision)
    throw Failure(fmt::format("the checkpoint is of a run in {0} precision; give --precision {0}", c.precision));
  if (start.resumed) {
    const std::string other = difference(c.physics, physicsOf(scene));
    if (!other.empty())
      throw Failure(
          fmt::format("{0}/checkpoint is of another scene: {1}. To start a new run from its state under this scene, use "
                      "--from {0} with another --out",
                      options.out, other));
    // The same bits need the same instructions.
    const auto here = flavours();
    if (start.machine.flavour.empty() && std::find(here.begin(), here.end(), c.flavour) != here.end())
      start.machine.flavour = c.flavour;
    start.warnings.insert(start.warnings.begin(), c.warnings.begin(), c.warnings.end());
  }
  return start;
}

}  // namespace brim
