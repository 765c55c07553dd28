// Drives the command as a user would, in a folder of its own that holds scenes/dam.toml.
#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "small_dam.h"

namespace brim {

namespace fs = std::filesystem;

inline const std::string dam = smallDam + R"(
[time]
until = 0.1

[output]
frames_per_second = 20
)";

struct Outcome {
  int code;
  std::string out, err;
};

inline std::string contentOf(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class Command : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = test->name();
    std::replace(name.begin(), name.end(), '/', '_');  // between a test and its parameter
    folder = fs::path(testing::TempDir()) / ("brim_" + std::to_string(getpid()) + "_" + name);
    fs::create_directories(folder / "scenes");
    std::ofstream(folder / "scenes/dam.toml") << dam;
  }
  void TearDown() override { fs::remove_all(folder); }

  /// Starts the command in the test's own folder.
  Outcome brim(const std::string& arguments, const std::string& before = "") {
    const std::string line =
        "cd '" + folder.string() + "' && " + before + " '" + BRIM_COMMAND + "' " + arguments + " >stdout 2>stderr";
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contentOf(folder / "stdout"), contentOf(folder / "stderr")};
  }

  /// Starts the command, and sends it the signal once the file is there: whatever the machine's pace, the run is under way then.
  Outcome signalled(const std::string& arguments, const std::string& signal, const fs::path& file) {
    return brim(arguments, "'" + std::string(BRIM_SOURCE) + "/tests/cli/signal_when' " + signal + " '" + file.string() + "'");
  }

  fs::path folder;
};

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace brim
