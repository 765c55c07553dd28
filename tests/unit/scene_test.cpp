// The scene file: what it may say, and what is told about each way to get it wrong.
#include <gtest/gtest.h>

#include <algorithm>

#include "brim/parameter.h"
#include "brim/suggest.h"
#include "scene/declare.h"
#include "scene/parse.h"
#include "small_dam.h"

namespace brim {
namespace {

const std::string dam = smallDam + R"(iterations = 4

[time]
until = 1
)";

std::string with(std::string text, const std::string& old, const std::string& fresh) {
  const auto at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), fresh);
}

std::vector<std::string> mistakesOf(const std::string& text, const std::vector<Setting>& settings = {}) {
  std::vector<std::string> told;
  try {
    parseScene(text, "dam.toml", settings);
  } catch (const SceneError& e) {
    for (const Mistake& m : e.mistakes()) told.push_back(describe(m));
  }
  return told;
}

// A changed line of the dam and all that must be told about it.
struct Slip {
  const char* name;
  std::string old, fresh;
  std::vector<std::string> told;
};

class EverySlip : public testing::TestWithParam<Slip> {};

TEST_P(EverySlip, IsToldWithItsPlace) { EXPECT_EQ(mistakesOf(with(dam, GetParam().old, GetParam().fresh)), GetParam().told); }

const Slip slips[] = {
    {"none", "spacing", "spacing", {}},
    {"syntax",
     "spacing = 0.05",
     "spacing = = 0.05",
     {"dam.toml:10:11: not TOML: value: could not determine value type (a word needs quotes)"}},
    {"type",
     "spacing = 0.05",
     "spacing = \"fine\"",
     {"dam.toml:10:11: resolution.spacing must be a number [m]; it is the text \"fine\""}},
    {"text", "\"A small dam\"", "7", {"dam.toml:2:9: title must be a text in quotes; it is the number 7"}},
    {"range", "spacing = 0.05", "spacing = -0.05", {"dam.toml:10:11: resolution.spacing is -0.05 m; it must be above 0"}},
    {"notFinite", "until = 1", "until = inf", {"dam.toml:22:9: time.until is inf; it must be a finite number"}},
    {"notANumber", "max = [2, 1]", "max = [2, nan]", {"dam.toml:7:7: domain.max[1] is nan; it must be a finite number"}},
    {"components", "max = [2, 1]", "max = [2]", {"dam.toml:7:7: domain.max needs 2 numbers [m] in a 2D scene; it has 1"}},
    {"thirdComponent", "max = [2, 1]", "max = [2, 1, 3]", {"dam.toml:7:7: domain.max has a third number, 3, in a 2D scene"}},
    {"component",
     "max = [2, 1]",
     "max = [2, \"x\"]",
     {"dam.toml:7:11: domain.max[1] must be a number [m]; it is the text \"x\""}},
    {"unknownKey", "spacing", "spaceing", {"dam.toml:10:1: resolution has no \"spaceing\"; did you mean \"spacing\"?"}},
    {"unknownTable", "[time]", "[tmie]", {"dam.toml:21:2: a scene has no \"tmie\"; did you mean \"time\"?"}},
    {"unknownSolver",
     "\"pbf\"",
     "\"pfb\"",
     {"dam.toml:18:8: solver \"pfb\" is not known; did you mean \"pbf\"?  (one of: pbf, pcisph, projective, wcsph, dfsph, iisph, "
      "constraint, flip, apic)"}},
    {"unknownParameter",
     "iterations",
     "iteratoins",
     {"dam.toml:19:1: no solver has \"iteratoins\"; did you mean \"iterations\"?  (brim list parameters pbf)"}},
    {"parameterType", "iterations = 4", "iterations = 4.5", {"dam.toml:19:14: solver.iterations must be a whole number"}},
    {"unknownKind",
     "\"box\"",
     "\"bax\"",
     {"dam.toml:13:8: fluid.blocks[0].kind \"bax\" is not known; did you mean \"box\"?  (one of: box, sphere, cylinder, capsule, "
      "plane, polygon, mesh)"}},
    {"keyOfAnotherKind",
     "max = [0.5, 0.8]",
     "max = [0.5, 0.8]\nradius = 1",
     {"dam.toml:16:1: kind \"box\" has no \"radius\"  (it reads: kind, min, max, rotate, inside_out, velocity, particles, "
      "in_solids, fields)"}},
    {"missingKey", "max = [0.5, 0.8]", "", {"dam.toml:12:1: fluid.blocks[0] of kind \"box\" needs \"max\" [m]: Upper corner."}},
    {"missingVersion", "version = 1", "", {"dam.toml:1:1: the scene needs \"version\": Version of this format."}},
    {"otherVersion", "version = 1", "version = 2", {"dam.toml:1:11: version is 2; it must be 1"}},
    {"dimension", "dimension = 2", "dimension = 4", {"dam.toml:3:13: dimension is 4; it must be 2 to 3"}},
    {"boundary",
     "max = [2, 1]",
     "max = [2, 1]\nboundary = \"wals\"",
     {"dam.toml:8:12: domain.boundary \"wals\" is not known; did you mean \"walls\"?  (one of: walls, periodic, open)"}},
    {"boundaryOfAnAxis",
     "max = [2, 1]",
     "max = [2, 1]\nboundary = [\"walls\", \"opn\"]",
     {"dam.toml:8:22: domain.boundary \"opn\" is not known; did you mean \"open\"?  (one of: walls, periodic, open)"}},
    {"listAsTable",
     "[[fluid.blocks]]",
     "[fluid.blocks]",
     {"dam.toml:12:1: fluid.blocks is a list: write [[fluid.blocks]] with two brackets, once for each entry"}},
    {"listAsTwoTables",
     "[[fluid.blocks]]",
     "[fluid.blocks]\nkind = \"plane\"\n[fluid.blocks]",
     {"dam.toml:14:1: fluid.blocks is a list: write [[fluid.blocks]] with two brackets, once for each entry"}},
    {"decimalComma",
     "spacing = 0.05",
     "spacing = -0,05",
     {"dam.toml:10:13: not TOML: a decimal point is written as a point, not as a comma: -0.05"}},
    {"decimalCommaInQuotes",
     "spacing = 0.05",
     "spacing = \"0,05\"",
     {"dam.toml:10:11: resolution.spacing must be a number [m]; it is the text \"0,05\"; write 0.05 with a point"}},
    {"keyframeTimes",
     "dimension = 2",
     "dimension = 2\ngravity = [{time = 1, value = [0, 1]}, {time = 1, value = [0, 2]}]",
     {"dam.toml:4:48: gravity[1].time is 1 s; it must come after the keyframe before, 1 s"}},
    {"outside", "max = [0.5, 0.8]", "max = [0.5, 1.3]", {"dam.toml:15:7: fluid block lies 0.3 m outside the domain"}},
    {"outsideBelow",
     "[[fluid.blocks]]\nkind = \"box\"\nmin = [0, 0]",
     "[[fluid.blocks]]\nkind = \"box\"\nmin = [0, -0.25]",
     {"dam.toml:14:7: fluid block lies 0.25 m outside the domain"}},
    {"thin",
     "max = [0.5, 0.8]",
     "max = [0.5, 0.04]",
     {"dam.toml:12:1: fluid block is 0.04 m thin, less than one spacing, 0.05 m: it would hold no particles"}},
    {"empty", "max = [0.5, 0.8]", "max = [0.5, 0]", {"dam.toml:15:7: the box has no size along y: max is 0 m and min 0 m"}},
    {"kindOf3D",
     "kind = \"box\"\nmin = [0, 0]\nmax = [0.5, 0.8]",
     "kind = \"cylinder\"\nfrom = [1, 0]\nto = [1, 1]\nradius = 0.2",
     {"dam.toml:13:8: kind \"cylinder\" needs a 3D scene; in 2D use box, sphere or capsule"}},
    {"domain",
     "max = [2, 1]",
     "max = [2, 0]",
     {"dam.toml:7:7: domain.max must lie above domain.min; along y they are 0 m and 0 m"}},
    {"noFluid",
     "[[fluid.blocks]]\nkind = \"box\"\nmin = [0, 0]\nmax = [0.5, 0.8]\n",
     "",
     {"dam.toml: the scene has no fluid; add [[fluid.blocks]] or [[fluid.emitters]]"}},
    {"support",
     "spacing = 0.05",
     "spacing = 0.05\nsupport = 1.1",
     {"dam.toml:11:11: resolution.support is 1.1 spacings; it must be 1.2 to 5"}},
    {"periodic",
     "max = [2, 1]\n\n[resolution]\nspacing = 0.05",
     "max = [2, 1]\nboundary = [\"walls\", \"periodic\"]\n[resolution]\nspacing = 0.3",
     {"dam.toml:8:12: the domain is periodic along y but only 1 m wide there; it needs two supports, 1.2 m, so that a particle "
      "does "
      "not meet itself"}},
    {"emitter",
     "[solver]",
     "[[fluid.emitters]]\nkind = \"rectangle\"\ncentre = [2.5, 0.5]\ndirection = [1, 0]\nwidth = 0.2\n[solver]",
     {"dam.toml:19:10: emitter lies 0.5 m outside the domain"}},
    {"otherSolversTable",
     "[time]",
     "[solver.wcsph]\nnonsense = 1\n[time]",
     {"dam.toml:22:1: wcsph has no \"nonsense\"  (brim list parameters wcsph)"}},
};

INSTANTIATE_TEST_SUITE_P(Scene, EverySlip, testing::ValuesIn(slips),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Scene, PeriodicSidesOfGridsAreWholeTilesApart) {
  const std::string sides = with(dam, "max = [2, 1]\n\n", "max = [2, 1]\nboundary = [\"walls\", \"periodic\"]\n");
  EXPECT_TRUE(mistakesOf(sides).empty());
  for (const std::string solver : {"flip", "apic"}) {
    const std::string text = with(sides, "\"pbf\"", "\"" + solver + "\"");
    const auto told = mistakesOf(text);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].find("dam.toml:8:12: the domain is periodic along y and 1 m wide there"), 0u) << told[0];
    for (const std::string spacing : {"0.0416666667", "0.0208333333"}) {
      EXPECT_NE(told[0].find(spacing), std::string::npos) << told[0];
      EXPECT_TRUE(mistakesOf(with(text, "spacing = 0.05", "spacing = " + spacing)).empty()) << spacing;
    }
  }
}

// Signed distances do not reach across a side: what cannot be the same from both is told, whichever way it ends there.
TEST(Scene, SolidsOfGridsLookTheSameFromBothPeriodicSides) {
  const std::string sides = with(with(with(dam, "\"pbf\"", "\"flip\""), "spacing = 0.05", "spacing = 0.0416666667"),
                                 "max = [2, 1]\n\n", "max = [2, 1]\nboundary = [\"walls\", \"periodic\"]\n");
  const auto told = [&](const std::string& solid) { return mistakesOf(sides + "\n[[solids]]\n" + solid).size(); };
  EXPECT_EQ(told("kind = \"sphere\"\ncentre = [1.5, 0.5]\nradius = 0.2\n"), 0u);
  EXPECT_EQ(told("kind = \"sphere\"\ncentre = [1.5, 0.1]\nradius = 0.2\n"), 1u) << "it cuts a side";
  EXPECT_EQ(told("kind = \"sphere\"\ncentre = [1.5, 0.5]\nradius = 0.2\n[solids.motion]\nvelocity = [0, 1]\n"), 1u)
      << "it comes to a side";
  EXPECT_EQ(told("kind = \"box\"\nmin = [1.6, -1]\nmax = [2, 2]\n"), 0u) << "it goes on past both";
  EXPECT_EQ(told("kind = \"plane\"\npoint = [1.9, 0]\nnormal = [-1, 0]\n"), 0u);
  EXPECT_EQ(told("kind = \"plane\"\npoint = [1.9, 0]\nnormal = [-1, 0.3]\n"), 1u);
}

TEST(Scene, SurfaceTensionIsRefusedWithPeriodicSidesAndContactAnglesOtherThan90) {
  const auto tells = [](const std::string& text, const std::string& what) {
    const auto told = mistakesOf(text);
    return std::any_of(told.begin(), told.end(), [&](const std::string& line) {
      return line.find("dam.toml:") == 0 && line.find(what) != std::string::npos;  // with its line
    });
  };
  for (const SolverInfo& s : solvers()) {
    const std::string wet =
        with(with(dam, "\"pbf\"", "\"" + s.name + "\""), "[solver]", "[fluid]\nsurface_tension = 0.072\n[solver]");
    EXPECT_EQ(tells(wet, "surface tension"), !s.capabilities.surface_tension) << s.name;
    if (!s.capabilities.surface_tension) continue;
    EXPECT_TRUE(tells(with(wet, "max = [2, 1]\n\n", "max = [2, 1]\ncontact_angle = 30\n\n"), "the contact angle is 90 degrees"))
        << s.name;
    EXPECT_EQ(tells(with(wet, "max = [2, 1]\n\n", "max = [2, 1]\nboundary = [\"periodic\", \"walls\"]\n\n"),
                    "does not go across periodic sides"),
              !s.capabilities.grid)
        << s.name;
  }
}

TEST(Scene, AContactAngleWithoutSurfaceTensionIsWarnedOf) {
  const Scene dry = parseScene(with(dam, "max = [2, 1]\n\n", "max = [2, 1]\ncontact_angle = 30\n\n"), "dam.toml");
  const auto all = warnings(dry);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NE(all[0].what.find("contact angle is not used"), std::string::npos) << all[0].what;
}

TEST(Scene, CapabilitiesOfSolversDoNotContradictEachOther) {
  for (const SolverInfo& s : solvers()) {
    const Capabilities& c = s.capabilities;
    EXPECT_TRUE(c.rigid_bodies || !c.two_way_bodies) << s.name;
    EXPECT_TRUE((c.rigid_bodies && c.cloth) || !c.cloth_with_bodies) << s.name;
  }
}

TEST(Scene, TheDeclarationGivesTheDefaultOfAWord) {
  EXPECT_EQ(declaredChoice("pbf", "kernel"), "cubic");
  EXPECT_EQ(declaredChoice("constraint", "boundary"), "samples");
  EXPECT_EQ(declaredChoice("pbf", "iterations"), "");  // a number
  EXPECT_EQ(declaredChoice("flip", "kernel"), "");
  EXPECT_EQ(declaredChoice("no such solver", "kernel"), "");
}

TEST(Scene, TellsAllMistakesAtOnceInTheOrderOfTheFile) {
  auto text = with(dam, "\"pbf\"", "\"pfb\"");
  text = with(text, "until = 1", "until = -1");
  text = with(text, "spacing = 0.05", "spacng = 0.05");
  text = with(text, "max = [2, 1]", "max = \"far\"");
  const auto told = mistakesOf(text, {{"output.formats", "[\"vtk\"]"}});
  ASSERT_EQ(told.size(), 5u);
  EXPECT_EQ(told[0].substr(0, 14), "dam.toml:7:7: ");
  EXPECT_EQ(told[1].substr(0, 15), "dam.toml:10:1: ");
  EXPECT_EQ(told[2].substr(0, 15), "dam.toml:18:8: ");
  EXPECT_EQ(told[3].substr(0, 15), "dam.toml:22:9: ");
  EXPECT_EQ(told[4],
            "--set output.formats=[\"vtk\"]: output.formats \"vtk\" is not known; did you mean \"vtp\"?  (one of: vtp, ply)");
}

TEST(Scene, AMissingFileIsAFailureAndAFolderIsNoScene) {
  EXPECT_THROW(readScene("no/such/scene.toml"), Failure);
  EXPECT_THROW(readScene("/"), Failure);
}

TEST(Scene, AMissingMeshFileIsToldAtItsName) {
  const auto told = mistakesOf(
      "version = 1\n[[fluid.blocks]]\nkind = \"box\"\nmin = [0, 0, 0]\nmax = [1, 1, 0.5]\n[[solids]]\nkind = \"mesh\"\nfile = "
      "\"no.obj\"\n");
  EXPECT_EQ(told, std::vector<std::string>{"dam.toml:8:8: there is no mesh file no.obj"});
}

TEST(Scene, ATrillionParticlesAreRefusedWithASpacingThatWouldFit) {
  const auto told = mistakesOf(with(dam, "spacing = 0.05", "spacing = 6.3e-7"));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("dam.toml:10:11: the scene asks for 1.01e+12 particles"), std::string::npos) << told[0];
  const auto at = told[0].find("spacing of ");
  ASSERT_NE(at, std::string::npos);
  EXPECT_TRUE(mistakesOf(with(dam, "0.05", told[0].substr(at + 11, told[0].find(" m would") - at - 11))).empty()) << told[0];
}

// A number of wcsph that pbf does not have, whatever the solvers are today.
Parameter ofWcsphOnly() {
  const auto pbf = parametersOf(*findSolver("pbf"));
  for (const Parameter& p : parametersOf(*findSolver("wcsph"))) {
    const bool shared = std::any_of(pbf.begin(), pbf.end(), [&](const Parameter& q) { return q.name == p.name; });
    if (!shared && std::holds_alternative<double>(p.value)) return p;
  }
  throw std::logic_error("wcsph has no number of its own");
}

std::string line(const Parameter& p) { return p.name + " = " + std::to_string(std::get<double>(p.value)) + "\n"; }

TEST(Scene, TheSolverIsSwitchedOnTheSameFile_CS12) {
  for (const SolverInfo& s : solvers()) EXPECT_EQ(parseScene(dam, "", {{"solver.name", s.name}}).solver.name, s.name);

  const Parameter own = ofWcsphOnly();
  const std::string both = with(dam, "[time]", "[solver.wcsph]\n" + line(own) + "[time]");
  EXPECT_EQ(parseScene(both, "").solver.numbers.count(own.name), 0u);
  EXPECT_EQ(parseScene(both, "").solver.numbers.at("iterations"), 4);
  EXPECT_EQ(parseScene(both, "", {{"solver.name", "wcsph"}}).solver.numbers.count(own.name), 1u);
}

TEST(Scene, AParameterOfAnotherSolverIsAcceptedAndWarnedAbout) {
  const Scene scene = parseScene(with(dam, "iterations = 4\n", line(ofWcsphOnly())), "dam.toml");
  ASSERT_EQ(warnings(scene).size(), 1u);
  EXPECT_EQ(describe(warnings(scene)[0]).substr(0, 12), "dam.toml:19:");
  EXPECT_TRUE(warnings(parseScene(dam, "")).empty());
}

TEST(Scene, AFixedStepIsWarnedAbout) {
  const auto told = warnings(parseScene(dam, "dam.toml", {{"time.dt", "0.001"}}));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(describe(told[0]), "--set time.dt=0.001: time.dt fixes the step at 0.001 s: time.cfl and time.dt_max are not used");
}

TEST(Scene, ABlockThatHoldsMoreThanItsVolumeIsWarnedAbout) {
  const auto told = warnings(parseScene(with(dam, "max = [0.5, 0.8]", "max = [0.5, 0.48]"), "dam.toml"));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(describe(told[0]),
            "dam.toml:12:1: the sides of the block are not whole numbers of spacings: its particles have 4.2 % more volume than "
            "the block");
}

TEST(Scene, BodiesAreNoWarningWithAGridEither) {
  const std::string text = dam + "[[bodies]]\nname = \"cork\"\nkind = \"box\"\nmin = [1, 0.5]\nmax = [1.2, 0.7]\n";
  EXPECT_TRUE(warnings(parseScene(text, "dam.toml")).empty());
  EXPECT_TRUE(warnings(parseScene(with(text, "name = \"pbf\"\niterations = 4", "name = \"flip\""), "dam.toml")).empty());
}

TEST(Settings, ReachEveryKindOfPath) {
  const Scene s = parseScene(dam, "dam.toml",
                             {{"fluid.blocks[0].velocity", "[1, 0.5]"},
                              {"solver.iterations", "20"},
                              {"output.formats", "[\"ply\"]"},
                              {"title", "wet"},
                              {"domain.max[0]", "3"},
                              {"time.until", ".5"}});
  EXPECT_EQ(s.fluid.blocks[0].velocity, (Vector{1, 0.5, 0}));
  EXPECT_EQ(s.solver.numbers.at("iterations"), 20);
  EXPECT_EQ(s.output.formats, std::vector<std::string>{"ply"});
  EXPECT_EQ(s.title, "wet");
  EXPECT_EQ(s.domain.max[0], 3);
  EXPECT_EQ(s.time.until, 0.5);
}

TEST(Settings, OverruleASolversOwnTable) {
  const std::string text = with(dam, "[time]", "[solver.pbf]\niterations = 7\n[time]");
  EXPECT_EQ(parseScene(text, "").solver.numbers.at("iterations"), 7);
  EXPECT_EQ(parseScene(text, "", {{"solver.iterations", "9"}}).solver.numbers.at("iterations"), 9);
  EXPECT_EQ(parseScene(text, "", {{"solver.pbf.iterations", "9"}}).solver.numbers.at("iterations"), 9);
}

TEST(Settings, MistakesInThemAreToldAsTheyWereGiven) {
  const struct {
    Setting setting;
    std::string told;
  } cases[] = {
      {{"solver.iterations", "abc"}, "--set solver.iterations=abc: solver.iterations must be a whole number"},
      {{"solvr.iterations", "3"}, "--set solvr.iterations=3: a scene has no \"solvr\"; did you mean \"solver\"?"},
      {{"time.untl", "3"}, "--set time.untl=3: time has no \"untl\"; did you mean \"until\"?"},
      {{"fluid.blocks[2].velocity", "[0, 0]"},
       "--set fluid.blocks[2].velocity=[0, 0]: fluid.blocks ends at [0]; there is no [2]"},
      {{"fluid.blocks.velocity", "[0, 0]"},
       "--set fluid.blocks.velocity=[0, 0]: fluid.blocks is a list, so it has no \"velocity\"; write fluid.blocks[0].velocity"},
      {{"time.until", "0,5"},
       "--set time.until=0,5: time.until must be a number [s]; it is the text \"0,5\"; write 0.5 with a point"},
      {{"title.x", "1"}, "--set title.x=1: title is a single value, so it has no \"x\""},
      {{"", "1"}, "--set =1: \"\" is not a path; write for example time.until=2"},
      {{"a..b", "1"}, "--set a..b=1: \"a..b\" is not a path; write for example time.until=2"},
      {{"solver.name", "pfb", "--solver pfb"},
       "--solver pfb: solver \"pfb\" is not known; did you mean \"pbf\"?  (one of: pbf, pcisph, projective, wcsph, dfsph, iisph, "
       "constraint, flip, apic)"},
  };
  for (const auto& c : cases) EXPECT_EQ(mistakesOf(dam, {c.setting}), std::vector<std::string>{c.told});
}

TEST(Settings, BelongToTheIdentityOfTheScene) {
  const std::string plain = parseScene(dam, "").text;
  EXPECT_EQ(plain, dam);
  EXPECT_NE(parseScene(dam, "", {{"time.until", "2"}}).text, plain);
}

TEST(Scene, KnowsThePlaceOfEveryValueAndOfTheTableAroundIt) {
  const Scene s = parseScene(dam, "dam.toml");
  EXPECT_EQ(s.at("resolution.spacing").line, 10);
  EXPECT_EQ(s.at("resolution.spacing").column, 11);
  EXPECT_EQ(s.at("fluid.blocks[0].velocity").line, 12);
  EXPECT_EQ(s.at("nowhere").line, 0);
}

TEST(Scene, ScenesFromCodeAreCheckedWithoutAPlace) {
  Scene s;
  s.fluid.blocks.resize(1);
  s.fluid.blocks[0].shape.max = {0.5, 0.5, 1.5};
  s.solver.numbers["iteratons"] = 3;
  const auto told = validate(s);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(describe(told[0]), "pbf has no number \"iteratons\"; did you mean \"iterations\"?  (brim list parameters pbf)");
  EXPECT_EQ(describe(told[1]), "fluid block lies 0.5 m outside the domain");
}

TEST(Suggest, FindsSlipsAndNothingElse) {
  const std::vector<std::string> words = {"box", "sphere", "cylinder", "viscosity"};
  EXPECT_EQ(nearest("bxo", words), "box");
  EXPECT_EQ(nearest("shpere", words), "sphere");
  EXPECT_EQ(nearest("viscossity", words), "viscosity");
  EXPECT_EQ(nearest("torus", words), "");
  EXPECT_EQ(nearest("", words), "");
}

}  // namespace
}  // namespace brim
