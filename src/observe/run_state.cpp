#include "observe/run_state.h"

#include <fmt/format.h>
#include <tbb/info.h>

#include <filesystem>

#include "io/file.h"
#include "observe/volume.h"

namespace brim {

// Nothing of an earlier run in this folder may be taken for this one's.
static void clear(const std::string& out) {
  std::error_code ignored;
  for (const char* name :
       {"/checkpoint/state.brim", "/checkpoint/state.previous.brim", "/checkpoint/state.straight.brim", "/summary.json",
        "/preview.png", "/bodies.csv", "/bodies.columns.json", "/gauges.csv", "/gauges.columns.json"})
    std::filesystem::remove(out + name, ignored);
  std::filesystem::remove_all(out + "/gauges", ignored);
}

// A branch keeps what its state has been through, and counts its own steps.
static Totals branchOf(const Totals& then) {
  Totals fresh;
  fresh.particles = then.particles, fresh.emitted = fresh.startEmitted = then.emitted;
  fresh.sunk = fresh.startSunk = then.sunk, fresh.lost = then.lost;
  return fresh;
}

RunState::RunState(const Scene& scene, const RunOptions& options, Start& start)
    : scene(scene),
      out(options.out),
      resumed(start.resumed),
      facts{options.machine.precision,
            options.machine.threads > 0 ? options.machine.threads : tbb::info::default_concurrency(),
            false,
            {},
            std::move(start.warnings)},
      arena(facts.threads),
      sim(scene, start.machine) {
  if (start.state) {
    sim.restore(start.state->state);
    std::vector<char>().swap(start.state->state);
    totals = resumed ? start.state->totals : branchOf(start.state->totals);
    if (resumed) sim.health().restore(start.state->health, start.state->ruined);
  }
  if (resumed && sim.facts().flavour != start.state->flavour)
    facts.warnings.push_back(fmt::format("the run began with {} and went on with {}: an uninterrupted run has other last digits",
                                         start.state->flavour, sim.facts().flavour));
  wallBefore = totals.wall;
  makeFolder(file("checkpoint"));
  if (!resumed) clear(out);
}

double RunState::volume(const Snapshot& s) {
  return arena.execute([&] { return liquidVolume(s, scene, sim.facts().particle_mass); });
}

Roughness RunState::roughness(const Snapshot& s) {
  return arena.execute([&] { return roughnessOf(s, scene); });
}

// The start's volume is counted on a lattice, too, where a layer of nodes more or less is chance: the volume is good if it is so
// over that or over spacing^D a particle.
void RunState::judgeFrame(const Snapshot& s, double volumeRatio, const Roughness& r) {
  if (s.size() == 0) return;
  const double lattice = double(totals.startParticles) * std::pow(scene.resolution.spacing, scene.dimension);
  const double start = totals.startVolume > 0 && lattice > 0 ? totals.startVolume / lattice : 1;
  const bool good = judgedVolume(volumeRatio * start, r.surface) == 1;
  sim.health().frame(s.time, s.step, good ? 1 : judgedVolume(volumeRatio, r.surface), r.noise);
}

}  // namespace brim
