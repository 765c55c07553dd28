// CONTRIBUTING.md shows files of the tree; what it shows is what they are.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace {

std::string contentOf(const std::string& file) {
  std::ifstream in(std::string(BRIM_SOURCE "/") + file, std::ios::binary);
  EXPECT_TRUE(in) << file;
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

TEST(Contributing, ShowsFilesAsTheyAre) {
  const std::string page = contentOf("CONTRIBUTING.md"), mark = "<!-- file: ", fence = "\n```cpp\n", end = "\n```\n";
  int shown = 0;
  for (auto at = page.find(mark); at != std::string::npos; at = page.find(mark, at + 1), ++shown) {
    const auto name = at + mark.size();
    const std::string file = page.substr(name, page.find(" -->", name) - name);
    const auto code = page.find(fence, name) + fence.size();
    EXPECT_EQ(page.substr(code, page.find(end, code) + 1 - code), contentOf(file)) << "copy " << file << " into CONTRIBUTING.md";
  }
  EXPECT_EQ(shown, 2);  // the solver and its test
}

}  // namespace
