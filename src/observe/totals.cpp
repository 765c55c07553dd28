// Sums over the steps of a run, and their way through checkpoints.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>

#include "observe/summary.h"

namespace brim {

using nlohmann::json;

namespace {

// One list of the members for both directions.
template <class T, class F>
void visit(T& t, F f) {
  f("steps", t.steps), f("simulated", t.simulated), f("wall", t.wall), f("stepping", t.stepping);
  f("particle_steps", t.particleSteps), f("particle_iterations", t.particleIterations), f("iterations", t.iterations);
  f("neighbours", t.neighbours), f("density_error_mean", t.densityErrorMean), f("density_error_max", t.densityErrorMax);
  f("density_error_p999", t.densityErrorP999), f("stages", t.stages), f("particles", t.particles), f("emitted", t.emitted);
  f("sunk", t.sunk), f("lost", t.lost), f("kinetic_energy", t.kineticEnergy), f("potential_energy", t.potentialEnergy);
  f("max_speed", t.maxSpeed), f("start_volume", t.startVolume), f("start_particles", t.startParticles);
  f("start_emitted", t.startEmitted), f("start_sunk", t.startSunk), f("volume_ratio", t.volumeRatio);
  f("volume_ratio_min", t.volumeRatioMin), f("volume_ratio_max", t.volumeRatioMax);
  f("volume_ratio_eq19", t.volumeRatioEq19), f("residual", t.residual);
}

}  // namespace

void Totals::add(const StepReport& r, double ms) {
  const double n = double(r.particles);
  ++steps;
  simulated += r.dt;
  stepping += ms / 1000;
  particleSteps += n;
  particleIterations += n * r.iterations;
  iterations += r.iterations;
  neighbours += n * r.neighbours;
  densityErrorMean += r.dt * r.density_error_mean;
  densityErrorMax = std::max(densityErrorMax, r.density_error_max);
  densityErrorP999 = std::max(densityErrorP999, r.density_error_p999);
  for (const auto& stage : r.stages) stages[stage.name] += stage.ms;
  particles = r.particles, emitted = r.emitted, sunk = r.sunk, lost = r.lost;
  kineticEnergy = r.kinetic_energy, potentialEnergy = r.potential_energy;
  maxSpeed = std::max(maxSpeed, r.max_speed);
  volumeRatioEq19 = r.volume_ratio_eq19;
  if (r.residual >= 0) residual = std::max(residual, 0.0) + r.residual;
}

json toJson(const Totals& totals) {
  json j;
  visit(totals, [&](const char* name, const auto& value) { j[name] = value; });
  return j;
}

std::int64_t wholeFrom(const json& j, std::int64_t low, std::int64_t high) {
  const bool known = j.is_number_integer() && !(j.is_number_unsigned() && j.get<std::uint64_t>() > std::uint64_t(high));
  if (!known || j.get<std::int64_t>() < low || j.get<std::int64_t>() > high)
    throw std::range_error("a number in it is not whole, or out of range");
  return j.get<std::int64_t>();
}

Totals totalsFrom(const json& j) {
  Totals totals;
  visit(totals, [&](const char* name, auto& value) {
    if constexpr (std::is_integral_v<std::decay_t<decltype(value)>>)
      value = wholeFrom(j.at(name), 0, std::int64_t(1) << 53);
    else
      j.at(name).get_to(value);
  });
  return totals;
}

}  // namespace brim
