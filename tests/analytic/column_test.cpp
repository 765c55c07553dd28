// Deep water with few iterations: where plain Position Based Fluids compress or explode.
#include "helpers.h"

using namespace brim;
using namespace brim::test;

TEST(DeepColumn, Of100LayersSettlesWithinATenthOfAPercentInAtMost10Iterations_CS11_CS13) {
  Scene s = domain("pbf", 3, {0.2, 2.7, 0.2}, 0.02, "walls");
  const double height = 2;  // [m] 100 layers
  fill(s, box({0, 0, 0}, {0.2, height, 0.2}));
  s.solver.numbers["iterations"] = 10;
  s.time.dt = 5e-3;
  Simulation sim(s);
  double top = 0, error = 0, level = 0;
  int late = 0;
  while (sim.time() < 3) {
    const StepReport& r = sim.advance(3);
    EXPECT_LE(r.iterations, 10);
    EXPECT_EQ(r.lost, 0);
    if (r.step % 10) continue;
    const Snapshot now = sim.snapshot();
    top = std::max(top, highest(now, 1));
    if (sim.time() < 2) continue;
    error += r.density_error_mean;
    level += 2 * mean(now, 1);
    ++late;
  }
  // 1 % is asked for; 0.04 % was measured, 0.1 % leaves room for other compilers.
  EXPECT_LT(error / late, 1e-3);
  EXPECT_NEAR(level / late, height, 0.02 * height);
  EXPECT_LT(top, height + 0.04);  // nothing is thrown into the air: two spacings above the level at any time
}
