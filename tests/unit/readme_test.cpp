// What the pages for readers claim, where a test can see it: the solvers' table, the size of the demo, links, scenes.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "brim/estimate.h"
#include "brim/parameter.h"

namespace brim {
namespace {

namespace fs = std::filesystem;

std::string contentOf(const fs::path& file) {
  std::stringstream all;
  all << std::ifstream(file).rdbuf();
  return all.str();
}

std::vector<fs::path> pages() {
  std::vector<fs::path> all = {BRIM_SOURCE "/README.md", BRIM_SOURCE "/CONTRIBUTING.md"};
  for (const auto& entry : fs::recursive_directory_iterator(BRIM_SOURCE "/docs"))
    if (entry.path().extension() == ".md") all.push_back(entry.path());
  return all;
}

TEST(Readme, TheTableOfSolversSaysWhatEachSolverDeclares) {
  std::map<std::string, std::string> works;  // by name
  std::istringstream lines(contentOf(BRIM_SOURCE "/README.md"));
  for (std::string line; std::getline(lines, line);) {
    static const std::regex row(R"(\| (`[a-z]+`(?:, `[a-z]+`)*) \| .* \| (2D, 3D.*) \|)");
    std::smatch cells;
    if (!std::regex_match(line, cells, row)) continue;
    std::istringstream names(cells[1]);
    for (std::string name; names >> name;) works[name.substr(1, name.find('`', 1) - 1)] = cells[2];
  }
  for (const SolverInfo& s : solvers()) EXPECT_EQ(works[s.name], textOf(s.capabilities)) << s.name;
  EXPECT_EQ(works.size(), solvers().size());
}

TEST(Readme, TheDemoHasAsManyParticlesAsItSays) {
  const std::string page = contentOf(BRIM_SOURCE "/README.md");
  std::smatch said;
  ASSERT_TRUE(std::regex_search(page, said, std::regex(R"(make demo .*\(([0-9]+),([0-9]{3}) particles)")));
  const double particles = estimate(readScene(BRIM_SOURCE "/scenes/dam_break.toml")).particles;
  EXPECT_NEAR(std::stod(said[1].str() + said[2].str()), particles, 0.01 * particles);
}

TEST(Pages, LinksLeadToFilesThatAreThere) {
  static const std::regex link(R"(\]\(([^)#\s]+)(#[^)]*)?\)|<img src="([^"]+)\")");
  for (const fs::path& page : pages()) {
    const std::string text = contentOf(page);
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
      const std::string to = (*at)[1].matched ? (*at)[1].str() : (*at)[3].str();
      if (to.find("://") != std::string::npos) continue;
      EXPECT_TRUE(fs::exists(page.parent_path() / to)) << page.filename() << ": " << to;
    }
  }
}

TEST(Pages, ScenesThatTheyWriteHaveNoMistakes) {
  const std::string open = "```toml\n", close = "```";
  int found = 0;
  for (const fs::path& page : pages()) {
    const std::string text = contentOf(page);
    for (auto at = text.find(open); at != std::string::npos; at = text.find(open, at + 1)) {
      const auto from = at + open.size();
      const std::string scene = text.substr(from, text.find(close, from) - from);
      if (!scene.starts_with("version = 1")) continue;  // a part of one
      ++found;
      EXPECT_NO_THROW(parseScene(scene, page.filename().string())) << page;
    }
  }
  EXPECT_GE(found, 3);
}

TEST(Pages, ScenesAndStudiesThatTheyNameAreThere) {
  static const std::regex name(R"((?:scenes|studies)/[a-z0-9_/]+\.toml)");
  for (const fs::path& page : pages()) {
    const std::string text = contentOf(page);
    for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at)
      EXPECT_TRUE(fs::exists(fs::path(BRIM_SOURCE) / at->str())) << page.filename() << ": " << at->str();
  }
}

}  // namespace
}  // namespace brim
