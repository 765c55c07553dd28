// The papers' largest scenes at their sizes.
#include "papers/sizes.h"

using namespace brim::test;

TEST(LargeScenes, HaveThePapersSizes_PF25_ID24_ID25) {
  has({"three_knots", "projective", 1945600, 0});
  has({"statues_flip", "flip", 8.8e6, 0.1e6, {{"resolution.spacing", "0.001953125"}}});
  has({"river_flip", "flip", 26e6, 1e6, {{"resolution.spacing", "0.03125"}}});  // more once its emitter has run
}
