// Commands that the pages show are commands: each is read with its options, and its scene with its settings.
#include "command.h"

namespace brim {
namespace {

// Lines of code blocks that call brim, without their comments.
std::vector<std::string> commandsIn(const std::string& page) {
  std::vector<std::string> all;
  std::istringstream lines(contentOf(fs::path(BRIM_SOURCE) / page));
  bool code = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) code = !code;
    const std::string call = line.starts_with("build/brim ") ? "build/brim " : "brim ";
    if (!code || !line.starts_with(call)) continue;
    line = line.substr(call.size());
    all.push_back(line.substr(0, line.find("  #")));
  }
  return all;
}

class Pages : public Command {};

TEST_F(Pages, EveryCommandIsReadWithAllItsOptions) {
  fs::remove_all(folder / "scenes");
  fs::create_directory_symlink(BRIM_SOURCE "/scenes", folder / "scenes");
  int found = 0;
  for (const char* page : {"README.md", "docs/viewer.md", "docs/exports.md", "docs/studies.md", "docs/tutorials/student.md",
                           "docs/tutorials/engineer.md", "docs/tutorials/artist.md"})
    for (const std::string& words : commandsIn(page)) {
      ++found;
      // What is told of an option that nothing has shows that the words before it are known.
      const Outcome o = brim(words + " --nothing-has-this");
      EXPECT_EQ(o.code, 2) << page << ": brim " << words;
      EXPECT_TRUE(has(o.err, "has no option --nothing-has-this")) << page << ": brim " << words << "\n" << o.err;
      // The scene with its settings; tests/unit/readme_test.cpp reads those that the pages write.
      std::istringstream parts(words);
      std::string verb, scene, settings, word;
      parts >> verb >> scene;
      if ((verb != "run" && verb != "compare" && verb != "sweep" && verb != "info" && verb != "view") ||
          !scene.starts_with("scenes/"))
        continue;
      while (parts >> word) {
        if (word == "--set") parts >> word, settings += " --set '" + word + "'";
        if (word == "--solver") parts >> word, settings += " --solver " + word;
        if (word == "--vary") parts >> word, settings += " --set '" + word.substr(0, word.find(',')) + "'";
      }
      const Outcome check = brim("check " + scene + settings);
      EXPECT_EQ(check.code, 0) << page << ": brim " << words << "\n" << check.err;
    }
  EXPECT_GT(found, 30);
}

}  // namespace
}  // namespace brim
