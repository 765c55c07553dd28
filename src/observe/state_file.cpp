#include "brim/state_file.h"

#include "brim/files.h"
#include "observe/checkpoint.h"

namespace brim {

void writeState(const std::string& folder, const Simulation& sim) {
  Checkpoint c;
  c.sceneText = sim.scene().text;
  c.physics = physicsOf(sim.scene());
  c.flavour = sim.facts().flavour;
  c.precision = c.flavour.find("64") != std::string::npos ? "double" : "single";
  c.time = sim.time();
  c.step = sim.step();
  c.state = sim.save();
  makeFolder(folder);
  writeCheckpoint(folder, c);
}

StoredState readState(const std::string& fileOrFolder) {
  StoredState s;
  Checkpoint c = checkpointAt(fileOrFolder, s.warnings);
  s.scene = std::move(c.physics);
  s.precision = std::move(c.precision), s.flavour = std::move(c.flavour);
  s.time = c.time, s.step = c.step;
  s.state = std::move(c.state);
  return s;
}

}  // namespace brim
