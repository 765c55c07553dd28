// summary.json: a run in some forty numbers, and the sums they come from.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "brim/simulation.h"

namespace brim {

/// Sums over the steps of a run. Checkpoints keep them, so that a resumed run reports the whole of itself.
struct Totals {
  std::int64_t steps = 0;
  double simulated = 0;           // [s] sum of dt
  double wall = 0;                // [s] of the whole run, resumed parts included
  double stepping = 0;            // [s] of wall time within steps
  double particleSteps = 0;       // sum of particles over steps
  double particleIterations = 0;  // sum of particles times iterations
  double iterations = 0;
  double neighbours = 0;                 // sum of particles times their mean number of neighbours
  double densityErrorMean = 0;           // [s] sum of dt times the mean over particles
  double densityErrorMax = 0;            // over particles and steps
  double densityErrorP999 = 0;           // the largest of all steps
  std::map<std::string, double> stages;  // [ms]
  std::int64_t particles = 0, emitted = 0, sunk = 0, lost = 0;
  double kineticEnergy = 0, potentialEnergy = 0;  // [J] after the last step
  double maxSpeed = 0;                            // [m/s] over all steps

  // The fluid at the start of the run, which volume_ratio refers to.
  double startVolume = -1;  // [m^D]; below 0: not measured yet
  std::int64_t startParticles = 0, startEmitted = 0, startSunk = 0;
  double volumeRatio = 1, volumeRatioMin = 1, volumeRatioMax = 1;
  double volumeRatioEq19 = -1;  // after the last step; below 0: no grid
  double residual = -1;         // sum over the steps; below 0: the solver reports none

  void add(const StepReport&, double ms);
};

/// The whole number of a JSON file, from low to high. Throws std::range_error for anything else.
std::int64_t wholeFrom(const nlohmann::json&, std::int64_t low, std::int64_t high);

nlohmann::json toJson(const Totals&);
Totals totalsFrom(const nlohmann::json&);

/// volume / startVolume, where fluid was let in or taken out on purpose per particle: over (start + emitted - sunk) / start.
/// Particles that leak stay in that count, so their loss is seen; only in a domain with an open side leaving is no leak, and the
/// particles there are now count. A run that starts empty or crowded refers to spacing^D a particle. Updates minimum and maximum.
double volumeRatio(Totals&, const Scene&, double volume, std::int64_t particles);

struct RunFacts {
  std::string precision;
  int threads = 0;
  bool finished = false;
  std::optional<Diverged> diverged;
  std::vector<std::string> warnings;
};

/// The text of summary.json. Names whose meaning needs a word:
///   density_error_mean   mean over particles, then over time (weighted by dt); _max over both; _p999 the largest of all steps
///   volume_ratio_eq19    grid solvers: Eq. 19 of Kugelstadt et al. 2019 over the volume at rest, after the last step
///   residual_mean        constraint: what Eq. 33 of Bodin et al. 2012 leaves of each step's start, mean over the steps
///   ns_per_particle_*    wall time of the steps (search: stage "search"; iteration: stage "pressure" alone)
///   simulated_per_wall   simulated seconds per second spent in steps
///   spacing_*            at the end: distance to the nearest particle in spacings, its variance, and the part closer than 0.5
///   health               see docs/trust.md; its warnings stand in warnings too
///   state_hash           of ids, positions and velocities, as 16 hexadecimal digits
std::string summaryText(const Simulation&, const Snapshot& end, const Totals&, const RunFacts&);

}  // namespace brim
