// The same bits, whatever the number of threads; and after a save and a restore.
#include <tbb/task_arena.h>

#include "helpers.h"

using namespace brim;
using namespace brim::test;

namespace {

class SameBits : public PlaneLaw {
 protected:
  // A dam break of 20,400 particles with a jet and a turning paddle.
  Scene scene() const {
    Scene s = domain(solver, 3, {1.4, 0.9, 0.6}, 0.025, "walls");
    fill(s, box({0, 0, 0}, {0.65, 0.825, 0.6}));
    Emitter e;
    e.kind = "disc";
    e.centre = {1.2, 0.7, 0.3};
    e.direction = {-1, -0.5, 0};
    e.radius = 0.08;
    e.speed = 2;
    s.fluid.emitters.push_back(e);
    Solid paddle;
    paddle.shape = box({0.8, 0.1, 0.1}, {0.9, 0.5, 0.5});
    paddle.motion.rate = 3;
    paddle.motion.pivot = {0.85, 0.3, 0.3};
    s.solids.push_back(paddle);
    return s;
  }
  // A library user's threads are those of TBB; an arena of its own gives seven also where there are fewer cores.
  static std::uint64_t run(const Scene& s, int threads, int steps) {
    Simulation sim(s, {.precision = "single", .threads = threads, .flavour = ""});
    tbb::task_arena(threads).execute([&] { stepped(sim, steps); });
    return sim.stateHash();
  }
};
BRIM_PLANE_LAWS(SameBits);

}  // namespace

TEST_P(SameBits, For1And2And7Threads_PF13_PB10) {
  Scene s = scene();
  if (solver == "pbf") s.solver.numbers["iterations"] = 5;  // bits do not need convergence
  const int steps = 200;
  Simulation sim(s);
  ASSERT_GE(sim.facts().fluid_particles, 20000);
  const std::uint64_t one = run(s, 1, steps);
  EXPECT_EQ(run(s, 2, steps), one);
  EXPECT_EQ(run(s, 7, steps), one);
}

TEST_P(SameBits, AfterASaveAndARestore_X04) {
  const Scene s = scene();
  Simulation whole(s);
  stepped(whole, 30);
  const std::vector<char> state = whole.save();
  const std::uint64_t middle = whole.stateHash();
  stepped(whole, 30);
  ASSERT_NE(whole.stateHash(), middle);

  Simulation resumed(s);
  resumed.restore(state);
  EXPECT_EQ(resumed.stateHash(), middle);
  EXPECT_EQ(resumed.step(), 30);
  stepped(resumed, 30);
  EXPECT_EQ(resumed.stateHash(), whole.stateHash());
  EXPECT_EQ(resumed.time(), whole.time());
}

TEST_P(SameBits, OfTwoRunsInOneProgram) {
  Scene s = scene();
  s.resolution.spacing = 0.04;
  EXPECT_EQ(run(s, 2, 50), run(s, 2, 50));
}
