#include "scene/motion_file.h"

#include <filesystem>

#include "scene/keyframe_table.h"

namespace brim {

namespace fs = std::filesystem;

namespace {

std::string besideScene(const Scene& scene, const std::string& file) {
  return (fs::path(scene.file).parent_path() / file).string();
}

}  // namespace

void readMotionFile(const Scene& scene, Motion& m, const std::string& path, Mistakes& mistakes) {
  KeyframeTable::Columns known = {{"time", {0, "s"}}, {"t", {0, "s"}}, {"x", {1, "m"}}, {"y", {2, "m"}}, {"angle_z", {6, "deg"}}};
  if (scene.dimension == 2)
    known.insert({{"angle", {6, "deg"}}, {"roll", {6, "deg"}}});
  else
    known.insert({{"z", {3, "m"}},
                  {"angle_x", {4, "deg"}},
                  {"angle_y", {5, "deg"}},
                  {"roll", {4, "deg"}},
                  {"pitch", {5, "deg"}},
                  {"yaw", {6, "deg"}}});
  KeyframeTable table(besideScene(scene, m.file), path + ".file", known, mistakes);
  for (const auto& row : table.read(scene.at(path + ".file"), 7)) {
    if (table.has(1) || table.has(2) || table.has(3)) m.resolved.displacement.push_back({row[0], {row[1], row[2], row[3]}});
    if (table.has(4) || table.has(5) || table.has(6)) m.resolved.rotation.push_back({row[0], {row[4], row[5], row[6]}});
  }
}

void readGravityFile(Scene& scene, Mistakes& mistakes) {
  KeyframeTable::Columns known = {{"time", {0, "s"}}, {"t", {0, "s"}}, {"x", {1, "m_s2"}}, {"y", {2, "m_s2"}}};
  if (scene.dimension == 3) known.insert({"z", {3, "m_s2"}});
  scene.gravity_keys.clear();
  KeyframeTable table(besideScene(scene, scene.gravity_file), "gravity", known, mistakes);
  for (const auto& row : table.read(scene.at("gravity"), 4)) scene.gravity_keys.push_back({row[0], {row[1], row[2], row[3]}});
}

}  // namespace brim
