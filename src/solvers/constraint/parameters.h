// What a scene may say of Constraint Fluids.
#pragma once
#include <string>

#include "solvers/solver.h"

namespace brim::inline BRIM_FLAVOUR {

struct ConstraintParameters {
  int iterations = 15;
  double tolerance = 0;
  double compliance = 0;
  double damping = 4;
  double largest_correction = 1;
  double over_relaxation = 1.3;
  double warm_start = 0.8;
  std::string acceleration = "multilevel";
  std::string condition = "inequality";
  std::string boundary = "samples";
  std::string kernel = "cubic";
  double xsph = 0.05;
  int body_sweeps = 4;

  void visit(ParameterVisitor& v) {
    const auto oneOf = [](std::string text, std::vector<std::string> words) {
      return Doc{"", std::move(text), -1e300, 1e300, false, std::move(words)};
    };
    v("iterations", iterations, {"", "Gauss-Seidel iterations a step at most", 1, 100000});
    v("tolerance", tolerance,
      {"", "the iteration after which the residual of Eq. 33 is below this part of the first is the last; 0: never asked", 0, 1});
    v("compliance", compliance,
      {"1/J", "epsilon: a density gives way by this times the energy p m/rho0 of its particle; 0: not at all", 0, 1e12});
    v("damping", damping,
      {"", "tau/dt: in how many steps a density error goes, no faster than in so many of the usual ones; below 2 it swings", 0.5,
       1000});
    v("largest_correction", largest_correction,
      {"",
       "density error rho/rho0 - 1 from which on a larger one is undone no faster: fluid released inside a body comes apart "
       "gently",
       0, 1e6, true});
    v("over_relaxation", over_relaxation,
      {"", "how far a row goes past its own solution: deep water is found in fewer iterations; 1: the paper's Gauss-Seidel", 0.1,
       1.95});
    v("warm_start", warm_start, {"", "part of the last step's multipliers that the iterations start from", 0, 1});
    v("acceleration", acceleration,
      oneOf(
          "multilevel: a coarse grid finds the smooth part of the pressure once a step; none: iterations alone, as in the paper",
          {"multilevel", "none"}));
    v("condition", condition,
      oneOf("inequality: fluid only pushes; equality: it pulls as well, as in the paper", {"inequality", "equality"}));
    v("boundary", boundary,
      oneOf("samples: walls are samples, as for the other solvers; field: a density by the distance from the surface; planes: "
            "particles stay half a support away and walls add nothing to densities, as in the paper's 3D scenes",
            {"samples", "field", "planes"}));
    v("kernel", kernel, oneOf("smoothing kernel; its own gradient is used", {"cubic", "wendland", "poly6"}));
    v("xsph", xsph, {"", "XSPH viscosity: part of the difference to the neighbours' mean velocity taken away each step", 0, 1});
    v("body_sweeps", body_sweeps, {"", "passes over joints and contacts of bodies in each iteration", 1, 1000});
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
