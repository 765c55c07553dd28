#include "brim/health.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "scene/declare.h"

namespace brim {

namespace {

constexpr double timesTolerance = 10;
constexpr double leastDensityLimit = 0.03;  // what the volume is held to; no smaller tolerance is judged
constexpr double looseDensityLimit = 0.04;  // of solvers that have no tolerance
constexpr double densityMemory = 20;        // [steps] one bad step of an impact is no ruin
constexpr double volumeLimit = 0.03;
constexpr double energyLimit = 0.1;
constexpr double noiseLimit = 0.05;

// Of the mean compression, where the solver has one: declared without unit, and above 0.
double toleranceOf(const Scene& s) {
  const SolverInfo* const solver = findSolver(s.solver.name);
  if (!solver) return 0;
  for (const Parameter& p : parametersOf(*solver)) {
    const double* const value = std::get_if<double>(&p.value);
    if (p.name != "tolerance" || !p.doc.unit.empty() || !value) continue;
    const auto given = s.solver.numbers.find(p.name);
    return given != s.solver.numbers.end() ? given->second : *value;
  }
  return 0;
}

}  // namespace

Health::Health(const Scene& s) {
  const double tolerance = toleranceOf(s);
  densityLimit_ = tolerance > 0 ? std::max(timesTolerance * tolerance, leastDensityLimit) : looseDensityLimit;
  const auto& sides = s.domain.boundary;
  wallsOnly_ = std::find(sides.begin(), sides.begin() + s.dimension, "open") == sides.begin() + s.dimension;
  crowded_ = std::any_of(s.fluid.blocks.begin(), s.fluid.blocks.end(), [](const Block& b) { return b.particles > 0; });
}

void Health::warn(const char* kind, double time, std::int64_t step, double value, double limit, const std::string& text) {
  if (std::none_of(warnings_.begin(), warnings_.end(), [&](const HealthWarning& w) { return w.kind == kind; }))
    warnings_.push_back({kind, time, step, value, limit, fmt::format("t = {:.4g} s, step {}: {}", time, step, text)});
}

void Health::restore(const Sums& sums, const std::vector<HealthWarning>& all) {
  sums_ = sums, warnings_ = all;
  start_ = -1;
}

void Health::step(const StepReport& r, const EnergyStep& e) {
  // Density.
  sums_.density += (r.density_error_mean - sums_.density) / densityMemory;
  if (sums_.density < densityLimit_) sums_.settled = 1;
  sums_.density_most = std::max(sums_.density_most, sums_.density);
  if (sums_.density > densityLimit_ && (sums_.settled > 0 || !crowded_))
    warn("density", r.time, r.step, sums_.density, densityLimit_,
         fmt::format(
             "the fluid is compressed by {:.3g} % on average, and {:.3g} % are allowed. Shorter steps (time.dt_max, time.cfl) or "
             "more iterations help",
             100 * sums_.density, 100 * densityLimit_));

  // Energy.
  kinetic_ = r.kinetic_energy;
  sums_.energy_scale = std::max(sums_.energy_scale, e.energy);
  if (e.driven)
    sums_.driven += r.dt;
  else
    sums_.energy += e.gain;
  sums_.energy_least = std::min(sums_.energy_least, sums_.energy);
  const double rise = sums_.energy - sums_.energy_least;
  const double part = sums_.energy_scale > 0 ? rise / sums_.energy_scale : 0;
  sums_.energy_rise = std::max(sums_.energy_rise, part);
  if (part > energyLimit)
    warn("energy", r.time, r.step, part, energyLimit,
         fmt::format(
             "energy rose by {:.3g} % of all that there was, and nothing did work on the fluid. Shorter steps (time.dt_max, "
             "time.cfl) or more viscosity help",
             100 * part));

  // Particles: they come and go by emitters, sinks and open sides alone.
  const std::int64_t expected = r.particles - r.emitted + r.sunk + r.lost;
  if (start_ < 0) start_ = expected;
  const double gone = double(start_ - expected + (wallsOnly_ ? r.lost : 0));
  if (gone != 0)
    warn("particles", r.time, r.step, gone, 0, fmt::format("{:g} particles are lost, and no sink or open side took them", gone));
}

void Health::frame(double time, std::int64_t step, double volumeRatio, double noise) {
  const double off = std::abs(volumeRatio - 1);
  if (!(off <= volumeLimit))
    warn("volume", time, step, volumeRatio, volumeLimit,
         fmt::format(
             "the volume is {:.4g} of what it should be, and 1 +- {:g} is allowed. Shorter steps (time.dt_max, time.cfl) or more "
             "iterations keep it",
             volumeRatio, volumeLimit));
  const double part = sums_.energy_scale > 0 ? noise * kinetic_ / sums_.energy_scale : 0;
  sums_.noise = part;
  sums_.noise_most = std::max(sums_.noise_most, part);
  if (part > noiseLimit)
    warn("noise", time, step, part, noiseLimit,
         fmt::format(
             "{:.3g} % of the energy is noise, velocities that neighbours do not share, and {:g} % are allowed. Shorter steps "
             "(time.dt_max, time.cfl) or more viscosity help",
             100 * part, 100 * noiseLimit));
}

}  // namespace brim
