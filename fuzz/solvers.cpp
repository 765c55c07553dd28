// A table of solvers for the fuzzers: what the scene format asks a solver for, without any solver.
#include "brim/parameter.h"

namespace brim {

namespace {

void particles(ParameterVisitor& v) {
  static double tolerance = 1e-3;
  static int iterations = 10;
  static bool warm = true;
  static std::string kernel = "cubic";
  v("tolerance", tolerance, {"", "A number.", 0, 1});
  v("iterations", iterations, {"", "A whole number.", 1, 1000});
  v("warm_start", warm, {"", "A truth."});
  v("kernel", kernel, {"", "A word.", -1e300, 1e300, false, {"cubic", "quintic"}});
}

void grid(ParameterVisitor& v) {
  static double tolerance = 1e-3;
  v("tolerance", tolerance, {"1/s", "A number.", 0, 1e6, true});
}

}  // namespace

const std::vector<SolverInfo>& solvers() {
  static const std::vector<SolverInfo> all = {
      {"pbf", "", "Particles, with all features.", particles, {false, true, true, true, true, true}},
      {"wcsph", "", "Particles.", particles, {.periodic_sides = true, .rigid_bodies = true, .two_way_bodies = true}},
      {"flip", "", "A grid.", grid, {.grid = true, .rigid_bodies = true}},
  };
  return all;
}

}  // namespace brim
