// What the papers of DFSPH and IISPH claim: a tenth of a percent of compression at steps far above those of an equation of state.
#include "helpers.h"

using namespace brim;
using namespace brim::test;

namespace {

class ImplicitSph : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Solvers, ImplicitSph, testing::Values("dfsph", "iisph"), planeLawName);

struct Course {
  double step = 0, error = 0;  // [s], mean over time of the mean compression
};
Course damBreak(const std::string& solver) {
  Scene s = domain(solver, 2, {2, 1, 0}, 0.02, "walls");
  fill(s, box({0, 0, 0}, {0.6, 0.8, 0}));
  Simulation sim(s);
  Course c;
  while (sim.time() < 1) {
    const StepReport r = sim.advance(1);
    c.error += r.dt * r.density_error_mean;
  }
  c.step = sim.time() / double(sim.step());
  return c;
}

}  // namespace

TEST_P(ImplicitSph, KeepsATenthOfAPercentInADamBreakAtStepsEightTimesThoseOfWcsph) {
  const Course c = damBreak(GetParam());
  EXPECT_LT(c.error, 1.3e-3);  // the solves end at 1e-3 of the linear prediction; 30 % for what it leaves out
  EXPECT_GT(c.step, 8 * damBreak("wcsph").step);
}
