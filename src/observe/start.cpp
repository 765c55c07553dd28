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

// The last steps of the run were cut for its end. With another end they would be others, so the run goes on where that began.
static void goBack(Start& start, const Scene& scene, const RunOptions& options) {
  const Checkpoint& c = *start.state;
  if (!difference(c.physics, physicsOf(scene)).empty()) return;  // refused below
  auto before = readStraight(options.out + "/checkpoint");
  if (before)
    start.warnings.push_back(fmt::format(
        "steps after t = {} s were cut for the end at {} s; the run goes on from there with others", before->time, c.cutFor));
  else
    start.warnings.push_back(
        fmt::format("all steps were cut for the end at {} s, as there were no frames: the run began again. --from {} with "
                    "another --out goes on from its state instead",
                    c.cutFor, options.out));
  start.state = std::move(before);
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
    if (start.state && start.state->cutFor > 0 && start.state->cutFor != scene.time.until) goBack(start, scene, options);
    start.resumed = start.state.has_value();
    if (!start.resumed && start.warnings.empty())
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
