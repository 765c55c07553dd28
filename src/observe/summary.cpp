#include "observe/summary.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "brim/ranks.h"
#include "observe/health_json.h"
#include "observe/spacing.h"

namespace brim {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

std::int64_t peakMemory() {
  struct rusage usage;
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? std::int64_t(usage.ru_maxrss) * 1024 : 0;  // Linux counts in KiB
}

}  // namespace

double volumeRatio(Totals& t, const Scene& scene, double volume, std::int64_t particles) {
  const auto& sides = scene.domain.boundary;
  const bool open = std::find(sides.begin(), sides.begin() + scene.dimension, "open") != sides.begin() + scene.dimension;
  const double expected = double(open ? particles : t.startParticles + (t.emitted - t.startEmitted) - (t.sunk - t.startSunk));
  const double perParticle = t.startParticles > 0 && t.startVolume > 0 ? t.startVolume / double(t.startParticles)
                                                                       : std::pow(scene.resolution.spacing, scene.dimension);
  const double now = expected > 0 ? volume / (expected * perParticle) : 1;
  t.volumeRatio = now;
  t.volumeRatioMin = std::min(t.volumeRatioMin, now);
  t.volumeRatioMax = std::max(t.volumeRatioMax, now);
  return now;
}

std::string summaryText(const Simulation& sim, const Snapshot& end, const Totals& t, const RunFacts& facts) {
  const Scene& scene = sim.scene();
  const auto stage = [&](const char* name) {
    const auto at = t.stages.find(name);
    return at == t.stages.end() ? 0. : at->second;
  };
  const double now = double(t.steps > 0 ? t.particles : sim.facts().fluid_particles);
  ordered_json j;
  j["scene"] = scene.file.empty() ? scene.title : scene.file;
  j["title"] = scene.title;
  j["solver"] = scene.solver.name;
  j["dimension"] = scene.dimension;
  j["precision"] = facts.precision;
  j["flavour"] = sim.facts().flavour;
  j["threads"] = facts.threads;
  j["finished"] = facts.finished;
  if (facts.diverged)
    j["diverged"] = {{"message", facts.diverged->what()},
                     {"time", facts.diverged->time},
                     {"step", facts.diverged->step},
                     {"particle", facts.diverged->particle}};
  j["fluid_particles"] = sim.facts().fluid_particles;
  j["boundary_samples"] = sim.facts().boundary_samples;
  j["neighbours_mean"] = ratio(t.neighbours, t.particleSteps);
  j["steps"] = t.steps;
  j["time"] = sim.time();
  j["dt_mean"] = ratio(t.simulated, double(t.steps));
  j["wall_s"] = t.wall;
  j["simulated_per_wall"] = ratio(t.simulated, t.stepping);
  j["iterations_mean"] = ratio(t.iterations, double(t.steps));
  j["ns_per_particle_step"] = ratio(t.stepping * 1e9, t.particleSteps);
  j["ns_per_particle_iteration"] = ratio(stage("pressure") * 1e6, t.particleIterations);
  j["search_ns_per_particle"] = ratio(stage("search") * 1e6, t.particleSteps);
  j["density_error_mean"] = ratio(t.densityErrorMean, t.simulated);
  j["density_error_max"] = t.densityErrorMax;
  j["density_error_p999"] = t.densityErrorP999;
  j["volume_ratio"] = t.volumeRatio;
  j["volume_ratio_min"] = t.volumeRatioMin;
  j["volume_ratio_max"] = t.volumeRatioMax;
  if (t.volumeRatioEq19 >= 0) j["volume_ratio_eq19"] = t.volumeRatioEq19;
  if (t.residual >= 0) j["residual_mean"] = ratio(t.residual, double(t.steps));
  const Spacing spacing = spacingOf(end, scene.resolution.spacing);
  j["spacing_mean"] = spacing.mean;
  j["spacing_variance"] = spacing.variance;
  j["spacing_close"] = spacing.close;
  j["kinetic_energy"] = t.kineticEnergy;
  j["potential_energy"] = t.potentialEnergy;
  j["max_speed"] = t.maxSpeed;
  j["particles"] = std::int64_t(now);
  j["emitted"] = t.emitted;
  j["sunk"] = t.sunk;
  j["lost"] = t.lost;
  j["inside_solids"] = sim.facts().inside_solids;
  j["ms_per_stage"] = t.stages;
  j["bytes_per_particle"] = ratio(double(sim.bytes()), now);
  j["peak_rss_bytes"] = peakMemory();
  j["state_hash"] = fmt::format("{:016x}", sim.stateHash());
  if (const ranks::Report r = ranks::report(); r.count > 0)
    j["ranks"] = {{"count", r.count},
                  {"bytes_per_step", ratio(double(r.bytes), double(r.steps))},
                  {"messages_per_step", ratio(double(r.messages), double(r.steps))},
                  {"imbalance", r.imbalance},
                  {"cuts_moved", r.cuts_moved}};
  // What a user must know, over the whole run; energies as parts of the most that there was.
  const Health& health = sim.health();
  const Health::Sums& s = health.sums();
  const double scale = s.energy_scale > 0 ? s.energy_scale : 1;
  j["health"] = {{"good", health.good()},
                 {"density_error", s.density_most},
                 {"density_limit", health.densityLimit()},
                 {"energy_change", s.energy / scale},
                 {"energy_rise", s.energy_rise},
                 {"energy_unknown_s", s.driven},
                 {"noise", s.noise_most},
                 {"ruined", toJson(health.warnings())}};
  std::vector<std::string> warnings = facts.warnings;
  for (const HealthWarning& w : health.warnings()) warnings.push_back(w.text);
  j["warnings"] = warnings;
  return j.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace brim
