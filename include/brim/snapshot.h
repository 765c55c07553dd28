// Host copies of the state, by name: what exporters, statistics and viewers see.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "brim/scene.h"

namespace brim {

/// A sheet, a rope or the skin of a soft body.
struct Surface {
  std::string name;
  int corners = 3;             // of an element: 3 for triangles, 2 for segments
  std::vector<double> vertex;  // [m] three numbers each, in the coordinates of the scene
  std::vector<int> element;    // indices of vertices, `corners` each
};

/// A rigid body at one time. Forces are means since Simulation::restartAverages: in a run, since the last frame.
struct BodyReport {
  std::string name;
  Vector position = {0, 0, 0};                                   // [m] of the shape's own frame, whose origin is its middle
  std::array<double, 9> rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1};  // row-major, from the shape's frame to the scene
  Vector centre = {0, 0, 0};                                     // [m] of mass
  Vector velocity = {0, 0, 0}, spin = {0, 0, 0};                 // [m/s] of the centre of mass, [rad/s]
  Vector force = {0, 0, 0}, torque = {0, 0, 0};                  // [N], [N m] of the fluid, about the centre of mass
};

/// A joint at one time. Forces are means as those of bodies.
struct JointReport {
  std::string name;
  Vector force = {0, 0, 0}, torque = {0, 0, 0};  // [N], [N m] on its first body, about the joint
  double motor = 0;                              // [N m] (slider: [N]) of the motor
  double position = 0;                           // [rad] of a hinge, [m] of a slider or a distance
  double error = 0;                              // [m] by which the joint is apart
};

/// What a gauge reads: numbers in the order of its columns (docs/instruments.md). The flow of a gauge without `average` is a
/// mean, as forces on bodies are.
struct GaugeReport {
  std::string name;
  std::vector<double> values;
  double value() const { return values.at(0); }
};

/// The fluid at one time, ordered by id, so that two snapshots of one state are equal whatever the sorting was.
/// Vectors are stored three numbers a particle, also in 2D (the third is 0), in the coordinates of the scene.
struct Snapshot {
  int dimension = 3;
  double time = 0;  // [s]
  std::int64_t step = 0;
  std::vector<std::int64_t> id;
  std::vector<double> position;   // [m]
  std::vector<float> velocity;    // [m/s]
  std::vector<float> density;     // [kg/m^3]
  std::vector<float> pressure;    // [Pa]
  std::vector<double> solids;     // [m] samples of the solids, those of the domain's walls left out; for pictures
  std::vector<Surface> surfaces;  // cloth and soft bodies
  std::vector<BodyReport> bodies;
  std::vector<JointReport> joints;
  std::vector<GaugeReport> gauges;
  std::size_t size() const { return id.size(); }
};

/// What one step did. All sums are over the fluid.
struct StepReport {
  std::int64_t step = 0;
  double time = 0;            // [s] after the step
  double dt = 0;              // [s]
  const char* dt_limit = "";  // what bound dt: "dt", "dt_max", "velocity", "sound", "viscosity", "pressure", "fall", "frame"
  int iterations = 0;         // pressure iterations
  double residual = -1;       // constraint: of Eq. 33 after the last iteration, over that before the first; others: below 0
  double density_error_mean = 0, density_error_max = 0, density_error_p999 = 0;  // of max(rho/rho0 - 1, 0)
  double kinetic_energy = 0, potential_energy = 0;                               // [J]
  Vector momentum = {0, 0, 0};                                                   // [kg m/s]
  double max_speed = 0;                                                          // [m/s]
  double volume_ratio_eq19 = -1;  // grid solvers: sum of min(particles of a cell, full cell) over particles; else below 0
  std::int64_t particles = 0, emitted = 0, sunk = 0, lost = 0;  // now; since the start
  double neighbours = 0;                                        // mean, without the particle itself
  struct Stage {
    const char* name;  // "search", "pressure", "viscosity", ...
    double ms;
  };
  std::vector<Stage> stages;
  struct Sample {
    std::size_t gauge;  // index in scene.gauges
    std::vector<double> values;
  };
  std::vector<Sample> samples;  // of the gauges with a rate that were due at the end of this step
};

}  // namespace brim
