#include "observe/observers/checkpoints.h"

namespace brim {

void CheckpointObserver::step(const ObservedStep&) {
  if (isReady(saving_)) saving_.get();
}

void CheckpointObserver::sync() {
  if (saving_.valid()) saving_.get();
}

bool CheckpointObserver::due() const {
  const double every = run_.scene.output.checkpoint_every;
  return every > 0 && secondsSince(saved_) > every;
}

void CheckpointObserver::save() {
  sync();
  saving_ = std::async(std::launch::async, [folder = folder(), c = state()] { writeCheckpoint(folder, c); });
  saved_ = Clock::now();
}

void CheckpointObserver::saveNow() { writeCheckpoint(folder(), state()); }

Checkpoint CheckpointObserver::state() {
  run_.totals.wall = run_.wall();
  return {run_.scene.text, physicsOf(run_.scene), run_.facts.precision, run_.sim.facts().flavour, run_.sim.time(),
          run_.sim.step(), run_.totals,           frames_.times(),      run_.facts.warnings,      run_.sim.save()};
}

}  // namespace brim
