#include "observe/observers/checkpoints.h"

#include <system_error>

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
  try {
    saving_ = std::async(std::launch::async, [folder = folder(), c = state()] { writeCheckpoint(folder, c); });
  } catch (const std::system_error&) {  // no thread is to be had
    saveNow();
  }
  saved_ = Clock::now();
}

void CheckpointObserver::saveNow() { writeCheckpoint(folder(), state()); }

void CheckpointObserver::cutSteps() {
  sync();
  // A run that has not begun can begin again.
  if (run_.sim.step() > 0) writeStraight(folder(), state());
  cutFor_ = run_.scene.time.until;
}

Checkpoint CheckpointObserver::state() {
  run_.totals.wall = run_.wall();
  return {run_.scene.text,
          physicsOf(run_.scene),
          run_.facts.precision,
          run_.sim.facts().flavour,
          run_.sim.time(),
          run_.sim.step(),
          run_.totals,
          frames_.times(),
          run_.facts.warnings,
          cutFor_,
          run_.sim.save(),
          run_.sim.health().sums(),
          run_.sim.health().warnings()};
}

}  // namespace brim
