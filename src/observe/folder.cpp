#include "observe/folder.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>

#include "io/file.h"
#include "observe/checkpoint.h"
#include "scene/write.h"

namespace brim {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view origin = "# scene file: ";

Scene sceneOf(const std::string& folder) {
  const std::string file = folder + "/scene.toml";
  if (fs::exists(file)) {
    const std::string text = readFile(file);
    std::string from = file;
    if (text.starts_with(origin)) from = text.substr(origin.size(), text.find('\n') - origin.size());
    return parseScene(text, from);
  }
  std::vector<std::string> ignored;
  if (const auto c = latestCheckpoint(folder + "/checkpoint", ignored)) return parseScene(c->physics, file);
  throw Failure(fmt::format("{} is not the folder of a run: it has no scene.toml and no checkpoint  (brim run)", folder));
}

}  // namespace

void writeSceneOf(const std::string& folder, const Scene& scene) {
  std::string text;
  if (!scene.file.empty()) text = fmt::format("{}{}\n", origin, fs::absolute(scene.file).string());
  writeFile(folder + "/scene.toml", text + toToml(scene));
}

RunFolder::RunFolder(std::string folder) : folder_(std::move(folder)) {
  while (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
  if (!fs::is_directory(folder_)) throw Failure(fmt::format("there is no folder {}", folder_));
  scene_ = sceneOf(folder_);
  settings_ = framesOf(scene_, folder_);
  settings_.formats = {"vtp", "ply"};
  std::set<int> numbers;
  if (fs::is_directory(settings_.folder))
    for (const auto& entry : fs::directory_iterator(settings_.folder)) {
      const std::string name = entry.path().filename().string();
      int number = 0, used = 0;
      if (std::sscanf(name.c_str(), "frame_%d.%n", &number, &used) != 1 || used == 0) continue;
      if (const std::string format = name.substr(std::size_t(used)); format == "vtp" || format == "ply") numbers.insert(number);
    }
  frames_.assign(numbers.begin(), numbers.end());
  if (frames_.empty())
    throw Failure(fmt::format("{} has no frames; run the scene with output.frames_per_second above 0", folder_));
}

Snapshot RunFolder::read(int frame) const {
  auto s = Frames::read(settings_, frame, frames_.front());
  if (!s) throw Failure(fmt::format("frame {} of {} is gone", frame, folder_));
  return std::move(*s);
}

}  // namespace brim
