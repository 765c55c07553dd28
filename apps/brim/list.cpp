#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "brim/catalogue.h"
#include "brim/estimate.h"
#include "brim/parameter.h"
#include "brim/suggest.h"
#include "commands.h"

#ifndef BRIM_INSTALLED_SCENES
#define BRIM_INSTALLED_SCENES "/usr/local/share/brim/scenes"
#endif

namespace brim::command {

namespace fs = std::filesystem;

int listSolvers() {
  for (const SolverInfo& s : solvers())
    fmt::print("{:<12} {}  ({})\n{:<12} {}\n", s.name, s.text, s.source, "", textOf(s.capabilities));
  return ok;
}

std::vector<std::string> knownScenes() {
  std::error_code ignored;
  const fs::path command = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const fs::path& folder :
       {fs::path("scenes"), command / "../scenes", command / "../share/brim/scenes", fs::path(BRIM_INSTALLED_SCENES)}) {
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
      if (entry.path().extension() == ".toml") files.push_back(entry.path().lexically_normal().string());
    std::sort(files.begin(), files.end());
    if (!files.empty()) return files;
  }
  return {};
}

int listScenes() {
  const auto files = knownScenes();
  if (files.empty()) throw Failure("there is no folder \"scenes\" here, nor one that came with brim");
  for (const auto& file : files) {
    try {
      const Scene scene = readScene(file);
      fmt::print("{:<36} {}D {:>7} particles  {:<10}  {}\n", file, scene.dimension, count(estimate(scene).particles),
                 scene.solver.name, scene.title);
    } catch (const SceneError& e) {
      fmt::print("{:<36} has mistakes: brim check {}\n", file, file);
    }
  }
  return ok;
}

int listDevices() {
  for (const DeviceInfo& d : devices()) fmt::print("{:<5} {}\n", d.name, d.text);
  return ok;
}

int listParameters(const std::string& name, bool markdown) {
  const std::string text = markdown ? catalogueMarkdown() : catalogueText(name);
  if (text.empty()) {
    std::vector<std::string> names;
    for (const auto& section : catalogue()) {
      names.push_back(section.path);
      if (section.path.starts_with("solver.")) names.push_back(section.path.substr(7));
      for (const auto& row : section.rows) names.push_back(row.name);
    }
    throw Failure(fmt::format("there is no table, solver or key \"{}\"{}", name, didYouMean(name, names)));
  }
  fmt::print("{}", text);
  return ok;
}

}  // namespace brim::command
