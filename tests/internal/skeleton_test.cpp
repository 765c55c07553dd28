// The solver that CONTRIBUTING.md shows: it compiles, and it simulates a liquid.
#include <gtest/gtest.h>

#include "../../examples/skeleton_solver.cpp"
#include "cloud.h"

using namespace brim;

TEST(Skeleton, HoldsAPoolUpAtItsDensity) {
  const double d = 0.05;  // [m]
  Scene s = emptyScene<2>(d, {0, 0, 0}, {0.5, 1, 1}, "walls");
  s.gravity = {0, -9.81, 0};
  s.fluid.viscosity = 5;  // [Pa s] so that it comes to rest soon
  World<2> w(setupOf<2>(s, shakenLattice<2>(10, {0, 0, 0}, d, 0)));
  const auto solver = makeSkeleton<2>(s);
  const double dt = solver->limit(w).dt;
  EXPECT_NEAR(dt, 0.4 * d / 20, 1e-9);
  StepReport report;
  for (int k = 0; k * dt < 1; ++k, w.time += dt) stepOnce(w, *solver, dt, report);
  double height = 0, density = 0;
  for (int i = 0; i < w.fluid.size(); ++i) {
    height += w.fluid.p.data[i].x[1] / w.fluid.size();
    density += w.fluid.v.data[i].a / w.fluid.size();
  }
  EXPECT_NEAR(height, 0.25, 0.02);  // [m] half of the depth; compression and a melted lattice take a few percent
  EXPECT_NEAR(density / w.rho0, 1,
              0.05);  // particles at the surface miss neighbours; the bottom is compressed by g h/c^2 = 1.2 %
}
