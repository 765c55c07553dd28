// Velocities that blocks start with.
#include "scene/velocity_field.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "brim/simulation.h"

using namespace brim;

namespace {

Scene sceneWith(const std::string& fields, int dimension = 2) {
  const std::string d = dimension == 2 ? "" : ", 1", half = dimension == 2 ? "" : ", 0.5";
  return parseScene("version = 1\ndimension = " + std::to_string(dimension) + "\n[domain]\nmin = [0, 0" +
                        (dimension == 2 ? "" : ", 0") + "]\nmax = [1, 1" + d +
                        "]\n[resolution]\nspacing = 0.1\n[[fluid.blocks]]\nkind = \"box\"\nmin = [0, 0" +
                        (dimension == 2 ? "" : ", 0") + "]\nmax = [0.5, 0.5" + half + "]\n" + fields,
                    "fields.toml");
}
Vector velocityAt(const Scene& s, const Vector& x) { return BlockVelocity(s, s.fluid.blocks[0], "fluid.blocks[0]").at(x); }
const std::string field = "[[fluid.blocks.fields]]\n";

}  // namespace

TEST(VelocityField, OfEveryKindIsWhatItsNameSays) {
  const Vector x = {0.3, 0.1, 0};
  EXPECT_EQ(velocityAt(sceneWith(field + "kind = \"rotation\"\nrate = 2\n"), x), (Vector{-0.2, 0.6, 0}));
  EXPECT_EQ(velocityAt(sceneWith(field + "kind = \"shear\"\nrate = 3\n"), x)[0], 3 * 0.1);
  const Vector stretch =
      velocityAt(sceneWith("velocity = [0, 1]\n" + field + "kind = \"strain\"\nrate = 2\ncentre = [0.1, 0]\n"), x);
  EXPECT_NEAR(stretch[0], 2 * 0.2, 1e-12);
  EXPECT_NEAR(stretch[1], 1 - 2 * 0.1, 1e-12);  // fields add to the velocity
  const Vector formula =
      velocityAt(sceneWith(field + "kind = \"expression\"\nvelocity = [\"x < 0.2 ? 1 : exp(y) + t\", \"-2*pi*x^2\"]\n"), x);
  EXPECT_NEAR(formula[0], std::exp(0.1), 1e-12);
  EXPECT_NEAR(formula[1], -2 * std::numbers::pi * 0.09, 1e-12);
  const Vector deep = velocityAt(sceneWith(field + "kind = \"strain\"\nrate = 2\ndirection = [0, 0, 5]\n", 3), {0.1, 0.2, 0.3});
  EXPECT_NEAR(deep[2], 0.6, 1e-12);
  EXPECT_NEAR(deep[0] + deep[1], -0.3, 1e-12);
}

TEST(VelocityField, HasNoDivergenceUnlessItIsAFormula) {
  const std::string kinds[] = {"kind = \"rotation\"\nrate = 2\naxis = [1, 2, 3]\n", "kind = \"shear\"\nrate = 2\n",
                               "kind = \"strain\"\nrate = 2\ndirection = [1, 1, 0]\n",
                               "kind = \"taylor_green\"\nwavelength = 0.7\nspeed = 3\ncentre = [0.1, 0.2, 0.3]\n"};
  for (const std::string& kind : kinds) {
    const Scene s = sceneWith(field + kind, 3);
    const double h = 1e-5;
    double divergence = 0;
    for (int k = 0; k < 3; ++k) {
      Vector up = {0.2, 0.3, 0.1}, down = up;
      up[k] += h, down[k] -= h;
      divergence += (velocityAt(s, up)[k] - velocityAt(s, down)[k]) / (2 * h);
    }
    EXPECT_NEAR(divergence, 0, 1e-7) << kind;
  }
}

TEST(VelocityField, IsThatOfTheParticlesOfARun) {
  Scene s = sceneWith(field + "kind = \"rotation\"\nrate = 2\ncentre = [0.5, 0.25]\n");
  const Snapshot start = Simulation(s).snapshot();
  ASSERT_EQ(start.size(), 25u);
  for (std::size_t i = 0; i < start.size(); ++i) {
    EXPECT_NEAR(start.velocity[3 * i], -2 * (start.position[3 * i + 1] - 0.25), 1e-6);
    EXPECT_NEAR(start.velocity[3 * i + 1], 2 * (start.position[3 * i] - 0.5), 1e-6);
  }
  EXPECT_NEAR(largestSpeed(s, 0), 2 * std::hypot(0.5, 0.25), 1e-12);
}

TEST(VelocityField, TellsWhereAFormulaIsWrong) {
  const std::string broken[] = {"",
                                "x +",
                                "2 * (x",
                                "x)",
                                "u + 1",
                                "x = 3",
                                "x, y",
                                "\\\"a\\\"",
                                "sin()",
                                "1 ? 2",
                                "x y",
                                std::string(300, '('),
                                std::string(2000, 'x'),
                                "foo(x)",
                                "x==",
                                "\\u0000",
                                "_",
                                "1e",
                                "?:",
                                "z"};
  for (const std::string& text : broken) {
    try {
      sceneWith(field + "kind = \"expression\"\nvelocity = [\"0\", \"" + text + "\"]\n");
      ADD_FAILURE() << "accepted: " << text;
    } catch (const SceneError& e) {
      ASSERT_EQ(e.mistakes().size(), 1u) << text;
      EXPECT_EQ(e.mistakes()[0].at.line, 14) << text << ": " << e.what();
      EXPECT_GT(e.mistakes()[0].at.column, 10) << text;
    }
  }
  // Deep nesting is read as any other formula, and a number that is not finite is told with its place.
  sceneWith(field + "kind = \"expression\"\nvelocity = [\"0\", \"" + std::string(400, '(') + "x" + std::string(400, ')') +
            "\"]\n");
  Scene s = sceneWith(field + "kind = \"expression\"\nvelocity = [\"0\", \"1/(x - x)\"]\n");
  try {
    Simulation sim(s);
    ADD_FAILURE() << "accepted 1/0";
  } catch (const SceneError& e) {
    EXPECT_EQ(e.mistakes().at(0).at.line, 14);
  }
}

TEST(VelocityField, ThatMakesNoSenseIsRefused) {
  for (const std::string wrong :
       {"kind = \"shear\"\nrate = 1\ndirection = [0, 0]\n", "kind = \"expression\"\nvelocity = [\"1\"]\n",
        "kind = \"rotation\"\n", "kind = \"rotation\"\nrate = 1\nspeed = 2\n"})
    EXPECT_THROW(sceneWith(field + wrong), SceneError) << wrong;
}
