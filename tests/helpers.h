// Scenes made in code, and what laws measure in snapshots.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "brim/parameter.h"
#include "brim/simulation.h"

namespace brim::test {

constexpr double g = 9.81;  // [m/s^2]

inline Shape box(const Vector& low, const Vector& high) {
  Shape s;
  s.min = low, s.max = high;
  return s;
}
inline Shape ball(const Vector& centre, double radius) {
  Shape s;
  s.kind = "sphere";
  s.centre = centre, s.radius = radius;
  return s;
}

/// A scene without fluid: domain from the origin to `size`.
inline Scene domain(const std::string& solver, int dimension, const Vector& size, double spacing, const std::string& boundary) {
  Scene s;
  s.solver.name = solver;
  s.dimension = dimension;
  s.domain.max = size;
  s.domain.boundary = {boundary, boundary, boundary};
  s.resolution.spacing = spacing;
  return s;
}
inline void fill(Scene& s, const Shape& shape, const Vector& velocity = {0, 0, 0}) {
  s.fluid.blocks.push_back({shape, velocity});
}

/// Every solver of the table, by name.
inline std::vector<std::string> solverNames() {
  std::vector<std::string> names;
  for (const SolverInfo& s : solvers()) names.push_back(s.name);
  return names;
}

/// Those that push rigid bodies and are pushed by them.
inline std::vector<std::string> pushingSolvers() {
  std::vector<std::string> names;
  for (const SolverInfo& s : solvers())
    if (s.capabilities.two_way_bodies) names.push_back(s.name);
  return names;
}

/// Whether this solver works with particles and a grid: some laws hold to a cell there and not to a particle.
inline bool hasGrid(const std::string& solver) {
  for (const SolverInfo& s : solvers())
    if (s.name == solver) return s.capabilities.grid;
  return false;
}
/// [m] of a grid solver's cells.
inline double cellOf(const Scene& s) { return (s.dimension == 2 ? 3 : 2) * s.resolution.spacing; }

/// A law: tested for every solver, in 2D and 3D.
class Law : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  const std::string solver = std::get<0>(GetParam());
  const int D = std::get<1>(GetParam());
};
/// A law that is tested for every solver in the plane alone, where space adds run time but no other code.
class PlaneLaw : public testing::TestWithParam<std::string> {
 protected:
  const std::string solver = GetParam();
};
inline std::string lawName(const testing::TestParamInfo<std::tuple<std::string, int>>& info) {
  return std::get<0>(info.param) + "_" + std::to_string(std::get<1>(info.param)) + "D";
}
inline std::string planeLawName(const testing::TestParamInfo<std::string>& info) { return info.param; }

#define BRIM_LAWS(Suite) \
  INSTANTIATE_TEST_SUITE_P(EverySolver, Suite, testing::Combine(testing::ValuesIn(solverNames()), testing::Values(2, 3)), lawName)
#define BRIM_PLANE_LAWS(Suite) INSTANTIATE_TEST_SUITE_P(EverySolver, Suite, testing::ValuesIn(solverNames()), planeLawName)

inline double coordinate(const Snapshot& s, std::size_t i, int axis) { return s.position[3 * i + axis]; }

inline double mean(const Snapshot& s, int axis) {
  double sum = 0;
  for (std::size_t i = 0; i < s.size(); ++i) sum += coordinate(s, i, axis);
  return sum / double(s.size());
}
inline double lowest(const Snapshot& s, int axis) {
  double x = 1e300;
  for (std::size_t i = 0; i < s.size(); ++i) x = std::min(x, coordinate(s, i, axis));
  return x;
}
inline double highest(const Snapshot& s, int axis) {
  double x = -1e300;
  for (std::size_t i = 0; i < s.size(); ++i) x = std::max(x, coordinate(s, i, axis));
  return x;
}

/// Sum of m |v| over the fluid: the scale that a sum of momenta is compared with [kg m/s].
inline double grossMomentum(const Simulation& sim) {
  const Snapshot s = sim.snapshot();
  double sum = 0;
  for (std::size_t i = 0; i < s.size(); ++i) sum += std::hypot(s.velocity[3 * i], s.velocity[3 * i + 1], s.velocity[3 * i + 2]);
  return sim.facts().particle_mass * sum;
}

/// Steps of any length until `steps` are done; the last report.
inline StepReport stepped(Simulation& sim, int steps) {
  StepReport last;
  for (int k = 0; k < steps; ++k) last = sim.advance(1e9);
  return last;
}

/// Steps until `time`; the last report.
inline StepReport advanced(Simulation& sim, double time) {
  StepReport last;
  while (sim.time() < time) last = sim.advance(time);
  return last;
}

}  // namespace brim::test
