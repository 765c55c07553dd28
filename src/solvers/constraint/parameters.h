// What a scene may say of Constraint Fluids.
#pragma once
#include <string>

#include "solvers/solver.h"
#include "solvers/words.h"

namespace brim::inline BRIM_FLAVOUR {

struct ConstraintParameters {
  int iterations = 15;
  double tolerance = 0;
  double compliance = 0;
  double damping = 4;
  double largest_correction = 1;
  double over_relaxation = 1.3;
  double warm_start = 0.8;
  std::string stiffness = "implicit";
  double stiffness_damping = 0.4;
  int stiffness_interval = 3;
  std::string acceleration = "multilevel";
  std::string condition = "inequality";
  std::string boundary = "samples";
  std::string kernel = "cubic";
  double xsph = 0.05;
  int body_sweeps = 4;

  void visit(ParameterVisitor& v) {
    v("iterations", iterations, {"", "Largest number of Gauss-Seidel iterations per step.", 1, 100000});
    v("tolerance", tolerance,
      {"",
       "Stop iterating when the residual (Bodin, Lacoursière & Servin 2012, Eq. 33) is below this fraction of the first one; 0: "
       "always do all iterations.",
       0, 1});
    v("compliance", compliance,
      {"1/J",
       "Compliance epsilon of the density constraints: the density error per energy p m/rho0 of a particle; 0: incompressible.",
       0, 1e12});
    v("damping", damping,
      {"",
       "Relaxation time tau/dt: number of steps in which a density error decays, never faster than in this number of normal "
       "steps. Below 2 the density oscillates.",
       0.5, 1000});
    v("largest_correction", largest_correction,
      {"",
       "Density errors rho/rho0 - 1 above this are corrected no faster than this one, so that fluid that starts inside a body "
       "expands slowly.",
       0, 1e6, true});
    v("over_relaxation", over_relaxation,
      {"",
       "Relaxation factor of the Gauss-Seidel iteration. Above 1, deep water needs fewer iterations; 1: plain Gauss-Seidel as in "
       "Bodin, Lacoursière & Servin 2012.",
       0.1, 1.95});
    v("warm_start", warm_start, {"", "Fraction of the multipliers of the last step that the iterations start from.", 0, 1});
    v("stiffness", stiffness,
      oneOf(
          "Stiffness of the pressures against a change of the density rows within a step. implicit: rows between pairs, where "
          "the "
          "step is long enough to need them; explicit: none, as in Bodin, Lacoursière & Servin 2012, stable only while p dt^2 is "
          "below about a quarter of rho0 spacing^2.",
          {"implicit", "explicit"}));
    v("stiffness_damping", stiffness_damping,
      {"",
       "Part of the relative velocities along pairs that the rows of an implicit stiffness take away: 1 is viscous, 0 keeps "
       "energy.",
       0, 1});
    v("stiffness_interval", stiffness_interval,
      {"", "Iterations from one sweep over the rows of an implicit stiffness to the next.", 1, 1000});
    v("acceleration", acceleration,
      oneOf("multilevel: a coarse grid finds the smooth part of the pressure once per step; none: Gauss-Seidel iterations only, "
            "as in Bodin, Lacoursière & Servin 2012.",
            {"multilevel", "none"}));
    v("condition", condition,
      oneOf("inequality: the fluid resists compression only; equality: it resists expansion too, as in Bodin, Lacoursière & "
            "Servin 2012.",
            {"inequality", "equality"}));
    v("boundary", boundary,
      oneOf("Boundary method. samples: boundary particles, as in the other solvers; field: a density that depends on the "
            "distance to the surface; planes: particles stay half a support away and walls add no density, as in the 3D scenes "
            "of Bodin, Lacoursière & Servin 2012.",
            {"samples", "field", "planes"}));
    v("kernel", kernel, oneOf("Smoothing kernel. Gradients are those of the same kernel.", kernelWords));
    v("xsph", xsph,
      {"", "XSPH viscosity: fraction of the difference to the mean velocity of the neighbours that each step removes.", 0, 1});
    v("body_sweeps", body_sweeps, {"", "Sweeps over the joints and contacts of rigid bodies in each iteration.", 1, 1000});
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
