// The state of a run on disk: always one good checkpoint, whatever happens while the next is written.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "observe/summary.h"

namespace brim {

struct Checkpoint {
  std::string sceneText;  // as Scene::text
  std::string physics;    // physicsOf(scene)
  std::string precision, flavour;
  double time = 0;  // [s]
  std::int64_t step = 0;
  Totals totals;
  std::map<int, double> frames;  // number -> time [s]
  std::vector<std::string> warnings;
  double cutFor = 0;        // [s] the time.until that the last steps were made to end at; 0: they would be the same without it
  std::vector<char> state;  // Simulation::save()
  Health::Sums health = {};
  std::vector<HealthWarning> ruined = {};  // what health warned of
};

/// Writes folder/state.brim; the one before it becomes state.previous.brim. Both survive a kill at any time.
///   "brimstat", version, size and checksum of the header, size and checksum of the state; the header (JSON); the state
/// All numbers are little-endian 64-bit.
void writeCheckpoint(const std::string& folder, const Checkpoint&);

/// folder/state.straight.brim: the last state before steps were cut for the end of the run. A run with a later end goes on there.
void writeStraight(const std::string& folder, const Checkpoint&);
std::optional<Checkpoint> readStraight(const std::string& folder);

/// The bytes of a file with this header and state, whatever they are.
std::string sealedCheckpoint(std::string_view header, std::string_view state);

/// Throws Failure if the file is damaged or of another version.
Checkpoint readCheckpoint(const std::string& file);

/// The newest good checkpoint of the folder, nothing if there is none at all. Where the newest is damaged, the one before it is
/// taken and `warnings` says so; throws Failure where all there are are damaged.
std::optional<Checkpoint> latestCheckpoint(const std::string& folder, std::vector<std::string>& warnings);

/// A checkpoint file, or the latest checkpoint of a run's folder.
Checkpoint checkpointAt(const std::string& fileOrFolder, std::vector<std::string>& warnings);

/// What decides how a scene moves, as TOML: not its title, not time.until and not output.
std::string physicsOf(const Scene&);

/// Where the two differ first: "[resolution] spacing = 0.02 there, spacing = 0.01 here"; empty if they do not.
std::string difference(const std::string& physicsThere, const std::string& physicsHere);

}  // namespace brim
