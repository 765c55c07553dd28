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

/// One solver as users see it.
struct SolverInfo {
  std::string name, source, text;
  void (*parameters)(ParameterVisitor&);  // visits a default-made set
  /// Particles and a grid: solids act by their signed distance alone and need no samples, the domain has no periodic sides,
  /// time.cfl counts in cells, and what the fluid does is known to a cell and not to a particle.
  bool grid = false;
  bool soft = false;    // knows cloth and soft bodies
  bool bodies = false;  // knows the scene's rigid bodies: particles push them and are pushed, for a grid they are moving solids
};

const std::vector<SolverInfo>& solvers();

}  // namespace brim
