// Keys by an old name: read, warned about with their place, and never lost between a file and a setting.
#include "scene/renamed.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "brim/catalogue.h"
#include "brim/parameter.h"
#include "scene/parse.h"
#include "small_dam.h"

namespace brim {
namespace {

const std::string dam = smallDam + "[time]\nend = 3\n";
const std::vector<RenamedKey> once = {
    {"time", "end", "until"}, {"fluid.blocks", "speed", "velocity"}, {"", "name", "title"}, {"solver", "passes", "iterations"}};

std::vector<std::string> told(const std::vector<Mistake>& all) {
  std::vector<std::string> lines;
  for (const Mistake& m : all) lines.push_back(describe(m));
  return lines;
}

TEST(RenamedKeys, AreReadAndWarnedAboutWithTheirPlace) {
  const Draft draft = draftScene(dam, "dam.toml", {}, once);
  EXPECT_EQ(told(draft.mistakes.inOrder()), std::vector<std::string>{});
  EXPECT_EQ(draft.scene.time.until, 3);
  EXPECT_EQ(told(warnings(draft.scene)), std::vector<std::string>{"dam.toml:20:1: key \"end\" is now called \"until\""});
  EXPECT_EQ(draft.scene.at("time.until").line, 20);
}

TEST(RenamedKeys, AreFoundInEveryEntryOfAList) {
  const std::string two = dam + "[[fluid.blocks]]\nkind = \"box\"\nmin = [1, 0]\nmax = [1.5, 0.5]\nspeed = [1, 2]\n" +
                          "[[fluid.blocks]]\nkind = \"box\"\nmin = [1, 0.5]\nmax = [1.5, 1]\nspeed = [3, 4]\n";
  const Draft draft = draftScene(two, "dam.toml", {}, once);
  EXPECT_EQ(draft.scene.fluid.blocks[1].velocity, (Vector{1, 2, 0}));
  EXPECT_EQ(draft.scene.fluid.blocks[2].velocity, (Vector{3, 4, 0}));
  EXPECT_EQ(draft.scene.renamed.size(), 3u);
}

TEST(RenamedKeys, InSettingsAreWarnedAboutAsTheyWereGiven) {
  const Draft draft = draftScene(dam, "dam.toml",
                                 {{"time.end", "5"},
                                  {"fluid.blocks[0].speed", "[1, 2]"},
                                  {"name", "wet"},
                                  {"solver.passes", "7"},
                                  {"fluid.blocks[0].speed[1]", "9"}},
                                 once);
  EXPECT_EQ(told(draft.mistakes.inOrder()), std::vector<std::string>{});
  EXPECT_EQ(draft.scene.time.until, 5);
  EXPECT_EQ(draft.scene.title, "wet");
  EXPECT_EQ(draft.scene.fluid.blocks[0].velocity, (Vector{1, 9, 0}));
  EXPECT_EQ(draft.scene.solver.numbers.at("iterations"), 7);
  const auto all = told(warnings(draft.scene));
  const auto has = [&](const std::string& line) { return std::find(all.begin(), all.end(), line) != all.end(); };
  EXPECT_TRUE(has("--set time.end=5: key \"end\" is now called \"until\""));
  EXPECT_TRUE(has("--set fluid.blocks[0].speed=[1, 2]: key \"speed\" is now called \"velocity\""));
}

TEST(RenamedKeys, OfASettingThatIsATableAreFoundToo) {
  const Draft draft = draftScene(dam, "dam.toml", {{"time", "{end = 5}"}}, once);
  EXPECT_EQ(draft.scene.time.until, 5);
  EXPECT_EQ(told(warnings(draft.scene)).back(), "--set time={end = 5}: key \"end\" is now called \"until\"");
}

TEST(RenamedKeys, ByBothNamesInOneTableAreAMistake) {
  const Draft draft = draftScene(dam + "until = 4\n", "dam.toml", {}, once);
  EXPECT_EQ(told(draft.mistakes.inOrder()),
            std::vector<std::string>{"dam.toml:20:1: key \"end\" is now called \"until\", and the table has both"});
}

TEST(RenamedKeys, OfTheFormatHaveNewNamesThatItKnowsAndOldOnesThatItDoesNot) {
  const auto sections = catalogue();
  for (const RenamedKey& key : renamedKeys()) {
    if (key.table == "solver") continue;  // its keys are those of all solvers
    const auto section = std::find_if(sections.begin(), sections.end(), [&](const auto& s) { return s.path == key.table; });
    ASSERT_NE(section, sections.end()) << key.table;
    const auto knows = [&](const std::string& name) {
      return std::any_of(section->rows.begin(), section->rows.end(), [&](const auto& row) { return row.name == name; });
    };
    EXPECT_TRUE(knows(key.now)) << key.table << "." << key.now;
    EXPECT_FALSE(knows(key.old)) << key.table << "." << key.old;
  }
}

TEST(RenamedKeys, LeaveTheTableOfASolverAlone) {
  const std::string text = smallDam + "[solver.constraint]\niterations = 3\n";
  EXPECT_TRUE(warnings(parseScene(text, "dam.toml")).empty());
  const Scene old = parseScene(smallDam + "constraint = \"equality\"\n", "dam.toml");
  EXPECT_EQ(old.solver.choices.at("condition"), "equality");
  EXPECT_EQ(told(warnings(old)), std::vector<std::string>{"dam.toml:19:1: key \"constraint\" is now called \"condition\""});
}

}  // namespace
}  // namespace brim
