// The state of a simulation as a file: a checkpoint, as a run leaves it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "brim/simulation.h"

namespace brim {

struct StoredState {
  std::string scene;  // TOML, without its title, time.until and output
  std::string precision, flavour;
  double time = 0;  // [s]
  std::int64_t step = 0;
  std::vector<char> state;            // for Simulation::restore
  std::vector<std::string> warnings;  // a damaged file that was passed over
};

/// Writes FOLDER/state.brim, from which `brim run --from FOLDER/state.brim` starts; one that is there becomes
/// state.previous.brim. Throws Failure if it cannot be written.
void writeState(const std::string& folder, const Simulation&);

/// A checkpoint file, or the latest one in the folder of a run. Throws Failure if there is none or it is damaged.
StoredState readState(const std::string& fileOrFolder);

}  // namespace brim
