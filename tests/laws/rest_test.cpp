// Water at rest: it stays there, fills its volume and weighs on the bottom.
#include "helpers.h"

using namespace brim;
using namespace brim::test;

namespace {

// A line through y(x) by least squares: y = at0 + slope x.
struct Line {
  double at0, slope;
};
Line fit(const std::vector<double>& x, const std::vector<double>& y) {
  double n = double(x.size()), sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
  const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  return {(sy - slope * sx) / n, slope};
}

class RestingTank : public Law {
 protected:
  const double depth = D == 2 ? 0.5 : 0.4;       // [m] 25 layers in 2D, 16 in 3D
  const double spacing = D == 2 ? 0.02 : 0.025;  // [m]
  const double wave = std::sqrt(g * depth);      // [m/s] speed of long waves, the scale for "at rest"

  Scene tank() const {
    Scene s = domain(solver, D, D == 2 ? Vector{1, 0.8, 1} : Vector{0.5, 0.55, 0.5}, spacing, "walls");
    fill(s, box({0, 0, 0}, {s.domain.max[0], depth, s.domain.max[2]}));
    return s;
  }
};
BRIM_LAWS(RestingTank);

// Two chambers without any air, so that their pressures are known up to a constant each.
class FullVessel : public Law {
 protected:
  const double depth = 0.4;                      // [m]
  const double spacing = D == 2 ? 0.02 : 0.025;  // [m]

  Scene vessel() const {
    Scene s = domain(solver, D, {0.8, depth, 0.3}, spacing, "walls");
    s.solids.push_back({"divider", box({0.3, -0.1, -0.1}, {0.4, depth + 0.1, 0.4}), {}});
    fill(s, box({0, 0, 0}, {0.3, depth, 0.3}));
    fill(s, box({0.4, 0, 0}, {0.8, depth, 0.3}));
    return s;
  }
};
BRIM_LAWS(FullVessel);

}  // namespace

// One run, since settling takes the time: every claim is about the same 0.6 s.
TEST_P(RestingTank, StaysAtRestAtItsLevelAndWeighsOnTheBottom_CS10) {
  Simulation sim(tank());
  const std::int64_t particles = sim.facts().fluid_particles;
  advanced(sim, 2.0);
  std::vector<double> below, pressure, level, top;
  double fastest = 0, energy = 0;
  // 1/37 s is no multiple of the time in which sound passes the tank, so that what still rings is averaged.
  const int frames = 22;
  for (int f = 1; f <= frames; ++f) {
    const StepReport r = advanced(sim, 2.0 + f / 37.0);
    const Snapshot s = sim.snapshot();
    fastest = std::max(fastest, r.max_speed);
    energy += r.kinetic_energy / frames;
    level.push_back(2 * mean(s, 1));
    top.push_back(highest(s, 1) + spacing / 2);
    // Without the two layers at the surface, where part of the kernel is empty and density tells no pressure, and the two at
    // the bottom, which a wall that pushes by density alone (Eq. 9 has no pressure of its own) loads with more than their share.
    for (std::size_t i = 0; i < s.size(); ++i)
      if (const double z = depth - coordinate(s, i, 1); z > 2 * spacing && z < depth - 2 * spacing)
        below.push_back(z), pressure.push_back(s.pressure[i]);
    EXPECT_EQ(r.particles, particles);
    EXPECT_EQ(r.lost, 0);
  }
  const double mass = sim.facts().particle_mass * double(particles), speed = std::sqrt(2 * energy / mass);
  // At rest: nobody hops higher than a quarter of a spacing, and all together move at less than a fiftieth of the speed of
  // waves; what is left of a method's ringing holds less than a thousandth of the energy that the fluid has to fall.
  EXPECT_LT(fastest * fastest / (2 * g), spacing / 4);
  EXPECT_LT(speed, 0.02 * wave);
  // 2 % of volume over area. The mean height of a column is half its level; the topmost particle may ride
  // on the others.
  double meanLevel = 0;
  for (const double l : level) meanLevel += l / double(level.size());
  EXPECT_NEAR(meanLevel, depth, 0.02 * depth);
  EXPECT_NEAR(*std::max_element(top.begin(), top.end()), depth, 1.5 * spacing);
  // Hydrostatic, p = rho0 g (depth - y): within 5 % at the bottom. The slope of the line through all layers has 10 %: particles
  // at walls pull it about, and here it only shows that pressure grows evenly.
  const Line p = fit(below, pressure);
  EXPECT_NEAR(p.slope, 1000 * g, 0.1 * 1000 * g);
  // A grid's pressure is 0 in the middle of the air cell above the water, so it stands for up to a cell more of it.
  const double extra = hasGrid(solver) ? cellOf(sim.scene()) : 0.0;
  EXPECT_NEAR(p.at0 + p.slope * depth, 1000 * g * depth, 0.05 * 1000 * g * depth + 1000 * g * extra);
}

TEST_P(FullVessel, StaysAtRestAndItsPressureGrowsWithDepth) {
  Simulation sim(vessel());
  const std::int64_t particles = sim.facts().fluid_particles;
  double energy = 0, crowded = 0;
  std::vector<double> below, pressure;
  const int frames = 20;
  for (int f = 1; f <= frames; ++f) {
    const StepReport r = advanced(sim, 1.0 + f / 37.0);
    energy += r.kinetic_energy / frames;
    crowded += r.density_error_mean / frames;
    const Snapshot s = sim.snapshot();
    for (std::size_t i = 0; i < s.size(); ++i)
      if (const double z = depth - coordinate(s, i, 1); z > 2 * spacing && z < depth - 2 * spacing)
        below.push_back(z), pressure.push_back(s.pressure[i]);
    EXPECT_EQ(r.particles, particles);
    EXPECT_EQ(r.lost, 0);
  }
  const double mass = sim.facts().particle_mass * double(particles);
  EXPECT_LT(std::sqrt(2 * energy / mass), 0.02 * std::sqrt(g * depth));
  EXPECT_LT(crowded, 0.01);
  // As above, with two walls' particles to pull at the line.
  EXPECT_NEAR(fit(below, pressure).slope, 1000 * g, 0.15 * 1000 * g);
}
