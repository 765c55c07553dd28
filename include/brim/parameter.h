// One declaration of every parameter: the parser, `brim list`, the documentation and checkpoints all read it.
#pragma once
#include <string>
#include <vector>

#include "brim/scene.h"

namespace brim {

/// What a parameter means: its unit ("m", "1/s", "" for a pure number), range and effect in one sentence.
struct Doc {
  std::string unit;
  std::string text;
  double low = -1e300, high = 1e300;
  bool positive = false;                // strictly above `low` (the low end is excluded)
  std::vector<std::string> words = {};  // the choices of a word
};

/// Walks the parameters of something, in the order in which a reader should meet them.
class ParameterVisitor {
 public:
  virtual ~ParameterVisitor() = default;
  virtual void operator()(const char* name, double& value, const Doc&) = 0;
  virtual void operator()(const char* name, int& value, const Doc&) = 0;
  virtual void operator()(const char* name, bool& value, const Doc&) = 0;
  virtual void operator()(const char* name, std::string& value, const Doc&) = 0;
};

/// What a solver can do. A scene that asks for more is refused, with the names of the solvers that can do it.
struct Capabilities {
  /// Particles and a grid: solids act by their signed distance alone and need no samples, time.cfl counts in cells, and results
  /// are accurate to a cell and not to a particle.
  bool grid = false;
  bool periodic_sides = false;     // domain.boundary = "periodic"
  bool rigid_bodies = false;       // [[bodies]] and [[joints]]: rigid bodies push the fluid
  bool two_way_bodies = false;     // the fluid pushes rigid bodies too: they float
  bool cloth = false;              // [[cloth]] and [[soft]]: cloth, ropes and soft bodies, coupled both ways
  bool cloth_with_bodies = false;  // cloth or soft bodies and rigid bodies in one scene
  bool surface_tension = false;    // fluid.surface_tension, and contact_angle of the domain, solids and bodies
};

/// In words that follow "2D, 3D": "viscosity; periodic sides; rigid bodies".
std::string textOf(const Capabilities&);

/// One solver as users see it.
struct SolverInfo {
  std::string name, source, text;
  void (*parameters)(ParameterVisitor&);  // visits a default-made set
  Capabilities capabilities = {};
};

const std::vector<SolverInfo>& solvers();

}  // namespace brim
